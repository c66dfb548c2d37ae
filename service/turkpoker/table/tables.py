"""The use cases of tables: load, decide, commit, and once more when somebody else was first.

A process keeps the last state that it saw of a table, so that a command costs one round trip to the store.
That state may be old: a commit on it is refused by the store and decided anew; a refusal on it counts only
once the store has said that nothing newer is there.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
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
    asked,
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
from turkpoker.table.decide import Decision, decide
from turkpoker.table.due import DueTables
from turkpoker.table.errors import Conflict, Draining, NotDue, Reason, StoreAway, TableError, TooLate
from turkpoker.table.lobby import TableFilter, lobby_entry, members
from turkpoker.table.outcome import Outcome, as_it_is, repeated
from turkpoker.table.ports import (
    MAX_PAGE_SIZE,
    PAYLOAD_HASH_BYTES,
    Answer,
    Commit,
    Dealer,
    Page,
    Request,
    Stored,
    TableStore,
)
from turkpoker.table.state import TableState

__all__ = ["MAX_REQUEST_ID", "Outcome", "Tables"]

MAX_REQUEST_ID = 64
#: So many states are kept at most; the one not used for longest goes.
_CACHE_SIZE = 4096
#: So often a command is decided anew before the store counts as too busy.
_ATTEMPTS = 50


class Tables:
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
        self._store = store
        self._dealer = dealer
        self._rehearsal = rehearsal
        self._bank = bank and not rehearsal
        self._on_commit = on_commit
        self._due = DueTables(store, self._carry_out_due)
        self._known: OrderedDict[str, Stored] = OrderedDict()
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    # -- use cases -------------------------------------------------------------------------------------------

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
        request = _request(host, request_id, "create", payload)
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

    # -- load, decide, commit --------------------------------------------------------------------------------

    async def _command(self, table_id: str, command: Command, player: str | None, request_id: str) -> Outcome:
        payload = (table_id, *asked(command))
        request = None if player is None else _request(player, request_id, "command", payload)
        async with self._lock(table_id):
            stored = self._known.get(table_id) or await self._fresh(table_id)
            held = False
            for _ in range(_ATTEMPTS):
                try:
                    decision = decide(stored.state, command, self._dealer, held=held)
                except (TableError, NotDue):
                    newer, answer = await self._look_again(stored, request)
                    if answer is not None:
                        return repeated(newer, answer)
                    if newer.state is stored.state:
                        raise
                    stored = newer
                    continue
                if not decision.changed:
                    newer, answer = await self._look_again(stored, request)
                    if answer is not None:
                        return repeated(newer, answer)
                    if newer.state is stored.state:
                        return replace(as_it_is(newer), pending=decision.pending)
                    stored = newer
                    continue
                try:
                    return await self._commit(stored, decision, request)
                except Conflict:
                    stored = await self._fresh(table_id)
                except Draining:
                    held = True
                except TooLate:
                    await self._run_clock(stored)
                    stored = await self._fresh(table_id)
            raise StoreAway(f"table {table_id} is too busy")

    async def _commit(self, stored: Stored, decision: Decision, request: Request | None) -> Outcome:
        state = decision.state
        answer = Answer(
            state.version,
            state.epoch,
            decision.cashed_out,
            decision.pending,
            decision.bought,
            decision.transfer_id,
        )
        entry = lobby_entry(state)
        before, after = members(stored.state), members(state)
        change = Commit(
            base=stored.state,
            state=state,
            events=decision.events,
            timing=decision.timing,
            moment=decision.moment,
            request=request,
            answer=answer,
            lobby=None if entry == lobby_entry(stored.state) else entry,
            finished=decision.finished,
            orders=decision.orders,
            answered=decision.answered,
            audit=decision.audit,
            came=after - before,
            went=before - after,
        )
        try:
            done = await self._store.commit(change)
        except (StoreAway, Conflict):
            # It may have happened: what is known here is not to be built on.
            self._known.pop(state.table_id, None)
            raise
        if done.state is None:
            return repeated(await self._fresh(state.table_id), done.answer)
        self._remember(Stored(done.state, done.deadline, done.now))
        outcome = Outcome(
            state=done.state,
            deadline=done.deadline,
            now=done.now,
            version=answer.version,
            epoch=answer.epoch,
            events=decision.events,
            cashed_out=answer.cashed_out,
            pending=answer.pending,
            bought=answer.bought,
            transfer_id=answer.transfer_id,
        )
        if self._on_commit is not None:
            self._on_commit(outcome)
        return outcome

    async def _run_clock(self, stored: Stored) -> None:
        """Do at once what the clock has made due, since an answer has come too late."""
        for held in (False, True):
            try:
                await self._commit(stored, decide(stored.state, TimeOut(), self._dealer, held=held), None)
            except Draining:
                continue
            except (NotDue, TooLate, Conflict):
                return
            return

    async def _look_again(self, stored: Stored, request: Request | None) -> tuple[Stored, Answer | None]:
        """The table now (the very same state when nothing newer is there) and the kept answer to the
        request.
        """
        table_id = stored.state.table_id
        answer = None
        if request is None:
            newer = await self._store.load(table_id, stored)
        else:
            newer, answer = await self._store.check(table_id, stored, request)
        if newer is None:
            self._known.pop(table_id, None)
            raise _no_such_table(table_id)
        self._remember(newer)
        return newer, answer

    async def _fresh(self, table_id: str) -> Stored:
        stored = await self._store.load(table_id, self._known.get(table_id))
        if stored is None:
            self._known.pop(table_id, None)
            raise _no_such_table(table_id)
        self._remember(stored)
        return stored

    def _remember(self, stored: Stored) -> None:
        table_id = stored.state.table_id
        self._known[table_id] = stored
        self._known.move_to_end(table_id)
        if len(self._known) > _CACHE_SIZE:
            self._known.popitem(last=False)

    @asynccontextmanager
    async def _lock(self, table_id: str) -> AsyncIterator[None]:
        """Commands of this process at one table go one after the other; kept only while somebody waits."""
        lock, users = self._locks.get(table_id, (asyncio.Lock(), 0))
        self._locks[table_id] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks.pop(table_id)
            if users > 1:
                self._locks[table_id] = (lock, users - 1)


def new_invitation() -> str:
    """A secret that opens a private table: 192 bits that nobody can guess."""
    return secrets.token_urlsafe(24)


def _check_duration(name: str, duration: timedelta, longest: timedelta) -> None:
    if not timedelta(0) <= duration <= longest:
        raise TableError(Reason.INVALID_FIELD, f"{name} must be from 0 to {longest}", field=name)


def _request(player: str, request_id: str, kind: str, payload: object) -> Request | None:
    if not request_id:
        return None
    if not isinstance(request_id, str) or len(request_id) > MAX_REQUEST_ID:
        raise TableError(
            Reason.INVALID_FIELD, f"request_id has at most {MAX_REQUEST_ID} characters", field="request_id"
        )
    text = repr((kind, payload))
    payload_hash = hashlib.blake2b(text.encode(), digest_size=PAYLOAD_HASH_BYTES).digest()
    return Request(player, request_id, payload_hash)


def _page_size(page_size: int) -> int:
    check_whole("page_size", page_size, 1, 2**31 - 1)
    return min(page_size, MAX_PAGE_SIZE)


def _no_such_table(table_id: str) -> TableError:
    return TableError(
        Reason.TABLE_NOT_FOUND, "there is no such table", metadata={"table": f"tables/{table_id}"}
    )
