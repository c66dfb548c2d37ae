"""What a bot makes of five cards: a rough place among all hands of the deck, and what to throw.

This is a player's judgement, not the evaluator: kickers count only roughly and suits not at all.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

from turkpoker.client.cards import rank_of, suit_of
from turkpoker.v1 import rules_pb2

ACE = 12
_ORDER_TURKISH = (
    "high_card",
    "pair",
    "two_pair",
    "straight",
    "three",
    "full_house",
    "flush",
    "four",
    "straight_flush",
)
_ORDER_STANDARD = (
    "high_card",
    "pair",
    "two_pair",
    "three",
    "straight",
    "flush",
    "full_house",
    "four",
    "straight_flush",
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """kind: the name of the hand, without the finer names of runs (`pair`, `straight`, `straight_flush` ...).

    place: the share of all hands of this deck that are weaker, about; 0 to 1.
    groups: its ranks, most repeated and highest first.
    near: four cards (wire) to a flush or a run; empty if there are none.
    hope: the chance that one card completes them.
    """

    kind: str
    place: float
    groups: tuple[int, ...]
    near: tuple[int, ...]
    hope: float


def judge(cards: Sequence[int], deck: int, ranking: int = rules_pb2.RANKING_TURKISH) -> Judgement:
    """Judge five cards (wire) of a deck of 24 to 52 cards."""
    ranks = sorted((rank_of(card) for card in cards), reverse=True)
    counts = Counter(ranks)
    groups = tuple(sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True))
    shape = tuple(sorted(counts.values(), reverse=True))
    run_top = _run_top(set(ranks), deck)
    suited = len({suit_of(card) for card in cards}) == 1
    kind = _kind(shape, run=run_top is not None, suited=suited)
    lowest = 13 - deck // 4
    inside = _inside(kind, groups, run_top, lowest)
    below, share = _places(deck, ranking == rules_pb2.RANKING_STANDARD)[kind]
    return Judgement(kind, below + share * inside, groups, *_near(cards, deck))


def _kind(shape: tuple[int, ...], *, run: bool, suited: bool) -> str:
    if run or suited:
        return "straight_flush" if run and suited else "straight" if run else "flush"
    kinds = {
        (4, 1): "four",
        (3, 2): "full_house",
        (3, 1, 1): "three",
        (2, 2, 1): "two_pair",
        (2, 1, 1, 1): "pair",
    }
    return kinds.get(shape, "high_card")


def _run_top(ranks: set[int], deck: int) -> int | None:
    """The top rank of a run (the ace-low one counts below all others), None without a run."""
    if ranks not in _runs(deck):
        return None
    return max(ranks) if ranks != _runs(deck)[0] else max(ranks - {ACE})


def _inside(kind: str, groups: tuple[int, ...], run_top: int | None, lowest: int) -> float:
    """Where in its kind the hand stands, 0 to 1."""
    width = 13 - lowest
    if run_top is not None:
        return (run_top - lowest - 3) / (width - 3)
    if kind == "high_card":
        top, second = groups[0] - lowest, groups[1] - lowest
        lower, upper = comb(top, 5), comb(top + 1, 5)
        return (lower + (upper - lower) * (second / top) ** 4) / comb(width, 5)
    first = (groups[0] - lowest) / width
    return first + (groups[1] - lowest + 0.5) / width**2


def _near(cards: Sequence[int], deck: int) -> tuple[tuple[int, ...], float]:
    """The four cards that most easily become a flush or a run, and the chance of it; none: ((), 0)."""
    suit, most = Counter(suit_of(card) for card in cards).most_common(1)[0]
    best: tuple[int, ...] = ()
    outs = 0
    if most == 4:
        best, outs = tuple(card for card in cards if suit_of(card) == suit), deck // 4 - 4
    by_rank = {rank_of(card): card for card in cards}
    for four in combinations(sorted(by_rank), 4):
        helping = 4 * sum(len(run - set(four)) == 1 for run in _runs(deck))
        if helping > outs:
            best, outs = tuple(by_rank[rank] for rank in four), helping
    return best, outs / (deck - 5)


@lru_cache(maxsize=64)
def _runs(deck: int) -> tuple[frozenset[int], ...]:
    """The ranks of every run of a deck, the one with the ace below the lowest rank first."""
    lowest = 13 - deck // 4
    minor = frozenset({ACE, *range(lowest, lowest + 4)})
    return (minor, *(frozenset(range(start, start + 5)) for start in range(lowest, ACE - 3)))


@lru_cache(maxsize=64)
def _places(deck: int, standard: bool) -> dict[str, tuple[float, float]]:
    """For each kind the share of hands below it and its own share, from closed counts (ace-low run too)."""
    ranks = deck // 4
    runs = ranks - 3
    counts = {
        "straight_flush": 4 * runs,
        "four": ranks * (ranks - 1) * 4,
        "full_house": ranks * (ranks - 1) * 24,
        "flush": 4 * comb(ranks, 5) - 4 * runs,
        "three": ranks * 4 * comb(ranks - 1, 2) * 16,
        "straight": 1020 * runs,
        "two_pair": comb(ranks, 2) * 36 * (ranks - 2) * 4,
        "pair": ranks * 6 * comb(ranks - 1, 3) * 64,
    }
    total = comb(deck, 5)
    counts["high_card"] = total - sum(counts.values())
    places, below = {}, 0
    for kind in _ORDER_STANDARD if standard else _ORDER_TURKISH:
        places[kind] = (below / total, counts[kind] / total)
        below += counts[kind]
    return places
