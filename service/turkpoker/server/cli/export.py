"""``turkpoker export``: finished hands of a running server as a file."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import click
from turkpoker.client import Client
from turkpoker.server.cli.calling import call_server, server_options

_MOMENTS = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%SZ"])


@click.command("export")
@click.argument("parent", default="players/me")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "phh"]),
    default="json",
    show_default=True,
    help="One record a line, as `turkpoker replay` reads them (a player's own are partial: it only counts "
    "those), or the open poker hand history format.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Where to; default: stdout."
)
@click.option("--start", type=_MOMENTS, help="Only hands that were over then or later; UTC.")
@click.option("--end", type=_MOMENTS, help="Only hands that were over before; UTC.")
@server_options
def command(
    parent: str, form: str, output: Path | None, start: datetime | None, end: datetime | None, **server: Any
) -> None:
    """Write the finished hands of PARENT, oldest first: players/me, tables/TABLE, or players/NAME.

    A player's file holds what he may see; an operator's holds every card. To go on another time, give the
    end_time of the last hand as --start: that hand comes once more. A file is there as a whole or not at all.
    """

    async def write(client: Client, file: IO[bytes]) -> int:
        size = 0
        async for piece in client.export_hands(parent, form=form, start=_utc(start), end=_utc(end)):
            file.write(piece)
            size += len(piece)
        return size

    with _file(output) as file:
        size = call_server(lambda client: write(client, file), **server)
    if output is not None:
        click.echo(f"{size} bytes in {output}", err=True)
    elif not size:
        click.echo("no finished hands", err=True)


@contextlib.contextmanager
def _file(output: Path | None) -> Iterator[IO[bytes]]:
    """Standard output, or a file that takes its name when it is whole."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    draft = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            yield file
        draft.replace(output)
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
