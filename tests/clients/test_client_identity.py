"""Guests and identity with the Python client, and what it does when it is told to wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from turkpoker.client import Client, TurkpokerError, sign_in_as_guest
from turkpoker.client.backoff import Backoff
from turkpoker.server.app import Running, running_server
from turkpoker.server.buckets import Limit
from turkpoker.server.settings import ServerSettings

SETTINGS = ServerSettings(
    listen="127.0.0.1:0",
    token_key=b"a key for the tests of the client and nothing else",
    drain_pause=timedelta(0),
    drain_grace=timedelta(seconds=1),
    guest_limit=Limit.parse("1/h,3"),
    player_limit=Limit.parse("4/s,4"),
)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Running]:
    async with running_server(replace(SETTINGS, data_dir=tmp_path / "data")) as running:
        yield running


async def test_a_guest_signs_in_and_plays(server: Running) -> None:
    guest = await sign_in_as_guest(server.address, "Ayşe")
    assert guest.token not in repr(guest)
    async with Client(server.address, guest.token) as client:
        assert await client.identity.get() == guest.identity
        assert guest.identity.guest
        assert guest.identity.roles == {"player", "host"}
        table = await client.create_table()
        await client.join(table.name)
        async with client.play(table.name) as session:
            assert session.view.your_seat is not None
        other = await client.identity.create_guest()
        assert other.identity.player != guest.identity.player


async def test_no_more_guests_than_allowed_and_no_endless_waiting_for_one(server: Running) -> None:
    for _ in range(3):
        await sign_in_as_guest(server.address)
    with pytest.raises(TurkpokerError) as caught:
        await sign_in_as_guest(server.address)
    assert caught.value.reason == "TOO_MANY_REQUESTS"
    assert caught.value.retry_after is not None
    assert caught.value.retry_after > timedelta(minutes=10)


async def test_a_client_that_is_too_fast_waits_as_told_and_gets_through(server: Running) -> None:
    guest = await sign_in_as_guest(server.address)
    async with Client(server.address, guest.token) as client:
        table = await client.create_table(request_id="once")
        views = await asyncio.gather(*(client.get_table(table.name) for _ in range(10)))
        assert {view.name for view in views} == {table.name}
        # The same request id over all tries: one table.
        tables = await asyncio.gather(*(client.create_table(request_id="once") for _ in range(6)))
        assert {each.name for each in tables} == {table.name}


async def test_a_session_that_is_too_fast_waits_and_loses_no_action(server: Running) -> None:
    guests = [await sign_in_as_guest(server.address) for _ in range(2)]
    async with (
        Client(server.address, guests[0].token) as ayse,
        Client(server.address, guests[1].token) as bora,
    ):
        table = await ayse.create_table(hand_pause=timedelta(0))
        versions: list[int] = []

        async def play(client: Client) -> None:
            await client.join(table.name)
            async with client.play(table.name) as session:
                async for decision in session:
                    legal = decision.legal
                    action = next(
                        name for name in ("check", "call", "draw", "decline", "pass", "fold") if name in legal
                    )
                    versions.append((await session.act(decision, action)).version)
                    if len(versions) >= 24:
                        return

        async with asyncio.timeout(60):
            done, waiting = await asyncio.wait(
                [asyncio.create_task(play(client)) for client in (ayse, bora)],
                return_when=asyncio.FIRST_COMPLETED,
            )
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for task in done:
            task.result()
        # 24 actions of two who may send four a second: many were refused first, each counted once.
        assert len(set(versions)) == len(versions) >= 24


def test_a_wait_is_never_shorter_than_asked_and_differs_between_clients() -> None:
    waits = [Backoff().next(2.0) for _ in range(50)]
    assert min(waits) >= 2.0
    assert max(waits) <= 2.5
    assert len(set(waits)) > 40
