"""Who calls: bearer tokens (JWT) and what they say of the caller.

A token carries ``sub`` (the player), ``name`` (how he wants to be called), ``roles``, ``aud``, ``exp`` and,
where one is asked for, ``iss``. Which key and which algorithm check it is decided by the keys of this server
(``token_keys``); ``kid`` only picks one of them, and whatever else a header holds (``jwk``, ``jku``, ``x5u``)
is never looked at.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from turkpoker.server.errors import ServiceError
from turkpoker.server.settings import AUDIENCE
from turkpoker.server.token_keys import SECRET_ALGORITHM, KeyRing, TokenKey

TOKEN_KEY_NAME = "token.key"  # noqa: S105 - the name of the file, not what is in it
DEFAULT_LIFETIME = timedelta(days=30)
MAX_NAME = 64
#: Names of guests begin so, and no others: no account elsewhere is taken for a guest, nor a guest for one.
GUEST_PREFIX = "guest-"
_CACHED_TOKENS = 4096
#: What a token that is no good can raise; a signed one can still hold claims of any shape.
_NOT_VALID = (jwt.InvalidTokenError, ValueError, OverflowError, OSError, TypeError, RecursionError)

PLAYER, HOST, OPERATOR = "player", "host", "operator"
#: What a caller may do: sit and play, make tables, run the house.
ROLES = (PLAYER, HOST, OPERATOR)
#: The roles of a token that names none.
DEFAULT_ROLES = frozenset({PLAYER, HOST})
#: Guests may make tables, too: for a game with friends that is what they come for.
GUEST_ROLES = frozenset({PLAYER, HOST})


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Identity:
    """A caller whose token was found good.

    Attributes:
        player: his name for the service.
        display_name: how he wants to be called.
        expires: when the token is good no more.
        roles: what he may do, of ``ROLES``.
        guest: he came without an account.
        is_revoked: tells whether the key of his token has been taken out since.
    """

    player: str
    display_name: str
    expires: datetime
    roles: frozenset[str] = DEFAULT_ROLES
    guest: bool = False
    is_revoked: Callable[[], bool] = field(default=_never, repr=False, compare=False)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRules:
    """What a token must say beside a good signature.

    Attributes:
        audience: for whom it is made.
        issuer: who made it; None: anybody who has the key.
        leeway: how far the clocks of who signs and who checks may differ.
    """

    audience: str = AUDIENCE
    issuer: str | None = None
    leeway: timedelta = timedelta(seconds=5)


def make_token(
    key: bytes | TokenKey,
    player: str,
    *,
    display_name: str | None = None,
    lifetime: timedelta = DEFAULT_LIFETIME,
    roles: Iterable[str] | None = None,
    rules: TokenRules | None = None,
    now: datetime | None = None,
    guest: bool = False,
) -> str:
    """A token for a player.

    Args:
        key: the secret key of the server that is to accept it.
        player: who he is, at most 64 characters.
        display_name: how he wants to be called; the player's own name when None.
        lifetime: for how long the token is good.
        roles: what he may do, of ``ROLES``; player and host when None.
        rules: audience and issuer; the usual ones when None.
        now: the time it is made; the present when None.
        guest: he came without an account; his name must begin with ``GUEST_PREFIX``, and no other may.

    Raises:
        ValueError: a name is empty, too long or not printable, the lifetime is not positive, or there is no
            such role.
    """
    rules = rules or TokenRules()
    player = check_name(player)
    if player.startswith(GUEST_PREFIX) is not guest:
        raise ValueError(f"names that begin with {GUEST_PREFIX} are those of guests")
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
        "aud": rules.audience,
        "iat": int(made.timestamp()),
        "exp": expires,
    }
    if rules.issuer is not None:
        claims["iss"] = rules.issuer
    if guest:
        claims["guest"] = True
    if roles is not None:
        given = set(roles)
        if not given or not given <= set(ROLES):
            raise ValueError(f"roles are one or more of {', '.join(ROLES)}")
        claims["roles"] = [role for role in ROLES if role in given]
    signing = TokenKey.of_secret(key) if isinstance(key, bytes) else key
    headers = None if signing.kid is None else {"kid": signing.kid}
    return jwt.encode(claims, signing.key, algorithm=signing.algorithm, headers=headers)


class UnknownKey(ServiceError):
    """A token names a key that this server does not have (yet)."""


class Authenticator:
    """Checks tokens.

    A token that was good once is remembered, because checking a signature costs more than the rest of the way
    to a service: until it expires, and until the keys change.

    Args:
        ring: the keys.
        rules: what else a token must say.
        unknown_kid: is awaited when a token names an unknown key, which may be there afterwards.
    """

    def __init__(
        self,
        ring: KeyRing,
        rules: TokenRules | None = None,
        unknown_kid: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._ring = ring
        self._rules = rules or TokenRules()
        self._unknown_kid = unknown_kid
        self._known: OrderedDict[bytes, Identity] = OrderedDict()
        self._generation = ring.generation

    async def identify(
        self,
        metadata: Iterable[tuple[str, str | bytes]],
        before_checking: Callable[[], None] = lambda: None,
    ) -> Identity:
        """The caller from the metadata of a call.

        Args:
            metadata: of the call.
            before_checking: is called before a token that is not remembered is checked, which costs time;
                what it raises ends the call.

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
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise _refuse("authorization must read 'Bearer <token>'")
        try:
            return self.check(token, before_checking)
        except UnknownKey:
            if self._unknown_kid is None:
                raise
            await self._unknown_kid()
            return self.check(token)

    def check(self, token: str, before_checking: Callable[[], None] = lambda: None) -> Identity:
        """The caller from a token; ``before_checking`` as above.

        Raises:
            ServiceError: NO_CREDENTIALS.
        """
        if self._generation != self._ring.generation:
            self._generation = self._ring.generation
            self._known.clear()
        # The digest stands for the token, so that tokens lie in memory no longer than their calls.
        digest = hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=32).digest()
        known = self._known.get(digest)
        if known is not None:
            if known.expires > datetime.now(UTC):
                return known
            del self._known[digest]
        before_checking()
        identity = self._verify(token)
        self._known[digest] = identity
        if len(self._known) > _CACHED_TOKENS:
            self._known.popitem(last=False)
        return identity

    def _verify(self, token: str) -> Identity:
        try:
            header = jwt.get_unverified_header(token)
            kid = header.get("kid")
            if kid is not None and not self._ring.knows(kid):
                unknown: type[ServiceError] = UnknownKey
            else:
                unknown = ServiceError
            for key in self._ring.candidates(kid, header.get("alg")):
                try:
                    return self._identity(token, key)
                except jwt.InvalidSignatureError:
                    continue
        except jwt.ExpiredSignatureError:
            raise _refuse("the token has expired") from None
        except jwt.InvalidAudienceError:
            raise _refuse("the token is for another service") from None
        except jwt.InvalidIssuerError:
            raise _refuse("the token comes from another issuer") from None
        except _NOT_VALID:
            # The cause may quote the token, so it is not passed on.
            raise _refuse("the token is not valid here") from None
        raise unknown("NO_CREDENTIALS", "the token is not valid here")

    def _identity(self, token: str, key: TokenKey) -> Identity:
        rules = self._rules
        claims = jwt.decode(
            token,
            key.key,
            algorithms=[key.algorithm],
            audience=rules.audience,
            issuer=rules.issuer,
            leeway=rules.leeway,
            options={"require": ["sub", "exp", "aud"]},
        )
        player = check_name(claims["sub"])
        shown = claims.get("name", player)
        if not isinstance(shown, str):
            raise _refuse("the token's name is no text")
        guest = claims.get("guest") is True and key.algorithm == SECRET_ALGORITHM
        if player.startswith(GUEST_PREFIX) is not guest:
            raise _refuse(f"names that begin with {GUEST_PREFIX} are those of this server's guests")
        expires = datetime.fromtimestamp(claims["exp"], UTC) + rules.leeway
        return Identity(
            player=player,
            display_name=check_name(shown, "display name"),
            expires=expires,
            roles=_roles(claims),
            guest=guest,
            is_revoked=lambda: not self._ring.holds(key),
        )


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
