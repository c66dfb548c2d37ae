"""What host and operators may do: pause, send somebody away, change the deals, invite, end."""

from __future__ import annotations

from dataclasses import replace

from turkpoker.engine import RulesError
from turkpoker.table.access import check_authority
from turkpoker.table.between import end_table
from turkpoker.table.checking import MAX_PLAYER_NAME, check_whole, checked_name
from turkpoker.table.commands import (
    Close,
    EndSession,
    Pause,
    Remove,
    RenewInvitation,
    Resume,
    SwitchDealMode,
)
from turkpoker.table.desk import Desk
from turkpoker.table.errors import Reason, TableError, not_now
from turkpoker.table.events import PlayerRemoved, RulesChanged, SessionEnding, TablePaused, TableResumed
from turkpoker.table.seating import leave_now

MAX_REASON = 200
#: So many are remembered as sent away; who has to send more away makes a private table.
MAX_REMOVED = 256
#: Whose deals a host may change from one hand to the next (003 L73).
_SWITCHING_PROFILE = "french"


def close(desk: Desk, command: Close) -> bool:
    """End the table between two hands and pay everybody out."""
    check_authority(desk.state, command.by, operator=command.operator)
    reason = checked_reason(command.reason)
    if desk.state.hand_running:
        raise not_now("a hand is on")
    end_table(desk, reason)
    return True


def pause(desk: Desk, command: Pause) -> bool:
    """Let no new hand begin; whether anything changed."""
    state = desk.state
    who = check_authority(state, command.by, operator=command.operator)
    reason = checked_reason(command.reason)
    if (state.paused, state.pause_reason) == (who, reason) or (state.paused == "operator" and who == "host"):
        return False
    state.paused, state.pause_reason = who, reason
    desk.events.append(TablePaused(who == "operator", reason))
    return True


def resume(desk: Desk, command: Resume) -> bool:
    """Let hands begin again; whether anything changed."""
    state = desk.state
    check_authority(state, command.by, operator=command.operator)
    if not state.paused:
        return False
    if state.paused == "operator" and not command.operator:
        raise TableError(
            Reason.ROLE_MISSING,
            "an operator has paused this table, and only an operator can resume it",
            metadata={"role": "operator"},
        )
    state.paused, state.pause_reason = "", ""
    desk.events.append(TableResumed())
    return True


def remove(desk: Desk, command: Remove) -> bool:
    """Send a player away; whether anything changed."""
    state = desk.state
    who = check_authority(state, command.by, operator=command.operator)
    check_whole("seat", command.seat, 0, state.config.seat_count - 1)
    player = checked_name("player", command.removed, MAX_PLAYER_NAME)
    if player == command.by:
        raise TableError(Reason.INVALID_FIELD, "nobody sends himself away: leave the table", field="player")
    seat = state.seats.get(command.seat)
    if seat is None or seat.player != player:
        raise not_now(f"this player does not sit on seat {command.seat}")
    if player in state.removed:
        return False
    hand = state.hand
    playing = state.hand_running and hand is not None and hand.is_live(command.seat)
    if who == "host" and playing and not seat.leaving:
        # Else a host could win a pot, for himself or a friend, by a word.
        raise not_now("this player is in the running hand; pause the table and wait for its end")
    if len(state.removed) >= MAX_REMOVED:
        raise not_now(f"{MAX_REMOVED} players have been sent away from this table")
    state.removed += (player,)
    desk.events.append(PlayerRemoved(command.seat, player, who == "operator"))
    if not seat.leaving:
        leave_now(desk, command.seat)
    return True


def switch_deal_mode(desk: Desk, command: SwitchDealMode) -> bool:
    """Change a French table between ante and blind deals; whether anything changed.

    The running hand keeps the rules that it began with.
    """
    state = desk.state
    check_authority(state, command.by)
    rules, wanted = state.config.rules, command.deal_mode
    if wanted not in ("ante", "blind"):
        raise TableError(Reason.INVALID_FIELD, "deal_mode must be ante or blind", field="deal_mode")
    if rules.profile_name != _SWITCHING_PROFILE:
        raise TableError(
            Reason.RULES_NOT_PLAYABLE,
            "only French tables change between ante and blind deals",
            field="deal_mode",
        )
    if rules.deal_mode == wanted:
        return False
    try:
        changed = rules.changed(deal_mode=wanted)
    except RulesError as error:
        raise TableError(
            Reason.RULES_NOT_PLAYABLE, f"{error.field}: {error.reason}", field="deal_mode"
        ) from None
    state.config = replace(state.config, rules=changed)
    desk.events.append(RulesChanged(wanted))
    return True


def end_session(desk: Desk, command: EndSession) -> bool:
    """End the table after the running hand, or at once where none is on; whether anything changed."""
    state = desk.state
    who = check_authority(state, command.by, operator=command.operator)
    if state.tournament and state.hand_number and not state.match_over:
        raise not_now("a tournament ends when one player is left; between two hands it can be closed")
    if state.ending:
        return False
    # Between two hands the table is ended by what is done there after every command.
    state.ending = who
    desk.events.append(SessionEnding(who == "operator"))
    return True


def renew_invitation(desk: Desk, command: RenewInvitation) -> bool:
    """Take another invitation; the old one opens nothing any more."""
    state = desk.state
    check_authority(state, command.by)
    if not state.config.private:
        raise not_now("this table is open to everybody")
    state.invitation = command.invitation
    return True


def checked_reason(reason: str) -> str:
    """Why something is done, in words that can be shown; may be empty.

    Raises:
        TableError: INVALID_FIELD.
    """
    return checked_name("reason", reason, MAX_REASON) if reason else ""
