"""Counted facts about decks: how often hands come, who may open, and where usual explanations are wrong.

Sources: ``frequencies()`` counts every hand of the deck when an evaluator's tables are built; the claims are
those made for these rankings in descriptions of the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from turkpoker.evaluator.rulesets import OPENING_REQUIREMENTS, Category

if TYPE_CHECKING:
    from turkpoker.evaluator.evaluator import Evaluator

_STRAIGHTS = (Category.STRAIGHT, Category.MINOR_STRAIGHT)


@dataclass(frozen=True, slots=True)
class FrequencyRow:
    """One category of a deck."""

    category: Category
    hands: int
    share: Fraction
    """``hands`` of all hands of the deck."""
    this_or_better: Fraction
    """The chance of this category or one that ranks above it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A common explanation of the ranking, held against the counts."""

    name: str
    """``flush_rarer_than_full_house``, ``three_of_a_kind_rarer_than_straights`` or
    ``four_of_a_kind_rarer_than_flush``."""
    rarer: int
    commoner: int
    """The two counts: the claim is that the first is the smaller one."""
    true: bool
    text: str
    """The finding as an English sentence with its numbers."""


@dataclass(frozen=True, slots=True)
class OrderFault:
    """A category that ranks above another although it comes more often."""

    stronger: Category
    weaker: Category
    stronger_hands: int
    weaker_hands: int


def hand_count(evaluator: Evaluator) -> int:
    """All five-card hands of the deck."""
    return comb(evaluator.deck_size, 5)


def frequency_rows(evaluator: Evaluator) -> list[FrequencyRow]:
    """The categories that exist under this evaluator, strongest first."""
    total, so_far, rows = hand_count(evaluator), 0, []
    for category, hands in evaluator.frequencies().items():
        so_far += hands
        if hands:
            rows.append(FrequencyRow(category, hands, Fraction(hands, total), Fraction(so_far, total)))
    return rows


def opening_hands(evaluator: Evaluator) -> dict[str, int]:
    """How many hands of the deck meet each opening requirement: none (all), J, Q, K, A."""
    counts = evaluator.frequencies()
    ranks = evaluator.deck_size // 4
    # Every rank pairs equally often, so each step up loses the same number of hands.
    of_one_rank = counts[Category.PAIR] // ranks
    better = hand_count(evaluator) - counts[Category.HIGH_CARD] - counts[Category.PAIR]
    return {
        requirement: hand_count(evaluator) if requirement == "none" else better + of_one_rank * (5 - place)
        for place, requirement in enumerate(OPENING_REQUIREMENTS)
    }


def opening_chances(evaluator: Evaluator) -> dict[str, Fraction]:
    """The chance that five dealt cards meet each opening requirement."""
    return {name: Fraction(hands, hand_count(evaluator)) for name, hands in opening_hands(evaluator).items()}


def claims(evaluator: Evaluator) -> list[Claim]:
    """Usual explanations of these rankings, and whether they hold in this deck."""
    counts = evaluator.frequencies()
    straights = sum(counts[category] for category in _STRAIGHTS)
    flush, three = counts[Category.FLUSH], counts[Category.THREE_OF_A_KIND]
    four = counts[Category.FOUR_OF_A_KIND]
    return [
        _claim("flush_rarer_than_full_house", "a flush", flush, "a full house", counts[Category.FULL_HOUSE]),
        _claim("three_of_a_kind_rarer_than_straights", "three of a kind", three, "all straights", straights),
        _claim("four_of_a_kind_rarer_than_flush", "four of a kind", four, "a flush", flush),
    ]


def order_faults(evaluator: Evaluator) -> list[OrderFault]:
    """Every pair of categories that the ranking puts against their rarity, strongest first.

    The minor runs and the royal flush are left out: they are parts of a kind of hand, not kinds of their own.
    """
    parts = (Category.ROYAL_FLUSH, Category.MINOR_STRAIGHT_FLUSH, Category.MINOR_STRAIGHT)
    counts = [(c, n) for c, n in evaluator.frequencies().items() if c not in parts]
    faults = []
    for place, (stronger, many) in enumerate(counts):
        for weaker, few in counts[place + 1 :]:
            if few < many:
                faults.append(OrderFault(stronger, weaker, many, few))
    return faults


def _claim(name: str, first: str, rarer: int, second: str, commoner: int) -> Claim:
    holds = rarer < commoner
    finding = "is rarer than" if holds else "is not rarer than"
    return Claim(
        name, rarer, commoner, holds, f"{first} {finding} {second}: {rarer} against {commoner} hands"
    )
