"""What an honest dealer passes and a bad one does not. Each check takes what makes a dealer, and says what is
wrong, or nothing.

The limits are such that a dealer who deals every order with the same chance is blamed by one check once in
about a million runs.
"""

from __future__ import annotations

import hashlib
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

from turkpoker.evaluator import deck_cards
from turkpoker.table.ports import Dealer, ShuffleContext

Cards = tuple[int, ...]
Make = Callable[[], Dealer]
#: So far from the mean, in standard deviations, an honest dealer comes once in a million runs (both sides).
FAR = 4.9
TABLE = "5fd1c07a9be24431"


def context_of(number: int, table_id: str = TABLE) -> ShuffleContext:
    return ShuffleContext(table_id, number, 1, "deal")


def decks_of(dealer: Dealer, size: int, count: int) -> list[Cards]:
    """So many decks of so many cards, one hand after the other."""
    cards = deck_cards(size)
    return [dealer.shuffle(cards, context_of(number)) for number in range(1, count + 1)]


def wrong_cards(make: Make) -> str | None:
    """Every deck holds every card once."""
    for size in (24, 28, 32, 36, 40, 44, 48, 52):
        for deck in decks_of(make(), size, 20):
            if sorted(deck) != sorted(deck_cards(size)):
                return f"a deck of {size} lacks a card or holds one twice"
    return None


class Chi:
    """Card against position: how often each card came to each place.

    Attributes:
        statistic: the sum of squared differences from the mean, over the mean.
        freedom: its degrees of freedom.
        low, high: between these it lies for an honest dealer, but for one run in a million.
    """

    def __init__(self, decks: Iterable[Cards], size: int) -> None:
        first = 52 - size
        counts = [[0] * size for _ in range(size)]
        self.decks = 0
        for deck in decks:
            self.decks += 1
            for row, card in zip(counts, deck, strict=True):
                row[card - first] += 1
        mean = self.decks / size
        self.statistic = sum((count - mean) ** 2 for row in counts for count in row) / mean
        # Rows and columns have fixed sums.
        self.freedom = (size - 1) ** 2
        # Of a permutation matrix the variance of a cell is larger than that of independent cells by
        # size / (size - 1), which this takes back.
        self.statistic *= (size - 1) / size
        self.low, self.high = (_quantile(self.freedom, z) for z in (-FAR, FAR))

    @property
    def fault(self) -> str | None:
        if self.low <= self.statistic <= self.high:
            return None
        return f"chi-square {self.statistic:.0f} is not in {self.low:.0f} .. {self.high:.0f}"


def _quantile(freedom: int, z: float) -> float:
    """The value that chi-square exceeds as rarely as a normal variable exceeds z (Wilson and Hilferty)."""
    part = 2 / (9 * freedom)
    return freedom * float((1 - part + z * math.sqrt(part)) ** 3)


def uneven(make: Make, size: int = 36, count: int = 6000) -> str | None:
    """Each card comes to each place equally often."""
    return Chi(decks_of(make(), size, count), size).fault


def kept_from_before(make: Make, size: int = 36, count: int = 3000) -> str | None:
    """A deck tells nothing of the one before, nor of the order the cards lay in: places, neighbours, and
    orders of neighbours that two of them share are as many as chance has it.
    """
    decks = [deck_cards(size), *decks_of(make(), size, count)]
    for name, pairs in (
        ("the one before", list(pairwise(decks[1:]))),
        ("the unshuffled cards", [(decks[0], deck) for deck in decks[1:]]),
    ):
        same_place = sum(a == b for before, deck in pairs for a, b in zip(before, deck, strict=True))
        neighbours = 0
        for before, deck in pairs:
            after = dict(pairwise(before))
            neighbours += sum(after.get(a) == b for a, b in pairwise(deck))
        rises = 0
        for before, deck in pairs:
            rank = {card: place for place, card in enumerate(before)}
            rises += sum(rank[a] < rank[b] for a, b in pairwise(deck))
        # For one pair of decks places and neighbours are about Poisson, and rises have their known variance.
        count_ = len(pairs)
        for what, found, mean, variance in (
            ("places", same_place, count_, count_),
            ("neighbours", neighbours, count_ * (size - 1) / size, count_ * (size - 1) / size),
            ("orders of neighbours", rises, count_ * (size - 1) / 2, count_ * (size + 1) / 12),
        ):
            if abs(found - mean) > FAR * math.sqrt(variance):
                return f"a deck shares {found} {what} with {name}, not about {mean:.0f}"
    return None


def dealt_twice(make: Make, count: int = 3000) -> str | None:
    """No order comes twice: with 2**64 or more there would be no chance, with 2**16 there are many."""
    decks = decks_of(make(), 24, count)
    if len(set(decks)) < count:
        return f"{count - len(set(decks))} of {count} decks came before"
    return None


def alike(make: Make, count: int = 2000) -> str | None:
    """Dealers that start at the same time do not deal alike."""
    firsts = [decks_of(make(), 36, 1)[0] for _ in range(count)]
    if len(set(firsts)) < count:
        return f"{count - len(set(firsts))} of {count} dealers that started together dealt alike"
    return None


def of_global_seed(make: Make) -> str | None:
    """Who seeds the library's generator does not seed the dealer."""
    state = random.getstate()
    try:
        decks = []
        for _ in range(2):
            random.seed(5)
            decks.append(decks_of(make(), 36, 1)[0])
    finally:
        random.setstate(state)
    return "the library's seed is the dealer's" if decks[0] == decks[1] else None


def guessed(make: Make) -> str | None:
    """No value that a client knows gives the deck again (case X15): the name of the table, the number of the
    hand, the time in seconds or milliseconds, and what people make of them.
    """
    started = time.time()
    context = context_of(7)
    cards = deck_cards(36)
    deck = make().shuffle(cards, context)
    seconds = range(int(started) - 2, int(time.time()) + 3)
    milliseconds = range(int(started * 1000) - 50, int(time.time() * 1000) + 50)
    clocks = [*seconds, *milliseconds]
    seeds: list[int | str] = [*clocks, 0, 1, context.hand_number, context.table_id]
    seeds += [f"{context.table_id}{joint}{context.hand_number}" for joint in ("", "-", "/", ":")]
    seeds += [f"{context.table_id}{joint}{clock}" for clock in clocks for joint in ("", "-", "/", ":")]
    seeds += [int(context.table_id, 16) + clock for clock in seconds]
    seeds += [int(hashlib.sha256(f"{context.table_id}{clock}".encode()).hexdigest(), 16) for clock in seconds]
    for seed in seeds:
        generator = random.Random(seed)
        order = list(cards)
        generator.shuffle(order)
        if tuple(order) == deck or tuple(random.Random(seed).sample(cards, len(cards))) == deck:
            return "a seed that every client knows gives the deck"
    return None


_FORK = """
import os, sys
from {module} import {name}
from dealer_battery import decks_of

dealer = {name}()
decks_of(dealer, 36, 1)  # it is in use before the fork, as in a server
out, into = os.pipe()
if os.fork() == 0:
    os.write(into, repr(decks_of(dealer, 36, 3)).encode())
    os._exit(0)
own = repr(decks_of(dealer, 36, 3))
os.close(into)
with os.fdopen(out) as pipe:
    print(pipe.read() == own)
os.wait()
"""


def same_after_fork(module: str, name: str) -> str | None:
    """A forked process does not deal what its parent deals. Told in a process of its own, since one that has
    used gRPC is not to be forked.

    Args:
        module: where what makes the dealer is found.
        name: what makes the dealer.
    """
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", _FORK.format(module=module, name=name)],
        env={**os.environ, "PYTHONPATH": str(here)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return {"True": "a forked process deals like its parent", "False": None}[done.stdout.strip()]


CHECKS: dict[str, Callable[[Make], str | None]] = {
    check.__name__: check
    for check in (
        wrong_cards,
        uneven,
        kept_from_before,
        dealt_twice,
        alike,
        of_global_seed,
        guessed,
    )
}
