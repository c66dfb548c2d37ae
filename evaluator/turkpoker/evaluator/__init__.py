"""Poker hands on stripped decks: strengths, categories, odds of a draw, facts and names."""

from turkpoker.evaluator._kernels import card_ids
from turkpoker.evaluator._kernels import kernel_name as _kernel_name
from turkpoker.evaluator.cards import (
    DECK_SIZES,
    RANKS,
    SUITS,
    card_rank,
    card_suit,
    deck_cards,
    format_card,
    format_cards,
    parse_cards,
    smallest_deck,
)
from turkpoker.evaluator.draws import DiscardOdds, HandRange, SampledOdds, sampled_odds
from turkpoker.evaluator.evaluator import Evaluator
from turkpoker.evaluator.facts import claims, frequency_rows, opening_chances, opening_hands, order_faults
from turkpoker.evaluator.rulesets import LOW_QUALIFIERS, OPENING_REQUIREMENTS, RANKINGS, Category, Ruleset

__all__ = [
    "DECK_SIZES",
    "LOW_QUALIFIERS",
    "OPENING_REQUIREMENTS",
    "RANKINGS",
    "RANKS",
    "SUITS",
    "Category",
    "DiscardOdds",
    "Evaluator",
    "HandRange",
    "Ruleset",
    "SampledOdds",
    "card_ids",
    "card_rank",
    "card_suit",
    "claims",
    "deck_cards",
    "format_card",
    "format_cards",
    "frequency_rows",
    "kernel",
    "opening_chances",
    "opening_hands",
    "order_faults",
    "parse_cards",
    "sampled_odds",
    "smallest_deck",
]


def __getattr__(name: str) -> str:
    # `kernel` names the batch path in use; tests and benchmarks change it while they run.
    if name == "kernel":
        return _kernel_name()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
