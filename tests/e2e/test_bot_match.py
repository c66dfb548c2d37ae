"""Matches of bots against a real server in this process: what is counted, and what when it goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from turkpoker.client import Client, TableView, TurkpokerError, rules
from turkpoker.client.bots import Bot, BotMatch, MatchFailedError, Move, Tally
from turkpoker.client.decisions import Decision
from turkpoker.server.app import running_server
from turkpoker.server.auth import make_token
from turkpoker.server.rehearsal import SeededDealer
from turkpoker.server.settings import ServerSettings
from turkpoker.v1 import events_pb2

KEY = b"a key for the tests of the bots and nothing else"


@pytest.fixture
async def clients(tmp_path: Path) -> AsyncIterator[list[Client]]:
    """Three clients of a server with seeded decks."""
    settings = ServerSettings(
        listen="127.0.0.1:0",
        data_dir=tmp_path,
        token_key=KEY,
        drain_pause=timedelta(0),
        drain_grace=timedelta(seconds=1),
    )
    async with running_server(settings, dealer=SeededDealer(5)) as running:
        opened = [Client(running.address, make_token(KEY, f"bot-{n}"), patience=3) for n in range(3)]
        yield opened
        for client in opened:
            await client.close()


def bots(count: int = 3, **kinds: type[Bot]) -> list[Bot]:
    return [kinds.get(f"b{n}", Bot)(f"bot-{n}", seed=5) for n in range(count)]


class SlowMatch(BotMatch):
    """A match in which answers are late now and then."""

    async def _may_answer(self, view: TableView) -> bool:
        await asyncio.sleep(0.002 * (view.version * 7919 % 7))
        return await super()._may_answer(view)


async def test_a_match_does_not_depend_on_timing(clients: list[Client]) -> None:
    results = []
    for kind in (BotMatch, SlowMatch):
        match = kind(clients, bots(), rules=rules(), hands=15)
        await match.run()
        results.append(match.tally.to_json())
    assert results[0] == results[1]
    assert results[0]["hands"] == 15


async def test_the_table_is_closed_and_empty_afterwards(clients: list[Client]) -> None:
    match = BotMatch(clients, bots(), hands=3)
    table = await match.run()
    after = await clients[0].get_table(table.name)
    assert after.closed
    assert not after.seats
    assert [summary.name async for summary in clients[0].list_tables()] == []


async def test_a_match_that_stands_still_ends_with_a_word(clients: list[Client]) -> None:
    class Asleep(BotMatch):
        async def _may_answer(self, view: TableView) -> bool:
            if view.version > 8:
                self._waiting_for = "a sleeper"
                await asyncio.sleep(3600)
            return await super()._may_answer(view)

    match = Asleep(clients, bots(), hands=30, stuck_after=1.0)
    async with asyncio.timeout(15):
        with pytest.raises(MatchFailedError, match="nothing has happened for 1 s; waiting for a sleeper"):
            await match.run()


async def test_a_refusal_ends_the_match_with_the_words_of_the_server(clients: list[Client]) -> None:
    class Cheat(Bot):
        def decide(self, decision: Decision, view: TableView) -> Move:
            return Move("draw", cards=(1, 1)) if "draw" in decision.legal else super().decide(decision, view)

    match = BotMatch(clients, bots(b0=Cheat, b1=Cheat, b2=Cheat), hands=30)
    with pytest.raises(TurkpokerError) as refused:
        await match.run()
    assert refused.value.reason in ("BAD_DISCARD", "INVALID_FIELD")


async def test_a_match_needs_a_client_for_each_bot(clients: list[Client]) -> None:
    with pytest.raises(ValueError, match="one client for each bot"):
        BotMatch(clients, bots(2), hands=1)


def test_missing_chips_are_noticed() -> None:
    tally = Tally()
    for seat, name in enumerate(("ann", "bob")):
        joined = events_pb2.PlayerJoined(seat=seat, player=name, stack=100)
        tally.happened(events_pb2.TableEvent(player_joined=joined), within=5)
    ended = events_pb2.HandEnded(hand_number=1, over=events_pb2.HAND_OVER_SHOWDOWN, rake=2)
    pot = events_pb2.PotAwarded(
        amount=98, shares=[events_pb2.PotShare(seat=0, amount=49), events_pb2.PotShare(seat=1, amount=49)]
    )
    tally.happened(events_pb2.TableEvent(pot_awarded=pot), within=5)
    tally.happened(events_pb2.TableEvent(hand_ended=ended), within=5)
    for seat, (name, chips) in enumerate((("ann", 100), ("bob", 97))):
        left = events_pb2.PlayerLeft(seat=seat, player=name, cashed_out=chips)
        tally.happened(events_pb2.TableEvent(player_left=left), within=5)
    result = tally.to_json()
    assert result["chips"] == {"in": 200, "out": 197, "rake": 2, "ok": False}
    assert (result["splits"], result["showdowns"], result["biggest_pot"]) == (1, 1, 98)
    assert result["winners"] == {"ann": 1, "bob": 1}
    last = events_pb2.PlayerLeft(seat=1, player="bob", cashed_out=1)
    tally.happened(events_pb2.TableEvent(player_left=last), within=5)
    assert tally.to_json()["chips"]["ok"]
