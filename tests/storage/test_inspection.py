"""An inspection finds a store in order that is, also while it is in use, and each thing that was planted."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from storage.evenings import Evening, everything
from table.desks import SeededDealer
from turkpoker.engine import Rules
from turkpoker.storage.inspection import Inspection, Report
from turkpoker.storage.keys import SHARDS, shard_of
from turkpoker.storage.outbox import RedisOutbox
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.commands import ConfirmBuyIn, Join
from turkpoker.table.tables import Tables
from turkpoker.table.transfers import Direction

Look = Callable[[], Awaitable[Report]]


@pytest.fixture
async def outbox(store: RedisTableStore) -> AsyncIterator[RedisOutbox]:
    opened = RedisOutbox(store)
    yield opened
    await opened.close()


@pytest.fixture
def look(store: RedisTableStore, outbox: RedisOutbox) -> Look:
    """Inspect the store, and see that this has changed nothing."""

    async def inspect() -> Report:
        before = sorted(await everything(store.client, store.keys.prefix))
        report = await Inspection(store, outbox).run()
        assert sorted(await everything(store.client, store.keys.prefix)) == before
        return report

    return inspect


@pytest.fixture
async def table_id(store: RedisTableStore, outbox: RedisOutbox) -> str:
    """A table with a bank: ``ayse`` sits there, ``bora`` waits for his chips, ``can`` has gone unpaid."""
    tables = Tables(store, SeededDealer(4), bank=True)
    made = await tables.create("host", Rules.profile("turkish"), hand_pause=timedelta(seconds=60))
    table_id = made.state.table_id
    for player in ("can", "ayse"):
        await tables.join(table_id, Join(player, player))
        (entry,) = await outbox.take()
        assert entry.transfer is not None
        await tables.carry_out(table_id, ConfirmBuyIn(entry.transfer.transfer_id, entry.entry_id))
    await tables.join(table_id, Join("bora", "bora"))
    await tables.leave(table_id, "can")
    await outbox.release()
    return table_id


def found(report: Report, words: str) -> bool:
    """Whether it tells of something with these words, and of its place."""
    return any(words in finding.what and finding.where for finding in report.findings)


@pytest.mark.parametrize("profile", ["turkish", "turkish-pagat", "turkish-online", "french"])
async def test_a_store_in_use_is_in_order(store: RedisTableStore, look: Look, profile: str) -> None:
    evenings = []
    for seed in range(3):
        evening = Evening(Tables(store, SeededDealer(seed)), store)
        options = {"rake_per_mille": 50} if profile == "turkish-online" else {}
        await evening.begin("a", "b", "c", profile=profile, **options)
        evenings.append(evening)
    playing = asyncio.gather(*(each.play(random.Random(7), 150) for each in evenings))
    looks = 0
    while not playing.done():
        report = await Inspection(store, RedisOutbox(store)).run()
        assert report.findings == []
        assert report.tables == 3
        looks += 1
        await asyncio.sleep(0)
    await playing
    report = await look()
    assert report.findings == []
    assert report.chips == report.bought_in - report.cashed_out > 0
    assert report.versions > 300
    assert looks


async def test_orders_that_wait_are_told_and_are_no_fault(look: Look, table_id: str) -> None:
    report = await look()
    assert report.findings == []
    assert (report.tables, report.chips, report.bought_in, report.cashed_out) == (1, 100, 200, 100)
    assert report.awaiting_bank == 100
    orders = [(each.transfer.direction, each.transfer.player) for each in report.waiting if each.transfer]
    assert orders == [(Direction.DEBIT, "bora"), (Direction.CREDIT, "can")]
    assert {each.table_id for each in report.waiting} == {table_id}


async def test_a_dead_letter_is_told(look: Look, outbox: RedisOutbox, table_id: str) -> None:
    credit = (await outbox.take())[1]
    await outbox.bury(credit, "the bank refused a credit")
    report = await look()
    assert report.findings == []
    assert [(each.table_id, each.why) for each in report.dead] == [(table_id, "the bank refused a credit")]
    assert report.dead[0].transfer == credit.transfer


async def test_a_paid_credit_and_a_closed_table_add_up(
    look: Look, outbox: RedisOutbox, store: RedisTableStore, table_id: str
) -> None:
    await outbox.done((await outbox.take())[1])
    assert (await look()).findings == []
    tables = Tables(store, SeededDealer(4), bank=True)
    await tables.close(table_id, "host")
    report = await look()
    assert report.findings == []
    assert report.chips == 0


async def test_an_altered_stack_is_found(store: RedisTableStore, look: Look, table_id: str) -> None:
    stored = await store.load(table_id)
    assert stored is not None
    state = stored.state.copy()
    state.seats[1].stack += 7
    await store.client.hset(store.keys.table(table_id), "s", store.codec.seal_state(state))
    report = await look()
    assert found(report, "107 chips at the table, 100 in the ledger")
    assert {finding.where for finding in report.findings} == {f"tables/{table_id}"}


async def test_a_state_that_is_not_what_was_sealed_is_found(
    store: RedisTableStore, look: Look, table_id: str
) -> None:
    key = store.keys.table(table_id)
    sealed = await store.client.hget(key, "s")
    await store.client.hset(key, "s", sealed[:-1] + bytes([sealed[-1] ^ 1]))
    assert found(await look(), "is not what was sealed")


@pytest.mark.parametrize("place", [0, 1])
async def test_a_dropped_order_is_found(
    store: RedisTableStore, look: Look, outbox: RedisOutbox, table_id: str, place: int
) -> None:
    entry = (await outbox.take())[place]
    await store.client.xdel(store.keys.outbox(entry.shard), entry.entry_id)
    assert found(await look(), ["waited for, but not in the outbox", "were cashed out, but"][place])


async def test_an_order_that_nobody_made_is_found(store: RedisTableStore, look: Look, table_id: str) -> None:
    stream = store.keys.outbox(shard_of(table_id))
    ((_, debit), (_, credit)) = await store.client.xrange(stream)
    await store.client.xadd(stream, credit)
    assert found(await look(), "ordered twice")
    await store.client.xadd(stream, debit | {b"b": b"forged"})
    assert found(await look(), "is not what was sealed")
    other = store.keys.outbox((shard_of(table_id) + 1) % SHARDS)
    await store.client.xadd(other, debit)
    assert found(await look(), "belongs to another shard")


async def test_a_wrong_count_of_what_was_paid_is_found(
    store: RedisTableStore, look: Look, table_id: str
) -> None:
    await store.client.hset(store.keys.table(table_id), "p", 30)
    assert found(await look(), "the bank has paid 30")


async def test_a_missing_commit_is_found(store: RedisTableStore, look: Look, table_id: str) -> None:
    await store.client.xdel(store.keys.log(table_id), "4-0")
    assert found(await look(), "lacks the versions between 3 and 5")


async def test_lists_and_clocks_that_tell_otherwise_are_found(
    store: RedisTableStore, look: Look, table_id: str
) -> None:
    client, keys, shard = store.client, store.keys, shard_of(table_id)
    orphan = next(name for number in range(10_000) if shard_of(name := f"{number:016x}") == shard)
    other = (shard + 1) % SHARDS
    score = await client.zscore(keys.due(shard), table_id)

    async def put_back() -> None:
        await client.zrem(keys.due(shard), table_id)
        if score is not None:
            await client.zadd(keys.due(shard), {table_id: score})

    mark = f"mark:{orphan}"
    plants: list[tuple[Any, Any, str]] = [
        (
            lambda: client.zadd(keys.due(shard), {orphan: 1}),
            lambda: client.zrem(keys.due(shard), orphan),
            "no such table",
        ),
        (
            lambda: client.zadd(keys.lobby(shard), {orphan: 1}),
            lambda: client.zrem(keys.lobby(shard), orphan),
            "no such table",
        ),
        (
            lambda: client.hset(keys.lobby_entries(shard), orphan, b"x"),
            lambda: client.hdel(keys.lobby_entries(shard), orphan),
            "no such table",
        ),
        (
            lambda: client.zadd(keys.lobby_players(shard), {mark: 0}),
            lambda: client.zrem(keys.lobby_players(shard), mark),
            "no such table",
        ),
        (
            lambda: client.zadd(keys.lobby(other), {table_id: 1}),
            lambda: client.zrem(keys.lobby(other), table_id),
            "belongs to shard",
        ),
        (lambda: client.zadd(keys.due(shard), {table_id: 5}), put_back, "deadline"),
    ]
    for plant, cure, words in plants:
        await plant()
        report = await look()
        assert found(report, words)
        assert len(report.findings) == 1
        await cure()
        assert (await look()).findings == []
    await client.zrem(keys.lobby(shard), table_id)
    assert found(await look(), "it is open, and not listed")


async def test_a_table_in_a_shard_of_others_is_found(
    store: RedisTableStore, look: Look, table_id: str
) -> None:
    wrong = (shard_of(table_id) + 1) % SHARDS
    await store.client.copy(
        store.keys.table(table_id), f"{{{store.keys.prefix}:{wrong:02d}}}:table:{table_id}"
    )
    assert found(await look(), f"lies in shard {wrong}, not in {shard_of(table_id)}")


async def test_a_log_without_a_table_is_found(store: RedisTableStore, look: Look, table_id: str) -> None:
    await store.client.delete(store.keys.table(table_id))
    report = await look()
    assert found(report, "has an event log, but is no more")
    assert found(report, "no such table")
