"""Health, reflection, leaving, faults of our own, and the parts that every stream stands on."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from turkpoker.evaluator import format_cards
from turkpoker.server.app import Running, running_server
from turkpoker.server.dealing import SystemDealer
from turkpoker.server.errors import CODES, ServiceError
from turkpoker.server.rehearsal import SeededDealer
from turkpoker.server.resume import Position, ResumeTokens
from turkpoker.server.settings import ServerSettings, SettingsError
from turkpoker.server.streams import Mailbox, Notice
from turkpoker.table.errors import Reason
from turkpoker.table.ports import ShuffleContext
from turkpoker.table.tables import Tables
from turkpoker.v1 import errors_pb2
from wire_players import Caller, refused

Make = Callable[..., Caller]
SECOND = timedelta(seconds=1)
BRIEF = timedelta(milliseconds=10)


async def status(channel: grpc.aio.Channel, service: str) -> str:
    request = health_pb2.HealthCheckRequest(service=service)
    answer = await health_pb2_grpc.HealthStub(channel).Check(request)
    return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)


async def test_health_and_reflection_need_no_token(player: Make) -> None:
    channel = player(None).channel
    for name in ("", "turkpoker.v1.TableService", "turkpoker.v1.EvaluatorService"):
        assert await status(channel, name) == "SERVING"
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    call = stub.ServerReflectionInfo(iter([request]))
    answer = await call.read()
    names = {service.name for service in answer.list_services_response.service}
    assert {
        "turkpoker.v1.TableService",
        "turkpoker.v1.EvaluatorService",
        "turkpoker.v1.HandHistoryService",
        "grpc.health.v1.Health",
    } <= names
    call.cancel()


async def test_a_leaving_server_says_so_and_still_answers(settings: ServerSettings) -> None:
    leaving = asyncio.Event()

    async def serve() -> None:
        async with running_server(replace(settings, drain_pause=timedelta(milliseconds=500))) as server:
            addresses.append(server.address)
            await leaving.wait()

    addresses: list[str] = []
    task = asyncio.create_task(serve())
    async with asyncio.timeout(10):
        while not addresses:  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)
    host = Caller(addresses[0], "host")
    name = (await host.create()).name
    stream = host.watch(name)
    await stream.read()
    leaving.set()
    async with asyncio.timeout(5):
        while await status(host.channel, "") == "SERVING":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert (await host.get(name)).name == name
    refusal = await refused(stream.read())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")
    await task
    await host.close()


async def test_a_fault_of_ours_tells_nothing_and_logs_no_text(
    player: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(self: Tables, table_id: str) -> None:
        raise RuntimeError(f"the hand is {format_cards((50, 45))}")

    monkeypatch.setattr(Tables, "get", fail)
    ayse = player("ayse")
    with caplog.at_level(logging.DEBUG):
        for call in (
            ayse.get("tables/a"),
            ayse.watch("tables/a").read(),
            (await ayse.play("tables/a")).read(),
        ):
            refusal = await refused(call)
            assert (refusal.code, refusal.message) == (grpc.StatusCode.INTERNAL, "internal error")
    assert "RuntimeError" in caplog.text
    assert format_cards((50, 45)) not in caplog.text


async def test_no_token_and_no_key_gets_into_the_log(
    player: Make, server: Running, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        ayse = player("ayse")
        await ayse.create()
        await refused(player(None, "not.a.token").get("tables/a"))
    token = ayse.metadata[0][1].removeprefix("Bearer ")
    assert token not in caplog.text
    assert "not.a.token" not in caplog.text


async def test_a_taken_port_is_a_setting_that_cannot_be(server: Running, settings: ServerSettings) -> None:
    other = replace(settings, listen=server.address, data_dir=settings.data_dir.parent / "other")
    with pytest.raises(SettingsError, match="cannot listen"):
        async with running_server(other):
            pass


async def test_tables_of_a_scripted_dealer_are_marked(settings: ServerSettings) -> None:
    async with running_server(settings, dealer=SeededDealer(7)) as server:
        assert server.rehearsal
        host = Caller(server.address, "host")
        assert (await host.create()).rehearsal
        await host.close()


def test_every_reason_of_the_contract_has_a_code() -> None:
    values = errors_pb2.ErrorReason.DESCRIPTOR.values
    named = {value.name.removeprefix("ERROR_REASON_") for value in values if value.number}
    assert set(CODES) == named - {"NOT_A_PLAYER"}  # once sent by Play
    assert {reason.value for reason in Reason} <= named
    assert grpc.StatusCode.INTERNAL not in CODES.values()
    assert grpc.StatusCode.UNKNOWN not in CODES.values()


async def test_results_wait_and_updates_are_dropped() -> None:
    box: Mailbox[str, int] = Mailbox(max_results=2, max_updates=3)
    for number in range(3):
        box.put_update(number)
    await box.put_result("a")
    await box.put_result("b")
    waiting = asyncio.create_task(box.put_result("c"))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    box.put_update(3)
    got = [await box.get(BRIEF)]
    await waiting
    got += [await box.get(BRIEF) for _ in range(3)]
    assert got == ["a", "b", "c", Notice.LAGGED]
    assert await box.get(BRIEF) is Notice.QUIET
    box.put_update(4)
    box.end(ServiceError("REPLACED", "first"))
    box.end(ServiceError("SHUTTING_DOWN", "second"))
    with pytest.raises(ServiceError, match="first"):
        await box.get(SECOND)


def test_resume_tokens_are_for_one_player_at_one_table() -> None:
    tokens, other = ResumeTokens(b"k" * 32), ResumeTokens(b"o" * 32)
    for position in (Position(0, 1, None), Position(3, 2**40, 5)):
        token = tokens.make("t1", "ayse", position)
        assert tokens.read("t1", "ayse", token) == position
        for wrong in (
            tokens.read("t2", "ayse", token),
            tokens.read("t1", "bora", token),
            other.read("t1", "ayse", token),
            tokens.read("t1", "ayse", token[:-2]),
            tokens.read("t1", "ayse", "A" + token),
            tokens.read("t1", "ayse", ""),
        ):
            assert wrong is None


def test_x15_no_seed_and_no_public_value_gives_a_deal() -> None:
    dealer, cards = SystemDealer(), tuple(range(16, 52))
    context = ShuffleContext("table", 1, 1, "deal")
    decks = set()
    for _ in range(50):
        random.seed(7)
        decks.add(dealer.shuffle(cards, context))
    assert len(decks) == 50
    assert all(sorted(deck) == list(cards) for deck in decks)


def test_every_card_comes_to_every_place_alike() -> None:
    dealer, cards = SystemDealer(), tuple(range(28, 52))
    context = ShuffleContext("table", 1, 1, "deal")
    rounds = 4000
    places: Counter[tuple[int, int]] = Counter()
    for _ in range(rounds):
        places.update(enumerate(dealer.shuffle(cards, context)))
    expected = rounds / 24
    chi_square = sum(
        (places[place, card] - expected) ** 2 / expected for place in range(24) for card in cards
    )
    # 23 * 23 = 529 degrees of freedom, deviation 32.5: an honest dealer exceeds this once in ten million
    # runs.
    assert chi_square < 529 + 6 * 32.5
