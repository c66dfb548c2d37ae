# ruff: noqa: N802 - the methods are named by the contract
"""The calls of hosts and operators. Who may give which command is decided by the table."""

from __future__ import annotations

from turkpoker.server.auth import caller
from turkpoker.server.interceptors import Context
from turkpoker.server.table_calls import TableCalls, is_operator
from turkpoker.server.wire.names import check_request_id, parse_table_name
from turkpoker.table.commands import Close, EndSession, Pause, Remove, Resume, SwitchDealMode
from turkpoker.v1 import table_service_pb2 as pb


class HostCalls(TableCalls):
    """What a host may do, over the wire."""

    async def CloseTable(self, request: pb.CloseTableRequest, context: Context) -> pb.CloseTableResponse:
        """End a table between two hands."""
        command = Close(caller().player, operator=is_operator())
        return pb.CloseTableResponse(table=self._view(await self._carry_out(request, command)))

    async def PauseTable(self, request: pb.PauseTableRequest, context: Context) -> pb.PauseTableResponse:
        """Let no new hand begin."""
        command = Pause(caller().player, operator=is_operator(), reason=request.reason)
        return pb.PauseTableResponse(table=self._view(await self._carry_out(request, command)))

    async def ResumeTable(self, request: pb.ResumeTableRequest, context: Context) -> pb.ResumeTableResponse:
        """Let hands begin again."""
        command = Resume(caller().player, operator=is_operator())
        return pb.ResumeTableResponse(table=self._view(await self._carry_out(request, command)))

    async def RemovePlayer(
        self, request: pb.RemovePlayerRequest, context: Context
    ) -> pb.RemovePlayerResponse:
        """Send a player away."""
        command = Remove(caller().player, request.seat, request.player, operator=is_operator())
        return pb.RemovePlayerResponse(table=self._view(await self._carry_out(request, command)))

    async def SwitchDealMode(
        self, request: pb.SwitchDealModeRequest, context: Context
    ) -> pb.SwitchDealModeResponse:
        """Play with other deals."""
        command = SwitchDealMode(caller().player, request.deal_mode)
        return pb.SwitchDealModeResponse(table=self._view(await self._carry_out(request, command)))

    async def EndSession(self, request: pb.EndSessionRequest, context: Context) -> pb.EndSessionResponse:
        """End a table after the running hand."""
        command = EndSession(caller().player, operator=is_operator())
        return pb.EndSessionResponse(table=self._view(await self._carry_out(request, command)))

    async def RenewInvitation(
        self, request: pb.RenewInvitationRequest, context: Context
    ) -> pb.RenewInvitationResponse:
        """Have another invitation."""
        request_id = check_request_id(request.request_id)
        table_id = parse_table_name(request.name)
        outcome = await self._tables.renew_invitation(table_id, caller().player, request_id)
        return pb.RenewInvitationResponse(table=self._view(outcome))
