"""``turkpoker rules``: what is played, as a page for people."""

from __future__ import annotations

import json
import sys

import click
from rich.console import Console
from rich.markdown import Markdown
from turkpoker.engine import OPTIONS, Rules, RulesError
from turkpoker.engine.explain import LANGUAGES, explain
from turkpoker.server.cli.options import game_options, read_game

_LINE = 100


@click.command("rules")
@game_options
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the page."
)
@click.option("--list", "list_options", is_flag=True, help="List the options with their values instead.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def command(
    *,
    profile: str | None,
    preset: str | None,
    options: tuple[str, ...],
    lang: str,
    list_options: bool,
    as_json: bool,
) -> None:
    """Explain a table's rules: who opens, which hand beats which, how the draw goes."""
    try:
        game, changes = read_game(profile, preset, options)
        rules = Rules.profile(game, **changes)
    except RulesError as error:
        raise click.UsageError(str(error)) from None
    if list_options:
        values = {name: rules.option(name) for name in OPTIONS}
        if as_json:
            click.echo(json.dumps({"profile": game, "options": values}))
            return
        for name, value in values.items():
            click.echo(f"{name} = {json.dumps(value)}  ({OPTIONS[name].values})")
        return
    page = explain(rules, lang)
    if as_json:
        result = {
            "profile": game,
            "options": rules.to_options(),
            "language": lang,
            "text": page,
            "warnings": rules.warnings,
        }
        click.echo(json.dumps(result, ensure_ascii=False))
        return
    print_page(page)
    for warning in rules.warnings:
        click.echo(f"\n! {warning}")


def print_page(page: str) -> None:
    """Show Markdown: set for a terminal, as it is for a file or a pipe."""
    if sys.stdout.isatty():
        console = Console()
        console.print(Markdown(page), width=min(console.width, _LINE))
    else:
        click.echo(page.rstrip())
