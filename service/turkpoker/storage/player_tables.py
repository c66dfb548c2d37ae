"""Whose tables are whose, from what the list of tables keeps."""

from __future__ import annotations

from turkpoker.storage import encoding
from turkpoker.storage.connection import ask
from turkpoker.storage.keys import SHARDS, player_mark
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.allowance import TablesOfPlayer
from turkpoker.table.ports import PAYLOAD_HASH_BYTES


class RedisPlayerTables:
    """Implements ``turkpoker.table.allowance.PlayerTables`` in two round trips.

    Args:
        store: whose server is used.
    """

    def __init__(self, store: RedisTableStore) -> None:
        self._store = store

    async def of_player(self, player: str) -> TablesOfPlayer:
        """The open tables of a player; see the port."""
        keys = self._store.keys
        mark = player_mark(player).encode()
        pipeline = self._store.client.pipeline(transaction=False)
        for shard in range(SHARDS):
            pipeline.zrange(keys.lobby_players(shard), b"[" + mark + b":", b"[" + mark + b";", bylex=True)
        found = {
            shard: [member[len(mark) + 1 :] for member in members]
            for shard, members in enumerate(await ask(pipeline.execute()))
            if members
        }
        if not found:
            return TablesOfPlayer(frozenset(), frozenset())
        pipeline = self._store.client.pipeline(transaction=False)
        for shard, ids in found.items():
            pipeline.hmget(keys.lobby_entries(shard), ids)
        entries = [
            encoding.decode_lobby(packed)
            for answer in await ask(pipeline.execute())
            for packed in answer
            if packed is not None
        ]
        return TablesOfPlayer(
            hosted=frozenset(entry.table_id for entry in entries if entry.host == player),
            joined=frozenset(entry.table_id for entry in entries if entry.host != player),
        )

    async def was_made(self, player: str, request_id: str) -> bool:
        """Whether this request has made a table; see the port."""
        store = self._store
        held = await ask(store.client.get(store.keys.made(player, request_id)))
        if held is None:
            return False
        # The key is written first: a request that came no further has made nothing.
        table_id = held[PAYLOAD_HASH_BYTES:].decode()
        return bool(await ask(store.client.exists(store.keys.table(table_id))))
