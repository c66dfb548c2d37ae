"""The use cases of who runs the servers: the end of a table, the rest of all tables, and the audit log."""

from __future__ import annotations

from dataclasses import dataclass

from turkpoker.table.audit import AuditPage, AuditRecord
from turkpoker.table.checking import check_whole
from turkpoker.table.commands import ForceClose
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.hosting import checked_reason
from turkpoker.table.lobby import TableFilter
from turkpoker.table.outcome import Outcome
from turkpoker.table.ports import MAX_PAGE_SIZE, AuditStore, Page
from turkpoker.table.tables import Tables


@dataclass(frozen=True, slots=True)
class Rest:
    """Whether something may begin, and what still runs.

    Args:
        draining: no table is made and no hand begins.
        tables: open tables.
        hands_running: tables at which a hand is on.
    """

    draining: bool
    tables: int
    hands_running: int


class Operations:
    """What operators do. That the caller is one is checked before.

    Args:
        tables: the tables.
        audit: where it is written down.
    """

    def __init__(self, tables: Tables, audit: AuditStore) -> None:
        self._tables = tables
        self._audit = audit

    async def list(self, by: str, page_size: int, page_token: str, wanted: TableFilter) -> Page:
        """Open tables, newest first.

        Raises:
            TableError: INVALID_FIELD.
        """
        page = await self._tables.list(page_size, page_token, wanted)
        if not page_token:
            await self.note(by, "list_tables")
        return page

    async def force_close(self, table_id: str, by: str, reason: str, request_id: str) -> Outcome:
        """End a table at once; ``cashed_out`` of the outcome is what was paid to all.

        Raises:
            TableError: TABLE_NOT_FOUND, TABLE_CLOSED, INVALID_FIELD, REQUEST_ID_REUSED.
        """
        command = ForceClose(by, operator=True, reason=reason)
        return await self._tables.carry_out(table_id, command, request_id)

    async def drain(self, by: str, reason: str, *, end: bool) -> Rest:
        """Let no table be made and no hand begin on any server, or again with ``end``.

        Raises:
            TableError: INVALID_FIELD.
        """
        details = {"reason": reason} if checked_reason(reason) else {}
        record = AuditRecord(by, "operator", "end_drain" if end else "drain", details)
        await self._audit.drain(record, end=end)
        tables = hands = 0
        token = ""
        while True:
            page = await self._tables.list(MAX_PAGE_SIZE, token, TableFilter(private=True))
            tables += len(page.entries)
            hands += sum(entry.hand_running for entry in page.entries)
            token = page.next_page_token
            if not token:
                return Rest(await self._audit.draining(), tables, hands)

    async def audit_of_all(self, by: str, page_size: int, page_token: str) -> AuditPage:
        """Who did what anywhere, newest first.

        Raises:
            TableError: INVALID_FIELD.
        """
        page = await self._page(None, page_size, page_token)
        if not page_token:
            await self.note(by, "read_audit_log")
        return page

    async def audit_of_table(
        self, table_id: str, by: str, page_size: int, page_token: str, *, operator: bool
    ) -> AuditPage:
        """Who did what at a table, newest first: for its host and for operators, who may look at one too
        that is gone.

        Raises:
            TableError: INVALID_FIELD, TABLE_NOT_FOUND, NOT_THE_HOST.
        """
        if not operator and (await self._tables.get(table_id)).state.config.host != by:
            raise TableError(Reason.NOT_THE_HOST, "only who made the table may do this")
        page = await self._page(table_id, page_size, page_token)
        if operator and not page_token:
            await self.note(by, "read_audit_log", f"tables/{table_id}")
        return page

    async def note(self, by: str, action: str, what: str = "") -> None:
        """Write down that an operator looked at something."""
        await self._audit.note(AuditRecord(by, "operator", action, {"parent": what} if what else {}))

    async def _page(self, table_id: str | None, page_size: int, page_token: str) -> AuditPage:
        check_whole("page_size", page_size, 1, 2**31 - 1)
        return await self._audit.list_audit(table_id, min(page_size, MAX_PAGE_SIZE), page_token)
