"""Several servers on one store, a store that goes away and comes back, and clients that go without a word."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from turkpoker.server.app import Running, running_server
from turkpoker.server.settings import ServerSettings
from turkpoker.storage.embedded import EmbeddedRedis
from wire_players import (
    KEY,
    SEAL_KEY,
    Caller,
    act,
    easy_action,
    easy_rules,
    go_on,
    refused,
    seated,
    whose_turn,
    without_clock,
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedRedis]:
    """A Valkey that several servers share."""
    async with EmbeddedRedis(tmp_path / "store") as embedded:
        yield embedded


@pytest.fixture
def settings(store: EmbeddedRedis, tmp_path: Path) -> ServerSettings:
    """Settings of servers that share the store and the keys."""
    return ServerSettings(
        listen="127.0.0.1:0",
        data_dir=tmp_path / "keys",
        redis_url=store.url,
        token_key=KEY,
        seal_key=SEAL_KEY,
        drain_pause=timedelta(0),
        drain_grace=timedelta(seconds=1),
        clock_interval=timedelta(milliseconds=20),
    )


async def test_x12_a_server_is_replaced_while_a_hand_is_on(settings: ServerSettings) -> None:
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(running_server(settings))
        async with running_server(settings) as second:
            callers = [Caller(second.address, each) for each in ("ayse", "bora")]
            name = await seated(callers)
            watch = callers[0].watch(name)
            snapshot = (await watch.read()).update.snapshot
            await go_on(callers, name)
            update = (await watch.read()).update
            assert update.events.events[0].version == snapshot.version + 1
            views = [await each.get(name) for each in callers]
        moved = [Caller(first.address, each) for each in ("ayse", "bora")]
        for caller, view in zip(moved, views, strict=True):
            assert without_clock(await caller.get(name)) == without_clock(view)
        watch = moved[0].watch(name, update.resume_token)
        await go_on(moved, name)
        later = (await watch.read()).update
        assert later.events.events[0].version == snapshot.version + 2
        for caller in (*callers, *moved):
            await caller.close()


async def test_one_table_played_through_two_servers_at_once(settings: ServerSettings) -> None:
    async with running_server(settings) as first, running_server(settings) as second:
        ayse, bora = Caller(first.address, "ayse"), Caller(second.address, "bora")
        watcher = Caller(second.address, "watcher")
        name = await seated([ayse, bora])
        stream = watcher.watch(name)
        version = (await stream.read()).update.snapshot.version
        for _ in range(30):
            await go_on([ayse, bora], name)
        end = (await ayse.get(name)).version
        while version < end:
            events = (await stream.read()).update.events.events
            if events:
                assert events[0].version == version + 1
                version += 1
        for caller in (ayse, bora, watcher):
            await caller.close()


async def test_x9_one_decision_answered_at_two_servers_at_the_same_moment(settings: ServerSettings) -> None:
    async with running_server(settings) as first, running_server(settings) as second:
        names = ("ayse", "bora")
        here = [Caller(first.address, each) for each in names]
        there = [Caller(second.address, each) for each in names]
        name = await seated(here)
        outcomes: Counter[str] = Counter()
        for _ in range(15):
            caller, decision = await whose_turn(here, name)
            other = there[here.index(caller)]
            before = await caller.get(name)
            action = easy_action(decision)
            results = await asyncio.gather(
                *(each.submit(name, decision.decision_id, action) for each in (caller, other) * 3),
                return_exceptions=True,
            )
            for result in results:
                if isinstance(result, grpc.aio.AioRpcError):
                    outcomes[result.code().name] += 1
                else:
                    outcomes["OK"] += 1
            assert (await caller.get(name)).version == before.version + 1
        assert outcomes == {"OK": 15, "ABORTED": 75}
        for caller in (*here, *there):
            await caller.close()


async def test_a_time_out_is_carried_out_exactly_once(settings: ServerSettings) -> None:
    async with AsyncExitStack() as stack:
        servers: list[Running] = [await stack.enter_async_context(running_server(settings)) for _ in range(3)]
        callers = [Caller(servers[0].address, each) for each in ("ayse", "bora")]
        rules = easy_rules(action_clock=Duration(nanos=100_000_000))
        name = await seated(callers, rules, pause=0)
        stream: Any = callers[0].watch(name)
        version = (await stream.read()).update.snapshot.version
        asked: Counter[str] = Counter()
        timed_out = 0
        while timed_out < 4:
            for event in (await asyncio.wait_for(stream.read(), 20)).update.events.events:
                assert event.version in (version, version + 1)
                version = event.version
                if event.HasField("decision_asked"):
                    asked[event.decision_asked.decision.decision_id] += 1
                timed_out += event.HasField("timed_out")
        assert set(asked.values()) == {1}
        for caller in callers:
            await caller.close()


async def test_a_store_that_goes_away_and_comes_back(settings: ServerSettings, store: EmbeddedRedis) -> None:
    async with running_server(settings) as server:
        callers = [Caller(server.address, each) for each in ("ayse", "bora")]
        name = await seated(callers)
        caller, decision = await whose_turn(callers, name)
        before = await caller.get(name)
        stream = caller.watch(name)
        await stream.read()
        await store.stop()
        for call in (
            caller.get(name),
            caller.submit(name, decision.decision_id, easy_action(decision), "kept"),
            caller.create(),
            caller.watch(name).read(),
        ):
            refusal = await refused(call)
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_AWAY")
            assert refusal.retry_seconds
        await store.start()
        # Nothing was lost, and the server needs no new start.
        async with asyncio.timeout(15):
            while True:
                try:
                    after = await caller.get(name)
                    break
                except grpc.aio.AioRpcError:
                    await asyncio.sleep(0.1)
        assert without_clock(after) == without_clock(before)
        await caller.submit(name, decision.decision_id, easy_action(decision), "kept")
        async with asyncio.timeout(15):
            while True:
                update = (await stream.read()).update
                versions = [event.version for event in update.events.events] + [update.snapshot.version]
                if max(versions) > before.version:
                    break
        for each in callers:
            await each.close()


async def test_a_server_with_another_seal_key_reads_nothing_and_says_why(
    settings: ServerSettings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other_key = "b10a8db164e0754105b7a99be72e3fe5" * 2
    other = replace(settings, data_dir=tmp_path / "other", seal_key=other_key)
    async with running_server(settings) as first, running_server(other) as second:
        callers = [Caller(first.address, each) for each in ("ayse", "bora")]
        name = await seated(callers)
        stranger = Caller(second.address, "ayse")
        with caplog.at_level("ERROR"):
            refusal = await refused(stranger.get(name))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_AWAY")
        assert "key" in caplog.text
        assert other_key not in caplog.text
        await go_on(callers, name)
        for each in (*callers, stranger):
            await each.close()


WATCHER = """
import asyncio, sys
sys.path[:0] = {path!r}
from wire_players import Caller
async def main():
    caller = Caller({address!r}, "frozen")
    call = caller.watch({name!r})
    await call.read()
    print("watching", flush=True)
    while True:
        await call.read()
asyncio.run(main())
"""


async def test_x14_a_watchers_machine_dies_without_a_word(settings: ServerSettings) -> None:
    impatient = replace(settings, keepalive_time=timedelta(seconds=1), keepalive_timeout=timedelta(seconds=1))
    async with running_server(impatient) as server:
        callers = [Caller(server.address, each) for each in ("ayse", "bora")]
        name = await seated(callers)
        program = WATCHER.format(path=[str(Path(__file__).parent.parent)], address=server.address, name=name)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE
        )
        try:
            assert process.stdout is not None
            assert await process.stdout.readline() == b"watching\n"
            assert len(server.streams) == 1
            process.send_signal(signal.SIGSTOP)
            async with asyncio.timeout(10):
                while len(server.streams):  # noqa: ASYNC110 - what is waited for has no event
                    await asyncio.sleep(0.1)
            await go_on(callers, name)
        finally:
            process.kill()
            await process.wait()
        for each in callers:
            await each.close()


async def test_a_cancelled_action_happens_whole_or_not_at_all(settings: ServerSettings) -> None:
    async with running_server(settings) as server:
        callers = [Caller(server.address, each) for each in ("ayse", "bora")]
        name = await seated(callers)
        for number in range(20):
            caller, decision = await whose_turn(callers, name)
            call: Any = asyncio.ensure_future(
                caller.submit(name, decision.decision_id, easy_action(decision), f"c{number}")
            )
            await asyncio.sleep(0.0003 * number)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            # The same id again: whether the first one came through or not, it happens once.
            before = (await caller.get(name)).version
            answer = await caller.submit(name, decision.decision_id, easy_action(decision), f"c{number}")
            assert answer.version in (before, before + 1)
            table = await caller.get(name)
            assert table.version == answer.version
            chips = sum(seat.stack for seat in table.seats) + table.carried
            running = table.hand.phase not in (0, 8)
            assert chips + (table.hand.pot if running else 0) == 200
        refusal = await refused(callers[0].submit(name, "h1.round1.s0.d1", act("check")))
        assert refusal.reason in ("STALE_DECISION", "NOT_YOUR_TURN")
        for each in callers:
            await each.close()
