"""``turkpoker rules``: what is played, as a page for people."""

from __future__ import annotations

import json
from collections.abc import Iterable

import click
from turkpoker.engine import OPTIONS, PROFILES, Rules, RulesError
from turkpoker.engine.prose import LANGUAGES, rules_page


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
    page = rules_page(rules, lang)
    if as_json:
        result = {
            "profile": profile,
            "options": rules.to_options(),
            "language": lang,
            "sections": [{"heading": heading, "sentences": text} for heading, text in page.sections],
            "warnings": rules.warnings,
        }
        click.echo(json.dumps(result, ensure_ascii=False))
        return
    click.echo(page.text(), nl=False)
    for warning in rules.warnings:
        click.echo(f"\n! {warning}")


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
