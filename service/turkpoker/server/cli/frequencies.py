"""``turkpoker frequencies``: how many hands of each category a deck has."""

from __future__ import annotations

import json

import click
from turkpoker.evaluator import claims, frequency_rows, opening_chances
from turkpoker.evaluator.names import hand_name, rank_name, word
from turkpoker.server.cli.columns import print_table
from turkpoker.server.cli.hands import evaluator_options, make_evaluator, settings_json


@click.command("frequencies")
@evaluator_options
def command(
    *, deck: str, ranking: str, no_minor: bool, suits: bool, suit_order: str, lang: str, as_json: bool
) -> None:
    """Count the five-card hands of each category in a deck, strongest first.

    Tells also how often five dealt cards may open, and which usual explanations of the ranking hold in this
    deck.
    """
    evaluator = make_evaluator(deck, ranking, no_minor, suits, suit_order)
    counts = evaluator.frequencies()
    total = sum(counts.values())
    if as_json:
        result = {
            "settings": settings_json(evaluator),
            "levels": evaluator.levels,
            "total": total,
            "frequencies": {str(category): count for category, count in counts.items()},
        }
        click.echo(json.dumps(result))
        return
    rows = [
        (
            hand_name(row.category, lang),
            f"{row.hands:,}",
            f"{100 * float(row.share):.4f} %",
            f"{100 * float(row.this_or_better):.4f} %",
        )
        for row in frequency_rows(evaluator)
    ]
    rows.append(("", f"{total:,}", f"{evaluator.levels:,} ({word('strength', lang)})", ""))
    headings = ("category", "hands", "share", "cumulative")
    print_table([word(name, lang) for name in headings], rows)
    click.echo()
    chances = opening_chances(evaluator)
    requirements = [
        (word("none", lang) if rank == "none" else rank_name(rank, lang), f"{100 * float(chance):.2f} %")
        for rank, chance in chances.items()
    ]
    print_table([word("opening", lang), word("share", lang)], requirements)
    if lang == "en":
        click.echo()
        for claim in claims(evaluator):
            click.echo(f"{'true ' if claim.true else 'FALSE'}  {claim.text}")
