"""Poker hands on stripped decks: strengths, categories, odds of a draw, facts and names."""

from turkpoker.evaluator._kernels import kernel_name as _kernel_name
from turkpoker.evaluator.cards import (
    DECK_SIZES,
    card_rank,
    card_suit,
    deck_cards,
    format_card,
    format_cards,
    parse_cards,
    smallest_deck,
)
from turkpoker.evaluator.evaluator import Evaluator
from turkpoker.evaluator.rulesets import LOW_QUALIFIERS, OPENING_REQUIREMENTS, RANKINGS, Category, Ruleset

__all__ = [
    "DECK_SIZES",
    "LOW_QUALIFIERS",
    "OPENING_REQUIREMENTS",
    "RANKINGS",
    "Category",
    "Evaluator",
    "Ruleset",
    "card_rank",
    "card_suit",
    "deck_cards",
    "format_card",
    "format_cards",
    "kernel",
    "parse_cards",
    "smallest_deck",
]


def __getattr__(name: str) -> str:
    # `kernel` names the batch path in use; tests and benchmarks change it while they run.
    if name == "kernel":
        return _kernel_name()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
