"""What a table needs from outside: a dealer who shuffles, and a store that keeps it.

Adapters are handed in at the start of a program. Nothing here waits, retries or logs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Protocol

from turkpoker.table.audit import AuditPage, AuditRecord
from turkpoker.table.events import TableEvent
from turkpoker.table.lobby import LobbyEntry, TableFilter
from turkpoker.table.state import TableState
from turkpoker.table.transfers import Transfer


@dataclass(frozen=True, slots=True)
class ShuffleContext:
    """What is shuffled and when.

    Args:
        table_id: which table.
        hand_number: the deal it is for.
        shuffle_number: counts the shuffles of one deal from 1.
        purpose: ``deal``, ``reshuffle`` or ``first_dealer``.
    """

    table_id: str
    hand_number: int
    shuffle_number: int
    purpose: str


class Dealer(Protocol):
    """Who shuffles."""

    def shuffle(self, cards: tuple[int, ...], context: ShuffleContext) -> tuple[int, ...]:
        """The same cards in a new order, top first.

        An honest dealer takes every order with the same chance from a source that nobody can predict. A
        scripted one must be a function of its arguments alone, since a command that lost a race is decided
        again.
        """
        ...


class Timing(Enum):
    """What the clock of the store must say for a commit."""

    ANY = "any"
    #: Not after the moment and the grace: an answer of a player, by the alarm of its question.
    IN_TIME = "in_time"
    #: Only after the moment and the grace: a time-out. Exactly one of the two holds at any time.
    DUE = "due"


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a player, to be carried out once however often it comes.

    Args:
        player: who asks.
        request_id: his name for it.
        payload_hash: of everything that was asked; another hash under the same id is another request.
    """

    player: str
    request_id: str
    payload_hash: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What is kept of a request's effect, to be given again.

    Args:
        version: the table's version after it.
        epoch: of that version.
        cashed_out: chips paid to the caller.
        pending: more will be paid, or the chips bought are his, when the hand is over.
        bought: chips that the caller bought.
        transfer_id: of these, where a bank was asked for them.
    """

    version: int
    epoch: int
    cashed_out: int = 0
    pending: bool = False
    bought: int = 0
    transfer_id: str = ""


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """The full record of a finished hand, for the house; viewers get a projection.

    Args:
        table_id: which table.
        hand_number: which deal.
        players: who sat where.
        record: the hand in the format of recorded hands; holds every card.
        end_time: when it was over, by the clock of the store.
        host: who made the table.
        private: the table was a private one.
        spectator_delay: how much later than it happened spectators may see it.
    """

    table_id: str
    hand_number: int
    players: Mapping[int, str]
    record: Mapping[str, Any] = field(repr=False)
    end_time: datetime | None = None
    host: str = ""
    private: bool = False
    spectator_delay: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Commit:
    """One command's whole effect; it happens as one or not at all.

    The deadline of the table becomes that of the earliest alarm of the new state.

    Args:
        base: the state that was decided on; the store must still hold its (epoch, version).
        state: the new state, version one higher.
        events: what happened, in order.
        timing: what the store's clock must say.
        moment: of which the timing speaks; None: answers are in time, and nothing is due.
        request: whose answer is kept; None: nobody's.
        answer: the answer to keep.
        lobby: the new entry in the list; None: as it was. Closed tables are taken off.
        finished: hands that ended.
        orders: what the bank is asked to do; they wait in the outbox from then on.
        answered: the entry of the outbox that this carries out; it goes with the commit.
        audit: what the audit log says of it.
        came: players for whom it is one of their tables now.
        went: players for whom it is no more.
    """

    base: TableState
    state: TableState
    events: tuple[TableEvent, ...] = field(repr=False)
    answer: Answer
    timing: Timing = Timing.ANY
    moment: datetime | None = None
    request: Request | None = None
    lobby: LobbyEntry | None = None
    finished: tuple[FinishedHand, ...] = ()
    orders: tuple[Transfer, ...] = ()
    answered: str = ""
    audit: tuple[AuditRecord, ...] = ()
    came: frozenset[str] = frozenset()
    went: frozenset[str] = frozenset()

    @property
    def begins_hand(self) -> bool:
        """Whether a hand begins with it."""
        return self.state.hand_start_version == self.state.version


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit that happened: the state, when the clocks run out, and the time, both by the store's clock.

    ``repeated`` is True when the request had been carried out before: nothing was written, ``answer`` is the
    kept one and ``state`` is None.
    """

    state: TableState | None
    deadline: datetime | None
    now: datetime
    answer: Answer
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Stored:
    """A table as the store holds it."""

    state: TableState
    deadline: datetime | None
    now: datetime


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit in a table's event log. Events are unprojected: they hold every card."""

    table_id: str
    epoch: int
    version: int
    time: datetime
    deadline: datetime | None
    events: tuple[TableEvent, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the open tables, newest first; an empty token means that there is no more."""

    entries: tuple[LobbyEntry, ...]
    next_page_token: str


@dataclass(frozen=True, slots=True)
class RecordPage:
    """A page of finished hands, newest first; an empty token means that there is no more."""

    records: tuple[FinishedHand, ...]
    next_page_token: str


class TableStore(Protocol):
    """Where tables are kept. Every method may raise StoreAway."""

    async def create(self, state: TableState, lobby: LobbyEntry, request: Request | None) -> Stored:
        """Keep a new table as version 1, with ``audit_of_creation`` in the log. A request that was carried
        out before gives that table as it is now.

        Raises:
            TableError: REQUEST_ID_REUSED; DRAINING, an operator lets no table be made.
        """
        ...

    async def load(self, table_id: str, known: Stored | None = None) -> Stored | None:
        """The table, or None when there is none. ``known`` spares reading a state that has not changed.

        A version lower than a known one of the same epoch means that the store lost writes: the epoch is
        raised.
        """
        ...

    async def check(
        self, table_id: str, known: Stored | None, request: Request
    ) -> tuple[Stored | None, Answer | None]:
        """``load`` and the kept answer to a request (None: not carried out, or long ago) in one go.

        Raises:
            TableError: REQUEST_ID_REUSED.
        """
        ...

    async def commit(self, change: Commit) -> Committed:
        """Write a command's effect; goes to its end even when the caller is cancelled meanwhile.

        Raises:
            Conflict: the store holds another version.
            NotDue, TooLate: the clock forbids it (see ``Timing``).
            Draining: a hand would begin, and an operator lets none begin.
            TableError: REQUEST_ID_REUSED.
        """
        ...

    async def due(self, leave_out: Collection[str] = ()) -> tuple[list[str], timedelta | None]:
        """Tables whose deadline and grace are over, those that have waited longest first, and the time until
        the next deadline (None: there is none). Not every one need be told of at once; those of ``leave_out``
        are not, and keep no place from others.
        """
        ...

    async def list_tables(self, page_size: int, page_token: str, wanted: TableFilter) -> Page:
        """Open tables that a filter lets through.

        Raises:
            TableError: INVALID_FIELD when the token is not one, or is of another filter.
        """
        ...

    async def read_events(self, table_id: str, after_version: int, limit: int) -> list[LogEntry]:
        """Commits after a version, oldest first, as far as they are kept."""
        ...


class RecordStore(Protocol):
    """Finished hands, as long as they are kept. Every method may raise StoreAway."""

    async def get_record(self, table_id: str, hand_number: int) -> FinishedHand | None:
        """A finished hand, or None when there is none or it is too old."""
        ...

    async def list_records(
        self,
        table_id: str,
        page_size: int,
        page_token: str,
        *,
        oldest_first: bool = False,
        since: datetime | None = None,
    ) -> RecordPage:
        """Finished hands of a table; those that were over before ``since`` are left out. A page may be short,
        even empty, though there are more.

        Raises:
            TableError: INVALID_FIELD when the token is not one.
        """
        ...

    async def list_player_records(
        self,
        player: str,
        page_size: int,
        page_token: str,
        *,
        oldest_first: bool = False,
        since: datetime | None = None,
    ) -> RecordPage:
        """Finished hands of a player at all tables; as ``list_records``."""
        ...


class AuditStore(Protocol):
    """The audit log, and what concerns all tables. Every method may raise StoreAway."""

    async def list_audit(self, table_id: str | None, page_size: int, page_token: str) -> AuditPage:
        """Who did what at a table, or (None) at all of them and what concerns them all.

        Raises:
            TableError: INVALID_FIELD when the token is not one.
        """
        ...

    async def note(self, record: AuditRecord) -> None:
        """Add a record of what concerns no table in particular."""
        ...

    async def drain(self, record: AuditRecord, *, end: bool) -> None:
        """Let no table be made and no hand begin from now on, or again with ``end``; as a record in the log.

        It holds when the call is back. Where it fails half-way it may hold at some tables: call it again.
        """
        ...

    async def draining(self) -> bool:
        """Whether an operator lets no table be made and no hand begin."""
        ...


class Subscription(Protocol):
    """The commits of one table from a version on, without gaps."""

    def __aiter__(self) -> Subscription:
        """Itself."""
        ...

    async def __anext__(self) -> LogEntry:
        """The next commit; waits for it.

        Raises:
            FeedLost: they cannot be followed without a gap.
        """
        ...

    async def close(self) -> None:
        """Stop; harmless when stopped."""
        ...


class EventFeed(Protocol):
    """One reader per process that serves everybody who watches a table there."""

    async def subscribe(self, table_id: str, epoch: int, after_version: int) -> Subscription:
        """Follow a table after (epoch, version).

        Raises:
            FeedLost: that point is unknown, trimmed away, or of a lost state.
        """
        ...


class Takeovers(Protocol):
    """Who plays where, over all servers of a store: a player has one Play stream at a table, the newest."""

    async def enter(self, table_id: str, player: str, replaced: Callable[[], None]) -> Callable[[], None]:
        """Say that a stream of a player at a table begins.

        Args:
            table_id: which table.
            player: whose stream.
            replaced: is called, once or more, when a newer one has begun.

        Returns:
            What to call when the stream has ended.

        Raises:
            StoreAway: the others could not be told.
        """
        ...


#: What ``Tables.list`` and the records accept at most.
MAX_PAGE_SIZE = 200
#: The length of ``Request.payload_hash``.
PAYLOAD_HASH_BYTES = 16
Events = Sequence[TableEvent]
