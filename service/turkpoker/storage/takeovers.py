"""Who plays where: a newer stream of a player at a table is told to the older ones, on whatever server.

Each stream that begins is one entry in a short stream of the table's shard, which the process's one reader
follows as long as it has such streams itself. The ids of the entries say which is newer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from turkpoker.storage.connection import ask
from turkpoker.storage.event_log import Entries, RedisEventFeed, entry_order
from turkpoker.storage.keys import shard_of
from turkpoker.storage.redis_store import RedisTableStore

_LENGTH = 1000
_LIFE = timedelta(hours=1)
_START = (0, 0)


@dataclass(slots=True, eq=False)
class _Stream:
    name: bytes
    replaced: Callable[[], None]
    #: Its own entry; None until the store has told it.
    at: tuple[int, int] | None = None
    #: The newest entry of the same player at the same table.
    newest: tuple[int, int] = _START

    def see(self, identity: tuple[int, int]) -> None:
        self.newest = max(self.newest, identity)
        if self.at is not None and self.newest > self.at:
            self.replaced()


class RedisTakeovers:
    """Implements ``turkpoker.table.ports.Takeovers``.

    Args:
        store: whose server is used.
        feed: reads the entries.
    """

    def __init__(self, store: RedisTableStore, feed: RedisEventFeed) -> None:
        self._store = store
        self._feed = feed
        self._open: dict[str, set[_Stream]] = {}

    async def enter(self, table_id: str, player: str, replaced: Callable[[], None]) -> Callable[[], None]:
        """Say that a stream begins; see the port."""
        key = self._store.keys.plays(shard_of(table_id))
        stream = _Stream(self._store.keys.play_name(table_id, player).encode(), replaced)
        # First listen, then speak: a newer one may be heard of before the store has told our own place.
        self._open.setdefault(key, set()).add(stream)
        try:
            pipeline = self._store.client.pipeline(transaction=False)
            pipeline.xadd(key, {"p": stream.name}, maxlen=_LENGTH, approximate=True)
            pipeline.pexpire(key, _LIFE)
            identity, _ = await ask(pipeline.execute())
            stream.at = entry_order(identity)
            await self._feed.follow(key, identity, lambda entries: self._take(key, entries))
            stream.see(_START)
        except BaseException:
            self._leave(key, stream)
            raise
        return lambda: self._leave(key, stream)

    def _take(self, key: str, entries: Entries) -> None:
        for identity, fields in entries:
            for stream in tuple(self._open.get(key, ())):
                if fields.get(b"p") == stream.name:
                    stream.see(entry_order(identity))

    def _leave(self, key: str, stream: _Stream) -> None:
        streams = self._open.get(key, set())
        streams.discard(stream)
        if not streams:
            self._open.pop(key, None)
            self._feed.unfollow(key)
