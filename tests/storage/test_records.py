"""Finished hands in the store: by table and by player, in pages, for as long and as many as is set."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from redis.asyncio import Redis
from storage.evenings import Evening, everything
from table.desks import SeededDealer
from turkpoker.storage.keys import SHARDS, shard_of
from turkpoker.storage.records import RedisRecordStore
from turkpoker.storage.redis_store import RedisTableStore, StoreSettings
from turkpoker.storage.seal import Seal
from turkpoker.table.errors import TableError
from turkpoker.table.histories import Histories, OfPlayer, OfTable, Reader
from turkpoker.table.ports import Answer, Commit, FinishedHand, RecordPage
from turkpoker.table.tables import Tables

PLAYERS = ("a", "b", "c")
OLGA = Reader("olga", operator=True)


class Shelf:
    """A store into which commits put hands that nobody played, quickly."""

    def __init__(self, store: RedisTableStore, evening: Evening) -> None:
        self.store = store
        self.evening = evening
        self.records = RedisRecordStore(store)
        self.histories = Histories(self.records, evening.tables)
        self.number = 0

    async def add(self, *players: str, private: bool = False) -> int:
        """One more finished hand."""
        stored = await self.store.load(self.evening.table_id)
        assert stored is not None
        state = stored.state.copy()
        state.version += 1
        self.number += 1
        names = dict(enumerate(players or PLAYERS))
        hand = FinishedHand(
            self.evening.table_id, self.number, names, {"id": str(self.number)}, host="host", private=private
        )
        answer = Answer(state.version, state.epoch)
        await self.store.commit(Commit(stored.state, state, (), answer, finished=(hand,)))
        return self.number

    async def all_keys(self) -> set[bytes]:
        return set(await everything(self.store.client, self.store.keys.prefix))


@pytest.fixture
async def shelf_of(redis_url: str, seal: Seal, settings: StoreSettings) -> AsyncIterator[Any]:
    opened: list[RedisTableStore] = []

    async def make(**changed: Any) -> Shelf:
        store = await RedisTableStore.connect(redis_url, seal, replace(settings, **changed))
        opened.append(store)
        evening = Evening(Tables(store, SeededDealer(4)), store)
        await evening.begin(*PLAYERS)
        return Shelf(store, evening)

    yield make
    for store in opened:
        await store.close()


def numbers(page: RecordPage) -> list[int]:
    return [record.hand_number for record in page.records]


async def walk(shelf: Shelf, parent: OfTable | OfPlayer, page_size: int) -> list[int]:
    found: list[int] = []
    token = ""
    while True:
        page = await shelf.histories.list(OLGA, parent, page_size, token)
        assert len(page.records) <= page_size
        found += numbers(page)
        token = page.next_page_token
        if not token:
            return found


@pytest.mark.parametrize("page_size", [1, 2, 3, 7, 50])
async def test_pages_of_any_size_hold_every_hand_once(shelf_of: Any, page_size: int) -> None:
    shelf = await shelf_of()
    for number in range(1, 8):
        await shelf.add(*(("a", "b") if number % 2 else ("a", "c")))
    table = OfTable(shelf.evening.table_id)
    assert await walk(shelf, table, page_size) == [7, 6, 5, 4, 3, 2, 1]
    assert await walk(shelf, OfPlayer("a"), page_size) == [7, 6, 5, 4, 3, 2, 1]
    assert await walk(shelf, OfPlayer("b"), page_size) == [7, 5, 3, 1]
    assert await walk(shelf, OfPlayer("c"), page_size) == [6, 4, 2]
    assert await walk(shelf, OfPlayer("A"), page_size) == []
    for parent, hands in ((table, range(1, 8)), (OfPlayer("b"), (1, 3, 5, 7))):
        assert [each.hand_number async for each in shelf.histories.all(OLGA, parent)] == list(hands)


async def test_hands_of_one_player_in_many_shards_come_in_one_order(
    shelf_of: Any, seal: Seal, settings: StoreSettings
) -> None:
    shelf = await shelf_of()
    shelves = [shelf]
    for _ in range(11):
        evening = Evening(Tables(shelf.store, SeededDealer(4)), shelf.store)
        await evening.begin(*PLAYERS)
        shelves.append(Shelf(shelf.store, evening))
    assert len({shard_of(each.evening.table_id) for each in shelves}) > 4
    order = []
    for turn in range(3):
        for each in shelves:
            order.append((each.evening.table_id, await each.add("z")))
            if turn == 1:
                await asyncio.sleep(0.002)
    token, found = "", []
    while True:
        page = await shelf.histories.list(OLGA, OfPlayer("z"), 5, token)
        found += [(each.table_id, each.hand_number, each.end_time) for each in page.records]
        token = page.next_page_token
        if not token:
            break
    # Of the same millisecond in no order in particular, but each once.
    assert sorted((table_id, hand) for table_id, hand, _ in found) == sorted(order)
    ends = [end for *_, end in found]
    assert ends == sorted(ends, reverse=True)
    forwards = [(each.table_id, each.hand_number) async for each in shelf.histories.all(OLGA, OfPlayer("z"))]
    assert forwards == [(table_id, hand) for table_id, hand, _ in reversed(found)]


async def test_of_more_hands_than_are_kept_the_oldest_go_with_their_place_in_the_index(
    shelf_of: Any,
) -> None:
    shelf = await shelf_of(record_count=5)
    for _ in range(12):
        await shelf.add()
    table = OfTable(shelf.evening.table_id)
    client, keys = shelf.store.client, shelf.store.keys
    shard = shard_of(shelf.evening.table_id)
    assert await client.zcard(keys.player_hands("a", shard)) == 5
    assert await client.xlen(keys.hands(shelf.evening.table_id)) == 5
    assert await walk(shelf, table, 3) == [12, 11, 10, 9, 8]
    assert await walk(shelf, OfPlayer("a"), 3) == [12, 11, 10, 9, 8]
    with pytest.raises(TableError, match="no record"):
        await shelf.histories.get(OLGA, shelf.evening.table_id, 7)
    assert (await shelf.histories.get(OLGA, shelf.evening.table_id, 8)).hand_number == 8


async def test_old_hands_go_with_their_place_in_the_index(shelf_of: Any) -> None:
    life = timedelta(milliseconds=600)
    shelf = await shelf_of(record_life=life)
    table, client, keys = OfTable(shelf.evening.table_id), shelf.store.client, shelf.store.keys
    index = keys.player_hands("a", shard_of(shelf.evening.table_id))
    for _ in range(3):
        await shelf.add()
    await asyncio.sleep(0.4)
    await shelf.add()
    assert await walk(shelf, OfPlayer("a"), 2) == [4, 3, 2, 1]
    await asyncio.sleep(0.3)
    # Too old, and given out no more though they still lie there.
    assert await client.xlen(keys.hands(shelf.evening.table_id)) == 4
    for parent in (table, OfPlayer("a")):
        assert await walk(shelf, parent, 2) == [4]
        assert [each.hand_number async for each in shelf.histories.all(OLGA, parent)] == [4]
    with pytest.raises(TableError, match="no record"):
        await shelf.histories.get(OLGA, shelf.evening.table_id, 3)
    # The next hand that is added takes them away.
    await shelf.add()
    assert await client.xlen(keys.hands(shelf.evening.table_id)) == 2
    assert await client.zcard(index) == 2
    # And without a next one the keys go by themselves.
    await asyncio.sleep(0.7)
    left = await shelf.all_keys()
    assert keys.hands(shelf.evening.table_id).encode() not in left
    assert index.encode() not in left
    assert await walk(shelf, OfPlayer("a"), 2) == []


async def test_a_name_in_the_index_without_a_record_is_dropped(shelf_of: Any) -> None:
    shelf = await shelf_of()
    for _ in range(4):
        await shelf.add()
    client, keys = shelf.store.client, shelf.store.keys
    await client.xdel(keys.hands(shelf.evening.table_id), "2-0", "3-0", "4-0")
    index = keys.player_hands("a", shard_of(shelf.evening.table_id))
    # Pages of nothing but gone hands are passed over.
    assert numbers(await shelf.histories.list(OLGA, OfPlayer("a"), 1)) == [1]
    assert await client.zrange(index, 0, -1) == [f"{shelf.evening.table_id}/000000000000001".encode()]


async def test_a_stretch_of_time(shelf_of: Any) -> None:
    shelf = await shelf_of()
    for _ in range(5):
        await shelf.add()
        await asyncio.sleep(0.003)
    table = OfTable(shelf.evening.table_id)
    ends = [each.end_time async for each in shelf.histories.all(OLGA, table)]
    for parent in (table, OfPlayer("b")):
        within = shelf.histories.all(OLGA, parent, ends[1], ends[3])
        assert [each.hand_number async for each in within] == [2, 3]
        later = shelf.histories.all(OLGA, parent, ends[1] + timedelta(microseconds=1))
        assert [each.hand_number async for each in later] == [3, 4, 5]
        assert not [
            each async for each in shelf.histories.all(OLGA, parent, datetime(9999, 1, 1, tzinfo=UTC))
        ]
        everything_ = shelf.histories.all(OLGA, parent, datetime(1, 1, 1, tzinfo=UTC))
        assert len([each async for each in everything_]) == 5


async def test_the_index_is_written_with_the_hand_or_not_at_all(shelf_of: Any) -> None:
    shelf = await shelf_of()
    client, keys = shelf.store.client, shelf.store.keys
    index = keys.player_hands("b", shard_of(shelf.evening.table_id))
    await client.set(index, "planted")
    before = await everything(client, keys.prefix)
    with pytest.raises(Exception, match="damaged"):
        await shelf.add()
    assert await everything(client, keys.prefix) == before


async def test_no_key_tells_who_played(shelf_of: Any) -> None:
    shelf = await shelf_of()
    await shelf.add("Ayse Yilmaz")
    client: Redis = shelf.store.client
    for key, content in (await everything(client, shelf.store.keys.prefix)).items():
        assert b"Yilmaz" not in key + content, key
    found = [
        shard
        for shard in range(SHARDS)
        if await client.exists(shelf.store.keys.player_hands("Ayse Yilmaz", shard))
    ]
    assert found == [shard_of(shelf.evening.table_id)]


async def test_hands_of_a_private_table_that_is_gone_are_for_who_played_them(shelf_of: Any) -> None:
    """Nobody can say any more who belonged to it."""
    shelf = await shelf_of()
    store, table_id = shelf.store, shelf.evening.table_id
    await shelf.add("a", "b", private=True)
    await shelf.add("a", "c", private=True)
    await store.client.delete(store.keys.table(table_id))
    table = OfTable(table_id)
    for reader, hands in (
        (Reader("a"), [2, 1]),
        (Reader("b"), [1]),
        (Reader("host"), [2, 1]),
        (OLGA, [2, 1]),
        (Reader("d"), []),
    ):
        assert numbers(await shelf.histories.list(reader, table)) == hands, reader
        found = [each.hand_number async for each in shelf.histories.all(reader, table)]
        assert found == list(reversed(hands))
    with pytest.raises(TableError, match="no record"):
        await shelf.histories.get(Reader("c"), table_id, 1)
    assert (await shelf.histories.get(Reader("c"), table_id, 2)).private
