"""Finished hands and the calls of an operator, by the client."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from turkpoker.client import Client, TurkpokerError
from turkpoker.client.bots import Bot, play
from turkpoker.server.auth import make_token

from tests.clients.conftest import KEY

HANDS = 3


async def hands_played(venue: Any) -> tuple[Client, Client, str]:
    """Two players who have finished some hands at a table of ann's, and its name."""
    ann, bob = venue.client("ann"), venue.client("bob")
    table = (await ann.create_table(seat_count=2, hand_pause=timedelta(0))).name
    await ann.join(table)
    await bob.join(table)
    async with ann.play(table) as first, bob.play(table) as second, asyncio.timeout(30):
        playing = [
            asyncio.create_task(play(session, Bot(name)))
            for name, session in (("ann", first), ("bob", second))
        ]
        while first.view.hand_number <= HANDS:
            await first.changed()
        await ann.host.end_session(table)
        await asyncio.gather(*playing)
    return ann, bob, table


async def test_everybody_finds_his_own_hands(venue: Any) -> None:
    ann, bob, table = await hands_played(venue)
    mine = [record async for record in ann.hand_records(page_size=2)]
    assert len(mine) > HANDS
    assert [record.name for record in mine] == [
        f"{table}/hands/{number}" for number in range(len(mine), 0, -1)
    ]
    assert all({each.player for each in record.players} == {"ann", "bob"} for record in mine)
    # Every chip that one wins another loses, less what is still carried after the last hand.
    assert sum(each.net for record in mine for each in record.players) <= 0
    of_the_table = [record.name async for record in bob.hand_records(table)]
    assert of_the_table == [record.name for record in mine]
    stranger = venue.client("stranger")
    assert [record async for record in stranger.hand_records()] == []


async def test_an_export_is_a_file_of_whole_hands(venue: Any) -> None:
    ann, _, table = await hands_played(venue)
    lines = b"".join([piece async for piece in ann.export_hands(table)]).decode().splitlines()
    numbers = [int(json.loads(line)["id"].rpartition("-")[2]) for line in lines]
    assert numbers == list(range(1, len(lines) + 1))
    written = b"".join([piece async for piece in ann.export_hands(form="phh")]).decode()
    assert written.count("variant") == len(lines)
    yesterday = datetime.now(UTC) - timedelta(days=1)
    assert [piece async for piece in ann.export_hands(end=yesterday)] == []
    with pytest.raises(ValueError, match="time zone"):
        async for _ in ann.export_hands(end=yesterday.replace(tzinfo=None)):
            pass


async def test_an_operator_sees_all_and_ends_what_must_end(venue: Any) -> None:
    host = venue.client("host")
    table = await host.create_table(private=True)
    await host.join(table.name, buy_in=0)
    with pytest.raises(TurkpokerError) as refused:
        await host.operator.drain()
    assert (refused.value.reason, refused.value.metadata["role"]) == ("ROLE_MISSING", "operator")
    async with Client(venue.address, make_token(KEY, "ops", roles=["operator"])) as operator:
        assert [each.name async for each in operator.operator.list_tables()] == [table.name]
        drained = await operator.operator.drain("new version")
        assert (drained.draining, drained.tables, drained.hands_running) == (True, 1, 0)
        async with Client(venue.address, venue.token("late"), patience=0.5) as late:
            with pytest.raises(TurkpokerError) as not_now:
                await late.create_table()
        assert not_now.value.reason == "DRAINING"
        assert not (await operator.operator.end_drain()).draining
        paid = await operator.operator.force_close(table.name, "rain")
        assert paid == table.rules.start_stack
        done = [entry.action async for entry in operator.operator.audit_entries(table.name)]
        assert done[-1] == "create"
        assert "join" in done
