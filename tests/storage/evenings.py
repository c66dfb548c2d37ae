"""A table in a store, played by hand or at random, and a look at every byte that lies there."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import Any

from redis.asyncio import Redis
from turkpoker.engine import Rules
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.commands import Act, Join
from turkpoker.table.events import DecisionAsked
from turkpoker.table.state import TableState
from turkpoker.table.tables import Outcome, Tables


class Evening:
    """A table and its last outcome."""

    def __init__(self, tables: Tables, store: RedisTableStore) -> None:
        self.tables = tables
        self.store = store
        self.table_id = ""
        self.outcome: Outcome

    async def begin(self, *players: str, profile: str = "turkish", **options: Any) -> None:
        """Make a table, seat the players, deal the first hand to all of them."""
        rules = Rules.profile(profile, **{"action_clock": "60s", **options})
        # A short pause holds the deal back until all sit.
        self.outcome = await self.tables.create("host", rules, hand_pause=timedelta(milliseconds=5))
        self.table_id = self.outcome.state.table_id
        for player in players:
            self.outcome = await self.tables.join(self.table_id, Join(player, player.title()))
        await self.deal()

    async def deal(self) -> None:
        """Wait for the pause between two hands to be over, and deal; who is bust buys in again."""
        for seat in self.state.seats.values():
            if not seat.stack:
                self.outcome = await self.tables.add_chips(self.table_id, seat.player)
        while not self.state.hand_running:
            await asyncio.sleep(0.005)
            await self.tables.run_due()
            self.outcome = await self.tables.get(self.table_id)

    @property
    def state(self) -> TableState:
        return self.outcome.state

    def question(self) -> DecisionAsked:
        """The first open question."""
        return self.state.decisions()[0]

    def asked_player(self) -> str:
        return self.state.hand_players[self.question().seat]

    def answer(self, rng: random.Random) -> Act:
        """Some legal answer to the first open question."""
        asked = self.question()
        assert asked.legal is not None
        name = rng.choice(sorted(asked.legal))
        value, to, cards = asked.legal[name], None, ()
        if name in ("open", "bet", "raise"):
            assert isinstance(value, tuple)
            to = rng.randint(value[0], min(value[1], value[0] + 20))
        elif name == "draw":
            assert isinstance(value, tuple)
            cards = tuple(rng.sample(self.own_cards(asked.seat), rng.randint(*value)))
        return Act(self.state.hand_players[asked.seat], asked.decision_id, name, to, cards)

    def own_cards(self, seat: int) -> list[int]:
        """The cards of a seat of the hand."""
        assert self.state.hand is not None
        own = next(each for each in self.state.hand.view(seat).seats if each.seat == seat)
        return [card for card in own.cards if card is not None]

    async def act(self, command: Act, request_id: str = "") -> Outcome:
        self.outcome = await self.tables.act(self.table_id, command, request_id)
        return self.outcome

    async def play(self, rng: random.Random, answers: int) -> None:
        """So many random answers, with new hands between."""
        for _ in range(answers):
            if not self.state.hand_running:
                await self.deal()
            await self.act(self.answer(rng))


async def everything(client: Redis, prefix: str) -> dict[bytes, bytes]:
    """Every key of a prefix with its serialised content."""
    keys = sorted([key async for key in client.scan_iter(match=f"{{{prefix}:*")])
    return {key: await client.dump(key) or b"" for key in keys}
