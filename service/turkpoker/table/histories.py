"""The use cases of finished hands: look one up, list them, and go through all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from turkpoker.table.checking import check_whole
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.ports import MAX_PAGE_SIZE, FinishedHand, RecordPage, RecordStore

#: So many records are held at once while one goes through all of them.
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class OfTable:
    """The hands of a table."""

    table_id: str


@dataclass(frozen=True, slots=True)
class OfPlayer:
    """The hands of a player at all tables."""

    player: str


class Histories:
    """Finished hands of all tables. What is given out are full records: the house's alone.

    Args:
        records: where they are kept.
    """

    def __init__(self, records: RecordStore) -> None:
        self._records = records

    async def get(self, table_id: str, hand_number: int) -> FinishedHand:
        """One finished hand.

        Raises:
            TableError: HAND_NOT_FOUND.
        """
        record = await self._records.get_record(table_id, hand_number)
        if record is None:
            raise no_record(table_id, hand_number)
        return record

    async def list(self, parent: OfTable | OfPlayer, page_size: int = 20, page_token: str = "") -> RecordPage:
        """Finished hands, newest first.

        Raises:
            TableError: INVALID_FIELD.
        """
        check_whole("page_size", page_size, 1, 2**31 - 1)
        page_size = min(page_size, MAX_PAGE_SIZE)
        while True:
            page = await self._page(parent, page_size, page_token)
            # An index may hold nothing but records that are gone; an empty page would look like the end.
            if page.records or not page.next_page_token:
                return page
            page_token = page.next_page_token

    async def _page(self, parent: OfTable | OfPlayer, page_size: int, page_token: str) -> RecordPage:
        if isinstance(parent, OfTable):
            return await self._records.list_records(parent.table_id, page_size, page_token)
        return await self._records.list_player_records(parent.player, page_size, page_token)

    async def all(
        self, parent: OfTable | OfPlayer, since: datetime | None = None, until: datetime | None = None
    ) -> AsyncIterator[FinishedHand]:
        """All finished hands, oldest first, a few read at a time.

        Args:
            parent: whose.
            since: leaves out hands that were over before.
            until: leaves out hands that were over at that moment or later.
        """
        token = ""
        while True:
            if isinstance(parent, OfTable):
                page = await self._records.list_records(
                    parent.table_id, _AT_ONCE, token, oldest_first=True, since=since
                )
            else:
                page = await self._records.list_player_records(
                    parent.player, _AT_ONCE, token, oldest_first=True, since=since
                )
            for record in page.records:
                if until is not None and record.end_time is not None and record.end_time >= until:
                    return
                yield record
            token = page.next_page_token
            if not token:
                return


def no_record(table_id: str, hand_number: int) -> TableError:
    """The refusal of a hand that is not there, or that the caller may not know of."""
    name = f"tables/{table_id}/hands/{hand_number}"
    return TableError(Reason.HAND_NOT_FOUND, "there is no record of this hand", metadata={"hand": name})
