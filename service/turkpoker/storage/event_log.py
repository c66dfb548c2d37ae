"""Following the event logs: one blocking read per process serves everybody there who watches a table.

The reader has a connection of its own and never shares it. When somebody subscribes to another table while it
waits, it is woken with CLIENT UNBLOCK, so that it waits for the new set. Every subscription gets
consecutive versions of one epoch, or FeedLost with the reason; it never skips anything silently and never
buffers without bound.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Any, Self

import redis
from turkpoker.storage.connection import ask, connect
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.errors import FeedLost, StoreAway, StoreRefused
from turkpoker.table.ports import LogEntry

_log = logging.getLogger(__name__)

Entries = list[tuple[bytes, dict[bytes, bytes]]]
Take = Callable[[Entries], None]

#: How long one read waits; an upper bound for noticing a lost wake-up.
_BLOCK_MS = 5000
_READ_COUNT = 256
_QUEUE_LENGTH = 1024
_RETRY_SECONDS = 0.25


def entry_order(identity: bytes) -> tuple[int, int]:
    """The id of an entry of a stream as something that can be compared."""
    moment, _, number = identity.partition(b"-")
    return int(moment), int(number or 0)


class RedisSubscription:
    """The commits of one table from a version on (``turkpoker.table.ports.Subscription``)."""

    def __init__(self, feed: RedisEventFeed, table_id: str, epoch: int, version: int) -> None:
        self.table_id = table_id
        self.epoch = epoch
        #: The version of the last entry that lies in the queue or was taken.
        self.version = version
        self._feed = feed
        self._entries: deque[LogEntry] = deque()
        self._news = asyncio.Event()
        self._lost: FeedLost | None = None
        #: While the past is being read: the newest version that the reader has brought meanwhile.
        self._brought: int | None = 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> LogEntry:
        while not self._entries:
            if self._lost is not None:
                raise self._lost
            self._news.clear()
            await self._news.wait()
        return self._entries.popleft()

    async def close(self) -> None:
        """Stop; harmless when stopped."""
        self.end(FeedLost("closed"))
        self._feed.forget(self)

    def offer(self, entry: LogEntry) -> None:
        """Take an entry from the reader, unless it is known already; ends the subscription where one
        is missing.
        """
        if self._lost is not None or entry.version <= self.version:
            return
        if entry.epoch != self.epoch:
            self.end(FeedLost("epoch"))
        elif entry.version != self.version + 1 and self._brought is not None:
            self._brought = max(self._brought, entry.version)
        elif entry.version != self.version + 1:
            self.end(FeedLost("too_old"))
        elif len(self._entries) >= _QUEUE_LENGTH:
            self._entries.clear()
            self.end(FeedLost("lagged"))
        else:
            self.version = entry.version
            self._entries.append(entry)
            self._news.set()

    async def catch_up(self, store: RedisTableStore) -> None:
        """Read what was committed before the reader knew of this subscription.

        Raises:
            FeedLost: it is not there, or not without a gap.
        """
        # The reader may bring entries while the store answers: only what was known before the question can be
        # more than there is.
        asked_for = self.version
        standing = await store.standing(self.table_id)
        if standing is None:
            raise FeedLost("gone")
        epoch, version = standing
        if epoch != self.epoch:
            raise FeedLost("epoch")
        if version < asked_for:
            # Somebody has seen more than there is: the store has lost writes.
            await store.raise_epoch(self.table_id, self.epoch, asked_for)
            raise FeedLost("epoch")
        # The reader goes on from where it stands at this table, which another subscription may have set.
        while self.version < max(version, self._brought or 0, self._feed.position(self.table_id)):
            entries = await store.read_events(self.table_id, self.version, _READ_COUNT)
            if not entries or entries[0].version > self.version + 1:
                raise FeedLost("too_old")
            for entry in entries:
                self.offer(entry)
            if self._lost is not None:
                raise self._lost
        self._brought = None

    def end(self, why: FeedLost) -> None:
        """No more entries; those in the queue are still given out."""
        if self._lost is None:
            self._lost = why
        self._news.set()


class RedisEventFeed:
    """Implements ``turkpoker.table.ports.EventFeed``.

    Args:
        store: whose logs are followed; its client's pool is used for everything but the blocking read.
        url: the address of the same server, for the blocking read's own connection.
    """

    def __init__(self, store: RedisTableStore, url: str) -> None:
        self._store = store
        self._reader = connect(url, read_timeout=_BLOCK_MS / 1000 + 5)
        self._watched: dict[str, set[RedisSubscription]] = {}
        self._positions: dict[str, int] = {}
        # Streams other than tables' logs: after which entry each is read, and who takes what comes.
        self._others: dict[str, tuple[bytes, Take]] = {}
        self._task: asyncio.Task[None] | None = None
        self._connection_id: int | None = None
        self._changed = asyncio.Event()
        # Counts the sets of watched tables, and which of them the reader waits for.
        self._generation = 0
        self._read_generation = 0

    async def subscribe(self, table_id: str, epoch: int, after_version: int) -> RedisSubscription:
        """Follow a table after (epoch, version), a point that was told by a state, an entry or a signed
        token.

        A point that does not exist yet means that the store has lost writes, and raises the table's epoch; so
        points that a client could make up do not belong here.

        Raises:
            FeedLost: that point is unknown, trimmed away, or of a lost state.
            StoreAway: the store cannot be reached.
        """
        subscription = RedisSubscription(self, table_id, epoch, after_version)
        # First listen, then look at what is there already: nothing can fall between.
        self._watched.setdefault(table_id, set()).add(subscription)
        try:
            await subscription.catch_up(self._store)
        except BaseException:
            self.forget(subscription)
            raise
        if table_id not in self._positions:
            self._positions[table_id] = subscription.version
            self._generation += 1
            await self._wake()
        return subscription

    def position(self, table_id: str) -> int:
        """The version after which the reader reads a table; 0 where it does not."""
        return self._positions.get(table_id, 0)

    def forget(self, subscription: RedisSubscription) -> None:
        """Leave a subscription out from now on."""
        table_id = subscription.table_id
        watching = self._watched.get(table_id)
        if watching is None:
            return
        watching.discard(subscription)
        if not watching:
            del self._watched[table_id]
            self._positions.pop(table_id, None)

    async def follow(self, key: str, after: bytes, take: Take) -> None:
        """Read a stream that is no table's log beside the logs; entries may come more than once.

        Args:
            key: of the stream.
            after: the id after which it is read; where it is read already the earlier place counts.
            take: is given what comes; must not raise.
        """
        held = self._others.get(key)
        if held is not None and entry_order(held[0]) <= entry_order(after):
            return
        self._others[key] = (after, take)
        self._generation += 1
        await self._wake()

    def unfollow(self, key: str) -> None:
        """Read such a stream no more; harmless where it is not read."""
        self._others.pop(key, None)

    async def start(self) -> None:
        """Begin to read; needs a running loop."""
        if self._task is None:
            self._task = asyncio.create_task(self._read_for_ever(), name="turkpoker event feed")

    async def stop(self) -> None:
        """End the reader and all subscriptions."""
        task, self._task = self._task, None
        while task is not None and not task.done():
            # Once is not enough: redis-py loses a cancellation that hits it while it connects.
            task.cancel()
            await asyncio.wait({task}, timeout=0.1)
        for table_id in tuple(self._watched):
            self._end_all(table_id, "closed")
        await self._reader.aclose()

    async def _wake(self) -> None:
        wanted = self._generation
        self._changed.set()
        while self._read_generation < wanted and self._connection_id is not None:
            try:
                if await ask(self._store.client.client_unblock(self._connection_id)):
                    return
            except StoreAway:
                return
            # Not blocked: it is at work and will look again, or it is just about to block.
            await asyncio.sleep(0.001)

    async def _read_for_ever(self) -> None:
        while True:
            try:
                async with self._reader.client() as connection:
                    self._connection_id = await connection.client_id()
                    await self._after_connecting()
                    while True:
                        await self._read_once(connection)
            except asyncio.CancelledError:
                raise
            except (redis.RedisError, OSError, StoreAway) as error:
                _log.warning("the event feed has lost its store: %s", type(error).__name__)
            except Exception:
                _log.exception("the event feed has failed; it starts again")
            finally:
                self._connection_id = None
            await asyncio.sleep(_RETRY_SECONDS)

    async def _read_once(self, connection: Any) -> None:
        self._changed.clear()
        self._read_generation = self._generation
        if not self._positions and not self._others:
            await self._changed.wait()
            return
        keys = self._store.keys
        positions = {keys.log(table_id): (table_id, at) for table_id, at in self._positions.items()}
        wanted: dict[str, str | bytes] = {key: f"{at}-0" for key, (_, at) in positions.items()}
        wanted |= {key: after for key, (after, _) in self._others.items()}
        found = await connection.xread(wanted, count=_READ_COUNT, block=_BLOCK_MS)
        for key, entries in found or ():
            if key.decode() not in positions:
                self._hand_over(key.decode(), entries)
                continue
            table_id, _ = positions[key.decode()]
            try:
                for identity, fields in entries:
                    self._deliver(self._store.log_entry(table_id, identity, fields))
            except StoreRefused:
                _log.exception("the log of table %s cannot be read", table_id)
                self._end_all(table_id, "damaged")

    def _hand_over(self, key: str, entries: Entries) -> None:
        held = self._others.get(key)
        if held is not None and entries:
            _, take = held
            self._others[key] = (entries[-1][0], take)
            take(entries)

    def _deliver(self, entry: LogEntry) -> None:
        if entry.table_id in self._positions:
            self._positions[entry.table_id] = entry.version
        for subscription in tuple(self._watched.get(entry.table_id, ())):
            subscription.offer(entry)

    async def _after_connecting(self) -> None:
        """After a new connection the store may be another one, with fewer writes than we saw."""
        for table_id, position in list(self._positions.items()):
            standing = await self._store.standing(table_id)
            if standing is not None and standing[1] >= position:
                continue
            if standing is not None:
                for subscription in tuple(self._watched.get(table_id, ())):
                    await self._store.raise_epoch(table_id, subscription.epoch, subscription.version)
            self._end_all(table_id, "gone" if standing is None else "epoch")

    def _end_all(self, table_id: str, why: str) -> None:
        for subscription in tuple(self._watched.get(table_id, ())):
            subscription.end(FeedLost(why))
            self.forget(subscription)
