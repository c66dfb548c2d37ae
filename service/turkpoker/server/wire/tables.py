"""A table on the wire, as one viewer may see it.

The hand comes from the engine's own view of a seat, the questions from the table's projection.
"""

from __future__ import annotations

from typing import Literal

from turkpoker.engine.profiles import PROFILES
from turkpoker.engine.views import HandView
from turkpoker.server.errors import invalid
from turkpoker.server.resume import Position, ResumeTokens
from turkpoker.server.wire.actions import decision_to_wire, phase_to_wire
from turkpoker.server.wire.cards import cards_to_wire
from turkpoker.server.wire.events import waiting_to_wire
from turkpoker.server.wire.names import MAX_DISPLAY_NAME, table_name
from turkpoker.server.wire.rules import rules_to_wire
from turkpoker.table.alarms import away_alarm
from turkpoker.table.delay import sees_later, without_running_hand
from turkpoker.table.events import DecisionAsked, project
from turkpoker.table.lobby import LobbyEntry, TableFilter
from turkpoker.table.state import Seat, TableState
from turkpoker.table.tables import Outcome
from turkpoker.table.waiting import shown_list
from turkpoker.v1 import actions_pb2, events_pb2
from turkpoker.v1 import table_service_pb2 as service_pb
from turkpoker.v1 import tables_pb2 as pb


def table_to_wire(outcome: Outcome, player: str, tokens: ResumeTokens, *, whole: bool = False) -> pb.Table:
    """The table as a player may see it.

    Args:
        outcome: how the table stands.
        player: who looks.
        tokens: makes the resume token.
        whole: the running hand too for who sees it later: his delay is over.
    """
    delayed = not whole and outcome.state.hand_running and sees_later(outcome.state, player)
    state = without_running_hand(outcome.state) if delayed else outcome.state
    viewer_seat = state.viewer_seat(player)
    position = Position(state.epoch, state.version, viewer_seat)
    message = pb.Table(
        name=table_name(state.table_id),
        display_name=state.config.display_name,
        rules=rules_to_wire(state.config.rules),
        seat_count=state.config.seat_count,
        seats=[_seat(state, number, seat, player) for number, seat in sorted(state.seats.items())],
        host=state.config.host,
        dealer_seat=state.dealer,
        hand_number=state.hand_number,
        carried=state.carried,
        your_seat=state.seat_of(player),
        version=state.version,
        resume_token=tokens.make(state.table_id, player, position),
        etag=f'"{state.epoch}.{state.version}"',
        rehearsal=state.config.rehearsal,
        closed=state.closed,
        warnings=state.config.rules.warnings,
        delayed=delayed,
        private=state.config.private,
        invitation=state.invitation if player == state.config.host else "",
        paused=bool(state.paused),
        ending=bool(state.ending),
        waiting=waiting_to_wire(shown_list(state), outcome.now),
        placings=_placings(state),
    )
    if delayed:
        for each in message.seats:  # what is left of it tells how long somebody has thought
            each.ClearField("time_bank")
    if state.config.spectator_delay:
        message.spectator_delay.FromTimedelta(state.config.spectator_delay)
    if state.config.away_limit:
        message.away_limit.FromTimedelta(state.config.away_limit)
    message.hand_pause.FromTimedelta(state.config.hand_pause)
    message.server_time.FromDatetime(outcome.now)
    if state.create_time is not None:
        message.create_time.FromDatetime(state.create_time)
    if state.hand is not None:
        asked = _asked(outcome, viewer_seat)
        message.hand.CopyFrom(_hand(state, state.hand.view(viewer_seat), asked))
        for decision in asked:
            if decision.seat == viewer_seat:
                message.decision.CopyFrom(decision)
    return message


def _seat(state: TableState, number: int, seat: Seat, viewer: str) -> pb.Seat:
    message = pb.Seat(
        seat=number,
        player=seat.player,
        display_name=seat.display_name,
        stack=seat.stack,
        sitting_out=seat.sitting_out,
        leaving=seat.leaving or seat.leaves_after_hand,
        pending=seat.pending,
        awaiting_bank=seat.awaiting_bank,
        sits_out_at_next_ante=seat.sits_out_at_next_ante,
        leaves_after_hand=seat.leaves_after_hand,
        auto_top_up=seat.auto_top_up if seat.player == viewer else 0,
    )
    if state.config.rules.time_bank:
        message.time_bank.FromTimedelta(state.time_bank(seat.player))
    leaves = state.alarms.get(away_alarm(number))
    # Of who sits out alone, as the contract says: no event tells when the time of who has no chips begins,
    # and views must say what events say.
    if seat.sitting_out and leaves is not None and leaves.at is not None:
        message.leaves_time.FromDatetime(leaves.at)
    return message


def _placings(state: TableState) -> list[events_pb2.Placing]:
    chips = {seat.player: seat.stack for seat in state.seats.values()}
    places = sorted(state.placings, key=lambda item: item[1])
    return [
        events_pb2.Placing(player=player, place=place, chips=chips.get(player, 0)) for player, place in places
    ]


def _asked(outcome: Outcome, viewer_seat: int | None) -> list[actions_pb2.Decision]:
    seen = [project(decision, viewer_seat) for decision in outcome.state.decisions()]
    return [decision_to_wire(each, outcome.state.time) for each in seen if isinstance(each, DecisionAsked)]


def _hand(state: TableState, view: HandView, asked: list[actions_pb2.Decision]) -> pb.Hand:
    message = pb.Hand(
        hand_number=state.hand_number,
        phase=phase_to_wire(view.phase),
        dealer_seat=view.dealer,
        deck=view.deck_size,
        pot=view.pot,
        carried=view.carried,
        level=view.level,
        opener_seat=view.opener,
        asked=asked,
    )
    for seat in view.seats:
        message.players.add(
            seat=seat.seat,
            player=state.hand_players.get(seat.seat, ""),
            stack=seat.stack,
            bet=seat.bet,
            total=seat.total,
            folded=seat.folded,
            all_in=seat.all_in,
            cards=cards_to_wire(seat.cards),
            drawn=seat.drawn,
        )
    return message


def summary_to_wire(entry: LobbyEntry) -> pb.TableSummary:
    """A table in a list."""
    message = pb.TableSummary(
        name=table_name(entry.table_id),
        display_name=entry.display_name,
        profile=entry.profile,
        seat_count=entry.seat_count,
        seats_taken=entry.seats_taken,
        ante=entry.ante,
        stake_min=entry.stake_min,
        hand_number=entry.hand_number,
        rehearsal=entry.rehearsal,
        host=entry.host,
        private=entry.private,
        waiting_count=entry.waiting_count,
        paused=entry.paused,
        match=entry.match,
        hand_running=entry.hand_running,
    )
    if entry.create_time is not None:
        message.create_time.FromDatetime(entry.create_time)
    return message


def filter_from_wire(message: service_pb.TableFilter, player: str, *, operator: bool) -> TableFilter:
    """Which tables a caller wants to see and may.

    Args:
        message: the filter; an empty one wants all public tables.
        player: who asks.
        operator: he has that role, and is shown private tables of others too.

    Raises:
        ServiceError: INVALID_FIELD.
    """
    least = message.min_ante if message.HasField("min_ante") else None
    most = message.max_ante if message.HasField("max_ante") else None
    if message.profile and message.profile not in PROFILES:
        raise invalid("filter.profile", f"no such profile: choose {', '.join(PROFILES)}")
    if message.match not in ("", "session", "tournament"):
        raise invalid("filter.match", "match is session or tournament")
    if least is not None and least < 0:
        raise invalid("filter.min_ante", "min_ante must not be negative")
    if most is not None and most < (least or 0):
        raise invalid("filter.max_ante", "max_ante is below 0 or below min_ante")
    if len(message.text) > MAX_DISPLAY_NAME:
        raise invalid("filter.text", f"text is longer than {MAX_DISPLAY_NAME} characters")
    return TableFilter(
        profile=message.profile,
        free_seats=message.free_seats,
        min_ante=least,
        max_ante=most,
        match=message.match,
        text=message.text,
        mine=player if message.mine else "",
        private=operator,
    )


_LEAVE_WHEN: dict[int, Literal["now", "after_hand", "cancelled"]] = {
    service_pb.LEAVE_WHEN_UNSPECIFIED: "now",
    service_pb.LEAVE_WHEN_NOW: "now",
    service_pb.LEAVE_WHEN_AFTER_HAND: "after_hand",
    service_pb.LEAVE_WHEN_CANCELLED: "cancelled",
}
_SIT_OUT_WHEN: dict[int, Literal["next_deal", "now", "next_ante"]] = {
    service_pb.SIT_OUT_WHEN_UNSPECIFIED: "next_deal",
    service_pb.SIT_OUT_WHEN_NEXT_DEAL: "next_deal",
    service_pb.SIT_OUT_WHEN_NOW: "now",
    service_pb.SIT_OUT_WHEN_NEXT_ANTE: "next_ante",
}


def leave_when_from_wire(when: int) -> Literal["now", "after_hand", "cancelled"]:
    """When somebody leaves.

    Raises:
        ServiceError: INVALID_FIELD; a value that the contract does not know.
    """
    if when not in _LEAVE_WHEN:
        raise invalid("when", "when is none of LeaveWhen")
    return _LEAVE_WHEN[when]


def sit_out_when_from_wire(when: int) -> Literal["next_deal", "now", "next_ante"]:
    """When somebody begins to sit out.

    Raises:
        ServiceError: INVALID_FIELD; a value that the contract does not know.
    """
    if when not in _SIT_OUT_WHEN:
        raise invalid("when", "when is none of SitOutWhen")
    return _SIT_OUT_WHEN[when]
