"""``turkpoker replay``: recorded hands, played again and compared."""

from __future__ import annotations

import json
import sys
from typing import IO, Any

import click
from turkpoker.engine import HandRecord, RecordError, ReplayReport, replay
from turkpoker.engine.explain import LANGUAGES, tell
from turkpoker.server.cli import EXIT_BAD_INPUT

EXIT_DIFFERS = 1
_HIDDEN = "??"
_PARTIAL = "partial"


@click.command("replay")
@click.argument("file", type=click.File("rb"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each hand.")
@click.option("--story", is_flag=True, help="Tell each hand street by street.")
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the story."
)
def command(file: IO[bytes], *, as_json: bool, story: bool, lang: str) -> None:
    """Play the recorded hands of FILE (- for stdin) and hold each against what it expects.

    FILE holds one hand as a JSON object, or one a line. Exit code: 0 when all are as expected, 1 when one
    differs, 2 when one asks for what is not carried out, or when the file is bad.
    """
    if as_json and story:
        raise click.UsageError("--json and --story do not go together")
    differs = refused = 0
    records = read_records(file)
    for where, data in records:
        result = played(where, data)
        report = result.to_dict() | ({"partial": True} if result.refused == _PARTIAL else {})
        if story and result.hand is not None:
            click.echo(tell(result.hand.events, lang))
        differs += report["ok"] is False
        refused += report["ok"] is None
        click.echo(json.dumps(report, ensure_ascii=False) if as_json else told(report))
    if not as_json:
        click.echo(
            f"{len(records)} hands: {len(records) - differs - refused} ok, "
            f"{differs} differ, {refused} refused"
        )
    if differs:
        sys.exit(EXIT_DIFFERS)
    if refused:
        sys.exit(EXIT_BAD_INPUT)


def read_records(file: IO[bytes]) -> list[tuple[str, Any]]:
    """The records of a file with the place of each; a bad file ends the command."""
    try:
        text = file.read().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"cannot read the file: {error}") from None
    lines = [(f"line {number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise click.ClickException("the file holds no hand")
    try:
        # A file may also hold one hand over many lines, or a list of them.
        whole = json.loads(text)
    except (ValueError, RecursionError):
        records = []
        for where, line in lines:
            try:
                records.append((where, json.loads(line)))
            except (ValueError, RecursionError) as error:
                raise click.ClickException(f"{where} is no JSON: {error}") from None
        return records
    hands = whole if isinstance(whole, list) else [whole]
    if not hands:
        raise click.ClickException("the file holds no hand")
    return [(f"hand {number}", hand) for number, hand in enumerate(hands, 1)]


def played(where: str, data: Any) -> ReplayReport:
    """The report on one record; a record that cannot be read ends the command."""
    if isinstance(data, dict) and _HIDDEN in str(data.get("deck", "")):
        # A player's own record: what he may not see is missing, so it cannot be played.
        return ReplayReport(str(data.get("id", "")), None, _PARTIAL, (), None)
    try:
        return replay(HandRecord.from_dict(data))
    except RecordError as error:
        raise click.ClickException(f"{where}: {error}") from None
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise click.ClickException(f"{where} is no record of a hand: {error}") from None


def told(report: dict[str, Any]) -> str:
    """A report in a line, with a line for each difference."""
    name = report["id"] or "(no id)"
    if report["ok"] is None:
        return f"{name}: refused, not carried out: {report['refused']}"
    if report["ok"]:
        pots = ", ".join(f"{chips} to {'/'.join(seats)}" for chips, seats in report["pots"])
        return f"{name}: ok, {report['over'] or 'not over'}{f'; pots {pots}' if pots else ''}"
    return "\n".join([f"{name}: DIFFERS", *(f"    {difference}" for difference in report["differences"])])
