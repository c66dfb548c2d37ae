"""How many tables one may host and sit at: counted in the store, over the wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace

import grpc
import pytest
from turkpoker.server.app import running_server
from turkpoker.server.settings import ServerSettings
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import Caller, Refusal, easy_rules, new_id, refusal_of_error, refused

Make = Callable[[str], Caller]


@pytest.fixture
async def make(settings: ServerSettings) -> AsyncIterator[Make]:
    """Callers of a server where one may host three tables and sit at two of others."""
    async with AsyncExitStack() as stack:
        few = replace(settings, max_hosted_tables=3, max_joined_tables=2)
        server = await stack.enter_async_context(running_server(few))

        def made(name: str) -> Caller:
            caller = Caller(server.address, name)
            stack.push_async_callback(caller.close)
            return caller

        yield made


def too_many(refusal: Refusal, most: int) -> None:
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_TABLES")
    assert refusal.metadata == {"max": str(most)}
    assert refusal.retry_seconds is None


async def close(host: Caller, name: str) -> None:
    await host.tables.CloseTable(pb.CloseTableRequest(request_id=new_id(), name=name), metadata=host.metadata)


async def empty_table(host: Caller) -> str:
    """A table at which no hand begins before five have come."""
    return (await host.create(easy_rules(players_min=5, players_max=5))).name


async def test_a_host_has_so_many_open_tables(make: Make) -> None:
    ayse, bora = make("ayse"), make("bora")
    names = [(await ayse.create()).name for _ in range(3)]
    too_many(await refused(ayse.create()), 3)
    await bora.create()
    await close(ayse, names[0])
    await ayse.create()
    too_many(await refused(ayse.create()), 3)
    mine = pb.ListTablesRequest(filter=pb.TableFilter(mine=True))
    assert len((await ayse.tables.ListTables(mine, metadata=ayse.metadata)).tables) == 3


async def test_a_repeated_request_gives_its_table_even_when_no_more_are_allowed(make: Make) -> None:
    ayse = make("ayse")
    first = await ayse.create(request_id="first")
    for _ in range(2):
        await ayse.create()
    assert (await ayse.create(request_id="first")).name == first.name
    # A refused request leaves nothing behind that a second try could go through.
    for _ in range(2):
        too_many(await refused(ayse.create(request_id="fourth")), 3)


async def test_a_player_sits_at_so_many_tables_of_others(make: Make) -> None:
    ayse = make("ayse")
    tables = [await empty_table(make(f"host{number}")) for number in range(4)]
    for name in tables[:2]:
        await ayse.join(name)
    too_many(await refused(ayse.join(tables[2])), 2)
    # His own seat, and a table of his own, count for nothing.
    assert (await ayse.join(tables[0])).your_seat is not None
    own = await ayse.create(easy_rules(players_min=5, players_max=5))
    await ayse.join(own.name)
    await ayse.leave(tables[0])
    await ayse.join(tables[2])
    too_many(await refused(ayse.join(tables[3])), 2)
    assert not (await ayse.get(tables[3])).seats


async def test_many_at_once_are_no_way_around(make: Make) -> None:
    ayse = make("ayse")

    async def create() -> bool:
        try:
            await ayse.create()
        except grpc.aio.AioRpcError as error:
            return refusal_of_error(error).reason != "TOO_MANY_TABLES"
        return True

    assert sum(await asyncio.gather(*(create() for _ in range(12)))) == 3
    tables = [await empty_table(make(f"host{number}")) for number in range(6)]

    async def join(name: str) -> bool:
        try:
            await ayse.join(name)
        except grpc.aio.AioRpcError as error:
            return refusal_of_error(error).reason != "TOO_MANY_TABLES"
        return True

    assert sum(await asyncio.gather(*(join(name) for name in tables))) == 2


async def test_no_limit_when_none_is_set(settings: ServerSettings) -> None:
    async with running_server(replace(settings, max_hosted_tables=0, max_joined_tables=0)) as server:
        ayse, host = Caller(server.address, "ayse"), Caller(server.address, "host")
        for _ in range(25):
            await ayse.create()
            await ayse.join((await host.create()).name)
        for each in (ayse, host):
            await each.close()
