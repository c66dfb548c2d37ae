"""How the commands that call a running server say which, and as whom, and what becomes of a refusal."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from turkpoker.client import Client, TurkpokerError
from turkpoker.server.cli.connecting import credentials, tls_options
from turkpoker.server.cli.keys import TOKEN_VARIABLE, token_for

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

DEFAULT_SERVER = "localhost:50051"
_PATIENCE = 5.0


def server_options(command: F) -> F:
    """Give a command the flags that say which server and as whom; ``call_server`` reads them."""
    for option in (
        tls_options,
        click.option(
            "--data",
            type=click.Path(path_type=Path, file_okay=False),
            help="The server's data directory; its key makes an operator's token where none is given.",
        ),
        click.option(
            "--token", help=f"Who calls; default: ${TOKEN_VARIABLE}, else an operator of your own server."
        ),
        click.option(
            "--server", metavar="HOST:PORT", default=DEFAULT_SERVER, show_default=True, help="The server."
        ),
    ):
        command = option(command)
    return command


def call_server(
    work: Callable[[Client], Awaitable[T]],
    *,
    server: str,
    token: str | None,
    data: Path | None,
    tls: bool,
    ca: Path | None,
    client_cert: Path | None,
    client_key: Path | None,
) -> T:
    """Do something at a server.

    Raises:
        click.ClickException: it refuses, or there is none; the message says why.
    """
    secured = credentials(tls=tls, ca=ca, client_cert=client_cert, client_key=client_key)
    who = token or os.environ.get(TOKEN_VARIABLE) or token_for("operator", data_dir=data, roles=("operator",))

    async def calling() -> T:
        async with Client(server, who, patience=_PATIENCE, credentials=secured) as client:
            return await work(client)

    try:
        return asyncio.run(calling())
    except TurkpokerError as error:
        why = f"{error.reason}: {error.message}" if error.reason else f"{server} does not answer"
        raise click.ClickException(why) from None
