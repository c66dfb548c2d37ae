"""The outbox: an order to the bank is there as soon as the command is, and until it is carried out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from storage.conftest import KEY
from storage.evenings import everything
from table.desks import SeededDealer, snapshot
from turkpoker.engine import Rules
from turkpoker.storage import outbox as module
from turkpoker.storage.keys import CLOSED_LIFE, SHARDS, shard_of
from turkpoker.storage.outbox import RedisOutbox
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import Seal
from turkpoker.table.commands import ConfirmBuyIn, Join, RefuseBuyIn
from turkpoker.table.decide import decide
from turkpoker.table.errors import Conflict, StoreRefused
from turkpoker.table.ports import Answer, Commit
from turkpoker.table.tables import Tables
from turkpoker.table.transfers import Direction, OutboxEntry


@pytest.fixture
def tables(store: RedisTableStore) -> Tables:
    return Tables(store, SeededDealer(4), bank=True)


@pytest.fixture
async def outbox(store: RedisTableStore) -> AsyncIterator[RedisOutbox]:
    opened = RedisOutbox(store)
    yield opened
    await opened.close()


@pytest.fixture
async def other_outbox(store: RedisTableStore) -> AsyncIterator[RedisOutbox]:
    """That of another process."""
    opened = RedisOutbox(store)
    yield opened
    await opened.close()


async def made(tables: Tables) -> str:
    outcome = await tables.create("host", Rules.profile("turkish"), hand_pause=timedelta(seconds=1))
    return outcome.state.table_id


def confirm(entry: OutboxEntry) -> ConfirmBuyIn:
    assert entry.transfer is not None
    return ConfirmBuyIn(entry.transfer.transfer_id, entry.entry_id)


async def test_an_order_waits_from_its_commit_until_the_one_that_carries_it_out(
    tables: Tables, outbox: RedisOutbox, store: RedisTableStore
) -> None:
    table_id = await made(tables)
    joined = await tables.join(table_id, Join("ayse", "Ayse"), "r1")
    (entry,) = await outbox.take()
    order = entry.transfer
    assert order is not None
    assert (order.player, order.amount, order.direction) == ("ayse", 100, Direction.DEBIT)
    assert (order.table_id, order.version, order.time) == (table_id, joined.version, joined.state.time)
    assert order.transfer_id == joined.transfer_id
    repeated = await tables.join(table_id, Join("ayse", "Ayse"), "r1")
    assert repeated.replayed
    assert repeated.transfer_id == joined.transfer_id
    assert await outbox.take() == [entry]
    paid = await tables.carry_out(table_id, confirm(entry))
    assert paid.state.seats[0].stack == 100
    assert await outbox.take() == []
    loaded = await store.load(table_id)
    assert loaded is not None
    assert snapshot(loaded.state) == snapshot(paid.state)


async def test_an_answer_told_twice_counts_once(tables: Tables, outbox: RedisOutbox) -> None:
    table_id = await made(tables)
    await tables.join(table_id, Join("ayse", "Ayse"))
    (entry,) = await outbox.take()
    await tables.carry_out(table_id, confirm(entry))
    again = await tables.carry_out(table_id, confirm(entry))
    assert again.events == ()
    assert again.state.ledger.bought_in == 100


async def test_a_refused_commit_orders_nothing(
    tables: Tables, other_tables: Tables, outbox: RedisOutbox, store: RedisTableStore
) -> None:
    table_id = await made(tables)
    stored = await store.load(table_id)
    assert stored is not None
    await tables.join(table_id, Join("ayse", "Ayse"))
    before = await outbox.take()
    decision = decide(stored.state, Join("bora", "Bora"), SeededDealer(4))
    change = Commit(
        base=stored.state,
        state=decision.state,
        events=decision.events,
        answer=Answer(decision.state.version, 0),
        orders=decision.orders,
        answered=before[0].entry_id,
    )
    with pytest.raises(Conflict):
        await store.commit(change)
    assert await outbox.take() == before
    # Whoever lost the race decides anew, and orders under another id.
    await other_tables.join(table_id, Join("bora", "Bora"))
    ids = [entry.transfer.transfer_id for entry in await outbox.take() if entry.transfer]
    assert len(set(ids)) == 2
    assert decision.orders[0].transfer_id not in ids


async def test_an_outbox_of_another_type_is_found_before_the_first_write(
    tables: Tables, store: RedisTableStore
) -> None:
    table_id = await made(tables)
    await store.client.set(store.keys.outbox(shard_of(table_id)), "planted")
    before = await everything(store.client, store.keys.prefix)
    with pytest.raises(StoreRefused, match="damaged"):
        await tables.join(table_id, Join("ayse", "Ayse"))
    assert await everything(store.client, store.keys.prefix) == before


async def test_a_paid_credit_is_counted_once(
    tables: Tables, outbox: RedisOutbox, store: RedisTableStore
) -> None:
    table_id = await made(tables)
    await tables.join(table_id, Join("ayse", "Ayse"))
    (debit,) = await outbox.take()
    await tables.carry_out(table_id, confirm(debit))
    await tables.leave(table_id, "ayse")
    (credit,) = await outbox.take()
    assert credit.transfer is not None
    assert (credit.transfer.direction, credit.transfer.amount) == (Direction.CREDIT, 100)
    for _ in range(2):
        await outbox.done(credit)
    assert await outbox.take() == []
    assert await store.client.hget(store.keys.table(table_id), "p") == b"100"


async def test_a_dead_letter_is_kept_and_can_still_be_carried_out(
    tables: Tables, outbox: RedisOutbox, store: RedisTableStore
) -> None:
    table_id = await made(tables)
    await tables.join(table_id, Join("ayse", "Ayse"))
    (debit,) = await outbox.take()
    await tables.carry_out(table_id, confirm(debit))
    await tables.leave(table_id, "ayse")
    (credit,) = await outbox.take()
    for _ in range(2):
        await outbox.bury(credit, "the bank says no")
    assert await outbox.take() == []
    (dead,) = await outbox.take_dead()
    assert dead.transfer == credit.transfer
    assert (dead.dead, dead.why) == (True, "the bank says no")
    await outbox.done(dead)
    assert await outbox.take_dead() == []
    assert await store.client.hget(store.keys.table(table_id), "p") == b"100"


async def test_a_forged_order_is_not_one(tables: Tables, outbox: RedisOutbox, store: RedisTableStore) -> None:
    table_id = await made(tables)
    await tables.join(table_id, Join("ayse", "Ayse"))
    (real,) = await outbox.take()
    stream = store.keys.outbox(shard_of(table_id))
    ((_, fields),) = await store.client.xrange(stream)
    # Under another version, from another table, and with another key.
    other = Seal([bytes(32)])
    forged = [
        fields | {b"v": b"7"},
        fields | {b"t": b"0123456789abcdef"},
        fields | {b"b": other.seal(b"x", table_id, "order", 2)},
        fields | {b"b": Seal([KEY]).seal(b"x", table_id, "state", 2)},
        {b"t": b"x"},
    ]
    for each in forged:
        await store.client.xadd(stream, each)
    # A real one, in the stream of other tables.
    await store.client.xadd(store.keys.outbox((shard_of(table_id) + 1) % SHARDS), fields)
    entries = await outbox.take()
    assert [each.transfer for each in entries if each != real] == [None] * (len(forged) + 1)
    assert real in entries


async def test_one_process_at_a_time_is_at_work(
    tables: Tables, outbox: RedisOutbox, other_outbox: RedisOutbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_id = await made(tables)
    await tables.join(table_id, Join("ayse", "Ayse"))
    (entry,) = await outbox.take()
    # Wherever a further table lies.
    for _ in range(3):
        await tables.join(await made(tables), Join("bora", "Bora"))
    assert await other_outbox.take() == []
    await outbox.release()
    entries = await other_outbox.take()
    assert len(entries) == 4
    assert entry in entries
    assert await outbox.take() == []
    # Where nothing waits any more the work is free for whoever comes first.
    for each in entries:
        await tables.carry_out(each.table_id, confirm(each))
    assert await other_outbox.take() == []
    await tables.join(table_id, Join("bora", "Bora"))
    assert len(await outbox.take()) == 1
    # Who was killed is not waited for longer than his lease.
    monkeypatch.setattr(module, "_LEASE_MS", 1)
    await outbox.take()
    monkeypatch.undo()
    found: list[OutboxEntry] = []
    while not found:
        found = await other_outbox.take()
    assert await outbox.take() == []


async def test_a_closed_table_is_kept_until_the_bank_has_answered(
    tables: Tables, outbox: RedisOutbox, store: RedisTableStore
) -> None:
    table_id = await made(tables)
    await tables.join(table_id, Join("ayse", "Ayse"))
    await tables.join(table_id, Join("bora", "Bora"))
    first, second = await outbox.take()
    await tables.close(table_id, "host")
    key = store.keys.table(table_id)
    assert await store.client.pttl(key) == -1
    assert await store.client.zscore(store.keys.lobby(shard_of(table_id)), table_id) is None
    await tables.carry_out(table_id, confirm(first))
    assert await store.client.pttl(key) == -1
    (_, credit) = await outbox.take()
    assert second.transfer is not None
    assert credit.transfer is not None
    assert (credit.transfer.player, credit.transfer.direction) == ("ayse", Direction.CREDIT)
    await tables.carry_out(table_id, RefuseBuyIn(second.transfer.transfer_id, second.entry_id))
    assert 0 < await store.client.pttl(key) <= CLOSED_LIFE / timedelta(milliseconds=1)
    assert await outbox.take() == [credit]


async def test_play_money_writes_no_order(store: RedisTableStore, outbox: RedisOutbox) -> None:
    tables = Tables(store, SeededDealer(4))
    table_id = await made(tables)
    await tables.join(table_id, Join("ayse", "Ayse"))
    await tables.leave(table_id, "ayse")
    assert await store.client.exists(store.keys.outbox(shard_of(table_id))) == 0
    rehearsed = Tables(store, SeededDealer(4), rehearsal=True, bank=True)
    assert not (await rehearsed.get(await made(rehearsed))).state.config.bank
