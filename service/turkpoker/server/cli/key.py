"""``turkpoker key``: a new secret key on top of a key file."""

from __future__ import annotations

import base64
import json
import os
import secrets
from pathlib import Path

import click
from turkpoker.server.settings import SettingsError, default_data_dir
from turkpoker.server.token_keys import MIN_KEY_BYTES, TOKEN_KEY_NAME, TokenKey, read_key_file

MAX_KEPT = 20


@click.command("key")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file; default: $TURKPOKER_TOKEN_KEY_FILE, else token.key in the data directory.",
)
@click.option(
    "--keep",
    type=click.IntRange(0, MAX_KEPT),
    default=1,
    show_default=True,
    help="How many of the keys before it stay good.",
)
@click.option(
    "--last",
    is_flag=True,
    help="Put it at the end: it is good at once, but signs nothing before it is first. "
    "For several servers: first give all of them the new key so, then a file in which it comes first.",
)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory of the server."
)
@click.option("--new", is_flag=True, help="Make the file where there is none yet.")
def command(*, key_file: Path | None, keep: int, last: bool, data: Path | None, new: bool) -> None:
    """Make a new secret key of tokens and put it on top of the key file.

    Servers that use the file notice by themselves: new tokens are signed with the new key, and those signed
    with the keys that stay are good as before. Tokens of a key that goes are refused from then on.
    """
    if key_file is None:
        set_to = os.environ.get("TURKPOKER_TOKEN_KEY_FILE")
        directory = data or Path(os.environ.get("TURKPOKER_DATA") or default_data_dir())
        key_file = Path(set_to) if set_to and data is None else directory / TOKEN_KEY_NAME
    if not (key_file.exists() or new):  # a path with a slip in it would look like a rotation
        raise click.ClickException(f"there is no key file {key_file}; --new makes one")
    try:
        old = read_key_file(key_file) if key_file.exists() else ()
        kept = old[:keep]
        made = TokenKey.of_secret(secrets.token_bytes(MIN_KEY_BYTES), secrets.token_hex(4))
        _write(key_file, [*kept, made] if last else [made, *kept])
    except SettingsError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"cannot write {key_file}: {error.strerror}") from None
    place = "at the end" if last and kept else "first"
    gone = len(old) - len(kept)
    click.echo(f"{key_file}: key {made.kid} stands {place}, {len(kept)} before it stay, {gone} go")


def _write(path: Path, keys: list[TokenKey]) -> None:
    """Put a file in place of another in one step, for its owner alone."""
    entries = [
        {
            "kty": "oct",
            # A key that had no name checks tokens without one, also when it has got one.
            "kid": secrets.token_hex(4) if key.kid is None else key.kid,
            "k": base64.urlsafe_b64encode(key.key.key).rstrip(b"=").decode(),
        }
        for key in keys
    ]
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"keys": entries}, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
