"""Options and checks that the commands about hands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click
from turkpoker.evaluator import DECK_SIZES, RANKINGS, Evaluator, format_card, parse_cards, smallest_deck
from turkpoker.evaluator.names import LANGUAGES, card_label

F = TypeVar("F", bound=Callable[..., Any])


def evaluator_options(command: F) -> F:
    """The options that choose an evaluator, the same on every command."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout."),
        click.option(
            "--lang",
            type=click.Choice(LANGUAGES),
            default="en",
            show_default=True,
            help="Language of the table.",
        ),
        click.option(
            "--suit-order", default="hsdc", show_default=True, help="Suits from the top, for --suits."
        ),
        click.option("--suits", is_flag=True, help="Let suits decide between equal hands."),
        click.option("--no-minor", is_flag=True, help="No straights with the ace below the lowest rank."),
        click.option(
            "--ranking",
            type=click.Choice(list(RANKINGS)),
            default="turkish",
            show_default=True,
            help="Which hand beats which.",
        ),
        click.option(
            "--deck",
            type=click.Choice([str(size) for size in DECK_SIZES]),
            default="36",
            show_default=True,
            help="Number of cards.",
        ),
    ):
        command = option(command)
    return command


def make_evaluator(deck: str, ranking: str, no_minor: bool, suits: bool, suit_order: str) -> Evaluator:
    """The evaluator that the options ask for; bad input ends the command."""
    try:
        return Evaluator(int(deck), ranking, not no_minor, suits, suit_order)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def read_cards(text: str, deck: int, *, count: int | None = None) -> tuple[int, ...]:
    """Card ids from text: all in the deck, all different, ``count`` of them; bad input ends the command."""
    try:
        cards = parse_cards(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if count is not None and len(cards) != count:
        raise click.UsageError(f"a hand has {count} cards, {text!r} has {len(cards)}")
    for place, card in enumerate(cards):
        if card in cards[:place]:
            raise click.UsageError(f"{format_card(card)} stands twice in {text!r}")
    missing = [card for card in cards if card < 52 - deck]
    if missing:
        raise click.UsageError(
            f"{format_card(missing[0])} is not in a deck of {deck} cards:"
            f" the smallest deck with these cards is --deck {smallest_deck(cards)}"
        )
    return cards


def settings_json(evaluator: Evaluator) -> dict[str, object]:
    """The settings of an evaluator, under the names of the Python interface."""
    return {
        "deck_size": evaluator.deck_size,
        "ranking": evaluator.ranking,
        "minor_straights": evaluator.minor_straights,
        "suit_tiebreak": evaluator.suit_tiebreak,
        "suit_order": evaluator.suit_order,
    }


def join_hand(words: tuple[str, ...]) -> list[str]:
    """Hands from the words of a command line: unquoted cards are one hand, quoted words are hands each.

    Words of one card each are taken together; everything else stands for itself.
    """
    if len(words) > 1 and all(len(word.strip()) <= 3 for word in words):
        return [" ".join(words)]
    return list(words)


def shown_cards(cards: Iterable[int], lang: str) -> str:
    """Cards for a person: as programs write them in English, with suit signs and the language's letters
    else.
    """
    return " ".join(format_card(card) if lang == "en" else card_label(card, lang) for card in cards)
