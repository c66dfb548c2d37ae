"""What a bot makes of five cards: a rough place among all hands of the deck, and what to throw.

This is a player's judgement, not the evaluator: kickers count only roughly and suits not at all.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
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
    near: cards (wire) that make four to a flush or to a run open on some end; empty if there are none.
    """

    kind: str
    place: float
    groups: tuple[int, ...]
    near: tuple[int, ...]


def judge(cards: Sequence[int], deck: int, ranking: int = rules_pb2.RANKING_TURKISH) -> Judgement:
    """Judge five cards (wire) of a deck of 24 to 52 cards."""
    ranks = sorted((rank_of(card) for card in cards), reverse=True)
    counts = Counter(ranks)
    groups = tuple(sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True))
    shape = tuple(sorted(counts.values(), reverse=True))
    run_top = _run_top(ranks, deck)
    suited = len({suit_of(card) for card in cards}) == 1
    kind = _kind(shape, run=run_top is not None, suited=suited)
    lowest = 13 - deck // 4
    inside = _inside(kind, groups, run_top, lowest)
    below, share = _places(deck, ranking == rules_pb2.RANKING_STANDARD)[kind]
    return Judgement(kind, below + share * inside, groups, _near(cards))


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


def _run_top(ranks: list[int], deck: int) -> int | None:
    """The top rank of a run (the ace-low one counts below all others), None without a run."""
    if len(set(ranks)) < 5:
        return None
    if ranks[0] - ranks[4] == 4:
        return ranks[0]
    lowest = 13 - deck // 4
    if ranks[0] == ACE and ranks[1] == lowest + 3:
        return lowest + 3
    return None


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


def _near(cards: Sequence[int]) -> tuple[int, ...]:
    suits = Counter(suit_of(card) for card in cards)
    suit, most = suits.most_common(1)[0]
    if most == 4:
        return tuple(card for card in cards if suit_of(card) == suit)
    by_rank = {rank_of(card): card for card in cards}
    ladder = sorted(by_rank)
    for start in range(len(ladder) - 3):
        four = ladder[start : start + 4]
        # Below the lowest rank the ace may stand, above the ace nothing.
        if four[3] - four[0] == 3 and four[3] < ACE:
            return tuple(by_rank[rank] for rank in four)
    return ()


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
