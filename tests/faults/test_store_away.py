"""A store that dies alone: health says so, everybody is told when to try again, and it goes on by itself."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from grpc_health.v1 import health_pb2, health_pb2_grpc
from turkpoker.server import store_keeper
from turkpoker.server.app import running_server
from turkpoker.server.settings import ServerSettings
from turkpoker.server.store_keeper import OwnStore, StoreKeeper
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.table.errors import StoreAway, StoreRefused
from wire_players import (
    KEY,
    SEAL_KEY,
    Caller,
    easy_action,
    easy_rules,
    go_on,
    refusal_of_error,
    seated,
    whose_turn,
    without_deadlines,
)

SERVING, NOT_SERVING = "SERVING", "NOT_SERVING"


@dataclass
class Place:
    """A server and how to kill its store."""

    address: str
    data: Path
    store: EmbeddedRedis | None

    def kill(self) -> None:
        os.kill(int((self.data / "redis" / "pid").read_text()), signal.SIGKILL)

    async def back(self) -> None:
        """Somebody starts a shared store again; an own one the server starts itself."""
        if self.store is not None:
            await self.store.stop()
            await self.store.start()


@pytest.fixture(params=["own", "shared"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    settings = ServerSettings(
        listen="127.0.0.1:0",
        data_dir=tmp_path / "data",
        token_key=KEY,
        drain_pause=timedelta(0),
        drain_grace=timedelta(seconds=1),
    )
    if request.param == "own":
        async with running_server(settings) as server:
            yield Place(server.address, tmp_path / "data", None)
        return
    async with (
        EmbeddedRedis(tmp_path / "shared") as store,
        running_server(replace(settings, redis_url=store.url, seal_key=SEAL_KEY)) as server,
    ):
        yield Place(server.address, tmp_path / "shared", store)


async def until_health(caller: Caller, service: str, wanted: str) -> None:
    stub = health_pb2_grpc.HealthStub(caller.channel)
    async with asyncio.timeout(30):
        while True:
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
            if health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status) == wanted:
                return
            await asyncio.sleep(0.02)


async def test_a_store_that_is_killed_is_told_of_and_everything_goes_on(place: Place) -> None:
    callers = [Caller(place.address, each) for each in ("ayse", "bora")]
    rules = easy_rules(action_clock=Duration(seconds=60))
    name = await seated(callers, rules)
    await go_on(callers, name)
    caller, decision = await whose_turn(callers, name)
    views = [await each.get(name) for each in callers]
    watch = callers[0].watch(name)
    play = await callers[1].play(name)
    await watch.read()
    await play.read()
    service = "turkpoker.v1.TableService"
    await until_health(callers[0], service, SERVING)
    changes = health_pb2_grpc.HealthStub(callers[0].channel).Watch(
        health_pb2.HealthCheckRequest(service=service)
    )
    told = [(await changes.read()).status]

    async def refusals() -> int:
        """Ask until it works; every refusal on the way says when to try again."""
        count = 0
        async with asyncio.timeout(30):
            while True:
                try:
                    await callers[0].get(name)
                    if count:
                        return count
                    await asyncio.sleep(0.002)
                except grpc.aio.AioRpcError as error:
                    refusal = refusal_of_error(error)
                    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_AWAY")
                    assert refusal.retry_seconds
                    count += 1

    asking = asyncio.create_task(refusals())
    await asyncio.sleep(0.01)
    place.kill()
    told.append((await asyncio.wait_for(changes.read(), 30)).status)
    await until_health(callers[0], "turkpoker.v1.EvaluatorService", SERVING)
    await place.back()
    told.append((await asyncio.wait_for(changes.read(), 30)).status)
    names = [health_pb2.HealthCheckResponse.ServingStatus.Name(each) for each in told]
    assert names == [SERVING, NOT_SERVING, SERVING]
    assert await asking
    # The same hand with the same cards goes on, and so do the streams, without a gap.
    for each, before in zip(callers, views, strict=True):
        after = await each.get(name)
        if place.store is None and before.HasField("decision"):
            assert after.decision.deadline.ToMilliseconds() > before.decision.deadline.ToMilliseconds()
        assert after.version - before.version == (place.store is None)
        assert without_deadlines(after) == without_deadlines(before)
    await caller.submit(name, decision.decision_id, easy_action(decision))
    for stream in (watch, play):
        update = (await asyncio.wait_for(stream.read(), 30)).update
        assert update.events.events[0].version == views[0].version + 1
    changes.cancel()
    for each in callers:
        await each.close()


class Rig:
    """A store that can be switched off, for the keeper."""

    def __init__(self, *, starts: bool) -> None:
        self.on = True
        self.starts = starts
        self.tries = 0
        self.told: list[bool] = []

    async def ping(self) -> None:
        if not self.on:
            raise StoreAway("off")

    async def tell(self, answers: bool) -> None:
        self.told.append(answers)

    async def start_again(self) -> None:
        self.tries += 1
        if not self.starts:
            raise StoreRefused("the disk is full")
        self.on = True


async def until_told(rig: Rig, count: int) -> None:
    async with asyncio.timeout(10):
        while len(rig.told) < count:  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.005)


async def test_an_own_store_that_ends_again_and_again_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_keeper, "INTERVAL", timedelta(milliseconds=5))
    monkeypatch.setattr(store_keeper, "PAUSES", (timedelta(0),) * 4)
    rig = Rig(starts=False)
    keeper = StoreKeeper(rig.ping, rig.tell, OwnStore(lambda: rig.on, rig.start_again))
    await keeper.start()
    rig.on = False
    await until_told(rig, 2)
    await asyncio.sleep(0.1)
    assert rig.tries == 4
    assert rig.told == [True, False]

    # One that comes up and ends at once counts too: it must run for a while to be trusted anew.
    rig = Rig(starts=True)
    keeper = StoreKeeper(rig.ping, rig.tell, OwnStore(lambda: rig.on, rig.start_again))
    await keeper.start()
    for number in range(4):
        rig.on = False
        await until_told(rig, 2 * number + 3)
    rig.on = False
    await until_told(rig, 10)
    await asyncio.sleep(0.1)
    assert rig.tries == 4
    assert rig.told == [True, *[False, True] * 4, False]
    await keeper.stop()


async def test_nothing_is_carried_out_before_the_clocks_of_an_own_store_start_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store_keeper, "INTERVAL", timedelta(milliseconds=5))
    rig = Rig(starts=True)
    keeper = StoreKeeper(rig.ping, rig.tell, OwnStore(lambda: rig.on, rig.start_again))

    async def run_due() -> timedelta | None:
        return timedelta(seconds=7)

    guarded = keeper.only_with_store(run_due)
    assert await guarded() == timedelta(seconds=7)
    rig.on = False
    with pytest.raises(StoreAway):
        await guarded()
    await keeper.start()
    await until_told(rig, 3)
    assert await guarded() == timedelta(seconds=7)
    await keeper.stop()
