"""``turkpoker serve``: the server."""

from __future__ import annotations

import asyncio
import logging
import sys
from dataclasses import Field
from typing import Any

import click
from turkpoker.server.app import Running, serve
from turkpoker.server.setting import declared_of, help_of, variable_of
from turkpoker.server.settings import ServerSettings, SettingsError, default_data_dir, every_setting


class ServeCommand(click.Command):
    """Has the flags that the settings declare, and lists every environment variable in its help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params = [_option(each) for each in every_setting() if declared_of(each).flag]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The settings that have no flag, and the variables of those that have one."""
        with formatter.section("Environment (a flag wins)"):
            rows = []
            for each in every_setting():
                flag = declared_of(each).flag
                rows.append((variable_of(each), f"As {flag}." if flag else help_of(each)))
            formatter.write_dl(rows)


def _option(each: Field[Any]) -> click.Option:
    declared = declared_of(each)
    assert declared.flag is not None
    if isinstance(each.default, bool):
        return click.Option((declared.flag, each.name), is_flag=True, default=None, help=help_of(each))
    return click.Option(
        (declared.flag, each.name),
        metavar=declared.metavar,
        type=click.Choice(declared.choices) if declared.choices else click.STRING,
        help=help_of(each),
    )


@click.command("serve", cls=ServeCommand)
def command(**flags: Any) -> None:
    """Serve tables, evaluator and hand history over gRPC until SIGTERM or Ctrl-C.

    Durations are written with their unit: 250ms, 15s, 5m, 1h.
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
        elsewhere = "" if settings.data_dir == default_data_dir() else f" --data {settings.data_dir}"
        click.echo(
            f"made a key for tokens: {running.key_file}"
            f" (keep it; make tokens with: turkpoker token NAME{elsewhere})"
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
