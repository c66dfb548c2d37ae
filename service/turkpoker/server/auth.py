"""Who calls: bearer tokens (JWT, HS256) and the key they are signed with.

A token carries ``sub`` (the player), ``name`` (how he wants to be called), ``roles``, ``aud`` and ``exp``.
The algorithm is allow-listed here and never taken from the token. Without a configured key a server makes its
own beside its data, readable by its user alone; the commands of the same user find it there.
"""

from __future__ import annotations

import base64
import os
import secrets
import stat
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
from turkpoker.server.errors import ServiceError
from turkpoker.server.settings import MIN_KEY_BYTES, SettingsError

ALGORITHMS = ("HS256",)
AUDIENCE = "turkpoker"
TOKEN_KEY_NAME = "token.key"  # noqa: S105 - the name of the file, not what is in it
DEFAULT_LIFETIME = timedelta(days=30)
MAX_NAME = 64
# A clock that differs a little between who signs and who checks must not lock players out.
LEEWAY = timedelta(seconds=5)
_CACHED_TOKENS = 4096

PLAYER, HOST, OPERATOR = "player", "host", "operator"
#: What a caller may do: sit and play, make tables, run the house.
ROLES = (PLAYER, HOST, OPERATOR)
#: The roles of a token that names none.
DEFAULT_ROLES = frozenset({PLAYER, HOST})


@dataclass(frozen=True, slots=True)
class Identity:
    """A caller whose token was found good.

    Attributes:
        player: his name for the service.
        display_name: how he wants to be called.
        expires: when the token is good no more.
        roles: what he may do, of ``ROLES``.
    """

    player: str
    display_name: str
    expires: datetime
    roles: frozenset[str] = DEFAULT_ROLES


#: The caller of the RPC that is being carried out, set by the interceptor and by nothing else.
_caller: ContextVar[Identity] = ContextVar("caller")


def caller() -> Identity:
    """Who calls the RPC that is being carried out.

    Raises:
        LookupError: outside of an RPC that needs a token; a fault of the program.
    """
    return _caller.get()


def set_caller(identity: Identity) -> None:
    """Say who calls, for the rest of this task."""
    _caller.set(identity)


def require_role(*roles: str) -> Identity:
    """The caller, who must have one of these roles.

    Raises:
        ServiceError: ROLE_MISSING, with the first of them.
    """
    identity = caller()
    if identity.roles.isdisjoint(roles):
        raise ServiceError(
            "ROLE_MISSING", f"this needs the role {' or '.join(roles)}", metadata={"role": roles[0]}
        )
    return identity


def check_name(name: str, what: str = "name") -> str:
    """The name without blanks around it.

    Raises:
        ValueError: it is empty, longer than 64 characters, or holds control characters.
    """
    name = name.strip()
    if not name:
        raise ValueError(f"the {what} is empty")
    if len(name) > MAX_NAME:
        raise ValueError(f"the {what} is longer than {MAX_NAME} characters")
    # Cs: halves of a surrogate pair cannot be encoded and so cannot be sent or stored.
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        raise ValueError(f"the {what} holds control characters")
    return name


def make_token(
    key: bytes,
    player: str,
    *,
    display_name: str | None = None,
    lifetime: timedelta = DEFAULT_LIFETIME,
    roles: Iterable[str] | None = None,
    now: datetime | None = None,
) -> str:
    """A token for a player.

    Args:
        key: the key of the server that is to accept it.
        player: who he is, at most 64 characters.
        display_name: how he wants to be called; the player's own name when None.
        lifetime: for how long the token is good.
        roles: what he may do, of ``ROLES``; player and host when None.
        now: the time it is made; the present when None.

    Raises:
        ValueError: a name is empty, too long or not printable, the lifetime is not positive, or there is no
            such role.
    """
    player = check_name(player)
    shown = player if display_name is None else check_name(display_name, "display name")
    if lifetime <= timedelta(0):
        raise ValueError("the lifetime must be more than nothing")
    made = now or datetime.now(UTC)
    try:
        expires = int((made + lifetime).timestamp())
    except OverflowError:
        raise ValueError("the lifetime is too long") from None
    claims: dict[str, object] = {
        "sub": player,
        "name": shown,
        "aud": AUDIENCE,
        "iat": int(made.timestamp()),
        "exp": expires,
    }
    if roles is not None:
        given = set(roles)
        if not given or not given <= set(ROLES):
            raise ValueError(f"roles are one or more of {', '.join(ROLES)}")
        claims["roles"] = [role for role in ROLES if role in given]
    return jwt.encode(claims, key, algorithm=ALGORITHMS[0])


class Authenticator:
    """Checks tokens against one key.

    A token that was good once is remembered until it expires, because checking a signature costs more than
    the rest of the way to a service.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._known: OrderedDict[str, Identity] = OrderedDict()

    def identify(self, metadata: Iterable[tuple[str, str | bytes]]) -> Identity:
        """The caller from the metadata of a call.

        Raises:
            ServiceError: NO_CREDENTIALS; the message says what is wrong but repeats nothing of the token.
        """
        values = [value for key, value in metadata if key.lower() == "authorization"]
        if not values:
            raise _refuse("no token: send the metadata 'authorization: Bearer <token>'")
        if len(values) > 1:
            raise _refuse("more than one authorization")
        value = values[0] if isinstance(values[0], str) else values[0].decode("latin-1")
        scheme, _, token = value.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise _refuse("authorization must read 'Bearer <token>'")
        return self.check(token.strip())

    def check(self, token: str) -> Identity:
        """The caller from a token.

        Raises:
            ServiceError: NO_CREDENTIALS.
        """
        known = self._known.get(token)
        if known is not None:
            if known.expires > datetime.now(UTC):
                return known
            del self._known[token]
        identity = self._verify(token)
        self._known[token] = identity
        if len(self._known) > _CACHED_TOKENS:
            self._known.popitem(last=False)
        return identity

    def _verify(self, token: str) -> Identity:
        try:
            claims = jwt.decode(
                token,
                self._key,
                algorithms=list(ALGORITHMS),
                audience=AUDIENCE,
                leeway=LEEWAY,
                options={"require": ["sub", "exp", "aud"]},
            )
            player = check_name(claims["sub"])
            shown = claims.get("name", player)
            if not isinstance(shown, str):
                raise _refuse("the token's name is no text")
            expires = datetime.fromtimestamp(claims["exp"], UTC) + LEEWAY
            return Identity(player, check_name(shown, "display name"), expires, _roles(claims))
        except jwt.ExpiredSignatureError:
            raise _refuse("the token has expired") from None
        except jwt.InvalidAudienceError:
            raise _refuse("the token is for another service") from None
        except (jwt.InvalidTokenError, ValueError, OverflowError, OSError):
            # The cause may quote the token, so it is not passed on.
            raise _refuse("the token is not valid here") from None


def _roles(claims: Mapping[str, Any]) -> frozenset[str]:
    if "roles" not in claims:
        return DEFAULT_ROLES
    named = claims["roles"]
    if not isinstance(named, list) or not all(isinstance(role, str) for role in named):
        raise _refuse("the token's roles are no list of names")
    # Roles of other services mean nothing here.
    return frozenset(ROLES).intersection(named)


def _refuse(message: str) -> ServiceError:
    return ServiceError("NO_CREDENTIALS", message)


def load_key(path: Path) -> bytes:
    """The key in a file: its bytes as they stand, at least 32, without blanks around them.

    Raises:
        SettingsError: the file cannot be read, can be read by others, or holds no key.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(4096).strip()
    except OSError as error:
        raise SettingsError(f"cannot read the key {path}: {error.strerror}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SettingsError(f"others may read the key {path}: chmod 600 it")
    if len(content) < MIN_KEY_BYTES:
        raise SettingsError(f"{path} holds no key of at least {MIN_KEY_BYTES} bytes")
    return content


def load_or_make_key(path: Path) -> tuple[bytes, bool]:
    """The key in a file, and whether it was made just now.

    Raises:
        SettingsError: as ``load_key``, or the file cannot be written.
    """
    if path.exists():
        return load_key(path), False
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
            return load_key(path), False
        finally:
            draft.unlink()
    except OSError as error:
        raise SettingsError(f"cannot make the key {path}: {error.strerror}") from None
    return load_key(path), True
