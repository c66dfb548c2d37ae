"""``turkpoker evaluate``: what hands are worth."""

from __future__ import annotations

import json

import click
from turkpoker.evaluator import format_cards
from turkpoker.evaluator.names import hand_name, word
from turkpoker.server.cli.columns import print_table
from turkpoker.server.cli.hands import (
    evaluator_options,
    join_hand,
    make_evaluator,
    read_cards,
    settings_json,
    shown_cards,
)


@click.command("evaluate")
@click.argument("hand", nargs=-1, required=True)
@evaluator_options
def command(
    *,
    hand: tuple[str, ...],
    deck: str,
    ranking: str,
    no_minor: bool,
    suits: bool,
    suit_order: str,
    lang: str,
    as_json: bool,
) -> None:
    """Tell category and strength of hands such as "As Kd Td 9c 9h" (10d is understood too).

    Several hands are listed strongest first; a strength runs from 1 to the number of levels, equal ones tie.
    """
    evaluator = make_evaluator(deck, ranking, no_minor, suits, suit_order)
    hands = [read_cards(text, evaluator.deck_size, count=5) for text in join_hand(hand)]
    rated = [(evaluator.strength(cards), cards) for cards in hands]
    if as_json:
        result = {
            "settings": settings_json(evaluator),
            "levels": evaluator.levels,
            "hands": [
                {
                    "cards": format_cards(cards),
                    "category": str(evaluator.category(strength)),
                    "strength": strength,
                }
                for strength, cards in rated
            ],
        }
        click.echo(json.dumps(result))
        return
    rows = [
        (
            shown_cards(cards, lang),
            hand_name(evaluator.category(strength), lang),
            f"{strength} / {evaluator.levels}",
        )
        for strength, cards in sorted(rated, key=lambda pair: -pair[0])
    ]
    print_table([word(name, lang) for name in ("hand", "category", "strength")], rows, numbers_from=2)
