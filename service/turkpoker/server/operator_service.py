# ruff: noqa: N802 - the methods are named by the contract
"""OperatorService: what who runs the servers may see and do. The role is asked for before a call comes here
(``access``); everything is written to the audit log.
"""

from __future__ import annotations

from turkpoker.server.auth import OPERATOR, caller, require_role
from turkpoker.server.interceptors import Context
from turkpoker.server.resume import ResumeTokens
from turkpoker.server.table_calls import is_operator
from turkpoker.server.wire.names import (
    check_page_token,
    check_request_id,
    page_size,
    parse_table_name,
    table_name,
)
from turkpoker.server.wire.tables import filter_from_wire, summary_to_wire, table_to_wire
from turkpoker.table.audit import AuditEntry
from turkpoker.table.operations import Operations
from turkpoker.v1 import operator_service_pb2 as pb
from turkpoker.v1.operator_service_pb2_grpc import OperatorServiceServicer

DEFAULT_PAGE = 50
GREATEST_PAGE = 200
#: Stands for all tables and what concerns them all.
_ALL_TABLES = "tables/-"


class OperatorService(OperatorServiceServicer):
    """Operations over the wire.

    Args:
        operations: what operators do.
        tokens: make the resume tokens of views.
    """

    def __init__(self, operations: Operations, tokens: ResumeTokens) -> None:
        self._operations = operations
        self._tokens = tokens

    async def ListAllTables(
        self, request: pb.ListAllTablesRequest, context: Context
    ) -> pb.ListAllTablesResponse:
        """Open tables, private ones too."""
        by = require_role(OPERATOR).player
        token = check_page_token(request.page_token)
        size = page_size(request.page_size, default=DEFAULT_PAGE, greatest=GREATEST_PAGE)
        wanted = filter_from_wire(request.filter, by, operator=True)
        page = await self._operations.list(by, size, token, wanted)
        return pb.ListAllTablesResponse(
            tables=[summary_to_wire(entry) for entry in page.entries],
            next_page_token=page.next_page_token,
        )

    async def ForceCloseTable(
        self, request: pb.ForceCloseTableRequest, context: Context
    ) -> pb.ForceCloseTableResponse:
        """End a table at once."""
        by = require_role(OPERATOR).player
        request_id = check_request_id(request.request_id)
        table_id = parse_table_name(request.name)
        outcome = await self._operations.force_close(table_id, by, request.reason, request_id)
        return pb.ForceCloseTableResponse(
            table=table_to_wire(outcome, by, self._tokens), cashed_out=outcome.cashed_out
        )

    async def Drain(self, request: pb.DrainRequest, context: Context) -> pb.DrainResponse:
        """Let nothing begin, or again."""
        by = require_role(OPERATOR).player
        rest = await self._operations.drain(by, request.reason, end=request.end)
        return pb.DrainResponse(draining=rest.draining, tables=rest.tables, hands_running=rest.hands_running)

    async def ListAuditEntries(
        self, request: pb.ListAuditEntriesRequest, context: Context
    ) -> pb.ListAuditEntriesResponse:
        """Who did what."""
        token = check_page_token(request.page_token)
        size = page_size(request.page_size, default=DEFAULT_PAGE, greatest=GREATEST_PAGE)
        if request.parent == _ALL_TABLES:
            page = await self._operations.audit_of_all(require_role(OPERATOR).player, size, token)
        else:
            table_id = parse_table_name(request.parent, "parent")
            page = await self._operations.audit_of_table(
                table_id, caller().player, size, token, operator=is_operator()
            )
        return pb.ListAuditEntriesResponse(
            entries=[entry_to_wire(entry) for entry in page.entries], next_page_token=page.next_page_token
        )


def entry_to_wire(entry: AuditEntry) -> pb.AuditEntry:
    """An entry of the audit log."""
    record = entry.record
    message = pb.AuditEntry(
        table=table_name(entry.table_id) if entry.table_id else "",
        version=entry.version,
        actor=record.actor,
        role=record.role,
        action=record.action,
        details=record.details,
    )
    message.create_time.FromDatetime(entry.time)
    return message
