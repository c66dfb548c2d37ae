"""What an operator may do: his token says `operator` among its roles."""

import uuid
from collections.abc import AsyncIterator

from turkpoker.client.connection import Connection
from turkpoker.v1 import operator_service_pb2 as pb
from turkpoker.v1 import table_service_pb2, tables_pb2


class OperatorCalls:
    """The calls of an operator. Refusals raise TurkpokerError."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._operations = connection.operations

    async def list_tables(
        self, page_size: int = 0, *, wanted: table_service_pb2.TableFilter | None = None
    ) -> AsyncIterator[tables_pb2.TableSummary]:
        """All open tables, private ones too, newest first, page by page as needed."""
        token = ""
        while True:
            request = pb.ListAllTablesRequest(page_size=page_size, page_token=token, filter=wanted)
            page = await self._connection.unary(self._operations.ListAllTables, request)
            for table in page.tables:
                yield table
            token = page.next_page_token
            if not token:
                return

    async def force_close(self, name: str, reason: str = "", *, request_id: str | None = None) -> int:
        """End a table at once; a running hand is stopped and everybody has back what he put in.

        Gives the chips that were paid out in all.
        """
        request = pb.ForceCloseTableRequest(
            request_id=request_id or uuid.uuid4().hex, name=name, reason=reason
        )
        return (await self._connection.unary(self._operations.ForceCloseTable, request)).cashed_out

    async def drain(self, reason: str = "") -> pb.DrainResponse:
        """Let no table be made and no hand begin; call again to see how many hands still run."""
        return await self._connection.unary(self._operations.Drain, pb.DrainRequest(reason=reason))

    async def end_drain(self) -> pb.DrainResponse:
        """Let tables be made and hands begin again."""
        return await self._connection.unary(self._operations.Drain, pb.DrainRequest(end=True))

    async def audit_entries(
        self, parent: str = "tables/-", page_size: int = 0
    ) -> AsyncIterator[pb.AuditEntry]:
        """Who did what at a table (a host may ask for his own) or anywhere (`tables/-`), newest first."""
        token = ""
        while True:
            request = pb.ListAuditEntriesRequest(parent=parent, page_size=page_size, page_token=token)
            page = await self._connection.unary(self._operations.ListAuditEntries, request)
            for entry in page.entries:
                yield entry
            token = page.next_page_token
            if not token:
                return
