"""The list of tables: under any filter its pages show every table that passes once, come what may."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from table.desks import SeededDealer
from turkpoker.engine import Rules
from turkpoker.storage.keys import SHARDS, player_mark, shard_of
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.commands import Close, Join, Leave, Remove
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.lobby import TableFilter, lobby_entry, members
from turkpoker.table.tables import Tables

HOSTS = ("ayse", "bora", "cem")
TURKISH, FRENCH = Rules.profile("turkish"), Rules.profile("french", ante=3)
FILTERS: list[dict[str, Any]] = [
    {},
    {"profile": "french"},
    {"min_ante": 2},
    {"max_ante": 2, "text": "OdD"},
    {"private": True},
    {"mine": "bora"},
    {"mine": "bora", "profile": "turkish"},
    {"text": "nowhere"},
]


@pytest.fixture
def tables(store: RedisTableStore) -> Tables:
    return Tables(store, SeededDealer(1))


async def make(tables: Tables, rng: random.Random, number: int) -> str:
    outcome = await tables.create(
        rng.choice(HOSTS),
        rng.choice([TURKISH, FRENCH]),
        display_name=f"{'even' if number % 2 == 0 else 'odd'} {number}",
        private=rng.random() < 0.3,
    )
    return outcome.state.table_id


async def pages(tables: Tables, wanted: TableFilter, size: int) -> list[str]:
    found, token = [], ""
    while True:
        page = await tables.list(size, token, wanted)
        assert len(page.entries) <= size
        found += [entry.table_id for entry in page.entries]
        token = page.next_page_token
        if not token:
            return found
        assert len(page.entries) == size


@pytest.mark.parametrize("fields", FILTERS)
async def test_pages_show_what_passes_the_filter_newest_first(tables: Tables, fields: dict[str, Any]) -> None:
    rng = random.Random(str(fields))
    wanted = TableFilter(**fields)
    ids = [await make(tables, rng, number) for number in range(90)]
    states = [(await tables.get(table_id)).state for table_id in ids]
    expected = [
        state.table_id
        for state in sorted(states, key=lambda state: (state.create_time, state.table_id), reverse=True)
        if wanted.fits(lobby_entry(state)) and (not wanted.mine or wanted.mine in members(state))
    ]
    assert bool(expected) == (fields.get("text") != "nowhere")
    for size in (1, 7, 200):
        assert await pages(tables, wanted, size) == expected


async def test_many_tables_of_one_moment_in_one_shard_are_all_shown(
    tables: Tables, store: RedisTableStore
) -> None:
    rng = random.Random(3)
    ids = [await make(tables, rng, number) for number in range(300)]
    # As if all had been made in the same millisecond.
    for table_id in ids:
        await store.client.zadd(store.keys.lobby(shard_of(table_id)), {table_id: 1_700_000_000_000})
    for size in (1, 5, 64):
        assert await pages(tables, TableFilter(private=True), size) == sorted(ids, reverse=True)
    assert max(Counter(map(shard_of, ids)).values()) >= len(ids) / SHARDS


async def test_what_comes_and_goes_between_pages_moves_nothing_else(tables: Tables) -> None:
    rng = random.Random(5)
    ids = [await make(tables, rng, number) for number in range(60)]
    stays = set(ids)
    found: list[str] = []
    token = ""
    while True:
        page = await tables.list(5, token, TableFilter(private=True))
        found += [entry.table_id for entry in page.entries]
        token = page.next_page_token
        if not token:
            break
        await make(tables, rng, 1000)
        gone = rng.choice(sorted(stays))
        stays.discard(gone)
        state = (await tables.get(gone)).state
        await tables.carry_out(gone, Close(state.config.host))
    assert len(set(found)) == len(found)
    assert stays <= set(found) <= set(ids)


@pytest.mark.parametrize(
    "other", [{}, {"text": "b"}, {"text": "a", "private": True}, {"text": "a", "mine": "x"}]
)
async def test_a_token_belongs_to_its_filter(tables: Tables, other: dict[str, Any]) -> None:
    for number in range(3):
        await tables.create("ayse", TURKISH, display_name=f"a {number}")
    token = (await tables.list(1, "", TableFilter(text="a"))).next_page_token
    assert (await tables.list(1, token, TableFilter(text="a"))).entries
    with pytest.raises(TableError) as caught:
        await tables.list(1, token, TableFilter(**other))
    assert (caught.value.reason, caught.value.field) == (Reason.INVALID_FIELD, "page_token")


async def test_the_index_of_players_follows_every_commit(tables: Tables, store: RedisTableStore) -> None:
    async def tables_of(player: str) -> list[str]:
        return await pages(tables, TableFilter(mine=player), 10)

    table_id = (await tables.create("host", TURKISH)).state.table_id
    assert await tables_of("host") == [table_id]
    await tables.carry_out(table_id, Join("host", "H"))
    await tables.carry_out(table_id, Join("a", "A"))
    await tables.carry_out(table_id, Join("b", "B"))
    assert [await tables_of(player) for player in ("a", "b", "c")] == [[table_id], [table_id], []]
    await tables.carry_out(table_id, Leave("host"))  # still his table
    await tables.carry_out(table_id, Remove("host", 1, "a"))
    assert [await tables_of(player) for player in ("host", "a")] == [[table_id], []]
    # No name of a player lies there in the open.
    key = store.keys.lobby_players(shard_of(table_id))
    assert set(await store.client.zrange(key, 0, -1)) == {
        f"{player_mark(player)}:{table_id}".encode() for player in ("host", "b")
    }
    await tables.carry_out(table_id, Close("host"))
    assert [await tables_of(player) for player in ("host", "b")] == [[], []]
    assert not await store.client.exists(key)
