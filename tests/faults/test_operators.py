"""Operators and players at once, on several servers of one store."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from turkpoker.server.app import running_server
from turkpoker.server.auth import make_token
from turkpoker.server.settings import ServerSettings
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.table import clocks
from turkpoker.v1 import hand_history_service_pb2 as history_pb
from turkpoker.v1 import operator_service_pb2 as pb
from turkpoker.v1 import table_service_pb2 as table_pb
from wire_players import (
    KEY,
    SEAL_KEY,
    Caller,
    easy_action,
    easy_rules,
    go_on,
    new_id,
    refusal_of_error,
    refused,
    seated,
    whose_turn,
)

ROUNDS = 25
#: What a player may be told while an operator ends his table.
TOLD = {"TABLE_CLOSED", "STALE_DECISION", "NOT_YOUR_SEAT", "NOT_YOUR_TURN"}


@pytest.fixture
async def settings(tmp_path: Path) -> AsyncIterator[ServerSettings]:
    """Settings of servers that share a store and the keys."""
    async with EmbeddedRedis(tmp_path / "store") as embedded:
        yield ServerSettings(
            listen="127.0.0.1:0",
            data_dir=tmp_path / "keys",
            redis_url=embedded.url,
            token_key=KEY,
            seal_key=SEAL_KEY,
            drain_pause=timedelta(0),
            drain_grace=timedelta(seconds=1),
            clock_interval=timedelta(milliseconds=20),
        )


def olga_at(address: str) -> Caller:
    return Caller(address, "olga", make_token(KEY, "olga", roles=("operator",)))


async def outcome_of(call: Any) -> Any:
    """What a call gave: its answer, or the reason for which it was refused."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        return refusal_of_error(error).reason


async def test_operators_on_two_servers_and_players_race_for_the_end_of_a_table(
    settings: ServerSettings,
) -> None:
    """Exactly one ends it, everybody has all his chips, and nobody is told nonsense."""
    told: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(running_server(settings)) for _ in range(2)]
        operators = [olga_at(server.address) for server in servers]
        callers = [
            Caller(servers[number % 2].address, each) for number, each in enumerate(("ayse", "bora", "cem"))
        ]
        for number in range(ROUNDS):
            name = await seated(callers, easy_rules(start_stack=300))
            for _ in range(number % 4):
                await go_on(callers, name)
            caller, decision = await whose_turn(callers, name)
            before = await callers[0].get(name)
            assert before.hand_number == 1
            requests = [pb.ForceCloseTableRequest(request_id=new_id(), name=name) for _ in range(2)]
            results = await asyncio.gather(
                outcome_of(callers[number % 3].leave(name)),
                outcome_of(caller.submit(name, decision.decision_id, easy_action(decision))),
                *(
                    outcome_of(each.operator.ForceCloseTable(request, metadata=each.metadata))
                    for each, request in zip(operators, requests, strict=True)
                ),
            )
            ended = [each for each in results[2:] if not isinstance(each, str)]
            assert len(ended) == 1
            assert "TABLE_CLOSED" in results[2:]
            told.update(each if isinstance(each, str) else "done" for each in results[:2])
            assert not {each for each in results if isinstance(each, str)} - TOLD
            left = results[0].cashed_out if not isinstance(results[0], str) else 0
            entries = await operators[0].operator.ListAuditEntries(
                pb.ListAuditEntriesRequest(parent=name, page_size=200), metadata=operators[0].metadata
            )
            paid: Counter[str] = Counter()
            for entry in entries.entries:
                if "cashed_out" in entry.details:
                    paid[entry.details["player"]] += int(entry.details["cashed_out"])
            assert sum(paid.values()) == 900
            assert ended[0].cashed_out + left == 900
            hands = await callers[0].history.ListHandRecords(
                history_pb.ListHandRecordsRequest(parent=name), metadata=callers[0].metadata
            )
            if not hands.records:
                assert paid == dict.fromkeys(("ayse", "bora", "cem"), 300)
        for each in (*operators, *callers):
            await each.close()
    print(dict(told))
    assert told["done"]


async def test_all_servers_of_a_store_rest_at_once(
    settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "HELD_PAUSE", timedelta(seconds=1))
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(running_server(settings))
        second = await stack.enter_async_context(running_server(settings))
        olga = olga_at(first.address)
        callers = [Caller(second.address, each) for each in ("ayse", "bora")]
        name = await seated(callers, easy_rules(start_stack=500))
        answer = await olga.operator.Drain(pb.DrainRequest(), metadata=olga.metadata)
        assert (answer.draining, answer.tables, answer.hands_running) == (True, 1, 1)
        assert (await refused(callers[0].create())).reason == "DRAINING"
        # A server that comes later knows it too.
        third = await stack.enter_async_context(running_server(replace(settings)))
        late = Caller(third.address, "cem")
        assert (await refused(late.create())).reason == "DRAINING"
        while (await callers[0].get(name)).hand.asked:
            await go_on(callers, name)
        await asyncio.sleep(1.2)
        assert (await callers[0].get(name)).hand_number == 1
        other = olga_at(third.address)
        answer = await other.operator.Drain(pb.DrainRequest(end=True), metadata=other.metadata)
        assert (answer.draining, answer.hands_running) == (False, 0)
        assert await late.create()
        for _ in range(100):
            if (await callers[0].get(name)).hand_number > 1:
                break
            await asyncio.sleep(0.1)
        else:
            raise AssertionError("no hand begins again")
        for each in (olga, other, late, *callers):
            await each.close()


async def test_how_long_and_how_many_records_are_kept_is_set(settings: ServerSettings) -> None:
    few = replace(settings, record_count=2, audit_count=3)
    async with running_server(few) as server:
        callers = [Caller(server.address, each) for each in ("ayse", "bora")]
        name = await seated(callers, easy_rules(start_stack=2000, buy_in_max=2000))
        while (await callers[0].get(name)).hand_number < 6:
            await go_on(callers, name)
        listed = history_pb.ListHandRecordsRequest(parent=name)
        found = await callers[0].history.ListHandRecords(listed, metadata=callers[0].metadata)
        assert [record.name for record in found.records] == [f"{name}/hands/5", f"{name}/hands/4"]
        for _ in range(3):
            sit_out = table_pb.SitOutRequest(request_id=new_id(), name=name)
            await callers[0].tables.SitOut(sit_out, metadata=callers[0].metadata)
            sit_in = table_pb.SitInRequest(request_id=new_id(), name=name)
            await callers[0].tables.SitIn(sit_in, metadata=callers[0].metadata)
        log = await callers[0].operator.ListAuditEntries(
            pb.ListAuditEntriesRequest(parent=name), metadata=callers[0].metadata
        )
        assert [entry.action for entry in log.entries] == ["sit_in", "sit_out", "sit_in"]
        for each in callers:
            await each.close()
    short = replace(settings, record_life=timedelta(seconds=1), audit_life=timedelta(seconds=1))
    async with running_server(short) as server:
        caller = Caller(server.address, "ayse")
        await asyncio.sleep(1.1)
        listed = history_pb.ListHandRecordsRequest(parent=name)
        assert not (await caller.history.ListHandRecords(listed, metadata=caller.metadata)).records
        log = await caller.operator.ListAuditEntries(
            pb.ListAuditEntriesRequest(parent=name), metadata=caller.metadata
        )
        assert not log.entries
        await caller.close()
