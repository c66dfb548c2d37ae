"""``turkpoker frequencies``: how many hands of each category a deck has."""

from __future__ import annotations

import json

import click
from turkpoker.server.cli.hands import evaluator_options, make_evaluator, settings_json


@click.command("frequencies")
@evaluator_options
def command(*, deck: str, ranking: str, no_minor: bool, suits: bool, suit_order: str, as_json: bool) -> None:
    """Count the five-card hands of each category in a deck, strongest first."""
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
    click.echo(f"{deck} cards, {ranking} ranking: {total:,} hands, {evaluator.levels:,} strengths")
    for category, count in counts.items():
        name = str(category).replace("_", " ")
        click.echo(f"  {name:<21}{count:>10,}{100 * count / total:>10.4f} %")
