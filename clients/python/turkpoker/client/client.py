"""The client: unary calls with retries, sessions and watches."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import grpc
from google.protobuf import duration_pb2
from grpc import aio
from turkpoker.client.decisions import Decision, make_action
from turkpoker.client.errors import TurkpokerError
from turkpoker.client.retries import Retries, stream_may_resume
from turkpoker.client.session import Accepted, EventListener, Session
from turkpoker.client.view import TableView
from turkpoker.v1 import (
    evaluator_service_pb2,
    evaluator_service_pb2_grpc,
    events_pb2,
    hand_history_service_pb2,
    hand_history_service_pb2_grpc,
    rules_pb2,
    table_service_pb2,
    table_service_pb2_grpc,
    tables_pb2,
)

Token = str | Callable[[], str]
_Request_contra = TypeVar("_Request_contra", contravariant=True)
_Response_co = TypeVar("_Response_co", covariant=True)

_CHANNEL_OPTIONS = [
    # A server that comes back is found within a second or two, not after gRPC's two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A peer that vanished without a word is noticed.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
]


class _Method(Protocol[_Request_contra, _Response_co]):
    def __call__(
        self, request: _Request_contra, /, *, timeout: float | None, metadata: Any
    ) -> Awaitable[_Response_co]: ...


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


class Client:
    """A connection to a turkpoker server for one caller.

    address: `host:port`.
    token: the bearer token, or a function that gives one (asked at every call, so that it can renew it).
    credentials: TLS credentials; without them the connection is plain text.
    patience: for how many seconds a call or stream is tried again while the server cannot be reached.
    call_timeout: how many seconds one try of a unary call may take.

    Use it as `async with Client(...) as client`, or call `close()`. Every call raises TurkpokerError when it
    is refused. Calls that change something make a request id (or take yours) and keep it over retries.
    """

    def __init__(
        self,
        address: str,
        token: Token = "",
        *,
        credentials: grpc.ChannelCredentials | None = None,
        patience: float = 30.0,
        call_timeout: float = 15.0,
        options: list[tuple[str, int | str]] | None = None,
    ) -> None:
        channel_options = [*_CHANNEL_OPTIONS, *(options or [])]
        if credentials is None:
            self._channel = aio.insecure_channel(address, options=channel_options)
        else:
            self._channel = aio.secure_channel(address, credentials, options=channel_options)
        self._token = token
        self.address = address
        self.patience = patience
        self._call_timeout = call_timeout
        self.tables = table_service_pb2_grpc.TableServiceStub(self._channel)
        self.evaluator = evaluator_service_pb2_grpc.EvaluatorServiceStub(self._channel)
        self.history = hand_history_service_pb2_grpc.HandHistoryServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; sessions and watches on it end."""
        await self._channel.close()

    def __repr__(self) -> str:
        return f"Client({self.address!r})"  # never the token

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The metadata of a call: who the caller is."""
        token = self._token() if callable(self._token) else self._token
        if not (token.isascii() and token.isprintable()):  # gRPC itself would fail without saying why
            raise TurkpokerError(grpc.StatusCode.UNAUTHENTICATED, "the token holds characters that none has")
        return (("authorization", f"Bearer {token}"),) if token else ()

    async def create_table(
        self,
        rules: rules_pb2.Rules | None = None,
        *,
        display_name: str = "",
        seat_count: int = 0,
        hand_pause: timedelta | None = None,
        request_id: str | None = None,
    ) -> TableView:
        """Make a table; the caller is its host but does not sit yet.

        rules: see `turkpoker.client.rules`; None is the profile `turkish`.
        seat_count: 0 is as many as the rules allow.
        hand_pause: the time between two hands; None is the server's default, zero deals on at once.
        """
        request = table_service_pb2.CreateTableRequest(
            request_id=request_id or uuid.uuid4().hex,
            display_name=display_name,
            rules=rules,
            seat_count=seat_count,
        )
        if hand_pause is not None:
            pause = duration_pb2.Duration()
            pause.FromTimedelta(hand_pause)
            request.hand_pause.CopyFrom(pause)
        return TableView.from_wire((await self._unary(self.tables.CreateTable, request)).table)

    async def get_table(self, name: str) -> TableView:
        """The table as the caller may see it."""
        request = table_service_pb2.GetTableRequest(name=name)
        return TableView.from_wire((await self._unary(self.tables.GetTable, request)).table)

    async def list_tables(self, page_size: int = 0) -> AsyncIterator[tables_pb2.TableSummary]:
        """The open tables, newest first, page by page as needed."""
        token = ""
        while True:
            request = table_service_pb2.ListTablesRequest(page_size=page_size, page_token=token)
            page = await self._unary(self.tables.ListTables, request)
            for table in page.tables:
                yield table
            token = page.next_page_token
            if not token:
                return

    async def join(
        self, name: str, *, seat: int | None = None, buy_in: int = 0, request_id: str | None = None
    ) -> TableView:
        """Take a seat (None: the first free one) for `buy_in` chips (0: the table's starting stack)."""
        request = table_service_pb2.JoinTableRequest(
            request_id=request_id or uuid.uuid4().hex, name=name, seat=seat, buy_in=buy_in
        )
        return TableView.from_wire((await self._unary(self.tables.JoinTable, request)).table)

    async def leave(self, name: str, *, request_id: str | None = None) -> CashOut:
        """Give the seat up; in a hand that folds at once."""
        request = table_service_pb2.LeaveTableRequest(request_id=request_id or uuid.uuid4().hex, name=name)
        response = await self._unary(self.tables.LeaveTable, request)
        return CashOut(response.cashed_out, response.pending)

    async def add_chips(self, name: str, amount: int = 0, *, request_id: str | None = None) -> Purchase:
        """Buy more chips: `amount`, or 0 for as many as are missing to the table's starting stack."""
        request = table_service_pb2.AddChipsRequest(
            request_id=request_id or uuid.uuid4().hex, name=name, amount=amount
        )
        response = await self._unary(self.tables.AddChips, request)
        return Purchase(response.amount, response.pending, TableView.from_wire(response.table))

    async def sit_out(self, name: str, *, request_id: str | None = None) -> TableView:
        """Not be dealt in any more from the next hand on; seat and chips stay."""
        request = table_service_pb2.SitOutRequest(request_id=request_id or uuid.uuid4().hex, name=name)
        return TableView.from_wire((await self._unary(self.tables.SitOut, request)).table)

    async def sit_in(self, name: str, *, request_id: str | None = None) -> TableView:
        """Be dealt in again from the next hand on."""
        request = table_service_pb2.SitInRequest(request_id=request_id or uuid.uuid4().hex, name=name)
        return TableView.from_wire((await self._unary(self.tables.SitIn, request)).table)

    async def explain_rules(self, rules: rules_pb2.Rules | str, language: str = "en") -> str:
        """What exactly is played, as Markdown: by options, or at the table of that name."""
        request = table_service_pb2.ExplainRulesRequest(
            rules=None if isinstance(rules, str) else rules,
            name=rules if isinstance(rules, str) else "",
            language=language,
        )
        return (await self._unary(self.tables.ExplainRules, request)).text

    async def close_table(self, name: str, *, request_id: str | None = None) -> TableView:
        """End a table between hands and pay everybody out; only its host may."""
        request = table_service_pb2.CloseTableRequest(request_id=request_id or uuid.uuid4().hex, name=name)
        return TableView.from_wire((await self._unary(self.tables.CloseTable, request)).table)

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
        response = await self._unary(self.tables.SubmitAction, request)
        return Accepted(response.version, response.resume_token)

    def play(self, name: str, *, on_event: EventListener | None = None) -> Session:
        """A session at a table where the caller sits: `async with client.play(name) as session`."""
        return Session(self, name, on_event=on_event)

    async def watch(self, name: str) -> AsyncIterator[Update]:
        """Follow a table as a player or spectator, over broken connections, until it is closed.

        The view of an update is the same object all along; it changes in place.
        """
        view: TableView | None = None
        resume_token = ""
        retries = Retries(self.patience)
        while True:
            request = table_service_pb2.WatchTableRequest(name=name, resume_token=resume_token)
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
        return await self._unary(self.evaluator.EvaluateHand, request)

    async def evaluate_batch(
        self, hands: bytes, settings: evaluator_service_pb2.EvaluatorSettings | None = None
    ) -> bytes:
        """Strengths (uint16, little-endian) of many hands, five bytes of card ids each."""
        request = evaluator_service_pb2.BatchEvaluateHandsRequest(settings=settings, hands=hands)
        return (await self._unary(self.evaluator.BatchEvaluateHands, request)).strengths

    async def hand_record(self, name: str) -> hand_history_service_pb2.HandRecord:
        """The record of a finished hand, `tables/{table}/hands/{number}`, as the caller may see it."""
        request = hand_history_service_pb2.GetHandRecordRequest(name=name)
        return (await self._unary(self.history.GetHandRecord, request)).record

    async def _unary(
        self, method: _Method[_Request_contra, _Response_co], request: _Request_contra
    ) -> _Response_co:
        retries = Retries(self.patience)
        while True:
            try:
                return await method(request, timeout=self._call_timeout, metadata=self.metadata())
            except aio.AioRpcError as failure:
                error = TurkpokerError.from_rpc_error(failure)
                if not error.is_passing and error.code is not grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise error from None
                await retries.pause(error)
