"""A match of bots at a table of their own, over the API and nothing else."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from turkpoker.client.bots.bot import Bot
from turkpoker.client.bots.tally import Tally
from turkpoker.client.client import Client
from turkpoker.client.decisions import Decision
from turkpoker.client.errors import StaleDecisionError
from turkpoker.client.session import Session
from turkpoker.client.view import TableView
from turkpoker.client.view_parts import SeatView
from turkpoker.v1 import events_pb2, rules_pb2

# How many versions the players may run ahead of the counter: less than a server's queue for one viewer.
_MOST_AHEAD = 24


class MatchFailedError(RuntimeError):
    """The match cannot go on or cannot be counted; the message says why."""


class BotMatch:
    """Bots that play a number of hands at a table which the first of them makes.

    clients: one connection for each bot, each with its own identity.
    bots: as many, in the order of the seats.
    hands: how many hands to play; the next one has been dealt by then and is left.
    stuck_after: seconds without any event after which the match gives up.
    on_progress: called twice a second with the number of hands played.

    A bot without chips buys more where the rules allow it; else the match ends when one has all. So that a
    match does not depend on timing, no bot answers while others are still buying.
    """

    def __init__(
        self,
        clients: Sequence[Client],
        bots: Sequence[Bot],
        *,
        rules: rules_pb2.Rules | None = None,
        hands: int,
        stuck_after: float = 30.0,
        on_progress: Callable[[int], None] | None = None,
    ) -> None:
        if len(clients) != len(bots):
            raise ValueError("a match needs one client for each bot")
        self.tally = Tally()
        self._clients = clients
        self._bots = bots
        self._rules = rules
        self._hands = hands
        self._stuck_after = stuck_after
        self._on_progress = on_progress
        self._name = ""
        self._tasks = asyncio.TaskGroup()
        # Buying: whether everybody has chips, whether the rules allow it, the version after the last time.
        self._complete = asyncio.Event()
        self._may_buy = True
        self._purchase_version = 0
        # Hands: the last one seen to end, and whether all are played.
        self._ended_hand = 0
        self._played = asyncio.Event()
        # Counting.
        self._counted_version = 0
        self._counted = asyncio.Event()
        self._empty = asyncio.Event()
        self._last_event = time.monotonic()
        self._waiting_for = "the table"

    async def run(self) -> TableView:
        """Play the match; gives the table as it was made. The counts stand in `tally`.

        Raises TurkpokerError when the server refuses something, MatchFailedError when nothing goes on.
        """
        table = await self._clients[0].create_table(
            self._rules, display_name="bots", seat_count=len(self._bots), hand_pause=timedelta(0)
        )
        self._name = table.name
        self._may_buy = (
            table.rules.match != rules_pb2.MATCH_TOURNAMENT and table.rules.rebuy != rules_pb2.REBUY_NONE
        )
        try:
            async with self._tasks:
                helpers = [
                    self._tasks.create_task(self._count()),
                    self._tasks.create_task(self._watch_over()),
                ]
                await self._counted.wait()
                for seat, client in enumerate(self._clients):
                    await client.join(self._name, seat=seat)
                players = [self._tasks.create_task(self._play(seat)) for seat in range(len(self._bots))]
                self._complete.set()
                await self._played.wait()
                await self._stop(players)
                await self._leave()
                await self._stop(helpers)
        except BaseExceptionGroup as group:
            raise _first_cause(group) from None
        return table

    async def _play(self, seat: int) -> None:
        async with self._clients[seat].play(self._name, on_event=self._seen) as session:
            await self._answer(session, self._bots[seat])

    async def _answer(self, session: Session, bot: Bot) -> None:
        async for decision in session:
            if not await self._may_answer(session.view):
                return
            while _somebody_before(decision, session.view):
                await session.changed()
            if session.view.decision != decision:
                continue
            self._waiting_for = f"{bot.name} to answer in {decision.phase}"
            move = bot.decide(decision, session.view)
            self.tally.answered(decision, move)
            with contextlib.suppress(StaleDecisionError):  # the clock was faster
                await session.act(decision, move.action, to=move.to, cards=move.cards)

    async def _may_answer(self, view: TableView) -> bool:
        """Wait until the table is complete and counted; False when the match is over."""
        hand = view.hand
        if hand is None or hand.number > self._hands:
            self._played.set()
        elif view.version >= self._purchase_version:
            # The events told it already, unless they were replaced by a snapshot.
            self._buy(s.seat for s in view.seats.values() if _is_bust(s) and s.seat not in hand.players)
        await self._complete.wait()
        while view.version - self._counted_version > _MOST_AHEAD:
            self._counted.clear()
            await self._counted.wait()
        return not self._played.is_set()

    def _seen(self, event: events_pb2.TableEvent, view: TableView) -> None:
        """What a player is told: whoever has lost his last chip buys before play goes on."""
        if event.WhichOneof("event") != "hand_ended" or event.hand_ended.hand_number <= self._ended_hand:
            return
        self._ended_hand = event.hand_ended.hand_number
        bust = [seat.seat for seat in view.seats.values() if _is_bust(seat)]
        if self._ended_hand >= self._hands or (not self._may_buy and len(view.seats) - len(bust) < 2):
            self._played.set()
        else:
            self._buy(bust)

    def _buy(self, seats: Iterable[int]) -> None:
        """Let those who are out of chips buy more, in the order of their seats."""
        bust = sorted(seats)
        if bust and self._may_buy and self._complete.is_set():
            self._complete.clear()
            self._tasks.create_task(self._buy_for(bust))

    async def _buy_for(self, seats: list[int]) -> None:
        for seat in seats:
            self._waiting_for = f"{self._bots[seat].name} to buy chips"
            bought = await self._clients[seat].add_chips(self._name)
            self._purchase_version = bought.table.version
        self._complete.set()

    async def _count(self) -> None:
        """Follow the table as its maker and count what happens."""
        async for update in self._clients[0].watch(self._name):
            if update.is_snapshot and self._counted_version:
                raise MatchFailedError("the server left out events, so that the match cannot be counted")
            self._last_event = time.monotonic()
            for event in update.events:
                self.tally.happened(event, within=self._hands)
            self._counted_version = update.view.version
            self._counted.set()
            if update.view.seats:
                self._empty.clear()
            else:
                self._empty.set()

    async def _leave(self) -> None:
        self._waiting_for = "everybody to leave"
        for client in self._clients:
            await client.leave(self._name)
        await self._empty.wait()
        await self._clients[0].close_table(self._name)

    async def _stop(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch_over(self) -> None:
        while True:
            await asyncio.sleep(0.5)
            if self._on_progress is not None:
                self._on_progress(self.tally.hands)
            if time.monotonic() - self._last_event > self._stuck_after:
                raise MatchFailedError(
                    f"nothing has happened for {self._stuck_after:.0f} s; waiting for {self._waiting_for}"
                )


def _is_bust(seat: SeatView) -> bool:
    return not seat.stack and not seat.pending


def _somebody_before(decision: Decision, view: TableView) -> bool:
    """Whether a lower seat is asked too: where several are, they answer in turn, always in one order."""
    asked = view.hand.asked if view.hand is not None else {}
    return decision.seat in asked and min(asked) < decision.seat


def _first_cause(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first failure inside a group: one sentence for people instead of a tree."""
    first = group.exceptions[0]
    return _first_cause(first) if isinstance(first, BaseExceptionGroup) else first
