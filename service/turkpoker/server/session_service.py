# ruff: noqa: N802 - the methods are named by the contract
"""SessionService: who one is, and tokens for who has none."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

from turkpoker.server.auth import (
    GUEST_PREFIX,
    GUEST_ROLES,
    MAX_NAME,
    ROLES,
    Identity,
    TokenRules,
    caller,
    make_token,
)
from turkpoker.server.errors import ServiceError
from turkpoker.server.interceptors import Context
from turkpoker.server.limits import Limits
from turkpoker.server.settings import ServerSettings
from turkpoker.server.token_keys import KeyRing
from turkpoker.server.wire.names import check_display_name
from turkpoker.v1 import session_service_pb2 as pb
from turkpoker.v1.session_service_pb2_grpc import SessionServiceServicer


class SessionService(SessionServiceServicer):
    """Sessions over the wire.

    Args:
        keys: the first secret key signs the guests' tokens.
        rules: what those tokens must say to be good here.
        limits: how many guests one address may ask for.
        settings: whether guests are let in, and for how long.
    """

    def __init__(self, keys: KeyRing, rules: TokenRules, limits: Limits, settings: ServerSettings) -> None:
        self._keys = keys
        self._rules = rules
        self._limits = limits
        self._open = settings.guests_welcome
        self._lifetime = settings.guest_lifetime

    async def CreateGuest(self, request: pb.CreateGuestRequest, context: Context) -> pb.CreateGuestResponse:
        """A token for a stranger."""
        key = self._keys.signing
        if not self._open or key is None:
            raise ServiceError("GUESTS_OFF", "this server gives no tokens to strangers")
        name = check_display_name(request.display_name, most=MAX_NAME)
        self._limits.check_guest(context)
        player = GUEST_PREFIX + secrets.token_hex(10)
        now = datetime.now(UTC).replace(microsecond=0)
        identity = Identity(
            player=player,
            display_name=name or f"Guest {player[-4:]}",
            expires=now + self._lifetime,
            roles=GUEST_ROLES,
            guest=True,
        )
        token = make_token(
            key,
            player,
            display_name=identity.display_name,
            lifetime=self._lifetime,
            roles=GUEST_ROLES,
            rules=self._rules,
            now=now,
            guest=True,
        )
        return pb.CreateGuestResponse(token=token, session=_session(identity))

    async def GetSession(self, request: pb.GetSessionRequest, context: Context) -> pb.GetSessionResponse:
        """Who the caller is."""
        return pb.GetSessionResponse(session=_session(caller(), self._rules.leeway))


def _session(identity: Identity, leeway: timedelta = timedelta(0)) -> pb.Session:
    session = pb.Session(
        player=identity.player,
        display_name=identity.display_name,
        roles=[role for role in ROLES if role in identity.roles],
        guest=identity.guest,
    )
    session.expire_time.FromDatetime(identity.expires - leeway)
    return session
