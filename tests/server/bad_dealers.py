"""Dealers with the faults that real ones had, for the battery in dealer_battery.py to catch."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable

from turkpoker.table.ports import ShuffleContext

Cards = tuple[int, ...]


class NaiveSwaps:
    """Swaps each place with any other: n to the power of n ways do not fall evenly on n! orders."""

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        order = list(cards)
        for place in range(len(order)):
            other = secrets.randbelow(len(order))
            order[place], order[other] = order[other], order[place]
        return tuple(order)


class OneTooFew:
    """Never leaves a card where it is (Sattolo's algorithm): an off-by-one in the range."""

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        order = list(cards)
        for last in range(len(order) - 1, 0, -1):
            chosen = secrets.randbelow(last)
            order[last], order[chosen] = order[chosen], order[last]
        return tuple(order)


class Remainders:
    """Takes the remainder of a random byte, which favours low places."""

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        order = list(cards)
        for last in range(len(order) - 1, 0, -1):
            chosen = secrets.token_bytes(1)[0] % (last + 1)
            order[last], order[chosen] = order[chosen], order[last]
        return tuple(order)


class SortedByCoarseKeys:
    """Sorts by random keys that are often equal, and then leaves the cards as they were."""

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        return tuple(sorted(cards, key=lambda _: secrets.randbelow(64)))


class OfGenerator:
    """Deals from a generator of its own."""

    def __init__(self, generator: random.Random) -> None:
        self._generator = generator

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        order = list(cards)
        self._generator.shuffle(order)
        return tuple(order)


def of_seconds() -> OfGenerator:
    """Seeded with the second of the start."""
    return OfGenerator(random.Random(int(time.time())))


def of_milliseconds() -> OfGenerator:
    """Seeded with the millisecond of the start."""
    return OfGenerator(random.Random(int(time.time() * 1000)))


def of_process() -> OfGenerator:
    """Seeded well, but with a state that a fork copies."""
    return OfGenerator(random.Random(secrets.randbits(256)))


def of_sixteen_bits() -> OfGenerator:
    """Seeded well, but with too little."""
    return OfGenerator(random.Random(secrets.randbelow(2**16)))


class OfSixteenBits:
    """A new small seed for each deck."""

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        return OfGenerator(random.Random(secrets.randbelow(2**16))).shuffle(cards, context)


class OfTableAndTime:
    """Seeded for each deck with the table's name and the time, which every client knows (case X15)."""

    def __init__(self, clock: Callable[[], int] = lambda: int(time.time())) -> None:
        self._clock = clock

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        return OfGenerator(random.Random(f"{context.table_id}{self._clock()}")).shuffle(cards, context)


class OfHandNumber:
    """Seeded with what is in the context alone."""

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        return OfGenerator(random.Random(f"{context.table_id}-{context.hand_number}")).shuffle(cards, context)


class OfLibrary:
    """Uses the generator of the whole process, which anybody in it may seed."""

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        order = list(cards)
        random.shuffle(order)
        return tuple(order)


class SameAgain:
    """Shuffles once and deals the same order in every hand."""

    def __init__(self) -> None:
        self._order: dict[Cards, Cards] = {}

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        return self._order.setdefault(cards, tuple(random.SystemRandom().sample(cards, len(cards))))


class OnlyCuts:
    """Shuffles once and only cuts the deck from then on."""

    def __init__(self) -> None:
        self._order: Cards = ()

    def shuffle(self, cards: Cards, context: ShuffleContext) -> Cards:
        if sorted(self._order) != sorted(cards):
            self._order = tuple(random.SystemRandom().sample(cards, len(cards)))
        cut = secrets.randbelow(len(cards))
        self._order = self._order[cut:] + self._order[:cut]
        return self._order
