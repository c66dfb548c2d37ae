"""The outbox in Redis: what the tables of each shard ask of the bank, until it is carried out.

The commit script writes it (``commit.lua``); this reads it and takes off what the bank has answered. One
process at a time is at work on all shards, so that the orders of one player stay in order wherever his tables
lie. The lease that says so is no lock: every order has an id, and is taken off only once it is answered, so
that even two processes at once do no harm.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

from turkpoker.storage.connection import ask
from turkpoker.storage.keys import LEASE, SHARDS, shard_of
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.scripts import Scripts
from turkpoker.table.errors import StoreRefused
from turkpoker.table.transfers import Direction, OutboxEntry, Transfer

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
        self._leased = False

    async def take(self) -> list[OutboxEntry]:
        return await self._take([*map(self._store.keys.outbox, range(SHARDS))], dead=False)

    async def take_dead(self) -> list[OutboxEntry]:
        return await self._take([*map(self._store.keys.dead_letters, range(SHARDS))], dead=True)

    async def _take(self, streams: list[str], *, dead: bool) -> list[OutboxEntry]:
        client = self._store.client
        pipeline = client.pipeline(transaction=False)
        for stream in streams:
            pipeline.xlen(stream)
        shards = [shard for shard, length in enumerate(await ask(pipeline.execute())) if length]
        if not shards:
            # Free for whoever has something to deliver first.
            if self._leased and not dead:
                await self.release()
            return []
        if not await self._lease(_LEASE_MS):
            return []
        self._leased = True
        pipeline = client.pipeline(transaction=False)
        for shard in shards:
            pipeline.xrange(streams[shard], count=_TAKEN)
        return [
            self.entry(shard, identity, fields, dead=dead)
            for shard, found in zip(shards, await ask(pipeline.execute()), strict=True)
            for identity, fields in found
        ]

    def entry(
        self, shard: int, identity: bytes, fields: dict[bytes, bytes], *, dead: bool = False
    ) -> OutboxEntry:
        """An entry of the outbox or of the dead letters as it lies there."""
        table_id = fields.get(b"t", b"").decode(errors="replace")
        transfer: Transfer | None
        try:
            time = datetime.fromtimestamp(int(fields[b"w"]) / 1000, UTC)
            order = self._store.codec.open_order(fields[b"b"], table_id, int(fields[b"v"]), time)
        except (StoreRefused, KeyError, ValueError):
            transfer = None
        else:
            # One in the stream of other tables was copied there: no commit of its table writes it.
            transfer = order if shard_of(table_id) == shard else None
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
        self._leased = False
        await self._lease(0)

    async def _lease(self, milliseconds: int) -> bool:
        keys = [self._store.keys.outbox_lease()]
        return bool(await ask(self._scripts.lease(keys=keys, args=[self._owner, milliseconds])))

    async def close(self) -> None:
        """Close its connections."""
        await self._scripts.close()
