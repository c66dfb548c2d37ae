"""The use cases of finished hands: look one up, list them, and go through all of them.

Who played a hand, the host of its table and operators may always read it. Of a private table nobody else may
but who belongs to it now; at a table with a spectator delay, who does not sit there reads a hand only when
spectators have seen its end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from turkpoker.table.access import check_invited
from turkpoker.table.checking import check_whole
from turkpoker.table.delay import sees_later
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.outcome import Outcome
from turkpoker.table.ports import MAX_PAGE_SIZE, FinishedHand, RecordPage, RecordStore
from turkpoker.table.tables import Tables

#: So many records are held at once while one goes through all of them.
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class OfTable:
    """The hands of a table."""

    table_id: str


@dataclass(frozen=True, slots=True)
class OfPlayer:
    """The hands of a player at all tables; for himself and for operators."""

    player: str


@dataclass(frozen=True, slots=True)
class Reader:
    """Who wants to read.

    Args:
        player: who.
        operator: he has that role.
    """

    player: str
    operator: bool = False


class Histories:
    """Finished hands of all tables. What is given out are full records: which of their cards the reader may
    see is for who shows them.

    Args:
        records: where they are kept.
        tables: the tables, for who belongs to them.
    """

    def __init__(self, records: RecordStore, tables: Tables) -> None:
        self._records = records
        self._tables = tables

    async def get(self, reader: Reader, table_id: str, hand_number: int) -> FinishedHand:
        """One finished hand.

        Raises:
            TableError: HAND_NOT_FOUND, NOT_INVITED, REMOVED.
        """
        record = await self._records.get_record(table_id, hand_number)
        seen = () if record is None else await self._seen_by(reader, (record,))
        if not seen:
            name = f"tables/{table_id}/hands/{hand_number}"
            raise TableError(
                Reason.HAND_NOT_FOUND, "there is no record of this hand", metadata={"hand": name}
            )
        return seen[0]

    async def list(
        self, reader: Reader, parent: OfTable | OfPlayer, page_size: int = 20, page_token: str = ""
    ) -> RecordPage:
        """Finished hands, newest first.

        Raises:
            TableError: INVALID_FIELD, NOT_INVITED, REMOVED.
        """
        check_whole("page_size", page_size, 1, 2**31 - 1)
        page_size = min(page_size, MAX_PAGE_SIZE)
        while True:
            if isinstance(parent, OfTable):
                page = await self._records.list_records(parent.table_id, page_size, page_token)
            else:
                page = await self._records.list_player_records(parent.player, page_size, page_token)
            seen = await self._seen_by(reader, page.records)
            # An index may hold nothing but records that are gone; an empty page would look like the end.
            if seen or not page.next_page_token:
                return RecordPage(seen, page.next_page_token)
            page_token = page.next_page_token

    async def all(
        self,
        reader: Reader,
        parent: OfTable | OfPlayer,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> AsyncIterator[FinishedHand]:
        """All finished hands, oldest first, a few read at a time.

        Args:
            reader: who wants to read them.
            parent: whose.
            since: leaves out hands that were over before.
            until: leaves out hands that were over at that moment or later.

        Raises:
            TableError: NOT_INVITED, REMOVED.
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
            for record in await self._seen_by(reader, page.records):
                if until is not None and record.end_time is not None and record.end_time >= until:
                    return
                yield record
            token = page.next_page_token
            if not token:
                return

    async def _seen_by(self, reader: Reader, records: Sequence[FinishedHand]) -> tuple[FinishedHand, ...]:
        """Those of the records that somebody may read; all of them are of one table, or all his.

        Raises:
            TableError: NOT_INVITED, REMOVED.
        """
        guarded = {record.hand_number for record in records if _guarded(record, reader)}
        if not guarded:
            return tuple(records)
        try:
            outcome = await self._tables.get(records[0].table_id)
        except TableError:  # it is gone, and with it who belongs to it; the delay has passed long ago
            return tuple(each for each in records if each.hand_number not in guarded or not each.private)
        check_invited(outcome.state, reader.player, (), "")
        return tuple(
            each
            for each in records
            if each.hand_number not in guarded or not _too_early(each, outcome, reader.player)
        )


def _guarded(record: FinishedHand, reader: Reader) -> bool:
    """Whether it has to be asked who reads a record."""
    his = reader.operator or reader.player == record.host or reader.player in record.players.values()
    return not his and (record.private or bool(record.spectator_delay))


def _too_early(record: FinishedHand, outcome: Outcome, player: str) -> bool:
    """Whether somebody is a spectator who has not seen the end of this hand yet."""
    if record.end_time is None or not sees_later(outcome.state, player):
        return False
    return record.end_time + record.spectator_delay > outcome.now
