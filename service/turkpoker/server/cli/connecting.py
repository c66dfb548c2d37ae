"""How the commands that call a server reach it: plain text, TLS, or TLS with a certificate of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import grpc

F = TypeVar("F", bound=Callable[..., Any])
_FILE = click.Path(path_type=Path, dir_okay=False)


def tls_options(command: F) -> F:
    """Give a command the flags --tls, --ca, --client-cert and --client-key; ``credentials`` reads them."""
    for option in (
        click.option("--client-key", type=_FILE, help="PEM file of the key of --client-cert."),
        click.option(
            "--client-cert", type=_FILE, help="PEM file of your certificate, where the server asks for one."
        ),
        click.option("--ca", type=_FILE, help="PEM file of the roots to trust; means --tls."),
        click.option("--tls", is_flag=True, help="Encrypt; trusts the usual roots."),
    ):
        command = option(command)
    return command


def credentials(
    *, tls: bool, ca: Path | None, client_cert: Path | None, client_key: Path | None
) -> grpc.ChannelCredentials | None:
    """The credentials of a channel; None: plain text.

    Raises:
        click.ClickException: a file cannot be read, or half of a pair is missing.
    """
    if (client_cert is None) is not (client_key is None):
        raise click.UsageError("--client-cert and --client-key go together")
    if not tls and ca is None and client_cert is None:
        return None

    def content(path: Path | None) -> bytes | None:
        try:
            return None if path is None else path.read_bytes()
        except OSError as error:
            raise click.ClickException(f"cannot read {path}: {error.strerror}") from None

    return grpc.ssl_channel_credentials(content(ca), content(client_key), content(client_cert))
