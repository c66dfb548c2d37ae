"""Streams of spectators who see a table only later: one buffer a table and process, whoever watches.

The buffer follows the table's log like any viewer and keeps each commit until everybody has had his delay.
Each spectator reads it at his own place, so that it costs no more however many there are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from turkpoker.table.errors import FeedLost
from turkpoker.table.events import PlayerJoined
from turkpoker.table.outcome import Outcome
from turkpoker.table.ports import EventFeed, LogEntry, Subscription

#: So many commits of a table are kept at most; spectators who still wait for older ones start anew.
MAX_ENTRIES = 4096


@dataclass(frozen=True, slots=True)
class SatDown:
    """The spectator has taken a seat: from now on he sees everything at once."""


@dataclass(slots=True, eq=False)
class _Reader:
    """One spectator: who he is, what takes what is due, and the version up to which he has been told."""

    player: str
    put: Put
    version: int


Item = LogEntry | FeedLost | Outcome | SatDown
Put = Callable[[Item], None]


@dataclass(slots=True)
class Moment:
    """When something is due by our own clock, told by the store's."""

    store: datetime
    ours: float

    def due(self, time: datetime, delay: timedelta) -> float:
        """When what happened at ``time`` may be told."""
        return self.ours + (time - self.store + delay).total_seconds()


@dataclass(eq=False, slots=True)
class _Buffer:
    """The commits of one table that somebody may not see yet."""

    delay: timedelta
    moment: Moment
    epoch: int
    subscription: Subscription
    #: The version before the oldest one kept, and the newest.
    base: int
    newest: int
    entries: dict[int, LogEntry] = field(default_factory=dict, repr=False)
    readers: set[_Reader] = field(default_factory=set)
    lost: FeedLost | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)
    pump: asyncio.Task[None] | None = None

    async def fill(self) -> None:
        """Take what comes, until nothing more does."""
        try:
            async for entry in self.subscription:
                self._take(entry)
        except FeedLost as lost:
            self.lost = lost
            self._wake()

    def _take(self, entry: LogEntry) -> None:
        self.entries[entry.version] = entry
        self.newest = entry.version
        came = {event.player for event in entry.events if isinstance(event, PlayerJoined)}
        for reader in self.readers:
            if reader.player in came:
                reader.put(SatDown())
        self._forget()
        self._wake()

    def _forget(self) -> None:
        needed = min((reader.version for reader in self.readers), default=self.newest)
        while self.base < min(needed, self.newest) or len(self.entries) > MAX_ENTRIES:
            self.base += 1
            del self.entries[self.base]

    def _wake(self) -> None:
        self.news.set()
        self.news = asyncio.Event()

    async def tell(self, reader: _Reader, first: Outcome | None) -> None:
        """Tell a spectator what comes after his version, each when it is due; ``first`` before it."""
        if first is not None:
            await _until(self.moment.due(first.now, self.delay))
            reader.put(first)
        while True:
            while reader.version >= self.newest:
                if self.lost is not None:
                    reader.put(self.lost)
                    return
                await self.news.wait()
            if reader.version < self.base:
                reader.put(FeedLost("lagged"))
                return
            entry = self.entries[reader.version + 1]
            await _until(self.moment.due(entry.time, self.delay))
            reader.put(entry)
            reader.version += 1


async def _until(moment: float) -> None:
    await asyncio.sleep(moment - asyncio.get_running_loop().time())


class DelayedTables:
    """The buffers of a process; a table has one as long as somebody watches it later.

    Args:
        feed: what happens at the tables.
    """

    def __init__(self, feed: EventFeed) -> None:
        self._feed = feed
        self._buffers: dict[str, _Buffer] = {}

    async def watch(self, outcome: Outcome, player: str, put: Put, version: int, *, first: bool) -> Delayed:
        """Follow a table later.

        Args:
            outcome: how the table stands.
            player: who watches; when he sits down he is told with ``SatDown``.
            put: takes what is due, in order, and FeedLost when it cannot go on without a gap.
            version: what follows this one is told.
            first: whether ``outcome`` is told too, when it is due, before all others.

        Raises:
            FeedLost: what follows the version is not there.
        """
        moment = Moment(outcome.now, asyncio.get_running_loop().time())
        buffer = await self._buffer(outcome, version, moment)
        reader = _Reader(player, put, version)
        buffer.readers.add(reader)
        telling = buffer.tell(reader, outcome if first else None)
        task = asyncio.create_task(telling, name="late spectator")
        return Delayed(self, outcome.state.table_id, buffer, reader, task)

    async def _buffer(self, outcome: Outcome, version: int, moment: Moment) -> _Buffer:
        state = outcome.state
        while True:
            held = self._buffers.get(state.table_id)
            if held is not None and held.lost is None and held.epoch == state.epoch:
                if version >= held.base:
                    held.moment = moment
                    return held
                await self._lengthen(held, state.table_id, version)
                continue
            subscription = await self._feed.subscribe(state.table_id, state.epoch, version)
            if self._buffers.get(state.table_id) is not held:
                await subscription.close()  # somebody else was first
                continue
            made = _Buffer(
                state.config.spectator_delay, moment, state.epoch, subscription, base=version, newest=version
            )
            made.pump = asyncio.create_task(made.fill(), name="delayed table")
            self._buffers[state.table_id] = made
            return made

    async def _lengthen(self, buffer: _Buffer, table_id: str, version: int) -> None:
        """Put older commits before the buffer, for somebody who comes back."""
        if buffer.newest - version > MAX_ENTRIES:
            raise FeedLost("too_old")
        base = buffer.base
        # Meanwhile nothing may be forgotten that follows them.
        holder = _Reader("", lambda _: None, base)
        buffer.readers.add(holder)
        try:
            subscription = await self._feed.subscribe(table_id, buffer.epoch, version)
            try:
                older = [await anext(subscription) for _ in range(base - version)]
            finally:
                await subscription.close()
            if buffer.base > base:
                raise FeedLost("lagged")
        except BaseException:
            await self.leave(table_id, buffer, holder)
            raise
        buffer.readers.discard(holder)
        buffer.entries |= {entry.version: entry for entry in older}
        buffer.base = min(buffer.base, version)

    async def leave(self, table_id: str, buffer: _Buffer, reader: _Reader) -> None:
        """One spectator less; the buffer of the last one goes."""
        buffer.readers.discard(reader)
        if buffer.readers:
            return
        if self._buffers.get(table_id) is buffer:
            del self._buffers[table_id]
        if buffer.pump is not None:
            buffer.pump.cancel()
            await asyncio.gather(buffer.pump, return_exceptions=True)
        await buffer.subscription.close()


@dataclass(frozen=True, slots=True)
class Delayed:
    """One spectator's place in a buffer."""

    tables: DelayedTables
    table_id: str
    buffer: _Buffer
    reader: _Reader
    task: asyncio.Task[None]

    async def close(self) -> None:
        """Tell him no more."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await self.tables.leave(self.table_id, self.buffer, self.reader)
