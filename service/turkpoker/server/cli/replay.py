"""``turkpoker replay``: recorded hands, played again and compared."""

from __future__ import annotations

import json
import sys
from typing import IO, Any

import click
from turkpoker.engine import HandRecord, RecordError, ReplayReport, read_phhs, replay
from turkpoker.engine.explain import LANGUAGES, tell
from turkpoker.server.cli import EXIT_BAD_INPUT

EXIT_DIFFERS = 1
_HIDDEN = "??"
_PARTIAL = "partial"
_PHH = (".phh", ".phhs")


@click.command("replay")
@click.argument("file", type=click.File("rb"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each hand.")
@click.option("--story", is_flag=True, help="Tell each hand street by street.")
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the story."
)
def command(file: IO[bytes], *, as_json: bool, story: bool, lang: str) -> None:
    """Play the recorded hands of FILE (- for stdin) and hold each against what it expects.

    FILE holds one hand as a JSON object, or one a line; hands in PHH when its name ends in .phh or .phhs.
    An expectation is compared by value and type, and one that is not known is a difference. A player's own
    record hides what he may not see: it is called partial and is not played. Exit code: 0 when all that can
    be played are as expected, 1 when one differs, 2 when one asks for what is not carried out, or when the
    file is bad: then nothing is played, and one line says which line and which field.
    """
    if as_json and story:
        raise click.UsageError("--json and --story do not go together")
    differs = refused = partial = 0
    records = read_records(file)
    for _, record in records:
        result = replay(record) if isinstance(record, HandRecord) else record
        report = result.to_dict() | ({"partial": True} if result.refused == _PARTIAL else {})
        if story and result.hand is not None:
            click.echo(tell(result.hand.events, lang))
        differs += report["ok"] is False
        hidden = bool(report.get("partial"))
        partial += hidden
        refused += report["ok"] is None and not hidden
        click.echo(json.dumps(report, ensure_ascii=False) if as_json else told(report))
    if not as_json:
        click.echo(
            f"{len(records)} hands: {len(records) - differs - refused - partial} ok, "
            f"{differs} differ, {refused} refused" + (f", {partial} partial" if partial else "")
        )
    if differs:
        sys.exit(EXIT_DIFFERS)
    if refused:
        sys.exit(EXIT_BAD_INPUT)


def read_records(file: IO[bytes]) -> list[tuple[str, HandRecord | ReplayReport]]:
    """The records of a file with the place of each; of a player's own record, which hides what he may not
    see, what is said of it.

    Raises:
        click.ClickException: the file cannot be read, or one of its hands is no record: which line, which
            field.
    """
    try:
        text = file.read().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"cannot read the file: {error}") from None
    if str(getattr(file, "name", "")).endswith(_PHH):
        return _read_phh(text)
    hands = _json_values(text)
    if not hands:
        raise click.ClickException("the file holds no hand")
    records: list[tuple[str, HandRecord | ReplayReport]] = []
    for where, data in hands:
        if isinstance(data, dict) and _HIDDEN in str(data.get("deck", "")):
            report = ReplayReport(str(data.get("id", "")), None, _PARTIAL, (), None)
            records.append((where, report))
            continue
        try:
            records.append((where, HandRecord.from_dict(data)))
        except RecordError as error:
            raise click.ClickException(f"{where}: {error}") from None
    return records


def _read_phh(text: str) -> list[tuple[str, HandRecord | ReplayReport]]:
    try:
        records = read_phhs(text)
    except RecordError as error:
        raise click.ClickException(f"the file is no PHH of this game: {error}") from None
    return [(f"hand {number}", record) for number, record in enumerate(records, 1)]


def _json_values(text: str) -> list[tuple[str, Any]]:
    """Hands with their places: one a line, or else one over many lines, or a list of them."""
    lines = [(f"line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1:
        try:
            whole = _json("the file", text)
        except click.ClickException:
            return [(where, _json(where, line)) for where, line in lines]
        lines = [("the hand", text)]
    else:
        whole = _json(*lines[0]) if lines else []
    if isinstance(whole, list):
        return [(f"hand {number}", hand) for number, hand in enumerate(whole, 1)]
    return [(lines[0][0], whole)]


def _json(where: str, text: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_each_name_once)
        # Half a character cannot be written again, so it is looked for here.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise click.ClickException(f"{where} is no JSON: {error}") from None
    return value


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:40]!r} stands twice in one object")
    return found


def told(report: dict[str, Any]) -> str:
    """A report in a line, with a line for each difference."""
    name = report["id"] or "(no id)"
    if report.get("partial"):
        return f"{name}: partial, cards are hidden in it: not played"
    if report["ok"] is None:
        return f"{name}: refused, not carried out: {report['refused']}"
    if report["ok"]:
        pots = ", ".join(f"{chips} between {'/'.join(seats)}" for chips, seats in report["pots"] if chips)
        paid = ", ".join(f"{seat} gets {chips}" for seat, chips in (report["payouts"] or {}).items() if chips)
        said = [f"{name}: ok, {report['over'] or 'not over'}", f"pots {pots}" if pots else "", paid]
        return "; ".join(part for part in said if part)
    return "\n".join([f"{name}: DIFFERS", *(f"    {difference}" for difference in report["differences"])])
