"""Load, decide, commit, and once more when somebody else was first.

A process keeps the last state that it saw of a table, so that a command costs one round trip to the store.
That state may be old: a commit on it is refused by the store and decided anew; a refusal on it counts only
once the store has said that nothing newer is there.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from turkpoker.table.commands import Command, TimeOut, asked
from turkpoker.table.decide import Decision, decide
from turkpoker.table.errors import Conflict, Draining, NotDue, Reason, StoreAway, TableError, TooLate
from turkpoker.table.lobby import lobby_change, members_change
from turkpoker.table.outcome import Outcome, as_it_is, repeated
from turkpoker.table.ports import (
    PAYLOAD_HASH_BYTES,
    Answer,
    Commit,
    Dealer,
    Request,
    Stored,
    TableStore,
)

MAX_REQUEST_ID = 64
#: So many states are kept at most; the one not used for longest goes.
_CACHE_SIZE = 4096
#: So often a command is decided anew before the store counts as too busy.
_ATTEMPTS = 50


class CommandLoop:
    """Carries out commands at the tables of a store.

    Args:
        store: where they are kept.
        dealer: who shuffles.
        on_commit: is told of every commit of this process, after it happened and before the answer is given.
    """

    def __init__(
        self, store: TableStore, dealer: Dealer, on_commit: Callable[[Outcome], None] | None = None
    ) -> None:
        self._store = store
        self._dealer = dealer
        self._on_commit = on_commit
        self._known: OrderedDict[str, Stored] = OrderedDict()
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    async def _command(self, table_id: str, command: Command, player: str | None, request_id: str) -> Outcome:
        payload = (table_id, *asked(command))
        request = None if player is None else request_of(player, request_id, "command", payload)
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
        came, went = members_change(stored.state, state)
        change = Commit(
            base=stored.state,
            state=state,
            events=decision.events,
            timing=decision.timing,
            moment=decision.moment,
            request=request,
            answer=answer,
            lobby=lobby_change(stored.state, state),
            finished=decision.finished,
            orders=decision.orders,
            answered=decision.answered,
            audit=decision.audit,
            came=came,
            went=went,
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


def request_of(player: str, request_id: str, kind: str, payload: object) -> Request | None:
    """A request to be carried out once; None where no id asks for that.

    Raises:
        TableError: INVALID_FIELD.
    """
    if not request_id:
        return None
    if not isinstance(request_id, str) or len(request_id) > MAX_REQUEST_ID:
        raise TableError(
            Reason.INVALID_FIELD, f"request_id has at most {MAX_REQUEST_ID} characters", field="request_id"
        )
    text = repr((kind, payload))
    payload_hash = hashlib.blake2b(text.encode(), digest_size=PAYLOAD_HASH_BYTES).digest()
    return Request(player, request_id, payload_hash)


def _no_such_table(table_id: str) -> TableError:
    return TableError(
        Reason.TABLE_NOT_FOUND, "there is no such table", metadata={"table": f"tables/{table_id}"}
    )
