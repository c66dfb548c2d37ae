"""The audit log: who did what at a table, from a command and what became of it.

``audit_of`` is the only maker of the log of a table and runs in every decision, so that no use case can
forget it: a command that is not named here stands under its own name. What stands in a record comes from the
events that everybody at the table sees, and from a few named fields of commands; so there is never a card, a
token or an invitation in it. Actions of the game are not logged: the record of the hand holds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from turkpoker.table.commands import (
    Act,
    AddChips,
    Close,
    Command,
    ConfirmBuyIn,
    EndSession,
    ForceClose,
    Join,
    JoinWaitingList,
    Leave,
    LeaveWaitingList,
    Pause,
    RefuseBuyIn,
    Remove,
    RenewInvitation,
    Resume,
    SetAutoTopUp,
    SitIn,
    SitOut,
    SwitchDealMode,
    TimeOut,
)
from turkpoker.table.config import TableConfig
from turkpoker.table.events import (
    BoughtIn,
    BuyInAsked,
    BuyInRefused,
    CarriedPotShared,
    CashedOut,
    ChipsAdded,
    HandStopped,
    PlayerJoined,
    PlayerLeft,
    SatOut,
    TableClosed,
    TableEvent,
)

#: How the log calls what a command does; None: not logged, but what follows from it is.
ACTIONS: Mapping[type, str | None] = {
    Join: "join",
    Leave: "leave",
    AddChips: "add_chips",
    SetAutoTopUp: "set_auto_top_up",
    SitOut: "sit_out",
    SitIn: "sit_in",
    JoinWaitingList: "join_waiting_list",
    LeaveWaitingList: "leave_waiting_list",
    Close: "close",
    ForceClose: "force_close",
    Pause: "pause",
    Resume: "resume",
    Remove: "remove_player",
    SwitchDealMode: "switch_deal_mode",
    EndSession: "end_session",
    RenewInvitation: "renew_invitation",
    Act: None,
    TimeOut: None,
    ConfirmBuyIn: None,
    RefuseBuyIn: None,
}
_SEAT = {"player": "player", "seat": "seat"}
#: What of the events stands in the log: under which name where it follows from something else, and which
#: facts (name in the log: name in the event).
FOLLOWING: Mapping[type, tuple[str, Mapping[str, str]]] = {
    PlayerJoined: ("join", _SEAT),
    BuyInAsked: ("ask_bank", {**_SEAT, "asked_of_bank": "amount", "transfer_id": "transfer_id"}),
    BoughtIn: ("bought_in", {**_SEAT, "bought_in": "amount", "transfer_id": "transfer_id"}),
    BuyInRefused: ("bank_refused", {**_SEAT, "refused": "amount", "transfer_id": "transfer_id"}),
    CashedOut: ("cashed_out", {**_SEAT, "cashed_out": "amount", "transfer_id": "transfer_id"}),
    ChipsAdded: ("add_chips", {**_SEAT, "pending": "pending"}),
    SatOut: ("sit_out", {**_SEAT, "timed_out": "timed_out"}),
    PlayerLeft: ("leave", _SEAT),
    CarriedPotShared: ("share_carried_pot", {"carried_shared": "amount"}),
    HandStopped: ("stop_hand", {"hand": "hand_number", "carried": "carried"}),
    TableClosed: ("close", {}),
}
#: Fields of commands that may stand in the log as they are, by their names there.
_FIELDS = {"seat": "seat", "player": "removed", "reason": "reason", "deal_mode": "deal_mode", "when": "when"}


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One thing that somebody did.

    Args:
        actor: who; empty: the table itself, by a clock.
        role: as what: ``player``, ``host``, ``operator`` or ``table``.
        action: what.
        details: facts for programs.
    """

    actor: str
    role: str
    action: str
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A record in the log.

    Args:
        time: when, by the clock of the store.
        table_id: where; empty: it concerns all tables.
        version: the table's version after it.
        record: what.
    """

    time: datetime
    table_id: str
    version: int
    record: AuditRecord


@dataclass(frozen=True, slots=True)
class AuditPage:
    """A page of the log, newest first; an empty token means that there is no more."""

    entries: tuple[AuditEntry, ...]
    next_page_token: str


def audit_of(command: Command, host: str, events: Iterable[TableEvent]) -> tuple[AuditRecord, ...]:
    """What the log says of a command that changed a table.

    Args:
        command: what was asked.
        host: who made the table.
        events: what happened.
    """
    kind = type(command)
    action = ACTIONS[kind] if kind in ACTIONS else _plain_name(kind)
    logged = [event for event in events if type(event) in FOLLOWING]
    if action is None and not logged:
        return ()
    actor, role = _actor(command, host)
    own = _fields(command) | ({"player": actor} if role == "player" else {})
    records: list[AuditRecord] = []
    followed: list[AuditRecord] = []
    details = dict(own)
    # What a command of host or operator does to others is his doing, what a player's does is the table's.
    behind = (actor, role) if role in ("host", "operator") else ("", "table")
    for event in logged:
        name, facts = _facts(event)
        whose = facts.get("player")
        if action is not None and whose in (None, own.get("player")):
            details |= facts
        else:
            followed.append(AuditRecord(*behind, name, facts))
    if action is not None:
        records.append(AuditRecord(actor, role, action, details))
    return (*records, *followed)


def audit_of_creation(config: TableConfig) -> tuple[AuditRecord, ...]:
    """What the log says of a new table."""
    details = {"display_name": config.display_name, "profile": config.rules.profile_name}
    if config.private:
        details["private"] = "true"
    return (AuditRecord(config.host, "host", "create", details),)


def _actor(command: Command, host: str) -> tuple[str, str]:
    by: str | None = getattr(command, "by", None)
    if isinstance(command, ForceClose):
        return command.by, "operator"
    if by is not None:
        # As ``check_authority`` sees it: a host who is an operator too does it as the host.
        return by, "operator" if by != host and getattr(command, "operator", False) else "host"
    player: str = getattr(command, "player", "")
    return (player, "player") if player else ("", "table")


def _fields(command: Command) -> dict[str, str]:
    found = {name: getattr(command, attribute, None) for name, attribute in _FIELDS.items()}
    return {name: str(value) for name, value in found.items() if value not in (None, "")}


def _facts(event: TableEvent) -> tuple[str, dict[str, str]]:
    """What follows from an event that belongs into the log, and its facts."""
    name, fields = FOLLOWING[type(event)]
    facts = {fact: getattr(event, attribute) for fact, attribute in fields.items()}
    return name, {
        fact: str(value).lower() if isinstance(value, bool) else str(value)
        for fact, value in facts.items()
        if value not in (False, "", None)
    }


def _plain_name(kind: type) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
