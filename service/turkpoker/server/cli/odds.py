"""``turkpoker odds``: what each discard is worth."""

from __future__ import annotations

import json
from pathlib import Path

import click
from turkpoker.evaluator import format_card, format_cards
from turkpoker.evaluator.names import word
from turkpoker.server.cli.columns import print_table
from turkpoker.server.cli.hands import (
    evaluator_options,
    join_hand,
    make_evaluator,
    read_cards,
    settings_json,
    shown_cards,
)
from turkpoker.server.cli.plot import check_plot_file, draw_odds


@click.command("odds")
@click.argument("hand", nargs=-1, required=True)
@click.option("--dead", default="", help="Further cards that cannot come.")
@click.option(
    "--draw-max", type=click.IntRange(1, 5), default=4, show_default=True, help="The most cards to throw."
)
@click.option("--top", type=click.IntRange(1, 32), default=10, show_default=True, help="Discards to show.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw the chances into FILE (.png or .svg).",
)
@evaluator_options
def command(
    *,
    hand: tuple[str, ...],
    dead: str,
    draw_max: int,
    top: int,
    plot: Path | None,
    deck: str,
    ranking: str,
    no_minor: bool,
    suits: bool,
    suit_order: str,
    lang: str,
    as_json: bool,
) -> None:
    """Tell for a hand such as "As Kd Td 9c 9h" what each discard is worth, best first.

    Wins, ties and losses are exact counts over every draw and every hand of the unseen cards.
    """
    evaluator = make_evaluator(deck, ranking, no_minor, suits, suit_order)
    if plot is not None:
        check_plot_file(plot)
    hands = join_hand(hand)
    if len(hands) != 1:
        raise click.UsageError("odds takes one hand")
    cards = read_cards(hands[0], evaluator.deck_size, count=5)
    dead_cards = read_cards(dead, evaluator.deck_size)
    both = set(cards) & set(dead_cards)
    if both:
        raise click.UsageError(f"{format_card(min(both))} is in the hand and dead as well")
    try:
        found = evaluator.odds(cards, dead=dead_cards, draw_max=draw_max)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    labels = [shown_cards(each.discard, lang) or word("nothing", lang) for each in found]
    if plot is not None:
        title = f"{shown_cards(cards, lang)}, {evaluator.deck_size}"
        wins, ties = (
            [100 * getattr(each, part) / each.total for each in found[:top]] for part in ("win", "tie")
        )
        draw_odds(plot, title, labels[:top], wins, ties)
    if as_json:
        result = {
            "settings": settings_json(evaluator),
            "hand": format_cards(cards),
            "dead": format_cards(dead_cards),
            "discards": [
                {
                    "discard": format_cards(each.discard),
                    "win": each.win,
                    "tie": each.tie,
                    "loss": each.loss,
                    "equity": float(each.equity),
                    "categories": {str(category): count for category, count in each.categories.items()},
                }
                for each in found
            ],
        }
        click.echo(json.dumps(result))
        return
    rows = []
    for discard, each in zip(labels[:top], found, strict=False):
        shares = [f"{100 * part / each.total:.2f} %" for part in (each.win, each.tie, each.loss)]
        rows.append((discard, f"{100 * float(each.equity):.2f} %", *shares))
    headings = ("discard", "equity", "win", "tie", "loss")
    print_table([word(name, lang) for name in headings], rows)
