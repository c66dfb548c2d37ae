"""The client: unary calls with retries, sessions and watches."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import grpc
from google.protobuf import duration_pb2
from grpc import aio
from turkpoker.client.connection import Connection
from turkpoker.client.decisions import Decision, make_action
from turkpoker.client.errors import TurkpokerError
from turkpoker.client.history import HistoryCalls
from turkpoker.client.hosting import HostCalls
from turkpoker.client.identity import IdentityCalls
from turkpoker.client.operations import OperatorCalls
from turkpoker.client.retries import Retries, stream_may_resume
from turkpoker.client.session import Accepted, EventListener, Session
from turkpoker.client.view import TableView
from turkpoker.v1 import (
    evaluator_service_pb2,
    events_pb2,
    rules_pb2,
    table_service_pb2,
    tables_pb2,
)


@dataclass(frozen=True, slots=True)
class CashOut:
    """What leaving paid: chips, or nothing yet when `pending` (all-in in a running hand)."""

    amount: int
    pending: bool


@dataclass(frozen=True, slots=True)
class Purchase:
    """What was bought: chips, which wait for the end of the hand when `pending`, and the table after it."""

    amount: int
    pending: bool
    table: TableView


@dataclass(frozen=True, slots=True)
class Update:
    """One message of a watch: the view after it, and the events that led there (none after a snapshot)."""

    view: TableView
    events: tuple[events_pb2.TableEvent, ...]
    resume_token: str
    is_snapshot: bool


class Client(HistoryCalls, Connection):
    """A connection to a turkpoker server for one caller.

    address: `host:port`.
    token: the bearer token, or a function that gives one (asked at every call, so that it can renew it).
    credentials: TLS credentials; without them the connection is plain text.
    patience: for how many seconds a call or stream is tried again while the server cannot be reached.
    call_timeout: how many seconds one try of a unary call may take.

    `host` and `operator` hold the calls of those who may do more: `await client.host.pause(table)`.
    Use it as `async with Client(...) as client`, or call `close()`. Every call raises TurkpokerError when it
    is refused. Calls that change something make a request id (or take yours) and keep it over retries.
    """

    async def create_table(
        self,
        rules: rules_pb2.Rules | None = None,
        *,
        display_name: str = "",
        seat_count: int = 0,
        hand_pause: timedelta | None = None,
        private: bool = False,
        spectator_delay: timedelta | None = None,
        away_limit: timedelta | None = None,
        request_id: str | None = None,
    ) -> TableView:
        """Make a table; the caller is its host but does not sit yet.

        rules: see `turkpoker.client.rules`; None is the profile `turkish`.
        seat_count: 0 is as many as the rules allow.
        hand_pause: the time between two hands; None is the server's default, zero deals on at once.
        private: only who has the `invitation` of the answer may sit or watch.
        spectator_delay: how much later spectators see what happens.
        away_limit: after how long sitting out a player is cashed out; None: the default, zero: never.
        """
        request = table_service_pb2.CreateTableRequest(
            request_id=request_id or uuid.uuid4().hex,
            display_name=display_name,
            rules=rules,
            seat_count=seat_count,
            hand_pause=_duration(hand_pause),
            private=private,
            spectator_delay=_duration(spectator_delay),
            away_limit=_duration(away_limit),
        )
        return TableView.from_wire((await self.unary(self.tables.CreateTable, request)).table)

    async def get_table(self, name: str, *, invitation: str = "") -> TableView:
        """The table as the caller may see it; a private one with its invitation."""
        request = table_service_pb2.GetTableRequest(name=name, invitation=invitation)
        return TableView.from_wire((await self.unary(self.tables.GetTable, request)).table)

    async def list_tables(
        self,
        page_size: int = 0,
        *,
        profile: str = "",
        match: str = "",
        free_seats: bool = False,
        min_ante: int | None = None,
        max_ante: int | None = None,
        text: str = "",
        mine: bool = False,
    ) -> AsyncIterator[tables_pb2.TableSummary]:
        """The open tables, newest first, page by page as needed; only those that fit what is given.

        match: `session` or `tournament`.
        text: must occur in the display name.
        mine: those that the caller made or sits at, private ones too.
        """
        wanted = table_service_pb2.TableFilter(
            profile=profile,
            match=match,
            free_seats=free_seats,
            min_ante=min_ante,
            max_ante=max_ante,
            text=text,
            mine=mine,
        )
        token = ""
        while True:
            request = table_service_pb2.ListTablesRequest(
                page_size=page_size, page_token=token, filter=wanted
            )
            page = await self.unary(self.tables.ListTables, request)
            for table in page.tables:
                yield table
            token = page.next_page_token
            if not token:
                return

    async def join(
        self,
        name: str,
        *,
        seat: int | None = None,
        buy_in: int = 0,
        invitation: str = "",
        request_id: str | None = None,
    ) -> TableView:
        """Take a seat (None: the first free one) for `buy_in` chips (0: the table's starting stack)."""
        request = table_service_pb2.JoinTableRequest(
            request_id=request_id or uuid.uuid4().hex,
            name=name,
            seat=seat,
            buy_in=buy_in,
            invitation=invitation,
        )
        return TableView.from_wire((await self.unary(self.tables.JoinTable, request)).table)

    async def leave(self, name: str, when: str = "now", *, request_id: str | None = None) -> CashOut:
        """Give the seat up.

        when: `now` folds in a running hand, `after_hand` plays it to its end, `cancelled` stays after all.
        """
        request = table_service_pb2.LeaveTableRequest(
            request_id=request_id or uuid.uuid4().hex,
            name=name,
            when=_when(table_service_pb2.LeaveWhen, when),
        )
        response = await self.unary(self.tables.LeaveTable, request)
        return CashOut(response.cashed_out, response.pending)

    async def add_chips(self, name: str, amount: int = 0, *, request_id: str | None = None) -> Purchase:
        """Buy more chips: `amount`, or 0 for as many as are missing to the table's starting stack."""
        request = table_service_pb2.AddChipsRequest(
            request_id=request_id or uuid.uuid4().hex, name=name, amount=amount
        )
        response = await self.unary(self.tables.AddChips, request)
        return Purchase(response.amount, response.pending, TableView.from_wire(response.table))

    async def sit_out(
        self, name: str, when: str = "next_deal", *, request_id: str | None = None
    ) -> TableView:
        """Not be dealt in any more; seat and chips stay.

        when: `next_deal`, `now` folds in a running hand, `next_ante` plays on while a deal costs nothing.
        """
        request = table_service_pb2.SitOutRequest(
            request_id=request_id or uuid.uuid4().hex,
            name=name,
            when=_when(table_service_pb2.SitOutWhen, when),
        )
        return TableView.from_wire((await self.unary(self.tables.SitOut, request)).table)

    async def sit_in(self, name: str, *, request_id: str | None = None) -> TableView:
        """Be dealt in again from the next hand on."""
        request = table_service_pb2.SitInRequest(request_id=request_id or uuid.uuid4().hex, name=name)
        return TableView.from_wire((await self.unary(self.tables.SitIn, request)).table)

    async def set_auto_top_up(self, name: str, target: int, *, request_id: str | None = None) -> TableView:
        """Have the chips filled up to `target` between hands; 0 ends it."""
        request = table_service_pb2.SetAutoTopUpRequest(
            request_id=request_id or uuid.uuid4().hex, name=name, target=target
        )
        return TableView.from_wire((await self.unary(self.tables.SetAutoTopUp, request)).table)

    async def join_waiting_list(
        self, name: str, *, invitation: str = "", request_id: str | None = None
    ) -> TableView:
        """Wait for a seat of a full table; `waiting` of the view tells when one is kept for the caller."""
        request = table_service_pb2.JoinWaitingListRequest(
            request_id=request_id or uuid.uuid4().hex, name=name, invitation=invitation
        )
        return TableView.from_wire((await self.unary(self.tables.JoinWaitingList, request)).table)

    async def leave_waiting_list(self, name: str, *, request_id: str | None = None) -> TableView:
        """Wait no more."""
        request = table_service_pb2.LeaveWaitingListRequest(
            request_id=request_id or uuid.uuid4().hex, name=name
        )
        return TableView.from_wire((await self.unary(self.tables.LeaveWaitingList, request)).table)

    async def explain_rules(self, rules: rules_pb2.Rules | str, language: str = "en") -> str:
        """What exactly is played, as Markdown: by options, or at the table of that name."""
        request = table_service_pb2.ExplainRulesRequest(
            rules=None if isinstance(rules, str) else rules,
            name=rules if isinstance(rules, str) else "",
            language=language,
        )
        return (await self.unary(self.tables.ExplainRules, request)).text

    async def close_table(self, name: str, *, request_id: str | None = None) -> TableView:
        """End a table between hands and pay everybody out; its host or an operator may."""
        request = table_service_pb2.CloseTableRequest(request_id=request_id or uuid.uuid4().hex, name=name)
        return TableView.from_wire((await self.unary(self.tables.CloseTable, request)).table)

    async def submit(
        self,
        name: str,
        decision: Decision | str,
        action: str,
        *,
        to: int | None = None,
        cards: str | list[int] | None = None,
        request_id: str | None = None,
    ) -> Accepted:
        """Answer a decision without a session (`Session.act` is cheaper for more than one)."""
        request = table_service_pb2.SubmitActionRequest(
            request_id=request_id or uuid.uuid4().hex,
            name=name,
            decision_id=decision if isinstance(decision, str) else decision.id,
            action=make_action(action, to=to, cards=cards),
        )
        response = await self.unary(self.tables.SubmitAction, request)
        return Accepted(response.version, response.resume_token)

    def play(self, name: str, *, on_event: EventListener | None = None) -> Session:
        """A session at a table where the caller sits: `async with client.play(name) as session`."""
        return Session(self, name, on_event=on_event)

    async def watch(self, name: str, *, invitation: str = "") -> AsyncIterator[Update]:
        """Follow a table as a player or spectator, over broken connections, until it is closed.

        The view of an update is the same object all along; it changes in place.
        """
        view: TableView | None = None
        resume_token = ""
        retries = Retries(self.patience)
        while True:
            request = table_service_pb2.WatchTableRequest(
                name=name, resume_token=resume_token, invitation=invitation
            )
            call = self.tables.WatchTable(request, metadata=self.metadata())
            try:
                async for response in call:
                    retries.succeeded()
                    update = response.update
                    kind = update.WhichOneof("update")
                    events = tuple(update.events.events) if kind == "events" else ()
                    if kind == "snapshot":
                        view = TableView.from_wire(update.snapshot)
                    resume_token = update.resume_token or resume_token
                    if view is None:
                        continue
                    for event in events:
                        view.apply(event)
                    if kind != "checkpoint":
                        yield Update(view, events, resume_token, kind == "snapshot")
                error = TurkpokerError(grpc.StatusCode.UNAVAILABLE, "the stream ended")
            except aio.AioRpcError as failure:
                error = TurkpokerError.from_rpc_error(failure)
            finally:
                call.cancel()
            if view is not None and view.closed:
                return
            if not stream_may_resume(error):
                raise error
            await retries.pause(error)

    async def evaluate(
        self, hand: str, settings: evaluator_service_pb2.EvaluatorSettings | None = None
    ) -> evaluator_service_pb2.EvaluateHandResponse:
        """Strength and category of a hand given as text."""
        request = evaluator_service_pb2.EvaluateHandRequest(settings=settings, text=hand)
        return await self.unary(self.evaluator.EvaluateHand, request)

    async def evaluate_batch(
        self, hands: bytes, settings: evaluator_service_pb2.EvaluatorSettings | None = None
    ) -> bytes:
        """Strengths (uint16, little-endian) of many hands, five bytes of card ids each."""
        request = evaluator_service_pb2.BatchEvaluateHandsRequest(settings=settings, hands=hands)
        return (await self.unary(self.evaluator.BatchEvaluateHands, request)).strengths

    @property
    def identity(self) -> IdentityCalls:
        """Who the caller is, and tokens for guests."""
        return IdentityCalls(self)

    @property
    def host(self) -> HostCalls:
        """What the host of a table may do."""
        return HostCalls(self)

    @property
    def operator(self) -> OperatorCalls:
        """What an operator may do."""
        return OperatorCalls(self)


def _duration(value: timedelta | None) -> duration_pb2.Duration | None:
    if value is None:
        return None
    message = duration_pb2.Duration()
    message.FromTimedelta(value)
    return message


def _when(kind: Any, word: str) -> Any:
    """The value of an enum that a word names; ValueError names the words there are."""
    prefix = kind.keys()[0].removesuffix("UNSPECIFIED")
    known = {name.removeprefix(prefix).lower(): number for name, number in kind.items() if number}
    if word not in known:
        raise ValueError(f"when is one of {', '.join(known)}, not {word!r}")
    return known[word]
