"""Token buckets: what one may ask for, in whose name it counts, and what a refusal says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import grpc
import pytest
from turkpoker.server.addresses import address_of, parse_networks
from turkpoker.server.app import running_server
from turkpoker.server.buckets import OFF, Buckets, Limit
from turkpoker.server.settings import ServerSettings
from turkpoker.v1 import evaluator_service_pb2 as evaluator_pb
from turkpoker.v1 import session_service_pb2 as session_pb
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import (
    Caller,
    Refusal,
    easy_action,
    easy_rules,
    new_id,
    refusal_of,
    refused,
    seated,
    whose_turn,
)

#: Nothing comes back within a test.
NEVER = "1/h"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_then_the_rate() -> None:
    clock = Clock()
    buckets = Buckets(Limit.parse("10/s,3"), clock)
    assert [buckets.take("a") for _ in range(3)] == [None] * 3
    wait = buckets.take("a")
    assert wait is not None
    assert wait.total_seconds() == pytest.approx(0.1, abs=1e-5)
    assert buckets.take("b") is None
    clock.now += wait.total_seconds() - 1e-3
    assert buckets.take("a") is not None
    clock.now += 1e-3
    assert buckets.take("a") is None
    assert buckets.take("a") is not None
    clock.now += 1000
    assert [buckets.take("a") is None for _ in range(4)] == [True, True, True, False]


def test_over_a_long_time_the_rate_is_kept() -> None:
    clock = Clock()
    buckets = Buckets(Limit.parse("7/m,5"), clock)
    taken = 0
    for _ in range(36_000):
        clock.now += 0.1
        taken += buckets.take("a") is None
    assert taken == pytest.approx(7 * 60 + 5, abs=1)


def test_waiting_as_told_is_always_enough() -> None:
    clock = Clock()
    for text in ("1000/s,2000", "3/s,1", "7/m,2", "1/h,1"):
        buckets = Buckets(Limit.parse(text), clock)
        for _ in range(5000):
            wait = buckets.take("a")
            if wait is not None:
                assert wait > timedelta(0)
                clock.now += wait.total_seconds()
                assert buckets.take("a") is None


def test_memory_is_bounded() -> None:
    clock = Clock()
    buckets = Buckets(Limit.parse("1/h,1"), clock, most=100)
    for caller in range(1000):
        assert buckets.take(caller) is None
    assert len(buckets) == 100
    assert buckets.take(999) is not None
    assert buckets.take(0) is None


def test_zero_switches_off() -> None:
    assert Limit.parse("0") is OFF
    buckets = Buckets(OFF)
    assert all(buckets.take("a") is None for _ in range(10_000))
    assert len(buckets) == 0


@pytest.mark.parametrize("text", ["", "5", "5/d", "/s", "0/s", "5/s,0", "-1/s", "5/s,", "1.5/s", "5/s,1,2"])
def test_a_limit_that_cannot_be_meant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="limit"):
        Limit.parse(text)


def test_limits_are_written_as_they_are_read() -> None:
    for text in ("500/s,1000", "30/m,30", "2/h,1", "0"):
        assert str(Limit.parse(text)) == text
    assert str(Limit.parse("30/m")) == "30/m,30"


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:5000", "192.0.2.7"),
        ("ipv6:%5B2001:db8::1%5D:5000", "2001:db8::/64"),
        ("ipv6:%5B2001:db8::ffff:2%5D:5000", "2001:db8::/64"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:5000", "192.0.2.7"),
        ("ipv6:%5Bfe80::1%25eth0%5D:5000", "fe80::/64"),
        ("unix:/run/x", "unix"),
        ("unix:", "unix"),
        ("", ""),
    ],
)
def test_an_address_is_known_again_on_another_port(peer: str, address: str) -> None:
    assert address_of(Call(peer)) == address
    # Nobody is believed who is not asked.
    assert address_of(Call(peer, "198.51.100.1")) == address


class Call:
    def __init__(self, peer: str, *forwarded: str) -> None:
        self._peer = peer
        self._metadata = tuple(("x-forwarded-for", each) for each in forwarded)

    def peer(self) -> str:
        return self._peer

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("ipv4:10.0.0.1:5", ["192.0.2.7"], "192.0.2.7"),
        ("ipv4:10.0.0.1:5", ["192.0.2.9, 192.0.2.7"], "192.0.2.7"),
        ("ipv4:10.0.0.1:5", ["192.0.2.9", "192.0.2.7"], "192.0.2.7"),
        ("ipv4:10.0.0.1:5", ["192.0.2.9, 192.0.2.7, 10.0.0.2"], "192.0.2.7"),
        ("ipv4:10.0.0.1:5", ["made up, 192.0.2.7"], "192.0.2.7"),
        ("ipv4:10.0.0.1:5", ["2001:db8::5"], "2001:db8::/64"),
        ("ipv4:10.0.0.1:5", ["192.0.2.7, nonsense"], "10.0.0.1"),
        ("ipv4:10.0.0.1:5", [], "10.0.0.1"),
        ("ipv4:10.0.0.1:5", [""], "10.0.0.1"),
        ("ipv4:192.0.2.1:5", ["192.0.2.7"], "192.0.2.1"),
        ("unix:", ["192.0.2.7"], "unix"),
    ],
)
def test_a_proxy_is_believed_only_where_it_is_trusted(peer: str, forwarded: list[str], address: str) -> None:
    assert address_of(Call(peer, *forwarded), parse_networks("10.0.0.0/8")) == address


def test_networks_are_read_or_refused() -> None:
    assert len(parse_networks("10.0.0.0/8, 2001:db8::/32,192.0.2.7")) == 3
    for text in ("", "10.0.0.1/8", "proxy.example", "10.0.0.0/8,"):
        with pytest.raises(ValueError, match="no networks"):
            parse_networks(text)


# -- over the wire ---------------------------------------------------------------------------------------


@asynccontextmanager
async def limited(settings: ServerSettings, **limits: str) -> AsyncIterator[Callable[..., Caller]]:
    """A server with other limits, and callers for it."""
    changed: Any = {name: Limit.parse(text) for name, text in limits.items()}
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running_server(replace(settings, **changed)))

        def make(name: str | None) -> Caller:
            caller = Caller(server.address, name)
            stack.push_async_callback(caller.close)
            return caller

        yield make


def is_too_fast(refusal: Refusal, most: float) -> None:
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS")
    assert refusal.retry_seconds is not None
    assert 0 < refusal.retry_seconds <= most


async def test_a_player_is_held_back_and_others_are_not(settings: ServerSettings) -> None:
    async with limited(settings, player_limit=f"{NEVER},3") as make:
        ayse, again, bora = make("ayse"), make("ayse"), make("bora")
        name = (await ayse.create()).name
        await ayse.get(name)
        await again.get(name)
        is_too_fast(await refused(ayse.get(name)), 3600)
        is_too_fast(await refused(again.watch(name).read()), 3600)
        is_too_fast(await refused((await again.play(name)).read()), 3600)
        await bora.get(name)


async def test_the_wait_that_is_told_is_the_true_one(settings: ServerSettings) -> None:
    async with limited(settings, player_limit="2/s,1") as make:
        ayse = make("ayse")
        name = (await ayse.create()).name
        for _ in range(3):
            refusal = await refused(ayse.get(name))
            is_too_fast(refusal, 0.5)
            assert refusal.retry_seconds is not None
            await asyncio.sleep(refusal.retry_seconds)
            await ayse.get(name)


async def test_making_tables_has_a_limit_of_its_own(settings: ServerSettings) -> None:
    async with limited(settings, create_limit=f"{NEVER},2") as make:
        ayse, bora = make("ayse"), make("bora")
        name = (await ayse.create()).name
        await ayse.create()
        is_too_fast(await refused(ayse.create()), 3600)
        await ayse.get(name)
        await bora.create()


async def test_a_table_takes_so_many_changes_but_refused_ones_do_not_count(settings: ServerSettings) -> None:
    async with limited(settings, table_limit=f"{NEVER},4") as make:
        host, ayse, stranger = make("host"), make("ayse"), make("stranger")
        name = (await host.create(easy_rules(players_min=3, players_max=5))).name
        other = (await host.create()).name
        for _ in range(10):  # nonsense of others closes the table to nobody
            assert (await refused(stranger.leave(name))).reason == "NOT_YOUR_SEAT"
        await ayse.join(name, 0)
        out = pb.SitOutRequest(name=name)
        for _ in range(3):  # nor does what changes nothing
            await ayse.tables.SitOut(out, metadata=ayse.metadata)
        await ayse.tables.SitIn(pb.SitInRequest(name=name), metadata=ayse.metadata)
        await ayse.tables.SitOut(out, metadata=ayse.metadata)
        is_too_fast(await refused(stranger.join(name, 1)), 3600)
        await stranger.get(name)
        await stranger.join(other, 1)


async def test_on_play_the_limit_refuses_an_action_and_the_stream_goes_on(settings: ServerSettings) -> None:
    async with limited(settings, player_limit="2/s,16") as make:
        callers = [make("ayse"), make("bora")]
        name = await seated(callers)
        caller, decision = await whose_turn(callers, name)
        stream = await caller.play(name)

        async def send(decision_id: str) -> pb.PlayResult:
            action = pb.PlayAction(request_id=new_id(), decision_id=decision_id, action=easy_action(decision))
            await stream.write(pb.PlayRequest(action=action))
            while True:
                answer = await stream.read()
                if answer.WhichOneof("response") == "result":
                    return answer.result

        for _ in range(30):
            result = await send("h1.gone.s0.d0")
            refusal = refusal_of(result.refused)
            if refusal.reason == "TOO_MANY_REQUESTS":
                break
            assert refusal.reason == "STALE_DECISION"
        is_too_fast(refusal, 0.5)
        assert refusal.retry_seconds is not None
        await asyncio.sleep(refusal.retry_seconds)
        assert (await send(decision.decision_id)).HasField("accepted")
        stream.cancel()


async def test_on_play_a_table_holds_back_too(settings: ServerSettings) -> None:
    async with limited(settings, table_limit=f"{NEVER},3") as make:
        callers = [make("ayse"), make("bora")]
        name = await seated(callers)
        caller, decision = await whose_turn(callers, name)
        stream = await caller.play(name)
        results = []
        for _ in range(2):
            caller, decision = await whose_turn(callers, name)
            stream = await caller.play(name)
            action = pb.PlayAction(
                request_id=new_id(), decision_id=decision.decision_id, action=easy_action(decision)
            )
            await stream.write(pb.PlayRequest(action=action))
            while (answer := await stream.read()).WhichOneof("response") != "result":
                pass
            results.append(answer.result)
        assert results[0].HasField("accepted")
        is_too_fast(refusal_of(results[1].refused), 3600)


async def test_callers_without_a_token_are_held_back_by_address(settings: ServerSettings) -> None:
    async with limited(settings, stranger_limit=f"{NEVER},3") as make:
        request = evaluator_pb.EvaluateHandRequest(text="As Kd Tc 9h 9s")
        for _ in range(3):
            await make(None).evaluator.EvaluateHand(request)
        is_too_fast(await refused(make(None).evaluator.EvaluateHand(request)), 3600)
        is_too_fast(await refused(make(None).sessions.CreateGuest(session_pb.CreateGuestRequest())), 3600)
        await make("ayse").create()


async def test_new_tokens_are_counted_by_address_and_known_ones_are_not(settings: ServerSettings) -> None:
    async with limited(settings, sign_in_limit=f"{NEVER},2") as make:
        ayse = make("ayse")
        await ayse.create()
        bad = make("bora").tables.ListTables(
            pb.ListTablesRequest(), metadata=(("authorization", "Bearer a.b.c"),)
        )
        assert (await refused(bad)).reason == "NO_CREDENTIALS"
        is_too_fast(await refused(make("cem").create()), 3600)
        for _ in range(5):
            await ayse.create()  # is known


async def test_what_changes_nothing_keeps_no_table_from_others(settings: ServerSettings) -> None:
    async with limited(settings, table_limit=f"{NEVER},2") as make:
        ayse, stranger = make("ayse"), make("stranger")
        name = (await ayse.create()).name
        for _ in range(5):
            request = pb.LeaveWaitingListRequest(request_id=new_id(), name=name)
            await stranger.tables.LeaveWaitingList(request, metadata=stranger.metadata)
        await ayse.join(name)


async def test_callers_behind_a_trusted_proxy_are_told_apart(settings: ServerSettings) -> None:
    behind = replace(settings, trusted_proxies=parse_networks("127.0.0.0/8"))
    async with limited(behind, guest_limit=f"{NEVER},1") as make:

        async def guest(*forwarded: str) -> session_pb.CreateGuestResponse:
            metadata = tuple(("x-forwarded-for", each) for each in forwarded)
            request = session_pb.CreateGuestRequest()
            return await make(None).sessions.CreateGuest(request, metadata=metadata)

        await guest("192.0.2.7")
        await guest("192.0.2.8")
        is_too_fast(await refused(guest("192.0.2.7")), 3600)
        # What the caller himself puts in front helps him nothing.
        is_too_fast(await refused(guest("198.51.100.3, 192.0.2.7")), 3600)
    async with limited(settings, guest_limit=f"{NEVER},1") as make:
        await guest("192.0.2.7")
        is_too_fast(await refused(guest("192.0.2.8")), 3600)


async def test_limits_can_be_switched_off(settings: ServerSettings) -> None:
    off = dict.fromkeys(
        ("player_limit", "create_limit", "table_limit", "stranger_limit", "sign_in_limit", "guest_limit"), "0"
    )
    async with limited(settings, **off) as make:
        ayse = make("ayse")
        await asyncio.gather(*(ayse.create() for _ in range(10)))
        for _ in range(40):
            await ayse.sessions.CreateGuest(session_pb.CreateGuestRequest())
