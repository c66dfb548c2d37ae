"""Openers: which dealt hands may open, whether kept cards still would, and what is shown to prove it."""

from __future__ import annotations

from collections.abc import Sequence

from turkpoker.evaluator import Evaluator

RANKS = "23456789TJQKA"


def opens(hand: Sequence[int], requirement: int | None, evaluator: Evaluator) -> bool:
    """Whether five dealt cards may open.

    Args:
        hand: five card ids.
        requirement: the rank of the lowest pair that opens, ``None`` when any hand does.
        evaluator: the table's, for its categories (without minor straights the ace-low run does not open).
    """
    return requirement is None or evaluator.opens(hand, RANKS[requirement])


def paired_openers(hand: Sequence[int], requirement: int) -> tuple[int, ...]:
    """The cards that open by their ranks alone, the smallest such part, those dealt first; empty if none.

    A pair of the required rank or above (the lowest of several), else three alike, else two pair.
    """
    by_rank: dict[int, list[int]] = {}
    for card in hand:
        by_rank.setdefault(card >> 2, []).append(card)
    if len(by_rank) == len(hand):
        return ()
    pairs = [rank for rank, cards in by_rank.items() if len(cards) > 1]
    high = [rank for rank in pairs if rank >= requirement]
    if high:
        return tuple(by_rank[min(high)][:2])
    for rank in pairs:
        if len(by_rank[rank]) > 2:
            return tuple(by_rank[rank][:3])
    if len(pairs) == 2:
        return tuple(card for card in hand if card >> 2 in pairs)
    return ()


def proof(hand: Sequence[int], requirement: int) -> tuple[int, ...]:
    """What an opener with these dealt cards shows: openers by rank, else (a run, a flush) all five."""
    return paired_openers(hand, requirement) or tuple(hand)


def splits(kept: Sequence[int], requirement: int | None) -> bool:
    """Whether an opener who keeps these cards splits his openers; who stands pat never does."""
    return requirement is not None and len(kept) < 5 and not paired_openers(kept, requirement)
