"""Deadlines by the clock of the store: carried out once, by whoever looks, and never before their time."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from storage.evenings import Evening
from table.desks import SeededDealer
from turkpoker.engine import Rules
from turkpoker.storage import packed_states
from turkpoker.storage.encoding import Codec
from turkpoker.storage.keys import shard_of
from turkpoker.storage.redis_store import RedisTableStore, StoreSettings
from turkpoker.storage.seal import Seal
from turkpoker.table.alarms import Alarm
from turkpoker.table.away import first_alarm
from turkpoker.table.commands import Join, TimeOut
from turkpoker.table.config import TableConfig
from turkpoker.table.decide import decide
from turkpoker.table.errors import NotDue, Reason, TableError
from turkpoker.table.events import DeadlineChanged, DecisionAsked
from turkpoker.table.lobby import lobby_entry
from turkpoker.table.ports import Answer, Commit, Committed
from turkpoker.table.state import TableState
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
        base,
        decision.state,
        decision.events,
        Answer(base.version + 1, 0),
        decision.timing,
        decision.moment,
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


async def stand_still(evening: Evening, by: timedelta) -> None:
    """Let every alarm of the table have been due for so long, as after a time without the store."""
    stored = await evening.store.load(evening.table_id)
    assert stored is not None
    state = stored.state.copy()
    state.version += 1
    state.alarms = {name: replace(alarm, at=stored.now - by) for name, alarm in stored.state.alarms.items()}
    done = await evening.store.commit(Commit(stored.state, state, (), Answer(state.version, 0)))
    assert done.deadline == stored.now - by


async def test_after_a_stand_still_everybody_has_his_time_again(evening: Evening) -> None:
    await stand_still(evening, timedelta(hours=1))
    assert (await evening.store.due())[0] == [evening.table_id]
    version = (await evening.tables.get(evening.table_id)).version
    await evening.store.restart_clocks()
    standing = await evening.tables.get(evening.table_id)
    assert standing.deadline is not None
    assert standing.deadline - standing.now > timedelta(seconds=55)
    assert standing.state.alarms["turn"].at == standing.deadline
    assert await evening.store.due() == ([], pytest.approx(timedelta(minutes=1), abs=timedelta(seconds=5)))
    (entry,) = await evening.store.read_events(evening.table_id, version, 10)
    (told,) = entry.events
    assert isinstance(told, DeadlineChanged)
    assert told.decision_id == standing.state.decisions()[0].decision_id
    assert told.alarm.moment(entry.time) == standing.deadline


async def test_a_damaged_table_does_not_keep_the_clocks_of_others_from_going_on(
    evening: Evening, caplog: pytest.LogCaptureFixture
) -> None:
    await stand_still(evening, timedelta(hours=1))
    damaged = await tables_of_one_shard(evening.store, 3)
    for table_id in damaged:
        await overdue(evening.store, table_id, timedelta(hours=2))
        await evening.store.client.hset(evening.store.keys.table(table_id), "s", b"broken")
    await evening.store.restart_clocks()
    standing = await evening.tables.get(evening.table_id)
    assert standing.deadline is not None
    assert standing.deadline - standing.now > timedelta(seconds=55)
    said = [record.message for record in caplog.records if "stand still" in record.message]
    assert len(said) == 3
    assert all(any(table_id in line for line in said) for table_id in damaged)


async def test_after_a_stand_still_the_next_hand_is_due_as_it_was(evening: Evening) -> None:
    while evening.state.hand_running:
        await evening.act(evening.answer(random.Random(3)))
    await stand_still(evening, timedelta(hours=1))
    before = await evening.tables.get(evening.table_id)
    await evening.store.restart_clocks()
    assert (await evening.tables.get(evening.table_id)).version == before.version
    assert await evening.tables.run_due() == timedelta(0)
    assert (await evening.tables.get(evening.table_id)).state.hand_running


async def test_a_state_older_than_alarms_keeps_its_deadline(evening: Evening) -> None:
    store, table_id, codec = evening.store, evening.table_id, evening.store.codec
    layout = packed_states.State.__struct_fields__
    sealed, version = await store.client.hmget(store.keys.table(table_id), "s", "v")
    plain = msgspec.msgpack.decode(codec._seal.open(sealed, table_id, "state", int(version)))
    old = plain[: layout.index("closed") + 1]

    def seal(state: list[Any]) -> bytes:
        return codec._seal.seal(msgspec.msgpack.encode(state), table_id, "state", int(version))

    await store.client.hset(store.keys.table(table_id), mapping={"s": seal(old)})
    standing = await Tables(store, SeededDealer(4)).get(table_id)
    assert standing.deadline == evening.outcome.deadline
    assert standing.deadline is not None
    assert {name: alarm.at for name, alarm in standing.state.alarms.items()} == {"turn": standing.deadline}
    # A window stood first beside a turn, which had the rest of its clock after that.
    old[layout.index("window_rest")] = 25_000
    restored = codec.open_state(seal(old), table_id, int(version), standing.deadline)
    assert {name: alarm.at for name, alarm in restored.alarms.items()} == {
        "proof": standing.deadline,
        "turn": standing.deadline + timedelta(seconds=25),
    }


def test_events_older_than_a_field_are_read(seal: Seal) -> None:
    asked = DecisionAsked(2, "h1.round1.s2.d1", "round1", {"check": True}, Alarm(timedelta(seconds=3)))
    codec = Codec(seal)
    assert codec.open_events(codec.seal_events((asked,), "t1", 7), "t1", 7) == (asked,)
    old = msgspec.msgpack.encode([("decision_asked", (2, "h1.round1.s2.d1", "round1", {"check": True}))])
    assert codec.open_events(seal.seal(old, "t1", "events", 7), "t1", 7) == (replace(asked, alarm=None),)


async def tables_of_one_shard(store: RedisTableStore, count: int) -> list[str]:
    """Tables with a hand on, all of one shard."""
    names = (name for number in itertools.count() if shard_of(name := f"{number:016x}") == 5)
    made = list(itertools.islice(names, count))
    tables = Tables(store, SeededDealer(4))
    rules = Rules.profile("turkish", action_clock="60s")
    config = TableConfig(rules=rules, display_name="test", seat_count=5, host="host", hand_pause=timedelta(0))
    for table_id in made:
        state = TableState(table_id, config)
        await store.create(state, lobby_entry(state), None)
        for player in ("a", "b"):
            await tables.join(table_id, Join(player, player))
    return made


async def overdue(store: RedisTableStore, table_id: str, by: timedelta) -> None:
    evening = Evening(Tables(store, SeededDealer(4)), store)
    evening.table_id = table_id
    await stand_still(evening, by)


async def test_of_fifty_due_tables_in_one_shard_none_is_forgotten(store: RedisTableStore) -> None:
    made = await tables_of_one_shard(store, 50)
    for number, table_id in enumerate(made):
        await overdue(store, table_id, timedelta(minutes=1 + number))
    tables = Tables(store, SeededDealer(4))
    looks = 0
    while await tables.run_due() == timedelta(0):
        looks += 1
        assert looks < 10
    for table_id in made:
        state = (await tables.get(table_id)).state
        assert sum(seat.timeouts for seat in state.seats.values()) == 1


async def test_damaged_tables_do_not_keep_others_waiting(
    store: RedisTableStore, caplog: pytest.LogCaptureFixture
) -> None:
    made = await tables_of_one_shard(store, 40)
    for number, table_id in enumerate(made):
        await overdue(store, table_id, timedelta(minutes=100 - number))
    damaged, whole = made[:30], made[30:]
    for number, table_id in enumerate(damaged):
        if number % 3 == 0:  # cannot be opened
            await store.client.hset(store.keys.table(table_id), "s", b"broken")
        elif number % 3 == 1:  # is gone, but for its place among those due
            await store.client.delete(store.keys.table(table_id))
        else:  # its log holds the next version already
            await store.client.xadd(store.keys.log(table_id), {"x": "y"}, id="999-0")
    tables = Tables(store, SeededDealer(4))
    looks = 0
    while await tables.run_due() == timedelta(0):
        looks += 1
        assert looks < 20
    for table_id in whole:
        state = (await tables.get(table_id)).state
        assert sum(seat.timeouts for seat in state.seats.values()) == 1
    assert len([record for record in caplog.records if "cannot be carried out" in record.message]) == 30


async def test_a_table_that_was_mended_is_carried_out_again(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = evening.store.keys.table(evening.table_id)
    await stand_still(evening, timedelta(hours=1))
    sealed = await evening.store.client.hget(key, "s")
    await evening.store.client.hset(key, "s", b"broken")
    tables = Tables(evening.store, SeededDealer(4))
    assert await tables.run_due() == timedelta(0)
    assert await tables.run_due() is None
    await evening.store.client.hset(key, "s", sealed)
    monkeypatch.setattr("turkpoker.table.due._LONGEST_WAIT", timedelta(0))
    assert await tables.run_due() is None  # still left out
    later = asyncio.get_running_loop().time() + 3
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: later)
    assert await tables.run_due() == timedelta(0)
    assert (await tables.get(evening.table_id)).version == evening.state.version + 2


async def test_what_a_time_bank_has_used_is_the_same_for_everybody_who_reads_it(
    evening: Evening, store: RedisTableStore, other_tables: Tables
) -> None:
    await evening.begin("a", "b", "c", action_clock="20ms", time_bank="60s")
    player = evening.asked_player()
    await asyncio.sleep(0.03)
    outcome = await evening.tables.time_out(evening.table_id)
    assert outcome is not None
    began = outcome.now
    assert outcome.deadline == began + timedelta(seconds=60)
    evening.outcome = outcome
    await asyncio.sleep(0.02)
    outcome = await evening.act(evening.answer(random.Random(3)))
    left = timedelta(seconds=60) - (outcome.now - began)
    assert outcome.state.time_bank(player) == left
    # Another process reads the version in which it stopped, and the ones after it.
    assert (await other_tables.get(evening.table_id)).state.time_bank(player) == left
    await evening.tables.join(evening.table_id, Join("d", "D"))
    assert (await other_tables.get(evening.table_id)).state.time_bank(player) == left
    assert (await Tables(store, SeededDealer(4)).get(evening.table_id)).state.time_bank(player) == left


async def test_an_answer_after_the_clock_starts_the_bank_itself_where_nobody_has_looked(
    evening: Evening,
) -> None:
    await evening.begin("a", "b", "c", action_clock="20ms", time_bank="60s")
    player, version = evening.asked_player(), evening.state.version
    await asyncio.sleep(0.03)
    outcome = await evening.act(evening.answer(random.Random(3)))
    assert outcome.version == version + 2
    assert timedelta(0) <= timedelta(seconds=60) - outcome.state.time_bank(player) < timedelta(seconds=5)
    entries = await evening.store.read_events(evening.table_id, version, 10)
    assert [event.name for event in entries[0].events] == ["time_bank_started"]


async def test_a_new_table_is_due_for_closing_from_the_start_and_closes_once(
    store: RedisTableStore, other_tables: Tables
) -> None:
    config = TableConfig(
        rules=Rules.profile("turkish"),
        display_name="test",
        seat_count=5,
        host="host",
        empty_limit=timedelta(milliseconds=30),
    )
    alarm = first_alarm(config)
    assert alarm is not None
    state = TableState("00000000000000aa", config, alarms={"empty": alarm})
    tables = Tables(store, SeededDealer(4))
    made = await store.create(state, lobby_entry(state), None)
    assert made.state.create_time is not None
    assert made.deadline == made.state.create_time + timedelta(milliseconds=30)
    assert made.state.alarms["empty"].at == made.deadline
    assert await tables.run_due() is not None
    await asyncio.sleep(0.04)
    await asyncio.gather(tables.run_due(), other_tables.run_due())
    closed = (await other_tables.get(state.table_id)).state
    assert (closed.closed, closed.version) == (True, 2)
    assert (await tables.list()).entries == ()
    assert await tables.run_due() is None


async def test_create_gives_a_table_ten_minutes_to_be_joined(evening: Evening) -> None:
    made = await evening.tables.create("host", Rules.profile("turkish"))
    assert made.deadline is not None
    assert made.state.time is not None
    assert made.deadline - made.state.time == timedelta(minutes=10)
    rehearsal = Tables(evening.store, SeededDealer(4), rehearsal=True)
    assert (await rehearsal.create("host", Rules.profile("turkish"))).deadline is None


class Hurried(RedisTableStore):
    """A store at which somebody else is faster before the first commit."""

    async def commit(self, change: Commit) -> Committed:
        if (faster := self.faster) is not None:
            self.faster = None
            await faster()
        return await super().commit(change)

    faster: Callable[[], Awaitable[Any]] | None = None


async def test_clocks_start_anew_although_somebody_comes_just_then(
    evening: Evening, redis_url: str, seal: Seal, settings: StoreSettings
) -> None:
    await stand_still(evening, timedelta(hours=1))
    store = await Hurried.connect(redis_url, seal, settings)
    store.faster = lambda: evening.tables.join(evening.table_id, Join("d", "D"))
    await store.restart_clocks()
    await store.close()
    standing = await evening.tables.get(evening.table_id)
    assert standing.state.seat_of("d") is not None
    assert standing.deadline is not None
    assert standing.deadline - standing.now > timedelta(seconds=55)
