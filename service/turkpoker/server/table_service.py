# ruff: noqa: N802 - the methods are named by the contract
"""TableService: checks the form of requests, hands them to the tables, and translates what comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

from google.protobuf.message import Message
from turkpoker.engine import RulesError
from turkpoker.engine.explain import LANGUAGES, explain
from turkpoker.server.auth import caller
from turkpoker.server.errors import invalid
from turkpoker.server.host_calls import HostCalls
from turkpoker.server.interceptors import Context
from turkpoker.server.play import carry_out, play_table
from turkpoker.server.seat_calls import SeatCalls
from turkpoker.server.table_calls import is_operator
from turkpoker.server.watch import watch_table
from turkpoker.server.wire.names import check_display_name, check_request_id, page_size, parse_table_name
from turkpoker.server.wire.rules import duration_from_wire, rules_from_wire
from turkpoker.server.wire.tables import filter_from_wire, summary_to_wire
from turkpoker.table.config import DEFAULT_AWAY_LIMIT, DEFAULT_HAND_PAUSE
from turkpoker.v1 import table_service_pb2 as pb

DEFAULT_LANGUAGE = "en"
DEFAULT_PAGE = 50
GREATEST_PAGE = 200
_MAX_PAGE_TOKEN = 256
#: The durations of a new table and what they are where it says nothing.
_DURATIONS = {
    "hand_pause": DEFAULT_HAND_PAUSE,
    "spectator_delay": timedelta(0),
    "away_limit": DEFAULT_AWAY_LIMIT,
}


class TableService(SeatCalls, HostCalls):
    """Tables over the wire.

    Args:
        viewing: tables, events and limits.
    """

    async def CreateTable(self, request: pb.CreateTableRequest, context: Context) -> pb.CreateTableResponse:
        """Make a table; the caller is its host."""
        durations = {name: _duration(request, name, default) for name, default in _DURATIONS.items()}
        player, request_id = caller().player, check_request_id(request.request_id)
        rules = rules_from_wire(request.rules)
        async with self._viewing.allowance.hosting(player, request_id):
            outcome = await self._tables.create(
                player,
                rules,
                display_name=check_display_name(request.display_name),
                seat_count=request.seat_count,
                hand_pause=durations["hand_pause"],
                private=request.private,
                spectator_delay=durations["spectator_delay"],
                away_limit=durations["away_limit"],
                request_id=request_id,
            )
        return pb.CreateTableResponse(table=self._view(outcome))

    async def GetTable(self, request: pb.GetTableRequest, context: Context) -> pb.GetTableResponse:
        """The caller's view."""
        return pb.GetTableResponse(table=self._view(await self._seen(request.name, request.invitation)))

    async def ListTables(self, request: pb.ListTablesRequest, context: Context) -> pb.ListTablesResponse:
        """The open tables."""
        if len(request.page_token) > _MAX_PAGE_TOKEN:
            raise invalid("page_token", "page_token is none of ours")
        size = page_size(request.page_size, default=DEFAULT_PAGE, greatest=GREATEST_PAGE)
        wanted = filter_from_wire(request.filter, caller().player, operator=is_operator())
        page = await self._tables.list(size, request.page_token, wanted)
        return pb.ListTablesResponse(
            tables=[summary_to_wire(entry) for entry in page.entries],
            next_page_token=page.next_page_token,
        )

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
            rules = (await self._seen(request.name)).state.config.rules
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
        table_id = (await self._seen(request.name, request.invitation)).state.table_id
        await watch_table(self._viewing, caller(), table_id, request.resume_token, context)


def _duration(request: Message, name: str, default: timedelta) -> timedelta:
    return duration_from_wire(getattr(request, name), name) if request.HasField(name) else default
