# ruff: noqa: N802 - the methods are named by the contract
"""TableService: checks the form of requests, hands them to the tables, and translates what comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

from turkpoker.engine import RulesError
from turkpoker.engine.explain import LANGUAGES, explain
from turkpoker.server.auth import caller
from turkpoker.server.errors import invalid
from turkpoker.server.interceptors import Context
from turkpoker.server.play import carry_out, play_table
from turkpoker.server.watch import Viewing, watch_table
from turkpoker.server.wire.names import check_display_name, check_request_id, page_size, parse_table_name
from turkpoker.server.wire.rules import duration_from_wire, rules_from_wire
from turkpoker.server.wire.tables import summary_to_wire, table_to_wire
from turkpoker.table.commands import Join
from turkpoker.table.config import DEFAULT_HAND_PAUSE
from turkpoker.table.tables import Outcome
from turkpoker.v1 import table_service_pb2 as pb
from turkpoker.v1 import tables_pb2
from turkpoker.v1.table_service_pb2_grpc import TableServiceServicer

DEFAULT_LANGUAGE = "en"
DEFAULT_PAGE = 50
GREATEST_PAGE = 200
_MAX_PAGE_TOKEN = 256


class TableService(TableServiceServicer):
    """Tables over the wire.

    Args:
        viewing: tables, events and limits.
    """

    def __init__(self, viewing: Viewing) -> None:
        self._viewing = viewing
        self._tables = viewing.tables

    async def CreateTable(self, request: pb.CreateTableRequest, context: Context) -> pb.CreateTableResponse:
        """Make a table; the caller is its host."""
        pause = DEFAULT_HAND_PAUSE
        if request.HasField("hand_pause"):
            pause = duration_from_wire(request.hand_pause, "hand_pause")
        delay = timedelta(0)
        if request.HasField("spectator_delay"):
            delay = duration_from_wire(request.spectator_delay, "spectator_delay")
        outcome = await self._tables.create(
            caller().player,
            rules_from_wire(request.rules),
            display_name=check_display_name(request.display_name),
            seat_count=request.seat_count,
            hand_pause=pause,
            spectator_delay=delay,
            request_id=check_request_id(request.request_id),
        )
        return pb.CreateTableResponse(table=self._view(outcome))

    async def GetTable(self, request: pb.GetTableRequest, context: Context) -> pb.GetTableResponse:
        """The caller's view."""
        outcome = await self._tables.get(parse_table_name(request.name))
        return pb.GetTableResponse(table=self._view(outcome))

    async def ListTables(self, request: pb.ListTablesRequest, context: Context) -> pb.ListTablesResponse:
        """The open tables."""
        if len(request.page_token) > _MAX_PAGE_TOKEN:
            raise invalid("page_token", "page_token is none of ours")
        size = page_size(request.page_size, default=DEFAULT_PAGE, greatest=GREATEST_PAGE)
        page = await self._tables.list(size, request.page_token)
        return pb.ListTablesResponse(
            tables=[summary_to_wire(entry) for entry in page.entries],
            next_page_token=page.next_page_token,
        )

    async def CloseTable(self, request: pb.CloseTableRequest, context: Context) -> pb.CloseTableResponse:
        """End a table."""
        request_id = check_request_id(request.request_id)
        outcome = await self._tables.close(parse_table_name(request.name), caller().player, request_id)
        return pb.CloseTableResponse(table=self._view(outcome))

    async def JoinTable(self, request: pb.JoinTableRequest, context: Context) -> pb.JoinTableResponse:
        """Take a seat."""
        identity = caller()
        command = Join(
            identity.player,
            identity.display_name,
            seat=request.seat if request.HasField("seat") else None,
            buy_in=request.buy_in or None,
        )
        table_id = parse_table_name(request.name)
        outcome = await self._tables.join(table_id, command, check_request_id(request.request_id))
        outcome = await self._viewing.buy_ins.answered(outcome)
        return pb.JoinTableResponse(table=self._view(outcome))

    async def LeaveTable(self, request: pb.LeaveTableRequest, context: Context) -> pb.LeaveTableResponse:
        """Give a seat up."""
        request_id = check_request_id(request.request_id)
        outcome = await self._tables.leave(parse_table_name(request.name), caller().player, request_id)
        return pb.LeaveTableResponse(cashed_out=outcome.cashed_out, pending=outcome.pending)

    async def SitOut(self, request: pb.SitOutRequest, context: Context) -> pb.SitOutResponse:
        """Not be dealt in any more."""
        request_id = check_request_id(request.request_id)
        outcome = await self._tables.sit_out(parse_table_name(request.name), caller().player, request_id)
        return pb.SitOutResponse(table=self._view(outcome))

    async def SitIn(self, request: pb.SitInRequest, context: Context) -> pb.SitInResponse:
        """Be dealt in again."""
        request_id = check_request_id(request.request_id)
        outcome = await self._tables.sit_in(parse_table_name(request.name), caller().player, request_id)
        return pb.SitInResponse(table=self._view(outcome))

    async def AddChips(self, request: pb.AddChipsRequest, context: Context) -> pb.AddChipsResponse:
        """Buy more chips."""
        table_id = parse_table_name(request.name)
        request_id = check_request_id(request.request_id)
        outcome = await self._tables.add_chips(table_id, caller().player, request.amount or None, request_id)
        outcome = await self._viewing.buy_ins.answered(outcome)
        return pb.AddChipsResponse(amount=outcome.bought, pending=outcome.pending, table=self._view(outcome))

    async def ExplainRules(
        self, request: pb.ExplainRulesRequest, context: Context
    ) -> pb.ExplainRulesResponse:
        """The rules as text in the reader's language."""
        language = request.language or DEFAULT_LANGUAGE
        if language not in LANGUAGES:
            raise invalid("language", f"no such language: choose {', '.join(LANGUAGES)}")
        if request.name and request.HasField("rules"):
            raise invalid("rules", "give rules or the name of a table, not both")
        if request.name:
            rules = (await self._tables.get(parse_table_name(request.name))).state.config.rules
        else:
            rules = rules_from_wire(request.rules)
        try:
            text = explain(rules, language)
        except RulesError as error:  # a level of a tournament that cannot be played
            raise invalid(f"rules.{error.field}", error.reason) from None
        return pb.ExplainRulesResponse(text=text, language=language, warnings=rules.warnings)

    async def SubmitAction(
        self, request: pb.SubmitActionRequest, context: Context
    ) -> pb.SubmitActionResponse:
        """Answer a decision."""
        table_id = parse_table_name(request.name)
        return await carry_out(self._tables, self._viewing.tokens, caller(), table_id, request)

    async def Play(  # type: ignore[override]
        self, request_iterator: AsyncIterator[pb.PlayRequest], context: Context
    ) -> None:
        """One player's actions in, his results and updates out."""
        await play_table(self._viewing, caller(), request_iterator, context)

    async def WatchTable(  # type: ignore[override]
        self, request: pb.WatchTableRequest, context: Context
    ) -> None:
        """What happens at a table, as the caller may see it."""
        table_id = parse_table_name(request.name)
        await watch_table(self._viewing, caller(), table_id, request.resume_token, context)

    def _view(self, outcome: Outcome) -> tables_pb2.Table:
        return table_to_wire(outcome, caller().player, self._viewing.tokens)
