"""The use cases of tables."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta

from turkpoker.engine import Rules
from turkpoker.table.alarms import EMPTY
from turkpoker.table.away import first_alarm
from turkpoker.table.checking import check_whole, checked_name
from turkpoker.table.commands import (
    Act,
    AddChips,
    Close,
    Command,
    Join,
    Leave,
    RenewInvitation,
    SitIn,
    SitOut,
    TimeOut,
    asker,
)
from turkpoker.table.config import (
    DEFAULT_AWAY_LIMIT,
    DEFAULT_HAND_PAUSE,
    MAX_AWAY_LIMIT,
    MAX_DISPLAY_NAME,
    MAX_HAND_PAUSE,
    MAX_SPECTATOR_DELAY,
    TableConfig,
)
from turkpoker.table.due import DueTables
from turkpoker.table.errors import NotDue, Reason, TableError
from turkpoker.table.lobby import TableFilter, lobby_entry
from turkpoker.table.loop import CommandLoop, request_of
from turkpoker.table.outcome import Outcome, as_it_is
from turkpoker.table.ports import (
    MAX_PAGE_SIZE,
    Dealer,
    Page,
    TableStore,
)
from turkpoker.table.state import TableState

__all__ = ["Outcome", "Tables"]


class Tables(CommandLoop):
    """All tables of a store, as one process sees them.

    Args:
        store: where they are kept.
        dealer: who shuffles.
        rehearsal: decks are scripted or seeded; every table made here says so.
        bank: the tables made here have a bank: what they order waits in the outbox. Never in a rehearsal.
        on_commit: is told of every commit of this process, after it happened and before the answer is given.
    """

    def __init__(
        self,
        store: TableStore,
        dealer: Dealer,
        *,
        rehearsal: bool = False,
        bank: bool = False,
        on_commit: Callable[[Outcome], None] | None = None,
    ) -> None:
        super().__init__(store, dealer, on_commit)
        self._rehearsal = rehearsal
        self._bank = bank and not rehearsal
        self._due = DueTables(store, self._carry_out_due)

    async def create(
        self,
        host: str,
        rules: Rules,
        *,
        display_name: str = "",
        seat_count: int = 0,
        hand_pause: timedelta = DEFAULT_HAND_PAUSE,
        private: bool = False,
        spectator_delay: timedelta = timedelta(0),
        away_limit: timedelta = DEFAULT_AWAY_LIMIT,
        request_id: str = "",
    ) -> Outcome:
        """Make a table; the host does not sit yet.

        Args:
            host: who makes it.
            rules: what is played.
            display_name: what people call it; empty: a name is made.
            seat_count: 2 to as many as the rules allow; 0: as many as they allow.
            hand_pause: the time between two hands.
            private: only who has the invitation may sit or watch.
            spectator_delay: how much later spectators see what happens.
            away_limit: after how long sitting out a player is cashed out; zero: never.
            request_id: the same one again gives the same table.

        Raises:
            TableError: INVALID_FIELD, REQUEST_ID_REUSED, DRAINING.
        """
        if seat_count:
            check_whole("seat_count", seat_count, max(2, rules.players[0]), rules.players[1])
        if display_name:
            checked_name("display_name", display_name, MAX_DISPLAY_NAME)
        _check_duration("hand_pause", hand_pause, MAX_HAND_PAUSE)
        _check_duration("spectator_delay", spectator_delay, MAX_SPECTATOR_DELAY)
        _check_duration("away_limit", away_limit, MAX_AWAY_LIMIT)
        payload = (
            rules.profile_name,
            rules.to_options(),
            display_name,
            seat_count,
            hand_pause.total_seconds(),
            private,
            spectator_delay.total_seconds(),
            away_limit.total_seconds(),
        )
        request = request_of(host, request_id, "create", payload)
        table_id = secrets.token_hex(8)
        config = TableConfig(
            rules=rules,
            display_name=display_name or f"{rules.profile_name} {table_id[:4]}",
            seat_count=seat_count or rules.players[1],
            host=host,
            hand_pause=hand_pause,
            rehearsal=self._rehearsal,
            private=private,
            spectator_delay=spectator_delay,
            away_limit=away_limit,
            bank=self._bank,
        )
        state = TableState(table_id, config, invitation=new_invitation() if private else "")
        if (alarm := first_alarm(config)) is not None:
            state.alarms[EMPTY] = alarm
        stored = await self._store.create(state, lobby_entry(state), request)
        self._remember(stored)
        return as_it_is(stored)

    async def get(self, table_id: str) -> Outcome:
        """How a table stands now.

        Raises:
            TableError: TABLE_NOT_FOUND.
        """
        return as_it_is(await self._fresh(table_id))

    async def list(
        self, page_size: int = 50, page_token: str = "", wanted: TableFilter | None = None
    ) -> Page:
        """Open tables, newest first; without a filter all that are not private.

        Raises:
            TableError: INVALID_FIELD.
        """
        return await self._store.list_tables(_page_size(page_size), page_token, wanted or TableFilter())

    async def join(self, table_id: str, command: Join, request_id: str = "") -> Outcome:
        """Take a seat. Where the player sits already nothing changes but that he is dealt in again.

        Raises:
            TableError: SEAT_TAKEN, ALREADY_SEATED, TABLE_FULL, BUY_IN_OUT_OF_RANGE, INVALID_FIELD, NOT_NOW
            ...
        """
        return await self._command(table_id, command, command.player, request_id)

    async def leave(self, table_id: str, player: str, request_id: str = "") -> Outcome:
        """Give a seat up; ``cashed_out`` of the outcome is what was paid, ``pending`` that more will be.

        Raises:
            TableError: NOT_YOUR_SEAT.
        """
        return await self._command(table_id, Leave(player), player, request_id)

    async def add_chips(
        self, table_id: str, player: str, amount: int | None = None, request_id: str = ""
    ) -> Outcome:
        """Buy more chips; ``bought`` of the outcome is how many, ``pending`` that they wait for the end of
        the hand.

        Raises:
            TableError: NOT_YOUR_SEAT, NOT_NOW, BUY_IN_OUT_OF_RANGE, INVALID_FIELD.
        """
        return await self._command(table_id, AddChips(player, amount), player, request_id)

    async def act(self, table_id: str, command: Act, request_id: str = "") -> Outcome:
        """Answer a decision.

        Raises:
            TableError: STALE_DECISION, NOT_YOUR_TURN, NOT_YOUR_SEAT, ACTION_NOT_LEGAL, AMOUNT_OUT_OF_RANGE,
                BAD_DISCARD, INVALID_FIELD.
        """
        return await self._command(table_id, command, command.player, request_id)

    async def sit_out(self, table_id: str, player: str, request_id: str = "") -> Outcome:
        """Not be dealt in any more from the next hand on.

        Raises:
            TableError: NOT_YOUR_SEAT.
        """
        return await self._command(table_id, SitOut(player), player, request_id)

    async def sit_in(self, table_id: str, player: str, request_id: str = "") -> Outcome:
        """Be dealt in again.

        Raises:
            TableError: NOT_YOUR_SEAT.
        """
        return await self._command(table_id, SitIn(player), player, request_id)

    async def close(self, table_id: str, player: str, request_id: str = "") -> Outcome:
        """End a table between two hands and pay everybody out.

        Raises:
            TableError: NOT_THE_HOST, NOT_NOW, TABLE_CLOSED.
        """
        return await self._command(table_id, Close(player), player, request_id)

    async def renew_invitation(self, table_id: str, by: str, request_id: str = "") -> Outcome:
        """Draw another invitation to a private table.

        Raises:
            TableError: NOT_THE_HOST, NOT_NOW, TABLE_CLOSED.
        """
        return await self.carry_out(table_id, RenewInvitation(by, new_invitation()), request_id)

    async def carry_out(self, table_id: str, command: Command, request_id: str = "") -> Outcome:
        """Carry out any command of a player, a host or an operator.

        Raises:
            TableError: it is refused.
        """
        return await self._command(table_id, command, asker(command), request_id)

    async def run_due(self) -> timedelta | None:
        """Carry out what is due at all tables, each exactly once however many servers do so.

        Returns:
            The time until the next deadline; None: no clock runs anywhere.
        """
        return await self._due.run()

    async def time_out(self, table_id: str) -> Outcome | None:
        """Carry out what is due next at one table; None when nothing is, or another server has done it."""
        try:
            return await self._command(table_id, TimeOut(), None, "")
        except (NotDue, TableError):
            return None

    async def _carry_out_due(self, table_id: str) -> bool:
        return await self.time_out(table_id) is not None


def new_invitation() -> str:
    """A secret that opens a private table: 192 bits that nobody can guess."""
    return secrets.token_urlsafe(24)


def _check_duration(name: str, duration: timedelta, longest: timedelta) -> None:
    if not timedelta(0) <= duration <= longest:
        raise TableError(Reason.INVALID_FIELD, f"{name} must be from 0 to {longest}", field=name)


def _page_size(page_size: int) -> int:
    check_whole("page_size", page_size, 1, 2**31 - 1)
    return min(page_size, MAX_PAGE_SIZE)
