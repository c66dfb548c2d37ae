"""The audit log in Redis, and the flag under which no table is made and no hand begins.

The entries of a table lie in its own stream and, for who asks for all tables, in that of its shard; both are
written by the commit itself. What concerns all tables lies in a stream of its own, which counts as one shard
more when they are merged.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from redis.asyncio.client import Pipeline
from turkpoker.storage import paging
from turkpoker.storage.connection import ask
from turkpoker.storage.keys import SHARDS
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.audit import AuditEntry, AuditPage, AuditRecord

_MILLISECOND = timedelta(milliseconds=1)
#: Time in ms and number of an entry, the number of its stream, the number of the record in it.
_Place = tuple[int, int, int, int]


class RedisAuditStore:
    """Implements ``turkpoker.table.ports.AuditStore``.

    Args:
        store: whose tables they are.
    """

    def __init__(self, store: RedisTableStore) -> None:
        self._client = store.client
        self._keys = store.keys
        self._codec = store.codec
        self._settings = store.settings

    async def list_audit(self, table_id: str | None, page_size: int, page_token: str) -> AuditPage:
        if table_id is None:
            streams = [*map(self._keys.shard_audit, range(SHARDS)), self._keys.store_audit()]
        else:
            streams = [self._keys.table_audit(table_id)]
        before = paging.read_stream_token(page_token)
        pipeline = self._client.pipeline(transaction=False)
        pipeline.time()
        for number, stream in enumerate(streams):
            newest = "+"
            if before is not None:
                newest = f"{'' if number <= before[2] else '('}{before[0]}-{before[1]}"
            pipeline.xrevrange(stream, max=newest, min="-", count=page_size + 2)
        (seconds, micros), *found = await ask(pipeline.execute())
        oldest = seconds * 1000 + micros // 1000 - self._settings.audit_life // _MILLISECOND
        commits = sorted(
            (
                (_moment_of(identity), number, fields)
                for number, entries in enumerate(found)
                for identity, fields in entries
            ),
            key=lambda commit: commit[:2],
            reverse=True,
        )
        page: list[tuple[_Place, AuditEntry]] = []
        for moment, number, fields in commits:
            if moment[0] > oldest and len(page) <= page_size:
                entries = self._entries(moment, number, fields)
                page += [entry for entry in entries if before is None or entry[0] < before]
        more = len(page) > page_size
        page = page[:page_size]
        return AuditPage(tuple(entry for _, entry in page), paging.stream_token(page[-1][0]) if more else "")

    def _entries(
        self, moment: tuple[int, int], number: int, fields: dict[bytes, bytes]
    ) -> list[tuple[_Place, AuditEntry]]:
        """The records of one commit, the last one first."""
        table_id, version = fields[b"i"].decode(), int(fields[b"v"])
        time = datetime.fromtimestamp(moment[0] / 1000, UTC)
        records = enumerate(self._codec.open_audit(fields[b"b"], table_id, version))
        return [
            ((*moment, number, place), AuditEntry(time, table_id, version, record))
            for place, record in reversed(list(records))
        ]

    async def note(self, record: AuditRecord) -> None:
        pipeline = self._client.pipeline(transaction=False)
        self._add(pipeline, record)
        await ask(pipeline.execute())

    async def drain(self, record: AuditRecord, *, end: bool) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for shard in range(SHARDS):
            key = self._keys.draining(shard)
            if end:
                pipeline.delete(key)
            else:
                pipeline.set(key, "1")
        self._add(pipeline, record)
        await ask(pipeline.execute())

    def _add(self, pipeline: Pipeline, record: AuditRecord) -> None:
        stream = self._keys.store_audit()
        fields: dict[Any, Any] = {"i": "", "v": 0, "b": self._codec.seal_audit((record,), "", 0)}
        pipeline.xadd(stream, fields, maxlen=self._settings.audit_count, approximate=False)
        pipeline.pexpire(stream, self._settings.audit_life // _MILLISECOND)

    async def draining(self) -> bool:
        pipeline = self._client.pipeline(transaction=False)
        for shard in range(SHARDS):
            pipeline.exists(self._keys.draining(shard))
        return all(await ask(pipeline.execute()))


def _moment_of(identity: bytes) -> tuple[int, int]:
    moment, _, sequence = identity.partition(b"-")
    return int(moment), int(sequence)
