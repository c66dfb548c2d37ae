"""The outbox in Redis: what the tables of each shard ask of the bank, until it is carried out.

The commit script writes it (``commit.lua``); this reads it and takes off what the bank has answered. One
process at a time is at work on a shard. The lease that says so only spares the bank double work: every order
has an id, and is taken off only once it is answered, so that even two at once do no harm.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from turkpoker.storage.connection import ask
from turkpoker.storage.keys import LEASE, SHARDS
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.scripts import Scripts
from turkpoker.table.errors import StoreRefused
from turkpoker.table.transfers import Direction, OutboxEntry

_LEASE_MS = LEASE // timedelta(milliseconds=1)
#: So many orders of a shard are taken at once; the bank is asked about far fewer at the same time.
_TAKEN = 1000


class RedisOutbox:
    """Implements ``turkpoker.table.transfers.Outbox``.

    Args:
        store: whose outbox.
    """

    def __init__(self, store: RedisTableStore) -> None:
        self._store = store
        self._scripts = Scripts(store.client)
        self._owner = secrets.token_hex(8)
        self._leased: set[int] = set()

    async def take(self) -> list[OutboxEntry]:
        store = self._store
        pipeline = store.client.pipeline(transaction=False)
        for shard in range(SHARDS):
            pipeline.xlen(store.keys.outbox(shard))
        lengths = await ask(pipeline.execute())
        entries: list[OutboxEntry] = []
        for shard, length in enumerate(lengths):
            if length:
                entries += await self._take(shard)
            elif shard in self._leased:
                await self._give_back(shard)
        return entries

    async def take_dead(self) -> list[OutboxEntry]:
        store = self._store
        pipeline = store.client.pipeline(transaction=False)
        for shard in range(SHARDS):
            pipeline.xlen(store.keys.dead_letters(shard))
        entries: list[OutboxEntry] = []
        for shard, length in enumerate(await ask(pipeline.execute())):
            if length:
                entries += await self._take(shard, dead=True)
        return entries

    async def _take(self, shard: int, *, dead: bool = False) -> list[OutboxEntry]:
        keys = self._store.keys
        stream = keys.dead_letters(shard) if dead else keys.outbox(shard)
        found = await ask(
            self._scripts.take(keys=[keys.outbox_lease(shard), stream], args=[self._owner, _LEASE_MS, _TAKEN])
        )
        if found:
            self._leased.add(shard)
        return [self.entry(shard, identity, _pairs(fields), dead=dead) for identity, fields in found]

    def entry(
        self, shard: int, identity: bytes, fields: dict[bytes, bytes], *, dead: bool = False
    ) -> OutboxEntry:
        """An entry of the outbox or of the dead letters as it lies there."""
        table_id = fields.get(b"t", b"").decode(errors="replace")
        try:
            time = datetime.fromtimestamp(int(fields[b"w"]) / 1000, UTC)
            transfer = self._store.codec.open_order(fields[b"b"], table_id, int(fields[b"v"]), time)
        except (StoreRefused, KeyError, ValueError):
            transfer = None
        why = fields.get(b"y", b"").decode(errors="replace")
        return OutboxEntry(shard, identity.decode(), table_id, transfer, dead, why)

    async def done(self, entry: OutboxEntry) -> None:
        keys, transfer = self._store.keys, entry.transfer
        stream = keys.dead_letters(entry.shard) if entry.dead else keys.outbox(entry.shard)
        paid = transfer.amount if transfer is not None and transfer.direction is Direction.CREDIT else 0
        await ask(self._scripts.done(keys=[stream, keys.table(entry.table_id)], args=[entry.entry_id, paid]))

    async def bury(self, entry: OutboxEntry, why: str) -> bool:
        keys, shard = self._store.keys, entry.shard
        (answer,) = await ask(
            self._scripts.bury(
                keys=[keys.outbox(shard), keys.dead_letters(shard)], args=[entry.entry_id, why]
            )
        )
        return bool(answer == b"ok")

    async def release(self) -> None:
        for shard in tuple(self._leased):
            await self._give_back(shard)

    async def close(self) -> None:
        """Close its connections."""
        await self._scripts.close()

    async def _give_back(self, shard: int) -> None:
        keys = self._store.keys
        self._leased.discard(shard)
        await ask(
            self._scripts.take(keys=[keys.outbox_lease(shard), keys.outbox(shard)], args=[self._owner, 0, 0])
        )


def _pairs(fields: list[Any]) -> dict[bytes, bytes]:
    return dict(zip(fields[::2], fields[1::2], strict=True))
