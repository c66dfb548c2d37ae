"""``turkpoker token``: a token for a player."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import click
from turkpoker.server.auth import DEFAULT_LIFETIME, ROLES
from turkpoker.server.cli.keys import token_for
from turkpoker.server.settings import parse_duration


class Duration(click.ParamType[timedelta]):
    """A duration with its unit, such as 90s, 15m or 720h."""

    name = "duration"

    def convert(
        self, value: str | timedelta, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        """The duration; a bare number is refused."""
        if isinstance(value, timedelta):
            return value
        try:
            return parse_duration(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command("token")
@click.argument("name")
@click.option("--display-name", help="How the player wants to be called; default: NAME.")
@click.option("--expires-in", type=Duration(), default=DEFAULT_LIFETIME, help="90s, 15m, 12h; default: 720h.")
@click.option(
    "--role",
    "roles",
    type=click.Choice(ROLES),
    multiple=True,
    help="What the player may do; repeatable. Default: player and host.",
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="The server's data directory.")
@click.option("--key-file", type=click.Path(path_type=Path, dir_okay=False), help="File of the server's key.")
def command(
    *,
    name: str,
    display_name: str | None,
    expires_in: timedelta,
    roles: tuple[str, ...],
    data: Path | None,
    key_file: Path | None,
) -> None:
    """Make a token for the player NAME and print it.

    It is signed with the key of the server: --key-file, else that in --data, else $TURKPOKER_TOKEN_KEY, else
    that in the default data directory. Whoever has the token is that player, so hand it on with care.
    """
    made = token_for(
        name,
        data_dir=data,
        key_file=key_file,
        display_name=display_name,
        lifetime=expires_in,
        roles=roles or None,
    )
    click.echo(made)
