"""Finished hands in Redis: by table, and by player over all tables.

A record lies once, with its table. A player's hands are found by an index in each shard, which the commit of
the hand writes; the indexes are merged here. Records older than their life are not given out, whether the
store has dropped them yet or not.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from turkpoker.storage import paging
from turkpoker.storage.connection import ask
from turkpoker.storage.keys import SHARDS, shard_of
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.ports import FinishedHand, RecordPage

_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class RedisRecordStore:
    """Implements ``turkpoker.table.ports.RecordStore``.

    Args:
        store: whose hands they are.
    """

    def __init__(self, store: RedisTableStore) -> None:
        self._client = store.client
        self._keys = store.keys
        self._codec = store.codec
        self._life = store.settings.record_life // _MILLISECOND

    async def get_record(self, table_id: str, hand_number: int) -> FinishedHand | None:
        identity = f"{hand_number}-0"
        pipeline = self._client.pipeline(transaction=False)
        pipeline.time()
        pipeline.xrange(self._keys.hands(table_id), min=identity, max=identity)
        time, found = await ask(pipeline.execute())
        return self._finished(table_id, found[0], self._oldest(time)) if found else None

    async def list_records(
        self,
        table_id: str,
        page_size: int,
        page_token: str,
        *,
        oldest_first: bool = False,
        since: datetime | None = None,
    ) -> RecordPage:
        start = paging.read_record_token(page_token)
        key = self._keys.hands(table_id)
        pipeline = self._client.pipeline(transaction=False)
        pipeline.time()
        if oldest_first:
            pipeline.xrange(key, min=start or "-", max="+", count=page_size + 1)
        else:
            pipeline.xrevrange(key, max=start or "+", min="-", count=page_size + 1)
        time, found = await ask(pipeline.execute())
        oldest = self._oldest(time, since)
        records = [self._finished(table_id, entry, oldest) for entry in found[:page_size]]
        more = len(found) > page_size and (oldest_first or None not in records)
        following = int(found[-1][0].partition(b"-")[0]) if more else 0
        return RecordPage(
            tuple(each for each in records if each is not None),
            paging.record_token(following) if more else "",
        )

    async def list_player_records(
        self,
        player: str,
        page_size: int,
        page_token: str,
        *,
        oldest_first: bool = False,
        since: datetime | None = None,
    ) -> RecordPage:
        after = paging.read_place_token(page_token)
        count = page_size + 1 + (paging.SAME_MOMENT if after else 0)
        time = await ask(self._client.time())
        oldest = self._oldest(time, since)
        start, end = (oldest, "+inf") if oldest_first else ("+inf", oldest)
        pipeline = self._client.pipeline(transaction=False)
        for shard in range(SHARDS):
            pipeline.zrange(
                self._keys.player_hands(player, shard),
                after[0] if after else start,
                end,
                desc=not oldest_first,
                byscore=True,
                withscores=True,
                offset=0,
                num=count,
            )
        found = sorted(
            ((int(ended), name.decode()) for shard in await ask(pipeline.execute()) for name, ended in shard),
            reverse=not oldest_first,
        )
        if after:
            found = [place for place in found if (place > after) == oldest_first and place != after]
        page = found[:page_size]
        more = len(found) > page_size
        records = await self._named(player, [name for _, name in page], oldest)
        return RecordPage(records, paging.place_token(*page[-1]) if more else "")

    async def _named(self, player: str, names: list[str], oldest: int) -> tuple[FinishedHand, ...]:
        """Records by the names of the index; names of records that are gone leave it."""
        if not names:
            return ()
        places = [(name.partition("/")[0], int(name.partition("/")[2])) for name in names]
        pipeline = self._client.pipeline(transaction=False)
        for table_id, hand_number in places:
            pipeline.xrange(self._keys.hands(table_id), min=f"{hand_number}-0", max=f"{hand_number}-0")
        records = []
        gone = self._client.pipeline(transaction=False)
        for name, (table_id, _), entries in zip(names, places, await ask(pipeline.execute()), strict=True):
            record = self._finished(table_id, entries[0], oldest) if entries else None
            if record is not None:
                records.append(record)
            elif not entries:
                gone.zrem(self._keys.player_hands(player, shard_of(table_id)), name)
        if len(gone):
            await ask(gone.execute())
        return tuple(records)

    def _oldest(self, time: tuple[int, int], since: datetime | None = None) -> int:
        """The end of the oldest hand that is given out, in ms."""
        kept = time[0] * 1000 + time[1] // 1000 - self._life + 1
        return kept if since is None else max(kept, -((_EPOCH - since) // _MILLISECOND))

    def _finished(
        self, table_id: str, entry: tuple[bytes, dict[bytes, bytes]], oldest: int
    ) -> FinishedHand | None:
        identity, fields = entry
        ended = int(fields[b"t"])
        if ended < oldest:
            return None
        hand_number = int(identity.partition(b"-")[0])
        moment = datetime.fromtimestamp(ended / 1000, UTC)
        return self._codec.open_record(fields[b"b"], table_id, hand_number, moment)
