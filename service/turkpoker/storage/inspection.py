"""A look at a whole store that changes nothing: do the books of all tables add up, and do lists, clocks and
outboxes tell of the same tables?

Every table is read in one transaction, so that the store may be in use meanwhile. What is found in a list
is looked at once more together with what it names, for the same reason.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from turkpoker.storage.connection import ask
from turkpoker.storage.keys import SHARDS, shard_of
from turkpoker.storage.outbox import RedisOutbox
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.books import check_books, check_orders
from turkpoker.table.errors import StoreRefused
from turkpoker.table.state import TableState
from turkpoker.table.transfers import OutboxEntry


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that does not add up.

    Args:
        where: a table (``tables/ID``) or a key.
        what: one sentence for the operator; holds no card.
    """

    where: str
    what: str


@dataclass(slots=True)
class Report:
    """What an inspection has seen.

    Attributes:
        tables: how many tables there are, closed ones that are still kept included.
        versions: commits that were followed in their event logs.
        chips: chips at all tables.
        bought_in: chips that ever came to them.
        cashed_out: chips that ever went from them.
        raked: chips of the house that lie there.
        awaiting_bank: chips asked for that the bank has not answered for yet.
        waiting: orders that wait for the bank.
        dead: orders that cannot be carried out.
        findings: what does not add up.
    """

    tables: int = 0
    versions: int = 0
    chips: int = 0
    bought_in: int = 0
    cashed_out: int = 0
    raked: int = 0
    awaiting_bank: int = 0
    waiting: list[OutboxEntry] = field(default_factory=list)
    dead: list[OutboxEntry] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


class Inspection:
    """One look at a store.

    Args:
        store: what is looked at.
        outbox: its outbox.
    """

    def __init__(self, store: RedisTableStore, outbox: RedisOutbox) -> None:
        self._store = store
        self._outbox = outbox
        self._client = store.client
        self._keys = store.keys
        self._report = Report()

    async def run(self) -> Report:
        """Look at everything.

        Raises:
            StoreAway: the store cannot be reached.
        """
        async for shard, table_id in self._tables():
            if shard != shard_of(table_id):
                self._found(f"tables/{table_id}", f"lies in shard {shard}, not in {shard_of(table_id)}")
                continue
            await self._table(table_id)
        for shard in range(SHARDS):
            await self._lists(shard)
            await self._orders(shard)
        return self._report

    def _found(self, where: str, what: str) -> None:
        self._report.findings.append(Finding(where, what))

    async def _tables(self) -> AsyncIterator[tuple[int, str]]:
        """Shard by its tag and id of every table; a scan of everything may tell one twice."""
        prefix = re.escape(self._keys.prefix)
        shape = re.compile(rf"\{{{prefix}:(\d\d)\}}:table:([^:]+)(:log)?")
        seen: set[tuple[int, str]] = set()
        cursor: Any = 0
        while True:
            cursor, keys = await ask(
                self._client.scan(cursor, match=f"{{{self._keys.prefix}:*:table:*", count=1000)
            )
            for key in keys:
                found = shape.fullmatch(key.decode(errors="replace"))
                if found and (place := (int(found[1]), found[2])) not in seen:
                    seen.add(place)
                    yield place
            if not int(cursor):
                return

    async def _table(self, table_id: str) -> None:
        keys, shard, name = self._keys, shard_of(table_id), f"tables/{table_id}"
        pipeline = self._client.pipeline(transaction=True)
        pipeline.hgetall(keys.table(table_id))
        pipeline.xrange(keys.log(table_id))
        pipeline.xrange(keys.outbox(shard))
        pipeline.xrange(keys.dead_letters(shard))
        pipeline.zscore(keys.due(shard), table_id)
        pipeline.zscore(keys.lobby(shard), table_id)
        pipeline.hexists(keys.lobby_entries(shard), table_id)
        held, log, orders, dead, due, listed, shown = await ask(pipeline.execute())
        if not held:
            if log:
                self._found(name, "has an event log, but is no more")
            return
        self._report.tables += 1
        try:
            state = self._state(table_id, held)
            entries = [self._store.log_entry(table_id, *entry) for entry in log]
        except (StoreRefused, KeyError, ValueError) as error:
            self._found(
                name, f"cannot be read: {error if isinstance(error, StoreRefused) else 'a field is wrong'}"
            )
            return
        self._count(state, len(entries))
        own = self._own(shard, orders, table_id)
        buried = self._own(shard, dead, table_id, dead=True)
        readable = [entry.transfer for entry in own if entry.transfer is not None]
        wrong = check_books(state, entries)
        wrong += check_orders(
            state,
            int(held.get(b"p", 0)),
            readable,
            [entry.transfer for entry in buried if entry.transfer is not None],
        )
        deadline = int(held[b"d"]) if held[b"d"] else None
        if deadline != (None if due is None else int(due)):
            wrong.append(f"its deadline is {deadline}, among the deadlines of the shard it is {due}")
        if (listed is not None, bool(shown)) != (not state.closed, not state.closed):
            wrong.append("it is closed, and listed" if state.closed else "it is open, and not listed")
        for what in wrong:
            self._found(name, what)

    def _state(self, table_id: str, held: dict[bytes, bytes]) -> TableState:
        version = int(held[b"v"])
        state = self._store.codec.open_state(held[b"s"], table_id, version)
        time = datetime.fromtimestamp(int(held[b"t"]) / 1000, UTC)
        return replace(state, version=version, epoch=int(held[b"e"]), time=time)

    def _count(self, state: TableState, versions: int) -> None:
        report, ledger = self._report, state.ledger
        report.versions += versions
        report.chips += state.chips()
        report.bought_in += ledger.bought_in
        report.cashed_out += ledger.cashed_out
        report.raked += ledger.raked
        report.awaiting_bank += sum(each.amount for each in state.transfers.values())

    def _own(self, shard: int, orders: list[Any], table_id: str, *, dead: bool = False) -> list[OutboxEntry]:
        return [
            self._outbox.entry(shard, identity, fields, dead=dead)
            for identity, fields in orders
            if fields.get(b"t") == table_id.encode()
        ]

    async def _lists(self, shard: int) -> None:
        """Whatever a list or the clock of a shard names must be there, and belong there."""
        keys = self._keys
        pipeline = self._client.pipeline(transaction=False)
        pipeline.zrange(keys.due(shard), 0, -1)
        pipeline.zrange(keys.lobby(shard), 0, -1)
        pipeline.hkeys(keys.lobby_entries(shard))
        pipeline.zrange(keys.lobby_players(shard), 0, -1)
        due, listed, shown, sitting = await ask(pipeline.execute())
        for key, members in (
            (keys.due(shard), due),
            (keys.lobby(shard), listed),
            (keys.lobby_entries(shard), shown),
            (keys.lobby_players(shard), sitting),
        ):
            for member in members:
                table_id = member.rpartition(b":")[2].decode(errors="replace")
                if shard_of(table_id) != shard:
                    self._found(key, f"names {table_id}, which belongs to shard {shard_of(table_id)}")
                elif not await self._is_there(table_id, key, member):
                    self._found(key, f"names {table_id}, and there is no such table")

    async def _is_there(self, table_id: str, key: str, member: bytes) -> bool:
        """Whether a table is there, or is not named any more."""
        pipeline = self._client.pipeline(transaction=True)
        pipeline.exists(self._keys.table(table_id))
        if key == self._keys.lobby_entries(shard_of(table_id)):
            pipeline.hexists(key, member)
        else:
            pipeline.zscore(key, member)
        there, named = await ask(pipeline.execute())
        return bool(there) or named is None or named is False

    async def _orders(self, shard: int) -> None:
        keys = self._keys
        for key, dead in ((keys.outbox(shard), False), (keys.dead_letters(shard), True)):
            for identity, fields in await ask(self._client.xrange(key)):
                entry = self._outbox.entry(shard, identity, fields, dead=dead)
                (self._report.dead if dead else self._report.waiting).append(entry)
                if shard_of(entry.table_id) != shard:
                    self._found(key, f"holds an order of {entry.table_id}, which belongs to another shard")
                elif entry.transfer is None:
                    self._found(key, f"holds an order of table {entry.table_id} that is not what was sealed")
