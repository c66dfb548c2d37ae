"""Whose tables are whose, as the store tells it."""

from __future__ import annotations

import pytest
from turkpoker.engine import Rules
from turkpoker.storage.player_tables import RedisPlayerTables
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.commands import Join
from turkpoker.table.ports import PAYLOAD_HASH_BYTES
from turkpoker.table.tables import Tables


@pytest.fixture
def whose(store: RedisTableStore) -> RedisPlayerTables:
    return RedisPlayerTables(store)


@pytest.fixture
def tables(other_tables: Tables) -> Tables:
    """What another process does."""
    return other_tables


async def test_hosted_and_joined_tables_are_told_apart(tables: Tables, whose: RedisPlayerTables) -> None:
    rules = Rules.profile("turkish", players=(5, 5))
    own = [(await tables.create("ayse", rules)).state.table_id for _ in range(3)]
    others = [(await tables.create("bora", rules)).state.table_id for _ in range(2)]
    for table_id in (own[0], *others):
        await tables.join(table_id, Join("ayse", "Ayşe"))
    found = await whose.of_player("ayse")
    assert (found.hosted, found.joined) == (set(own), set(others))
    await tables.leave(others[0], "ayse")
    await tables.close(own[0], "ayse")
    found = await whose.of_player("ayse")
    assert (found.hosted, found.joined) == (set(own[1:]), {others[1]})
    nobody = await whose.of_player("nobody")
    assert not nobody.hosted | nobody.joined


async def test_a_request_that_came_half_way_has_made_nothing(
    tables: Tables, store: RedisTableStore, whose: RedisPlayerTables
) -> None:
    assert not await whose.was_made("ayse", "one")
    await tables.create("ayse", Rules.profile("turkish"), request_id="one")
    assert await whose.was_made("ayse", "one")
    assert not await whose.was_made("bora", "one")
    # A server that died between the two steps: the request has its key, and there is no table.
    await store.client.set(store.keys.made("ayse", "two"), b"h" * PAYLOAD_HASH_BYTES + b"0123456789abcdef")
    assert not await whose.was_made("ayse", "two")
