"""Deadlines by the clock of the store: carried out once, by whoever looks, and never before their time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from storage.evenings import Evening
from table.desks import SeededDealer
from turkpoker.storage.redis_store import RedisTableStore, StoreSettings
from turkpoker.storage.seal import Seal
from turkpoker.table.commands import TimeOut
from turkpoker.table.decide import decide
from turkpoker.table.errors import NotDue, Reason, TableError
from turkpoker.table.ports import Answer, Commit
from turkpoker.table.tables import Tables

GRACE = timedelta(milliseconds=150)


@pytest.fixture
async def patient(redis_url: str, seal: Seal, settings: StoreSettings) -> AsyncIterator[RedisTableStore]:
    """A store with a grace."""
    opened = await RedisTableStore.connect(redis_url, seal, replace(settings, grace=GRACE))
    yield opened
    await opened.close()


async def test_the_deadline_is_the_clock_after_the_commit(evening: Evening) -> None:
    outcome = await evening.act(evening.answer(random.Random(3)))
    assert outcome.deadline is not None
    assert outcome.deadline - outcome.now == timedelta(seconds=60)


async def test_a_time_out_before_its_time_is_refused_by_the_script(evening: Evening) -> None:
    base = evening.state
    decision = decide(base, TimeOut(), SeededDealer(4))
    change = Commit(
        base, decision.state, decision.events, decision.deadline, Answer(base.version + 1, 0), decision.timing
    )
    with pytest.raises(NotDue):
        await evening.store.commit(change)
    assert await evening.tables.time_out(evening.table_id) is None
    assert (await evening.tables.get(evening.table_id)).version == base.version


async def test_many_servers_carry_out_a_deadline_once(
    store: RedisTableStore, other_tables: Tables, redis_url: str, seal: Seal, settings: StoreSettings
) -> None:
    evening = Evening(Tables(store, SeededDealer(4)), store)
    await evening.begin("a", "b", "c", action_clock="150ms")
    third = await RedisTableStore.connect(redis_url, seal, settings)
    everybody = [evening.tables, other_tables, Tables(third, SeededDealer(4))]
    for _ in range(2):
        before = (await evening.tables.get(evening.table_id)).state
        await asyncio.sleep(0.16)
        done = await asyncio.gather(*(tables.time_out(evening.table_id) for tables in everybody))
        after = (await evening.tables.get(evening.table_id)).state
        assert after.version == before.version + 1
        assert len([outcome for outcome in done if outcome is not None]) == 1
        (entry,) = await store.read_events(evening.table_id, before.version, 10)
        assert [event.name for event in entry.events].count("timed_out") == 1
    assert sum(seat.timeouts for seat in after.seats.values()) == 2
    await third.close()


async def test_run_due_finds_what_is_due_and_says_when_to_look_again(store: RedisTableStore) -> None:
    evening = Evening(Tables(store, SeededDealer(4)), store)
    await evening.begin("a", "b", "c", action_clock="400ms")
    later = await evening.tables.run_due()
    assert later is not None
    assert timedelta(0) < later <= timedelta(milliseconds=400)
    await asyncio.sleep(0.41)
    assert await evening.tables.run_due() == timedelta(0)
    state = (await evening.tables.get(evening.table_id)).state
    assert [seat.timeouts for seat in state.seats.values()].count(1) == 1


async def test_without_tables_no_clock_runs(store: RedisTableStore) -> None:
    assert await Tables(store, SeededDealer(1)).run_due() is None


async def test_an_answer_in_the_grace_counts_and_the_time_out_waits_for_it(patient: RedisTableStore) -> None:
    evening = Evening(Tables(patient, SeededDealer(4)), patient)
    await evening.begin("a", "b", "c", action_clock="30ms")
    question = evening.question()
    await asyncio.sleep(0.06)
    assert await evening.tables.time_out(evening.table_id) is None
    outcome = await evening.act(evening.answer(random.Random(3)))
    assert outcome.state.seats[question.seat].timeouts == 0
    assert "timed_out" not in [event.name for event in outcome.events]


async def test_an_answer_after_the_grace_is_too_late_even_when_nobody_has_looked(
    patient: RedisTableStore,
) -> None:
    evening = Evening(Tables(patient, SeededDealer(4)), patient)
    await evening.begin("a", "b", "c", action_clock="30ms")
    question, command = evening.question(), evening.answer(random.Random(3))
    await asyncio.sleep(0.2)
    with pytest.raises(TableError) as caught:
        await evening.act(command)
    assert caught.value.reason is Reason.STALE_DECISION
    state = (await evening.tables.get(evening.table_id)).state
    assert state.seats[question.seat].timeouts == 1


async def test_a_leave_races_a_time_out_and_the_books_stay_right(
    store: RedisTableStore, other_tables: Tables
) -> None:
    for number in range(10):
        evening = Evening(Tables(store, SeededDealer(number)), store)
        await evening.begin("a", "b", "c", action_clock="3ms")
        player = evening.asked_player()
        await asyncio.sleep(0.004)
        left, _ = await asyncio.gather(
            evening.tables.leave(evening.table_id, player), other_tables.time_out(evening.table_id)
        )
        state = (await evening.tables.get(evening.table_id)).state
        assert left.cashed_out == 99
        assert state.ledger.cashed_out == 99
        state.check_chips()


async def test_after_a_stand_still_everybody_has_his_time_again(evening: Evening) -> None:
    client, keys = evening.store.client, evening.store.keys
    await client.hset(keys.table(evening.table_id), "d", "1000")
    await evening.store.restart_clocks()
    standing = await evening.tables.get(evening.table_id)
    assert standing.deadline is not None
    assert standing.deadline - standing.now > timedelta(seconds=55)
    due, _ = await evening.store.due()
    assert due == []
    assert standing.version == evening.state.version
