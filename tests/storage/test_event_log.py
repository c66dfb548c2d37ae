"""The event log: whole, in order, resumable, and never silently short."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from storage.evenings import Evening
from table.desks import SeededDealer, snapshot
from turkpoker.engine import Rules
from turkpoker.storage.event_log import RedisEventFeed
from turkpoker.storage.redis_store import RedisTableStore, StoreSettings
from turkpoker.storage.seal import Seal
from turkpoker.table.commands import Join
from turkpoker.table.errors import FeedLost
from turkpoker.table.ports import LogEntry
from turkpoker.table.tables import Tables


@pytest.fixture
async def feed(store: RedisTableStore, redis_url: str) -> AsyncIterator[RedisEventFeed]:
    opened = RedisEventFeed(store, redis_url)
    await opened.start()
    yield opened
    await opened.stop()


async def take(subscription: AsyncIterator[LogEntry], count: int) -> list[LogEntry]:
    return [await asyncio.wait_for(anext(subscription), 5) for _ in range(count)]


async def test_every_commit_comes_once_in_order_with_its_events(
    evening: Evening, feed: RedisEventFeed
) -> None:
    subscription = await feed.subscribe(evening.table_id, 0, evening.state.version)
    rng, told = random.Random(2), []
    for _ in range(20):
        if not evening.state.hand_running:
            await asyncio.sleep(0.006)
            done = await evening.tables.time_out(evening.table_id)
            assert done is not None
            evening.outcome = done
        else:
            await evening.act(evening.answer(rng))
        told.append(evening.outcome)
    entries = await take(subscription, 20)
    assert [entry.version for entry in entries] == [outcome.version for outcome in told]
    assert [entry.events for entry in entries] == [outcome.events for outcome in told]
    assert [entry.deadline for entry in entries] == [outcome.deadline for outcome in told]
    assert [entry.time for entry in entries] == [outcome.now for outcome in told]
    await subscription.close()


async def test_who_resumes_gets_what_he_missed_and_then_what_happens(
    evening: Evening, feed: RedisEventFeed
) -> None:
    since = evening.state.version - 3
    subscription = await feed.subscribe(evening.table_id, 0, since)
    await evening.act(evening.answer(random.Random(2)))
    assert [entry.version for entry in await take(subscription, 4)] == [since + n for n in (1, 2, 3, 4)]


async def test_one_reader_serves_tables_that_are_added_while_it_waits(
    store: RedisTableStore, feed: RedisEventFeed
) -> None:
    tables = Tables(store, SeededDealer(1))
    made = [await tables.create("host", Rules.profile("turkish")) for _ in range(6)]
    started = asyncio.get_running_loop().time()
    for outcome in made:
        subscription = await feed.subscribe(outcome.state.table_id, 0, 1)
        await asyncio.sleep(0.01)  # the reader is blocked now
        await tables.join(outcome.state.table_id, Join("a", "A"))
        (entry,) = await take(subscription, 1)
        assert entry.table_id == outcome.state.table_id
        assert [event.name for event in entry.events] == ["player_joined", "bought_in"]
    # A lost wake-up would cost the five seconds of a read that waits in vain.
    assert asyncio.get_running_loop().time() - started < 4
    clients = await store.client.client_list()
    blocked = [each for each in clients if each["cmd"] == "xread" and each["flags"] == "b"]
    assert len(blocked) <= 1


async def test_many_watch_one_table_and_one_of_them_goes(evening: Evening, feed: RedisEventFeed) -> None:
    watching = [await feed.subscribe(evening.table_id, 0, evening.state.version) for _ in range(5)]
    await watching[0].close()
    with pytest.raises(FeedLost, match="closed"):
        await anext(watching[0])
    await evening.act(evening.answer(random.Random(2)))
    for subscription in watching[1:]:
        (entry,) = await take(subscription, 1)
        assert entry.version == evening.state.version


class LateStore(RedisTableStore):
    """A store whose word on how a table stands may come late."""

    hold: asyncio.Event | None = None
    told: asyncio.Event

    async def standing(self, table_id: str) -> tuple[int, int] | None:
        answer = await super().standing(table_id)
        if self.hold is not None:
            self.told.set()
            await self.hold.wait()
        return answer


async def test_an_entry_that_comes_before_the_word_on_the_state_before_it_is_no_loss(
    evening: Evening, redis_url: str, seal: Seal, settings: StoreSettings
) -> None:
    late = await LateStore.connect(redis_url, seal, settings)
    feed = RedisEventFeed(late, redis_url)
    await feed.start()
    other = await feed.subscribe(evening.table_id, 0, evening.state.version)
    await evening.act(evening.answer(random.Random(2)))
    await take(other, 1)  # the reader follows the table
    at = evening.state.version
    late.hold, late.told = asyncio.Event(), asyncio.Event()
    coming = asyncio.create_task(feed.subscribe(evening.table_id, 0, at))
    await late.told.wait()
    await evening.act(evening.answer(random.Random(2)))
    await take(other, 1)
    late.hold.set()
    (entry,) = await take(await coming, 1)
    assert (entry.epoch, entry.version) == (0, at + 1)
    await feed.stop()
    await late.close()


async def test_coming_and_going_while_commits_pour_in_is_never_lost(
    evening: Evening, store: RedisTableStore, feed: RedisEventFeed
) -> None:
    rounds, each = 100, 6
    done = asyncio.Event()

    async def commits() -> None:
        while not done.is_set():
            await evening.tables.sit_out(evening.table_id, "a")
            await evening.tables.sit_in(evening.table_id, "a")

    async def come_and_go(count: int) -> None:
        standing = await store.standing(evening.table_id)
        assert standing is not None
        epoch, at = standing
        subscription = await feed.subscribe(evening.table_id, epoch, at)
        versions = [entry.version for entry in await take(subscription, count)]
        assert versions == list(range(at + 1, at + 1 + count))
        await subscription.close()

    writing = asyncio.create_task(commits())
    try:
        for number in range(rounds):
            await asyncio.gather(*(come_and_go(1 + (number + other) % 3) for other in range(each)))
    finally:
        done.set()
        await writing
    standing = await store.standing(evening.table_id)
    assert standing is not None
    assert standing[0] == 0
    print(f"{rounds * each} subscriptions while {standing[1]} commits were made")


async def test_subscribing_while_commits_pour_in_leaves_no_gap(
    evening: Evening, feed: RedisEventFeed
) -> None:
    rng = random.Random(2)

    async def commits() -> None:
        for number in range(60):
            tables = evening.tables
            act = tables.sit_out if number % 2 == 0 else tables.sit_in
            await act(evening.table_id, rng.choice(["a"]))

    writing = asyncio.create_task(commits())
    first = evening.state.version
    watching = []
    for _ in range(6):
        watching.append(await feed.subscribe(evening.table_id, 0, first))
        await asyncio.sleep(0.005)
    await writing
    for subscription in watching:
        entries = await take(subscription, 60)
        assert [entry.version for entry in entries] == list(range(first + 1, first + 61))


async def test_who_is_too_slow_is_told_so(
    evening: Evening, feed: RedisEventFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turkpoker.storage.event_log._QUEUE_LENGTH", 3)
    subscription = await feed.subscribe(evening.table_id, 0, evening.state.version)
    for number in range(5):
        sit = evening.tables.sit_out if number % 2 == 0 else evening.tables.sit_in
        await sit(evening.table_id, "a")
    await asyncio.sleep(0.05)
    with pytest.raises(FeedLost, match="lagged"):
        await take(subscription, 5)


async def test_a_point_that_is_trimmed_away_is_too_old(evening: Evening, feed: RedisEventFeed) -> None:
    await evening.store.client.xtrim(evening.store.keys.log(evening.table_id), minid="3-0", approximate=False)
    with pytest.raises(FeedLost, match="too_old"):
        await feed.subscribe(evening.table_id, 0, 1)
    await feed.subscribe(evening.table_id, 0, 2)


@pytest.mark.parametrize(("epoch", "version", "why"), [(1, 2, "epoch"), (0, 999, "epoch")])
async def test_a_point_of_another_state_is_refused(
    evening: Evening, feed: RedisEventFeed, epoch: int, version: int, why: str
) -> None:
    with pytest.raises(FeedLost, match=why):
        await feed.subscribe(evening.table_id, epoch, version)


async def test_a_table_that_is_not_there_is_gone(feed: RedisEventFeed) -> None:
    with pytest.raises(FeedLost, match="gone"):
        await feed.subscribe("nothing", 0, 1)


async def test_a_point_ahead_of_the_store_raises_the_epoch(evening: Evening, feed: RedisEventFeed) -> None:
    with pytest.raises(FeedLost):
        await feed.subscribe(evening.table_id, 0, evening.state.version + 5)
    assert (await evening.tables.get(evening.table_id)).epoch == 1


async def test_the_log_is_trimmed_by_number_but_never_in_the_running_hand(
    redis_url: str, seal: Seal, settings: StoreSettings
) -> None:
    store = await RedisTableStore.connect(redis_url, seal, replace(settings, log_length=10))
    evening = Evening(Tables(store, SeededDealer(4)), store)
    await evening.begin("a", "b", "c")
    for number in range(40):
        sit = evening.tables.sit_out if number % 2 == 0 else evening.tables.sit_in
        evening.outcome = await sit(evening.table_id, "a")
    first = evening.state.hand_start_version
    entries = await store.read_events(evening.table_id, 0, 1000)
    assert [entry.version for entry in entries if entry.version >= first] == list(
        range(first, evening.state.version + 1)
    )
    while evening.state.hand_running:
        await evening.act(evening.answer(random.Random(1)))
    await evening.deal()
    entries = await store.read_events(evening.table_id, 0, 1000)
    assert len(entries) <= 11
    assert entries[0].version > first
    await store.close()


async def test_the_log_is_trimmed_by_age_when_a_hand_begins(
    redis_url: str, seal: Seal, settings: StoreSettings
) -> None:
    store = await RedisTableStore.connect(
        redis_url, seal, replace(settings, log_life=timedelta(milliseconds=50))
    )
    evening = Evening(Tables(store, SeededDealer(4)), store)
    await evening.begin("a", "b", "c")
    starts = [evening.state.hand_start_version]
    for _ in range(3):
        await asyncio.sleep(0.06)
        while evening.state.hand_running:
            await evening.act(evening.answer(random.Random(1)))
        await evening.deal()
        starts.append(evening.state.hand_start_version)
    entries = await store.read_events(evening.table_id, 0, 1000)
    assert starts[-3] < entries[0].version <= starts[-1]
    kept = [entry.version for entry in entries if entry.version >= starts[-1]]
    assert kept == list(range(starts[-1], evening.state.version + 1))
    await store.close()


async def test_when_the_store_lost_writes_the_version_counts_in_a_new_epoch(
    evening: Evening, feed: RedisEventFeed, other_tables: Tables
) -> None:
    """Redis is put back to an earlier moment, as after a crash of its machine."""
    client, keys = evening.store.client, evening.store.keys
    names = [keys.table(evening.table_id), keys.log(evening.table_id)]
    earlier = snapshot(evening.state)
    saved = [await client.dump(name) for name in names]
    await evening.act(evening.answer(random.Random(3)))
    await evening.act(evening.answer(random.Random(3)))
    subscription = await feed.subscribe(evening.table_id, 0, evening.state.version)
    for name, content in zip(names, saved, strict=True):
        await client.restore(name, 0, content, replace=True)  # type: ignore[arg-type]
    # Whoever saw the later version finds out, and the table goes on from the earlier one in a new epoch.
    now = await evening.tables.get(evening.table_id)
    assert (now.epoch, now.version) == (1, evening.state.version - 2)
    assert snapshot(replace(now.state, epoch=0)) == earlier
    evening.outcome = now
    outcome = await evening.act(evening.answer(random.Random(8)))
    assert (outcome.epoch, outcome.version) == (1, now.version + 1)
    with pytest.raises(FeedLost):
        await feed.subscribe(evening.table_id, 0, now.version)
    outcome = await evening.act(evening.answer(random.Random(8)))
    outcome = await evening.act(evening.answer(random.Random(8)))
    with pytest.raises(FeedLost, match="epoch"):
        await take(subscription, 1)
    assert (await other_tables.get(evening.table_id)).epoch == 1


async def test_a_state_of_lost_writes_is_never_built_on(evening: Evening, other_tables: Tables) -> None:
    """One process still holds version n + 1 of before; the store has another n + 1 by now."""
    client, keys = evening.store.client, evening.store.keys
    names = [keys.table(evening.table_id), keys.log(evening.table_id)]
    saved = [await client.dump(name) for name in names]
    before = await other_tables.get(evening.table_id)
    lost = await evening.act(evening.answer(random.Random(3)))
    for name, content in zip(names, saved, strict=True):
        await client.restore(name, 0, content, replace=True)  # type: ignore[arg-type]
    await other_tables.sit_out(evening.table_id, "c")
    assert (await other_tables.get(evening.table_id)).version == lost.version
    assert before.version == lost.version - 1
    seen = (await evening.tables.get(evening.table_id)).state
    assert seen.version == lost.version
    assert [seat.player for seat in seen.seats.values() if seat.sitting_out] == ["c"]
    evening.outcome = await evening.tables.sit_out(evening.table_id, "b")
    sitting = {seat.player for seat in evening.state.seats.values() if seat.sitting_out}
    assert sitting == {"b", "c"}


async def test_the_epoch_is_raised_only_for_writes_that_are_lost(evening: Evening) -> None:
    for epoch, version in ((0, evening.state.version), (0, evening.state.version - 1), (7, 10**6)):
        await evening.store.raise_epoch(evening.table_id, epoch, version)
        assert (await evening.tables.get(evening.table_id)).epoch == 0
    await evening.store.raise_epoch(evening.table_id, 0, evening.state.version + 1)
    await evening.store.raise_epoch(evening.table_id, 0, evening.state.version + 1)
    assert (await evening.tables.get(evening.table_id)).epoch == 1


async def test_a_table_without_hands_is_trimmed_too(
    redis_url: str, seal: Seal, settings: StoreSettings
) -> None:
    store = await RedisTableStore.connect(redis_url, seal, replace(settings, log_length=10))
    tables = Tables(store, SeededDealer(4))
    table_id = (await tables.create("host", Rules.profile("turkish"))).state.table_id
    await tables.join(table_id, Join("a", "A"))
    for number in range(30):
        await (tables.sit_out if number % 2 == 0 else tables.sit_in)(table_id, "a")
    assert len(await store.read_events(table_id, 0, 1000)) == 11
    await store.close()
