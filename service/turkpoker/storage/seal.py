"""Sealing: what lies in the store can be read by nobody who has only the store.

States, events and records are sealed with AES-256-GCM before they are sent. The table, the version and the
kind are authenticated with them, so that an old or foreign blob put in another's place is refused. Each
table has its own key, derived from the configured one; the key id in front of a blob tells which key sealed
it, so that keys can change: the first one seals, the others still open.

A sealed blob: format (1 byte), key id (4), nonce (12), ciphertext with tag.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from turkpoker.table.errors import StoreRefused

KEY_BYTES = 32
#: A key of chance has some thirty different bytes; fewer than this is a pattern or a placeholder.
_LEAST_BYTES_APART = 10
_FORMAT = b"\x01"
_ID_BYTES = 4
_NONCE_BYTES = 12
_HEAD = 1 + _ID_BYTES + _NONCE_BYTES


class Seal:
    """Seals with the first key, opens with any.

    Args:
        keys: each 32 bytes of randomness; the first seals.
    """

    __slots__ = ("_cipher", "_derive", "_first")

    def __init__(self, keys: Sequence[bytes]) -> None:
        if not keys or any(len(key) != KEY_BYTES for key in keys):
            raise StoreRefused(f"a seal key has {KEY_BYTES} bytes, and there is at least one")
        by_id = {key_id(key): key for key in keys}
        self._first = key_id(keys[0])
        self._derive = partial(hashlib.blake2b, key=keys[0], person=b"tp-derived", digest_size=KEY_BYTES)

        @lru_cache(maxsize=4096)
        def cipher(identity: bytes, table_id: str) -> AESGCM | None:
            key = by_id.get(identity)
            if key is None:
                return None
            return AESGCM(
                hashlib.blake2b(table_id.encode(), key=key, person=b"tp-table", digest_size=32).digest()
            )

        self._cipher = cipher

    def __repr__(self) -> str:
        return f"Seal({self._first.hex()})"

    def derived(self, purpose: bytes) -> bytes:
        """A key of 32 bytes for another purpose, the same wherever the sealing key is the same."""
        return self._derive(purpose).digest()

    def seal(self, plain: bytes, table_id: str, kind: str, version: int) -> bytes:
        """Seal bytes for one place: this table, this kind of blob, this version."""
        cipher = self._cipher(self._first, table_id)
        assert cipher is not None
        nonce = os.urandom(_NONCE_BYTES)
        return _FORMAT + self._first + nonce + cipher.encrypt(nonce, plain, _place(table_id, kind, version))

    def open(self, sealed: bytes, table_id: str, kind: str, version: int) -> bytes:
        """The bytes that were sealed for that place.

        Raises:
            StoreRefused: another key, another place, or changed bytes. Says nothing of the content.
        """
        if len(sealed) < _HEAD or sealed[:1] != _FORMAT:
            raise StoreRefused(f"the {kind} of table {table_id} is not sealed as this version does it")
        cipher = self._cipher(sealed[1 : 1 + _ID_BYTES], table_id)
        if cipher is None:
            raise StoreRefused(f"the {kind} of table {table_id} is sealed with a key that is not configured")
        try:
            return cipher.decrypt(
                sealed[1 + _ID_BYTES : _HEAD], sealed[_HEAD:], _place(table_id, kind, version)
            )
        except InvalidTag:
            raise StoreRefused(f"the {kind} of table {table_id} is not what was sealed") from None


def key_id(key: bytes) -> bytes:
    """The public name of a key; tells nothing of it."""
    return hashlib.blake2b(key, person=b"tp-key-id", digest_size=_ID_BYTES).digest()


def _place(table_id: str, kind: str, version: int) -> bytes:
    return f"{kind}\0{table_id}\0{version}".encode()


def read_key_file(path: Path) -> list[bytes]:
    """The keys of a file that its owner alone can read.

    Raises:
        StoreRefused: it cannot be read, can be read by others, or as ``parse_keys``.
    """
    try:
        with path.open(encoding="ascii") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreRefused(f"the seal key file {path} cannot be read: {type(error).__name__}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise StoreRefused(f"others may read the seal key file {path}: chmod 600 it")
    return parse_keys(text, str(path))


def parse_keys(text: str, source: str) -> list[bytes]:
    """The keys in a text: one in hex a line, the sealing one first; empty lines and ``#`` comments are
    skipped.

    Raises:
        StoreRefused: a line is not a key, or one that can be guessed (the line's number is told, never its
            content).
    """
    keys = []
    for number, line in enumerate(text.splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            key = bytes.fromhex(text)
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise StoreRefused(f"line {number} of {source} is not a key: {2 * KEY_BYTES} hex digits are one")
        if len(set(key)) < _LEAST_BYTES_APART:
            raise StoreRefused(
                f"line {number} of {source} is a key that can be guessed: openssl rand -hex 32"
            )
        keys.append(key)
    if not keys:
        raise StoreRefused(f"there is no key in {source}")
    return keys


def read_or_make_key_file(path: Path) -> list[bytes]:
    """The keys of a file; where there is none, one is made (mode 0600), once even when several start
    together.
    """
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Written aside and linked, so that nobody ever reads a half-written key, and the first one stays.
        aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(secrets.token_hex(KEY_BYTES) + "\n")
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(aside, path)
        finally:
            aside.unlink(missing_ok=True)
    return read_key_file(path)
