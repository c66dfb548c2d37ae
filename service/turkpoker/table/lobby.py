"""The list of tables: what it shows of each, and who wants to see which."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from turkpoker.table.state import TableState


class Listed(Protocol):
    """What a filter looks at; a ``LobbyEntry`` has it, and what a store keeps of one."""

    @property
    def display_name(self) -> str: ...
    @property
    def profile(self) -> str: ...
    @property
    def match(self) -> str: ...
    @property
    def private(self) -> bool: ...
    @property
    def ante(self) -> int: ...
    @property
    def seat_count(self) -> int: ...
    @property
    def seats_taken(self) -> int: ...
    @property
    def seats_kept(self) -> int: ...


@dataclass(frozen=True, slots=True)
class LobbyEntry:
    """What a list of tables shows; of a table that is not private nothing that a stranger may not know.

    Args:
        seats_kept: free seats that are kept for who waits.
        waiting_count: how many wait for a seat.
    """

    table_id: str
    display_name: str
    profile: str
    seat_count: int
    seats_taken: int
    ante: int
    stake_min: int
    hand_number: int
    rehearsal: bool
    host: str = ""
    private: bool = False
    match: str = "session"
    paused: bool = False
    hand_running: bool = False
    waiting_count: int = 0
    seats_kept: int = 0
    create_time: datetime | None = None


def lobby_entry(state: TableState) -> LobbyEntry:
    """What a list of tables shows of a table."""
    config, rules = state.config, state.config.rules
    return LobbyEntry(
        table_id=state.table_id,
        display_name=config.display_name,
        profile=rules.profile_name,
        seat_count=config.seat_count,
        seats_taken=len(state.seats),
        ante=rules.ante,
        stake_min=rules.stake_min,
        hand_number=state.hand_number,
        rehearsal=config.rehearsal,
        host=config.host,
        private=config.private,
        match=rules.match,
        paused=bool(state.paused),
        hand_running=state.hand_running,
        waiting_count=len(state.waiting),
        seats_kept=sum(1 for each in state.waiting if each.offered_seat is not None),
    )


def lobby_change(before: TableState, after: TableState) -> LobbyEntry | None:
    """The new entry of a table, or None where the list goes on showing what it shows."""
    return None if _shown(before) == _shown(after) else lobby_entry(after)


def _shown(state: TableState) -> tuple[object, ...]:
    """What ``lobby_entry`` is made of; most commands change nothing of it, and this is cheap to compare."""
    return (
        state.config,
        len(state.seats),
        state.hand_number,
        state.hand_running,
        state.paused,
        state.waiting,
    )


def members_change(before: TableState, after: TableState) -> tuple[frozenset[str], frozenset[str]]:
    """Who has become a member of a table, and who is none any more (see ``members``)."""
    if before.closed == after.closed and _players(before) == _players(after):
        return frozenset(), frozenset()
    old, new = members(before), members(after)
    return new - old, old - new


def _players(state: TableState) -> list[str]:
    return [seat.player for seat in state.seats.values()]


def members(state: TableState) -> frozenset[str]:
    """Whose table it is: its host and who sits there; nobody's once it is closed."""
    if state.closed:
        return frozenset()
    return frozenset((state.config.host, *(seat.player for seat in state.seats.values())))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFilter:
    """Which tables are wanted; what is empty or None does not matter.

    Args:
        profile: the name of the profile.
        free_seats: tables at which a stranger could sit down now.
        min_ante: the smallest ante, in chips.
        max_ante: the greatest ante, in chips.
        match: ``session`` or ``tournament``.
        text: occurs in the display name, whatever the case.
        mine: tables that this player made or sits at, private ones too.
        private: private tables of others too; for operators.
    """

    profile: str = ""
    free_seats: bool = False
    min_ante: int | None = None
    max_ante: int | None = None
    match: str = ""
    text: str = ""
    mine: str = ""
    private: bool = False

    def fits(self, entry: Listed) -> bool:
        """Whether a table is wanted; that ``mine`` is his is for who looks it up."""
        return (
            (not entry.private or self.private or bool(self.mine))
            and self.profile in ("", entry.profile)
            and self.match in ("", entry.match)
            and (not self.free_seats or entry.seats_taken + entry.seats_kept < entry.seat_count)
            and (self.min_ante is None or entry.ante >= self.min_ante)
            and (self.max_ante is None or entry.ante <= self.max_ante)
            and (not self.text or self.text.casefold() in entry.display_name.casefold())
        )
