"""``turkpoker serve``: the server."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

import click
from turkpoker.server.app import Running, serve
from turkpoker.server.settings import ServerSettings, SettingsError


@click.command("serve")
@click.option("--listen", metavar="HOST:PORT", help="Where to serve gRPC; default: localhost:50051.")
@click.option(
    "--data",
    "data_dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory of keys and embedded Redis; default: $XDG_DATA_HOME/turkpoker.",
)
@click.option(
    "--redis", "redis_url", metavar="URL", help="An existing Redis or Valkey; default: a private one."
)
@click.option(
    "--key-file",
    "token_key_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File of the key of tokens; default: token.key in the data directory, made when missing.",
)
@click.option(
    "--seal-key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File of the key that seals cards in Redis; default: in the data directory.",
)
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="Default: info.")
def command(**flags: Any) -> None:
    """Serve tables, evaluator and hand history over gRPC until SIGTERM or Ctrl-C.

    Every setting can also come from the environment as TURKPOKER_<NAME> (TURKPOKER_LISTEN, TURKPOKER_DATA,
    TURKPOKER_REDIS, TURKPOKER_TOKEN_KEY ...); a flag wins.
    """
    try:
        settings = ServerSettings.from_environment(**flags)
        logging.basicConfig(
            level=settings.log_level.upper(),
            format="%(asctime)s %(levelname)s %(name)s: %(message)s",
            stream=sys.stderr,
        )
        run_event_loop(serve(settings, announce=lambda running: announce(running, settings)))
    except SettingsError as error:
        raise click.ClickException(str(error)) from None


def announce(running: Running, settings: ServerSettings) -> None:
    """Tell a person what is there."""
    if running.key_made:
        click.echo(
            f"made a key for tokens: {running.key_file} (keep it; make tokens with: turkpoker token NAME)"
        )
    click.echo(f"tables lie in {running.store}")
    click.echo(f"serving gRPC on {running.address}")
    sys.stdout.flush()


def run_event_loop(main: Any) -> Any:
    """Run a coroutine on uvloop where it is installed, else on the event loop of the standard library."""
    try:
        import uvloop  # noqa: PLC0415 - optional
    except ModuleNotFoundError:
        return asyncio.run(main)
    else:
        return uvloop.run(main)
