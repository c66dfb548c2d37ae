"""``turkpoker rules``: what is played, as a page for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

import click
from rich.console import Console
from rich.markdown import Markdown
from turkpoker.engine import OPTIONS, PROFILES, Rules, RulesError
from turkpoker.engine.explain import LANGUAGES, explain

_LINE = 100


@click.command("rules")
@click.option("--profile", default="turkish", show_default=True, help=f"One of {', '.join(PROFILES)}.")
@click.option(
    "--option", "options", metavar="NAME=VALUE", multiple=True, help="Change an option; repeatable."
)
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the page."
)
@click.option("--list", "list_options", is_flag=True, help="List the options with their values instead.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def command(*, profile: str, options: tuple[str, ...], lang: str, list_options: bool, as_json: bool) -> None:
    """Explain a table's rules: who opens, which hand beats which, how the draw goes."""
    try:
        rules = Rules.profile(profile, **read_options(options))
    except RulesError as error:
        raise click.UsageError(str(error)) from None
    if list_options:
        values = {name: rules.option(name) for name in OPTIONS}
        if as_json:
            click.echo(json.dumps({"profile": profile, "options": values}))
            return
        for name, value in values.items():
            click.echo(f"{name} = {json.dumps(value)}  ({OPTIONS[name].values})")
        return
    try:
        page = explain(rules, lang)
    except RulesError as error:  # a level of a tournament that cannot be played
        raise click.UsageError(str(error)) from None
    if as_json:
        result = {
            "profile": profile,
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


def read_options(pairs: Iterable[str]) -> dict[str, str]:
    """Options from NAME=VALUE words; bad ones end the command."""
    options: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise click.UsageError(f"an option is NAME=VALUE, not {pair!r}")
        if name in options:
            raise click.UsageError(f"{name} is given twice")
        options[name] = value
    return options
