# ruff: noqa: N802 - the methods are named by the contract
"""EvaluatorService: what hands are worth. Needs no token and no store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from typing import Any, TypeVar

from turkpoker.evaluator import Evaluator, Ruleset
from turkpoker.server.errors import ServiceError, invalid
from turkpoker.server.interceptors import Context
from turkpoker.server.wire.cards import cards_from_wire, cards_to_wire, category_to_wire
from turkpoker.server.wire.evaluations import check_in_deck, hand_from_wire, ruleset_from_wire
from turkpoker.v1 import evaluator_service_pb2 as pb
from turkpoker.v1.evaluator_service_pb2_grpc import EvaluatorServiceServicer

T = TypeVar("T")
_DEFAULT_DRAW_MAX = 4
# Up to so many hands are done faster than a thread is woken.
_HANDS_ON_THE_LOOP = 1000


class EvaluatorService(EvaluatorServiceServicer):
    """Answers from ``turkpoker.evaluator``; whatever takes longer runs in threads, off the event loop.

    Args:
        max_batch_hands: the most hands of one BatchEvaluateHands.
        workers: threads; the evaluator releases the interpreter's lock in its long loops.
    """

    def __init__(self, max_batch_hands: int, workers: int = 2) -> None:
        self._max_batch_hands = max_batch_hands
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="evaluator")
        self._ready: dict[Ruleset, Evaluator] = {}

    def close(self) -> None:
        """Give the threads back."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def EvaluateHand(
        self, request: pb.EvaluateHandRequest, context: Context
    ) -> pb.EvaluateHandResponse:
        """Strength and category of one hand."""
        ruleset = ruleset_from_wire(request.settings)
        cards = hand_from_wire(request, ruleset)
        evaluator = await self._evaluator(ruleset)
        strength = evaluator.strength(cards)
        return pb.EvaluateHandResponse(
            strength=strength,
            category=category_to_wire(evaluator.category(strength)),
            levels=evaluator.levels,
        )

    async def BatchEvaluateHands(
        self, request: pb.BatchEvaluateHandsRequest, context: Context
    ) -> pb.BatchEvaluateHandsResponse:
        """Strengths of packed hands, packed."""
        ruleset = ruleset_from_wire(request.settings)
        hands = request.hands
        count, rest = divmod(len(hands), 5)
        if rest:
            raise invalid("hands", f"five bytes a hand: {len(hands)} is no multiple of five")
        if count > self._max_batch_hands:
            message = f"{count} hands are more than {self._max_batch_hands} in one call: send several"
            raise invalid("hands", message, max=str(self._max_batch_hands))
        evaluator = await self._evaluator(ruleset)
        if count == 0:
            return pb.BatchEvaluateHandsResponse(levels=evaluator.levels)

        def work() -> bytes:
            return packed_strengths(evaluator, hands)

        try:
            strengths = work() if count <= _HANDS_ON_THE_LOOP else await self._off_the_loop(work)
        except ValueError as error:
            raise invalid("hands", str(error)) from None
        return pb.BatchEvaluateHandsResponse(strengths=strengths, levels=evaluator.levels)

    async def AnalyzeDraw(self, request: pb.AnalyzeDrawRequest, context: Context) -> pb.AnalyzeDrawResponse:
        """What each permitted discard is worth."""
        ruleset = ruleset_from_wire(request.settings)
        cards = hand_from_wire(request, ruleset)
        dead = cards_from_wire(request.dead, "dead")
        check_in_deck(dead, ruleset, "dead")
        if set(dead) & set(cards):
            raise invalid("dead", "a card of the hand cannot be dead as well")
        draw_max = request.draw_max or _DEFAULT_DRAW_MAX
        if not 1 <= draw_max <= 5:
            raise invalid("draw_max", "draw_max must lie between 1 and 5")
        evaluator: Any = await self._evaluator(ruleset)
        if not hasattr(evaluator, "odds"):
            message = "this build of the evaluator does not analyse draws"
            raise ServiceError("NOT_CARRIED_OUT", message, metadata={"method": "AnalyzeDraw"})
        try:
            found = await self._off_the_loop(lambda: evaluator.odds(cards, dead=dead, draw_max=draw_max))
        except ValueError as error:
            raise invalid("dead", str(error)) from None
        return pb.AnalyzeDrawResponse(discards=[discard_to_wire(each) for each in found])

    async def GetFrequencies(
        self, request: pb.GetFrequenciesRequest, context: Context
    ) -> pb.GetFrequenciesResponse:
        """How many hands of each category a deck has."""
        evaluator = await self._evaluator(ruleset_from_wire(request.settings))
        counts = await self._off_the_loop(evaluator.frequencies)
        return pb.GetFrequenciesResponse(
            categories=[
                pb.CategoryCount(category=category_to_wire(category), count=count)
                for category, count in counts.items()
            ],
            total=sum(counts.values()),
            levels=evaluator.levels,
        )

    async def _evaluator(self, ruleset: Ruleset) -> Evaluator:
        ready = self._ready.get(ruleset)
        if ready is None:
            # Making the tables takes tens of milliseconds, in which no player should have to wait.
            ready = await self._off_the_loop(lambda: Evaluator(*astuple(ruleset)))
            self._ready[ruleset] = ready
        return ready

    async def _off_the_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)


def packed_strengths(evaluator: Evaluator, hands: bytes) -> bytes:
    """Strengths of packed hands as little-endian uint16.

    Raises:
        ValueError: a hand is bad; the message names the first one.
    """
    rows = memoryview(hands).cast("B", (len(hands) // 5, 5))
    return memoryview(evaluator.strengths(rows)).cast("B").tobytes()


def discard_to_wire(odds: Any) -> pb.DiscardOdds:
    """One line of the draw odds."""
    return pb.DiscardOdds(
        discard=cards_to_wire(odds.discard),
        win=odds.win,
        tie=odds.tie,
        loss=odds.loss,
        equity=float(odds.equity),
        categories=[
            pb.CategoryCount(category=category_to_wire(category), count=count)
            for category, count in odds.categories.items()
        ],
    )
