"""Who one is for the server, and a token for who has none."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import grpc
from turkpoker.client.connection import Connection
from turkpoker.v1 import session_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class Identity:
    """A caller as his token says: his name for the service, how he wants to be called, what he may do
    (`player`, `host`, `operator`), whether he is a guest, and when the token ends.
    """

    player: str
    display_name: str
    roles: frozenset[str]
    guest: bool
    expires: datetime

    @classmethod
    def from_wire(cls, session: pb.Session) -> "Identity":
        """The identity in a message."""
        return cls(
            session.player,
            session.display_name,
            frozenset(session.roles),
            session.guest,
            session.expire_time.ToDatetime(UTC),
        )


@dataclass(frozen=True, slots=True)
class Guest:
    """A guest and his token. Whoever has the token is the guest."""

    identity: Identity
    token: str = field(repr=False)


class IdentityCalls:
    """The calls about identity. Refusals raise TurkpokerError."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get(self) -> Identity:
        """Who the caller is."""
        response = await self._connection.unary(self._connection.sessions.GetSession, pb.GetSessionRequest())
        return Identity.from_wire(response.session)

    async def create_guest(self, display_name: str = "") -> Guest:
        """A token for a stranger, where the server gives one (else GUESTS_OFF)."""
        response = await self._connection.unary(
            self._connection.sessions.CreateGuest, pb.CreateGuestRequest(display_name=display_name)
        )
        return Guest(Identity.from_wire(response.session), response.token)


async def sign_in_as_guest(
    address: str, display_name: str = "", *, credentials: grpc.ChannelCredentials | None = None
) -> Guest:
    """Become a guest: `Client(address, (await sign_in_as_guest(address)).token)`."""
    async with Connection(address, credentials=credentials) as connection:
        return await IdentityCalls(connection).create_guest(display_name)
