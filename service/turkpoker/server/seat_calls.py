# ruff: noqa: N802 - the methods are named by the contract
"""The calls of players about their seats: come, go, wait, buy chips, sit out and in."""

from __future__ import annotations

from turkpoker.server.auth import caller
from turkpoker.server.interceptors import Context
from turkpoker.server.table_calls import TableCalls, checked_invitation, is_operator
from turkpoker.server.wire.names import parse_table_name
from turkpoker.server.wire.tables import leave_when_from_wire, sit_out_when_from_wire
from turkpoker.table.commands import (
    AddChips,
    Join,
    JoinWaitingList,
    Leave,
    LeaveWaitingList,
    SetAutoTopUp,
    SitIn,
    SitOut,
)
from turkpoker.v1 import table_service_pb2 as pb


class SeatCalls(TableCalls):
    """Seats over the wire."""

    async def JoinTable(self, request: pb.JoinTableRequest, context: Context) -> pb.JoinTableResponse:
        """Take a seat."""
        identity = caller()
        command = Join(
            identity.player,
            identity.display_name,
            seat=request.seat if request.HasField("seat") else None,
            buy_in=request.buy_in or None,
            invitation=checked_invitation(request.invitation),
            operator=is_operator(),
        )
        async with self._viewing.allowance.joining(identity.player, parse_table_name(request.name)):
            outcome = await self._carry_out(request, command)
        outcome = await self._viewing.buy_ins.answered(outcome)
        return pb.JoinTableResponse(table=self._view(outcome))

    async def LeaveTable(self, request: pb.LeaveTableRequest, context: Context) -> pb.LeaveTableResponse:
        """Give a seat up, now or after the hand."""
        command = Leave(caller().player, leave_when_from_wire(request.when))
        outcome = await self._carry_out(request, command)
        return pb.LeaveTableResponse(cashed_out=outcome.cashed_out, pending=outcome.pending)

    async def SitOut(self, request: pb.SitOutRequest, context: Context) -> pb.SitOutResponse:
        """Not be dealt in any more."""
        command = SitOut(caller().player, sit_out_when_from_wire(request.when))
        return pb.SitOutResponse(table=self._view(await self._carry_out(request, command)))

    async def SitIn(self, request: pb.SitInRequest, context: Context) -> pb.SitInResponse:
        """Be dealt in again."""
        outcome = await self._carry_out(request, SitIn(caller().player))
        return pb.SitInResponse(table=self._view(outcome))

    async def AddChips(self, request: pb.AddChipsRequest, context: Context) -> pb.AddChipsResponse:
        """Buy more chips."""
        outcome = await self._carry_out(request, AddChips(caller().player, request.amount or None))
        outcome = await self._viewing.buy_ins.answered(outcome)
        return pb.AddChipsResponse(amount=outcome.bought, pending=outcome.pending, table=self._view(outcome))

    async def SetAutoTopUp(
        self, request: pb.SetAutoTopUpRequest, context: Context
    ) -> pb.SetAutoTopUpResponse:
        """Be filled up between hands."""
        outcome = await self._carry_out(request, SetAutoTopUp(caller().player, request.target))
        return pb.SetAutoTopUpResponse(table=self._view(outcome))

    async def JoinWaitingList(
        self, request: pb.JoinWaitingListRequest, context: Context
    ) -> pb.JoinWaitingListResponse:
        """Wait for a seat."""
        identity = caller()
        command = JoinWaitingList(
            identity.player,
            identity.display_name,
            invitation=checked_invitation(request.invitation),
            operator=is_operator(),
        )
        return pb.JoinWaitingListResponse(table=self._view(await self._carry_out(request, command)))

    async def LeaveWaitingList(
        self, request: pb.LeaveWaitingListRequest, context: Context
    ) -> pb.LeaveWaitingListResponse:
        """Wait no more."""
        await self._seen(request.name)
        outcome = await self._carry_out(request, LeaveWaitingList(caller().player))
        return pb.LeaveWaitingListResponse(table=self._view(outcome))
