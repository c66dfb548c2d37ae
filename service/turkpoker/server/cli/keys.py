"""Where the commands of a user find the key of his own server."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import click
from turkpoker.server.auth import TokenRules, check_name, make_token
from turkpoker.server.settings import AUDIENCE, SettingsError, default_data_dir
from turkpoker.server.token_keys import TOKEN_KEY_NAME, TokenKey, load_key, secret_keys

TOKEN_VARIABLE = "TURKPOKER_TOKEN"  # noqa: S105 - the name of a variable


def find_key(data_dir: Path | None = None, key_file: Path | None = None) -> TokenKey:
    """The key that signs tokens: from a key file, ``$TURKPOKER_TOKEN_KEY``, or the data directory.

    Raises:
        click.ClickException: there is none, or it cannot be used; the message says where it was looked for.
    """
    environment = os.environ
    try:
        if key_file is None and environment.get("TURKPOKER_TOKEN_KEY_FILE"):
            key_file = Path(environment["TURKPOKER_TOKEN_KEY_FILE"])
        if key_file is not None:
            return load_key(key_file)
        if data_dir is None and environment.get("TURKPOKER_TOKEN_KEY"):
            try:
                return secret_keys(environment["TURKPOKER_TOKEN_KEY"].encode())[0]
            except ValueError as error:
                raise SettingsError(f"the token key cannot be used: {error}") from None
        directory = data_dir or Path(environment.get("TURKPOKER_DATA") or default_data_dir())
        path = directory / TOKEN_KEY_NAME
        if not path.exists():
            raise SettingsError(
                f"no key in {directory}: start 'turkpoker serve' there first,"
                f" or give a token ({TOKEN_VARIABLE})"
            )
        return load_key(path)
    except SettingsError as error:
        raise click.ClickException(str(error)) from None


def token_for(
    player: str,
    *,
    data_dir: Path | None = None,
    key_file: Path | None = None,
    display_name: str | None = None,
    lifetime: timedelta = timedelta(hours=12),
    roles: Sequence[str] | None = None,
) -> str:
    """A token for a player of the server whose key this user has.

    Raises:
        click.ClickException: there is no such key, or a name cannot be used.
    """
    try:
        check_name(player)
        key = find_key(data_dir, key_file)
        rules = TokenRules(
            audience=os.environ.get("TURKPOKER_TOKEN_AUDIENCE") or AUDIENCE,
            issuer=os.environ.get("TURKPOKER_TOKEN_ISSUER") or None,
        )
        return make_token(key, player, display_name=display_name, lifetime=lifetime, roles=roles, rules=rules)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
