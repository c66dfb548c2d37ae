"""What the host of a table may do beside playing."""

import uuid

from turkpoker.client.connection import Connection
from turkpoker.client.view import TableView
from turkpoker.v1 import table_service_pb2 as pb


class HostCalls:
    """The calls of a host; an operator may give most of them too. Refusals raise TurkpokerError.

    Every call makes a request id (or takes yours) and gives the table as the caller sees it after it.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._tables = connection.tables

    async def pause(self, name: str, reason: str = "", *, request_id: str | None = None) -> TableView:
        """Let no new hand begin; a running one goes on."""
        request = pb.PauseTableRequest(request_id=_id(request_id), name=name, reason=reason)
        return TableView.from_wire((await self._connection.unary(self._tables.PauseTable, request)).table)

    async def resume(self, name: str, *, request_id: str | None = None) -> TableView:
        """Let hands begin again."""
        request = pb.ResumeTableRequest(request_id=_id(request_id), name=name)
        return TableView.from_wire((await self._connection.unary(self._tables.ResumeTable, request)).table)

    async def remove_player(
        self, name: str, seat: int, player: str, *, request_id: str | None = None
    ) -> TableView:
        """Send a player away; he is folded and paid out as if he had left, and cannot come back."""
        request = pb.RemovePlayerRequest(request_id=_id(request_id), name=name, seat=seat, player=player)
        return TableView.from_wire((await self._connection.unary(self._tables.RemovePlayer, request)).table)

    async def switch_deal_mode(
        self, name: str, deal_mode: str, *, request_id: str | None = None
    ) -> TableView:
        """Change a French table between `ante` and `blind` from the next hand on."""
        request = pb.SwitchDealModeRequest(request_id=_id(request_id), name=name, deal_mode=deal_mode)
        return TableView.from_wire((await self._connection.unary(self._tables.SwitchDealMode, request)).table)

    async def end_session(self, name: str, *, request_id: str | None = None) -> TableView:
        """End the table after the running hand: a carried pot is shared, everybody is paid out."""
        request = pb.EndSessionRequest(request_id=_id(request_id), name=name)
        return TableView.from_wire((await self._connection.unary(self._tables.EndSession, request)).table)

    async def renew_invitation(self, name: str, *, request_id: str | None = None) -> str:
        """A new invitation to a private table; the one before is good no more."""
        request = pb.RenewInvitationRequest(request_id=_id(request_id), name=name)
        return (await self._connection.unary(self._tables.RenewInvitation, request)).table.invitation


def _id(given: str | None) -> str:
    return given or uuid.uuid4().hex
