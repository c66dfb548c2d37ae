"""The keys of tokens: secret ones (HS256) from a key file, public ones (RS256, ES256, EdDSA) from a JWKS.

Each key is good for one algorithm, which follows from the key and never from the token: a public key can not
be taken for a secret one. A secret key file holds one key as it stands, or a JWKS of ``oct`` keys with a
``kid`` each; the first signs, all are accepted, so that keys rotate. A JWKS of public keys holds public keys
only: a private or secret one in it is a mistake that is refused, not used.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import jwt
from turkpoker.server.setting import SettingsError

logger = logging.getLogger(__name__)

TOKEN_KEY_NAME = "token.key"  # noqa: S105 - the name of the file, not what is in it
SECRET_ALGORITHM = "HS256"  # noqa: S105 - the name of an algorithm
PUBLIC_ALGORITHMS = ("RS256", "ES256", "EdDSA")
MIN_KEY_BYTES = 32
MAX_KEY_FILE = 1024 * 1024
_SECRET_PARTS = ("d", "p", "q", "k")
#: A key of chance has some twenty different bytes; fewer than this is a pattern or a placeholder.
_LEAST_BYTES_APART = 10


@dataclass(frozen=True, slots=True)
class TokenKey:
    """One key and the one algorithm that it is good for.

    Attributes:
        kid: its public name, by which a token says which key signed it; None: it has none.
        key: the key.
    """

    kid: str | None
    key: jwt.PyJWK = field(repr=False, compare=False)
    _digest: bytes = field(repr=False)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> TokenKey:
        """The key that a JWK describes.

        Raises:
            ValueError: it is none that can be used; quotes nothing of it but its kid.
        """
        kid = data.get("kid")
        name = "a key without kid" if kid is None else f"key {str(kid)[:64]!r}"
        if kid is not None and not isinstance(kid, str):
            raise ValueError("a kid is no text")
        try:
            key = jwt.PyJWK(dict(data))
            short = key.Algorithm.check_key_length(key.key)
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError):
            # The cause may quote the key.
            raise ValueError(f"{name} cannot be read") from None
        if short:
            raise ValueError(f"{name} is too short for {key.algorithm_name}")
        digest = hashlib.blake2b(json.dumps(data, sort_keys=True, default=str).encode()).digest()
        return cls(kid, key, digest)

    @classmethod
    def of_secret(cls, secret: bytes, kid: str | None = None) -> TokenKey:
        """A secret key from its bytes."""
        encoded = base64.urlsafe_b64encode(secret).rstrip(b"=").decode()
        named = {} if kid is None else {"kid": kid}
        return cls.of({"kty": "oct", "k": encoded, "alg": SECRET_ALGORITHM} | named)

    @property
    def algorithm(self) -> str:
        """The algorithm that it is good for."""
        name: str = self.key.algorithm_name
        return name


class KeyRing:
    """The keys that tokens are checked with; they change while the server runs.

    ``generation`` grows with every change, so that what was found good with an old key can be forgotten.
    """

    def __init__(self, secret: tuple[TokenKey, ...] = (), public: tuple[TokenKey, ...] = ()) -> None:
        self._secret = secret
        self._public = public
        self.generation = 0

    def __repr__(self) -> str:
        return f"KeyRing({len(self._secret)} secret, {len(self._public)} public)"

    @property
    def signing(self) -> TokenKey | None:
        """The key that this server signs with; None: it has no secret key."""
        return self._secret[0] if self._secret else None

    def set_secret(self, keys: tuple[TokenKey, ...]) -> bool:
        """Take these secret keys instead of the former ones; tells whether they differ."""
        if keys == self._secret:
            return False
        self._secret = keys
        self.generation += 1
        return True

    def set_public(self, keys: tuple[TokenKey, ...]) -> bool:
        """Take these public keys instead of the former ones; tells whether they differ."""
        if keys == self._public:
            return False
        self._public = keys
        self.generation += 1
        return True

    def knows(self, kid: str) -> bool:
        """Whether there is a key of that name."""
        return any(key.kid == kid for key in (*self._secret, *self._public))

    def holds(self, key: TokenKey) -> bool:
        """Whether a key is still among these."""
        return key in self._secret or key in self._public

    def candidates(self, kid: str | None, algorithm: object) -> list[TokenKey]:
        """The keys that may have signed a token that says so of itself.

        A key that has a name checks only tokens that bear it, or that bear none.
        """
        keys = (*self._secret, *self._public)
        if kid is not None:
            named = kid if self.knows(kid) else None
            keys = tuple(key for key in keys if key.kid == named)
        return [key for key in keys if key.algorithm == algorithm]


def secret_keys(content: bytes) -> tuple[TokenKey, ...]:
    """The secret keys in the content of a key file or variable; the first one signs.

    Raises:
        ValueError: there is none, or one is weak.
    """
    # Bytes of chance may begin with a brace, or end with a blank; text is what can be read.
    if _is_text(content):
        content = content.strip()
    if not _is_text(content) or not content.startswith(b"{"):
        check_secret(content)
        return (TokenKey.of_secret(content),)
    keys = []
    for data in _jwks(content):
        if data.get("kty") != "oct":
            raise ValueError("a key file holds secret keys (kty oct); public ones belong into the JWKS")
        key = TokenKey.of({"alg": SECRET_ALGORITHM} | data)
        if key.algorithm != SECRET_ALGORITHM:
            raise ValueError(f"secret keys are for {SECRET_ALGORITHM}")
        if key.kid is None:
            raise ValueError("every key of several needs a kid")
        check_secret(key.key.key)
        keys.append(key)
    if len({key.kid for key in keys}) != len(keys):
        raise ValueError("two keys have the same kid")
    return tuple(keys)


def public_keys(content: bytes, *, strict: bool) -> tuple[TokenKey, ...]:
    """The public keys of a JWKS that are meant for signatures.

    Args:
        content: the JSON text.
        strict: refuse the whole set where one key is private or secret. Otherwise, and for keys that are
            meant for something else, the key is left out.

    Raises:
        ValueError: it is no JWKS, or no key in it can be used.
    """
    keys = []
    for data in _jwks(content):
        if any(part in data for part in _SECRET_PARTS):
            message = "it holds a private or secret key: a server needs public ones only"
            if strict:
                raise ValueError(message)
            logger.error("the JWKS: %s; that one is not used", message)
            continue
        if data.get("use", "sig") != "sig":
            continue
        try:
            key = TokenKey.of(data)
        except ValueError as error:
            logger.warning("the JWKS: %s; it is left out", error)
            continue
        if key.algorithm in PUBLIC_ALGORITHMS:
            keys.append(key)
    if not keys:
        raise ValueError(f"there is no key for {', '.join(PUBLIC_ALGORITHMS)} in it")
    return tuple(keys)


def _is_text(content: bytes) -> bool:
    try:
        return all(character.isprintable() or character.isspace() for character in content.decode())
    except UnicodeDecodeError:
        return False


def _jwks(content: bytes) -> list[dict[str, Any]]:
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON") from None
    keys = data.get("keys") if isinstance(data, dict) else None
    if not isinstance(keys, list) or not keys or not all(isinstance(key, dict) for key in keys):
        raise ValueError("it is no JWKS with keys")
    return keys


def check_secret(secret: bytes) -> None:
    """Refuse a secret that can be guessed.

    Raises:
        ValueError: it is too short, or a pattern.
    """
    if len(secret) < MIN_KEY_BYTES:
        raise ValueError(f"a key has at least {MIN_KEY_BYTES} bytes")
    if secret.startswith((b"-----BEGIN", b"ssh-")):
        raise ValueError(
            "it is a key of another kind: secret keys are plain bytes, public ones stand in a JWKS"
        )
    steps = {(after - before) % 256 for before, after in pairwise(secret)}
    repeats = secret in (secret + secret)[1:-1]
    if len(set(secret)) < _LEAST_BYTES_APART or len(steps) == 1 or repeats:
        raise ValueError(
            "a key of such a pattern can be guessed: take one of chance (openssl rand -base64 32)"
        )


def read_key_file(path: Path) -> tuple[TokenKey, ...]:
    """The secret keys in a file that its owner alone can read.

    Raises:
        SettingsError: the file cannot be read, can be read by others, or holds no good key.
    """
    content = _read_private(path)
    try:
        return secret_keys(content)
    except ValueError as error:
        raise SettingsError(f"the key {path} cannot be used: {error}") from None


def read_secret(path: Path) -> bytes:
    """The one secret in a file that its owner alone can read: its bytes, without blanks around them.

    Raises:
        SettingsError: the file cannot be read, can be read by others, or holds no good key.
    """
    secret = _read_private(path).strip()
    try:
        check_secret(secret)
    except ValueError as error:
        raise SettingsError(f"the key {path} cannot be used: {error}") from None
    return secret


def _read_private(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(MAX_KEY_FILE)
    except OSError as error:
        raise SettingsError(f"cannot read the key {path}: {error.strerror}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SettingsError(f"others may read the key {path}: chmod 600 it")
    return content


def load_key(path: Path) -> TokenKey:
    """The key in a file that signs.

    Raises:
        SettingsError: as ``read_key_file``.
    """
    return read_key_file(path)[0]


def read_jwks_file(path: Path) -> tuple[TokenKey, ...]:
    """The public keys in a file.

    Raises:
        SettingsError: the file cannot be read, or holds no JWKS of public keys.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_KEY_FILE)
    except OSError as error:
        raise SettingsError(f"cannot read the JWKS {path}: {error.strerror}") from None
    try:
        return public_keys(content, strict=True)
    except ValueError as error:
        raise SettingsError(f"the JWKS {path} cannot be used: {error}") from None


def make_key_file(path: Path) -> bool:
    """Make a key file where there is none; tells whether it was made just now.

    Raises:
        SettingsError: it cannot be written.
    """
    if path.exists():
        return False
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, base64.urlsafe_b64encode(secrets.token_bytes(MIN_KEY_BYTES)) + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        try:
            # A link fails where a file stands, so of two servers starting at once one makes the key for both.
            os.link(draft, path)
        except FileExistsError:
            return False
        finally:
            draft.unlink()
    except OSError as error:
        raise SettingsError(f"cannot make the key {path}: {error.strerror}") from None
    return True
