"""A newer Play stream of a player takes the place of the older one, also in another server process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from serving import two_processes
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.event_log import RedisEventFeed
from turkpoker.storage.redis_store import RedisTableStore, StoreSettings
from turkpoker.storage.seal import Seal
from turkpoker.storage.takeovers import RedisTakeovers
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import Caller, easy_action, refusal_of_error, seated, whose_turn


async def ended_with(call: Any) -> tuple[grpc.StatusCode, str]:
    async def to_the_end() -> None:
        while await call.read() is not grpc.aio.EOF:
            pass

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await asyncio.wait_for(to_the_end(), 20)
    refusal = refusal_of_error(caught.value)
    return refusal.code, refusal.reason


async def test_a_newer_stream_in_another_process_ends_the_older(tmp_path: Path) -> None:
    async with EmbeddedRedis(tmp_path / "store") as store:
        with two_processes(store.url, tmp_path / "data") as (first, second):
            here = [Caller(first.address, each) for each in ("ayse", "bora")]
            there = [Caller(second.address, each) for each in ("ayse", "bora")]
            name = await seated(here)
            rounds = 12
            streams = [await here[0].play(name), await there[1].play(name)]
            for stream in streams:
                await stream.read()
            older, bora = streams
            for number in range(rounds):
                newer = await (there, here)[number % 2][0].play(name)
                await newer.read()
                assert await ended_with(older) == (grpc.StatusCode.ABORTED, "REPLACED")
                older = newer
            # The last one and that of the other player live, and carry actions.
            caller, decision = await whose_turn(here, name)
            alive = older if caller is here[0] else bora
            action = pb.PlayAction(
                request_id="x", decision_id=decision.decision_id, action=easy_action(decision)
            )
            await alive.write(pb.PlayRequest(action=action))
            async with asyncio.timeout(10):
                while not (message := await alive.read()).HasField("result"):
                    pass
            assert message.result.HasField("accepted")
            print(f"{rounds} streams replaced across two processes")
            for each in (*here, *there):
                await each.close()


@pytest.fixture
async def two_feeds(tmp_path: Path) -> AsyncIterator[list[RedisTakeovers]]:
    """Takeovers as two processes see them."""
    async with EmbeddedRedis(tmp_path / "store") as server:
        seal = Seal([bytes(range(32))])
        stores = [await RedisTableStore.connect(server.url, seal, StoreSettings()) for _ in range(2)]
        feeds = [RedisEventFeed(store, server.url) for store in stores]
        for feed in feeds:
            await feed.start()
        yield [RedisTakeovers(store, feed) for store, feed in zip(stores, feeds, strict=True)]
        for feed in feeds:
            await feed.stop()
        for store in stores:
            await store.close()


async def test_of_many_at_the_same_moment_exactly_one_stays(two_feeds: list[RedisTakeovers]) -> None:
    rounds, each = 40, 6
    for number in range(rounds):
        table, ended = f"t{number % 5}", [False] * each

        def end(place: int, ended: list[bool] = ended) -> None:
            ended[place] = True

        leave = await asyncio.gather(
            *(
                two_feeds[place % 2].enter(table, "ayse", lambda place=place: end(place))  # type: ignore[misc]
                for place in range(each)
            )
        )
        other = await two_feeds[0].enter(table, "bora", lambda: None)
        async with asyncio.timeout(10):
            while sum(ended) < each - 1:  # noqa: ASYNC110 - what is waited for has no event
                await asyncio.sleep(0.001)
        assert sum(ended) == each - 1
        for one in (*leave, other):
            one()
    print(f"{rounds} rounds of {each}")


class LateClient:
    """A client of the store whose pipelines may answer late."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.hold: asyncio.Event | None = None
        self.done = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def pipeline(self, **options: Any) -> Any:
        pipeline = self._client.pipeline(**options)
        if (hold := self.hold) is not None:
            execute = pipeline.execute

            async def later() -> Any:
                answer = await execute()
                self.done.set()
                await hold.wait()
                return answer

            pipeline.execute = later
        return pipeline


async def test_a_newer_stream_that_is_heard_of_before_the_own_place_is_known_replaces_too(
    two_feeds: list[RedisTakeovers],
) -> None:
    here, there = two_feeds
    late: Any = LateClient(here._store.client)
    here._store.client = late
    heard, replaced = asyncio.Event(), asyncio.Event()
    await here.enter("t", "bora", heard.set)  # so that the reader follows the shard already
    late.hold = asyncio.Event()
    coming = asyncio.create_task(here.enter("t", "ayse", replaced.set))
    await late.done.wait()
    await there.enter("t", "ayse", lambda: None)
    await there.enter("t", "bora", lambda: None)
    await asyncio.wait_for(heard.wait(), 10)  # and what came before it has been heard of as well
    assert not replaced.is_set()
    late.hold.set()
    await coming
    assert replaced.is_set()
