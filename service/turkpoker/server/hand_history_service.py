# ruff: noqa: N802 - the methods are named by the contract
"""HandHistoryService: records of finished hands, to each viewer his own side."""

from __future__ import annotations

from turkpoker.server.auth import caller
from turkpoker.server.errors import invalid
from turkpoker.server.interceptors import Context
from turkpoker.server.wire.names import page_size, parse_hand_name, parse_table_name
from turkpoker.server.wire.records import record_to_wire
from turkpoker.table.tables import Tables
from turkpoker.v1 import hand_history_service_pb2 as pb
from turkpoker.v1.hand_history_service_pb2_grpc import HandHistoryServiceServicer

DEFAULT_PAGE = 20
GREATEST_PAGE = 100
_MAX_PAGE_TOKEN = 256


class HandHistoryService(HandHistoryServiceServicer):
    """Finished hands over the wire.

    Args:
        tables: the tables.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def GetHandRecord(
        self, request: pb.GetHandRecordRequest, context: Context
    ) -> pb.GetHandRecordResponse:
        """One record."""
        table_id, hand_number = parse_hand_name(request.name)
        finished = await self._tables.get_record(table_id, hand_number)
        return pb.GetHandRecordResponse(record=record_to_wire(finished, caller().player))

    async def ListHandRecords(
        self, request: pb.ListHandRecordsRequest, context: Context
    ) -> pb.ListHandRecordsResponse:
        """A table's records, newest first."""
        if len(request.page_token) > _MAX_PAGE_TOKEN:
            raise invalid("page_token", "page_token is none of ours")
        table_id = parse_table_name(request.parent, "parent")
        size = page_size(request.page_size, default=DEFAULT_PAGE, greatest=GREATEST_PAGE)
        page = await self._tables.list_records(table_id, size, request.page_token)
        return pb.ListHandRecordsResponse(
            records=[record_to_wire(finished, caller().player) for finished in page.records],
            next_page_token=page.next_page_token,
        )
