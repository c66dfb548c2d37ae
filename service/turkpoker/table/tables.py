"""The use cases of tables: load, decide, commit, and once more when somebody else was first."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from turkpoker.engine import Rules
from turkpoker.table.commands import Act, Join
from turkpoker.table.config import DEFAULT_HAND_PAUSE
from turkpoker.table.events import TableEvent
from turkpoker.table.ports import Dealer, FinishedHand, Page, RecordPage, TableStore
from turkpoker.table.state import TableState


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a command, or how a table stands.

    Args:
        state: the table now (after a repeated request: as it is now, not as it was then).
        deadline: when the clocks run out, by the store's clock.
        now: the store's clock.
        version: the version that the command made; for a repeated request that of the first time.
        epoch: of that version.
        events: what this call made happen; empty for a repeated request or where nothing changed.
        replayed: the request had been carried out before.
        cashed_out: chips paid to the caller.
        pending: more will be paid when the hand is over.
    """

    state: TableState
    deadline: datetime | None
    now: datetime
    version: int
    epoch: int
    events: tuple[TableEvent, ...] = field(default=(), repr=False)
    replayed: bool = False
    cashed_out: int = 0
    pending: bool = False


class Tables:
    """All tables of a store, as one process sees them."""

    def __init__(self, store: TableStore, dealer: Dealer, *, rehearsal: bool = False) -> None: ...

    async def create(
        self,
        host: str,
        rules: Rules,
        *,
        display_name: str = "",
        seat_count: int = 0,
        hand_pause: timedelta = DEFAULT_HAND_PAUSE,
        request_id: str = "",
    ) -> Outcome:
        """Make a table; the host does not sit yet."""
        raise NotImplementedError

    async def get(self, table_id: str) -> Outcome:
        """How a table stands. Raises TableError TABLE_NOT_FOUND."""
        raise NotImplementedError

    async def list(self, page_size: int = 50, page_token: str = "") -> Page:
        """Open tables, newest first."""
        raise NotImplementedError

    async def join(self, table_id: str, command: Join, request_id: str = "") -> Outcome:
        """Take a seat."""
        raise NotImplementedError

    async def leave(self, table_id: str, player: str, request_id: str = "") -> Outcome:
        """Give a seat up."""
        raise NotImplementedError

    async def act(self, table_id: str, command: Act, request_id: str = "") -> Outcome:
        """Answer a decision."""
        raise NotImplementedError

    async def close(self, table_id: str, player: str, request_id: str = "") -> Outcome:
        """End a table."""
        raise NotImplementedError

    async def run_due(self) -> timedelta | None:
        """Carry out what is due at all tables; gives the time until the next deadline (None: there is
        none).
        """
        raise NotImplementedError

    async def get_record(self, table_id: str, hand_number: int) -> FinishedHand:
        """A finished hand. Raises TableError TABLE_NOT_FOUND or HAND_NOT_FOUND."""
        raise NotImplementedError

    async def list_records(self, table_id: str, page_size: int = 20, page_token: str = "") -> RecordPage:
        """Finished hands of a table, newest first."""
        raise NotImplementedError
