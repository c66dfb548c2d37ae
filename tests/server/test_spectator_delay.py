"""Spectators of a table with a delay: nothing of the running hand a moment too soon, and all of it later."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from turkpoker.engine import Rules
from turkpoker.server import delay
from turkpoker.server.bootstrap import Adapters, open_adapters
from turkpoker.server.delay import DelayedTables, Item
from turkpoker.server.settings import ServerSettings
from turkpoker.table.commands import Join
from turkpoker.table.errors import FeedLost
from turkpoker.table.outcome import Outcome
from turkpoker.table.ports import LogEntry
from turkpoker.table.tables import Tables
from turkpoker.v1 import table_service_pb2 as pb
from turkpoker.v1 import tables_pb2
from wire_players import Caller, act, easy_rules, go_on, refused, whose_turn, without_clock

Make = Callable[..., Caller]
DELAY = timedelta(seconds=0.6)
#: What the clocks of store and test may differ by here: both are of this machine, but tell milliseconds.
TICK = timedelta(milliseconds=2)


async def delayed_table(callers: list[Caller], **options: Any) -> str:
    """A table with a delay at which the callers play; nobody else sits."""
    rules = easy_rules(action_clock=Duration(seconds=3600), **options)
    rules.players_min, rules.players_max = len(callers), 5
    wait = Duration()
    wait.FromTimedelta(DELAY)
    table = await callers[0].create(rules, spectator_delay=wait)
    assert table.spectator_delay == wait
    for seat, each in enumerate(callers):
        table = await each.join(table.name, seat)
    assert table.hand_number
    return table.name


async def read(call: Any) -> pb.TableUpdate:
    message = await asyncio.wait_for(call.read(), 20)
    assert message is not grpc.aio.EOF
    return message.update


def not_too_soon(update: pb.TableUpdate) -> None:
    now = datetime.now(UTC)
    times = [event.create_time for event in update.events.events]
    if update.HasField("snapshot"):
        times.append(update.snapshot.server_time)
    for time in times:
        assert now + TICK >= time.ToDatetime(UTC) + DELAY


async def test_a_spectator_is_sent_everything_later_and_without_a_gap(player: Make) -> None:
    callers = [player("ayse"), player("bora"), player("cem")]
    name = await delayed_table(callers)
    await go_on(callers, name)
    spectator = player("spectator")
    then = await callers[0].get(name)
    call = spectator.watch(name)
    first = await read(call)
    assert first.HasField("checkpoint")
    assert (first.checkpoint.version, first.resume_token) == (0, "")
    for _ in range(12):
        await go_on(callers, name)
    end = (await callers[0].get(name)).version
    update = await read(call)
    not_too_soon(update)
    # It is the table as it stood when he came, running hand included, and no card of anybody.
    snapshot = update.snapshot
    assert snapshot.version == then.version
    assert snapshot.hand.hand_number == then.hand.hand_number
    assert not snapshot.delayed
    assert [seat.stack for seat in snapshot.seats] == [seat.stack for seat in then.seats]
    assert not any(any(each.cards) for each in snapshot.hand.players)
    version, tokens = snapshot.version, {}
    while version < end:
        update = await read(call)
        not_too_soon(update)
        assert update.events.events[0].version == version + 1
        version += 1
        tokens[version] = update.resume_token
    # He comes back at some place in it: the rest comes again, in the same order.
    middle = then.version + 4
    again = player("spectator").watch(name, tokens[middle])
    for expected in range(middle + 1, end + 1):
        update = await read(again)
        not_too_soon(update)
        assert update.events.events[0].version == expected
    # The token of a view without the running hand leads into that hand, and not too soon either.
    view = await spectator.get(name)
    assert view.version < end
    for _ in range(3):
        await go_on(callers, name)
    resumed = spectator.watch(name, view.resume_token)
    for expected in range(view.version + 1, (await callers[0].get(name)).version + 1):
        update = await read(resumed)
        not_too_soon(update)
        assert update.events.events[0].version == expected
    for stream in (call, again, resumed):
        stream.cancel()


async def test_nothing_of_the_running_hand_shows_to_who_does_not_sit(player: Make) -> None:
    callers = [player("ayse"), player("bora"), player("cem"), player("deniz")]
    spectator = player("spectator")
    name = await delayed_table(callers, start_stack=500, time_bank=Duration(seconds=30))
    seen: list[tables_pb2.Table] = []
    number = 1

    async def look() -> None:
        nonlocal number
        table = await spectator.get(name)
        now = await callers[0].get(name)
        if now.hand_number != number:
            seen.clear()
            number = now.hand_number
        assert table.delayed
        assert not table.HasField("hand")
        assert not table.HasField("decision")
        assert not any(seat.HasField("time_bank") for seat in table.seats)
        assert table.hand_number == number - 1
        seen.append(table)
        assert without_clock(table) == without_clock(seen[0])
        assert sum(seat.stack for seat in table.seats) + table.carried == 2000

    await look()
    for _ in range(12):
        await go_on(callers, name)
        await look()
    # A fold, a seat that is left, chips bought, a player who sits out: nothing of it before the hand is over.
    while len(seen) > 1:
        await go_on(callers, name)
        await look()
    asked, decision = await whose_turn(callers, name)
    leaver = callers[1] if callers[1] is not asked else callers[2]
    for request in (
        pb.SitOutRequest(name=name, when=pb.SIT_OUT_WHEN_NEXT_ANTE),
        pb.SitOutRequest(name=name),
        pb.LeaveTableRequest(name=name, when=pb.LEAVE_WHEN_AFTER_HAND),
        pb.AddChipsRequest(name=name, amount=10),
    ):
        method = type(request).__name__.removesuffix("Request")
        with contextlib.suppress(grpc.aio.AioRpcError):
            await getattr(leaver.tables, method)(request, metadata=leaver.metadata)
        await look()
    changed = next(seat for seat in (await leaver.get(name)).seats if seat.player == leaver.player)
    assert changed.leaves_after_hand
    assert changed.HasField("time_bank")
    held = len(seen)
    answer = await leaver.leave(name)
    assert answer.cashed_out
    await look()
    assert len(seen) == held + 1
    # Who has left sees no more than the other spectators: the view of him holds no hand either.
    assert (await leaver.get(name)).delayed
    refusal = await refused(leaver.submit(name, decision.decision_id, act("check")))
    assert refusal.code is grpc.StatusCode.PERMISSION_DENIED
    assert refusal.action is None


async def test_who_sits_down_sees_all_at_once_and_who_leaves_no_more(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await delayed_table(callers)
    guest = player("guest")
    call = guest.watch(name)
    assert (await read(call)).HasField("checkpoint")
    await go_on(callers, name)
    table = await guest.join(name)
    update = await read(call)
    # Not the snapshot of before, and not after the delay.
    assert update.snapshot.version == table.version
    assert update.snapshot.your_seat == table.your_seat
    assert update.snapshot.HasField("hand")
    await go_on(callers, name)
    update = await read(call)
    event = update.events.events[0]
    assert event.version == table.version + 1
    assert datetime.now(UTC) < event.create_time.ToDatetime(UTC) + DELAY
    await guest.leave(name)
    update = await read(call)
    assert [each.WhichOneof("event") for each in update.events.events][-1] == "player_left"
    version = update.events.events[0].version
    for _ in range(3):
        await go_on(callers, name)
    for expected in range(version + 1, version + 4):
        update = await read(call)
        not_too_soon(update)
        assert update.events.events[0].version == expected
    call.cancel()


async def test_a_closed_table_ends_the_streams_of_spectators_later(player: Make) -> None:
    host = player("host")
    wait = Duration()
    wait.FromTimedelta(DELAY)
    name = (await host.create(spectator_delay=wait)).name
    call = player("spectator").watch(name)
    assert (await read(call)).HasField("checkpoint")
    await host.tables.CloseTable(pb.CloseTableRequest(name=name), metadata=host.metadata)
    update = await read(call)
    not_too_soon(update)
    assert not update.snapshot.closed
    update = await read(call)
    not_too_soon(update)
    assert update.events.events[-1].WhichOneof("event") == "table_closed"
    assert await call.read() is grpc.aio.EOF


@pytest.mark.parametrize("seconds", [-1, 601])
async def test_a_delay_that_cannot_be(player: Make, seconds: int) -> None:
    refusal = await refused(player("host").create(spectator_delay=Duration(seconds=seconds)))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["spectator_delay"])


# -- the buffer ---------------------------------------------------------------------------------------------


@pytest.fixture
async def adapters(settings: ServerSettings) -> AsyncIterator[Adapters]:
    async with open_adapters(settings) as opened:
        yield opened


async def busy_table(adapters: Adapters, wait: timedelta) -> tuple[Tables, Outcome]:
    tables = Tables(adapters.store, adapters.dealer)
    made = await tables.create("host", Rules.profile("turkish"), spectator_delay=wait)
    return tables, await tables.join(made.state.table_id, Join("ayse", "Ayşe"))


async def commits(tables: Tables, table_id: str, count: int) -> Outcome:
    for number in range(count):
        change = tables.sit_out if number % 2 == 0 else tables.sit_in
        outcome = await change(table_id, "ayse")
    return outcome


async def test_spectators_share_one_buffer_that_keeps_what_somebody_waits_for(adapters: Adapters) -> None:
    tables, outcome = await busy_table(adapters, DELAY)
    table_id = outcome.state.table_id
    shared = DelayedTables(adapters.feed)
    told: list[list[Item]] = [[] for _ in range(50)]
    watching = [
        await shared.watch(outcome, f"p{number}", items.append, outcome.version, first=True)
        for number, items in enumerate(told)
    ]
    (buffer,) = shared._buffers.values()
    assert {id(each.buffer) for each in watching} == {id(buffer)}
    last = await commits(tables, table_id, 20)
    async with asyncio.timeout(20):
        while buffer.newest < last.version:  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.005)
        assert len(buffer.entries) == 20
        assert not any(told)
        while any(len(items) < 21 for items in told):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    for items in told:
        assert items[0] is outcome
        versions = [item.version for item in items[1:] if isinstance(item, LogEntry)]
        assert versions == list(range(outcome.version + 1, last.version + 1))
    # What all have been told is kept no longer than until the next commit.
    last = await commits(tables, table_id, 2)
    async with asyncio.timeout(20):
        while buffer.newest < last.version:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    assert len(buffer.entries) <= 2
    for each in watching:
        await each.close()
    assert not shared._buffers
    assert buffer.pump is not None
    assert buffer.pump.done()


async def test_a_buffer_does_not_grow_without_bound(
    adapters: Adapters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delay, "MAX_ENTRIES", 10)
    tables, outcome = await busy_table(adapters, timedelta(seconds=1))
    shared = DelayedTables(adapters.feed)
    told: list[Item] = []
    watching = await shared.watch(outcome, "p", told.append, outcome.version, first=True)
    (buffer,) = shared._buffers.values()
    last = await commits(tables, outcome.state.table_id, 30)
    async with asyncio.timeout(20):
        while buffer.newest < last.version:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        assert len(buffer.entries) == 10
        while len(told) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    assert told[0] is outcome
    assert isinstance(told[1], FeedLost)
    await watching.close()


async def test_who_comes_back_while_commits_pour_in_misses_nothing(adapters: Adapters) -> None:
    dice = random.Random(7)
    tables, outcome = await busy_table(adapters, timedelta(milliseconds=20))
    table_id = outcome.state.table_id
    shared = DelayedTables(adapters.feed)
    done = asyncio.Event()

    async def writing() -> None:
        while not done.is_set():
            await commits(tables, table_id, 2)

    async def come_back(number: int) -> int:
        now = await tables.get(table_id)
        version = max(1, now.version - dice.randrange(60))
        told: list[Item] = []
        watching = await shared.watch(now, f"p{number}", told.append, version, first=False)
        async with asyncio.timeout(20):
            while len(told) < now.version - version + 3:  # noqa: ASYNC110
                await asyncio.sleep(0.002)
        await watching.close()
        versions = [item.version if isinstance(item, LogEntry) else item for item in told]
        assert versions == list(range(version + 1, version + 1 + len(told)))
        return len(told)

    pouring = asyncio.create_task(writing())
    count = 0
    for _ in range(25):
        count += sum(await asyncio.gather(*(come_back(number) for number in range(6))))
    done.set()
    await pouring
    assert not shared._buffers
    print(f"150 spectators were told {count} commits in order")
