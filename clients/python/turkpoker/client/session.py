"""A player's session at a table: one Play stream that outlives its connections."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

import grpc
from grpc import aio
from turkpoker.client.decisions import Decision, LegalActions, make_action
from turkpoker.client.errors import StaleDecisionError, TurkpokerError
from turkpoker.client.retries import Retries, stream_may_resume
from turkpoker.client.view import TableView
from turkpoker.v1 import events_pb2, table_service_pb2

if TYPE_CHECKING:
    from turkpoker.client.client import Client

_Play = aio.StreamStreamCall[table_service_pb2.PlayRequest, table_service_pb2.PlayResponse]
EventListener = Callable[[events_pb2.TableEvent, TableView], None]


@dataclass(frozen=True, slots=True)
class Accepted:
    """An action that was carried out: the table's version after it, and a token to go on watching from."""

    version: int
    resume_token: str


@dataclass(slots=True)
class _Pending:
    request: table_service_pb2.PlayRequest
    answer: asyncio.Future[table_service_pb2.PlayResult]


class Session:
    """What one player sees and does at one table.

    `async for decision in session` gives each question that the table puts to the player, once (and again
    when what it allows has changed), and ends when he has left or the table is closed.
    `await session.act(decision, "raise", to=30)` answers it. `session.view` is the table as he knows it now;
    `on_event` is called with every event after it was written into the view.

    A connection that breaks is made again, from the last resume token and with back-off; what has no answer
    is sent again under its old request id, so that it counts once. `ReplacedError` (another session of the
    same player at the same table) and other final errors end the session: `async for` and `act` raise them.
    """

    def __init__(self, client: "Client", name: str, *, on_event: EventListener | None = None) -> None:
        self._client = client
        self._name = name
        self._on_event = on_event
        self._view: TableView | None = None
        self._resume_token = ""
        self._pending: dict[str, _Pending] = {}
        self._call: _Play | None = None
        self._writing = asyncio.Lock()
        self._changed = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._failure: TurkpokerError | None = None
        self._over = False
        # The table is closed or the seat given up: only answers to what was sent are waited for.
        self._leaving = False
        self._given: tuple[str, LegalActions] | None = None
        self.connections = 0

    async def __aenter__(self) -> Self:
        self._reader = asyncio.create_task(self._keep_reading(), name=f"play {self._name}")
        try:
            while self._view is None and not self._over:
                await self._next_change()
        except BaseException:
            await self.close()
            raise
        if self._failure is not None:
            await self.close()
            raise self._failure
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the session; the player keeps his seat."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
        self._end(None)

    @property
    def view(self) -> TableView:
        """The table as the player knows it now; it changes in place while events come in."""
        if self._view is None:
            raise RuntimeError(
                "the session has not been opened; use `async with client.play(name) as session`"
            )
        return self._view

    @property
    def resume_token(self) -> str:
        """From where a watch or another session can go on."""
        return self._resume_token

    def __aiter__(self) -> AsyncIterator[Decision]:
        return self

    async def __anext__(self) -> Decision:
        while True:
            view = self.view
            decision = view.decision
            if (
                decision is not None
                and not self._leaving
                and not self._over
                and self._given != (decision.id, decision.legal)
            ):
                self._given = (decision.id, decision.legal)
                return decision
            if self._failure is not None:
                raise self._failure
            if self._over:
                raise StopAsyncIteration
            await self._next_change()

    async def changed(self) -> None:
        """Wait until something new has come in, or the session has ended."""
        if not self._over:
            await self._next_change()

    async def act(
        self,
        decision: Decision | str,
        action: str,
        *,
        to: int | None = None,
        cards: str | Sequence[int] | None = None,
        request_id: str | None = None,
    ) -> Accepted:
        """Answer a decision and wait until the server has carried the action out.

        decision: the decision, or its id.
        action: `check`, `open`, `fold`, `call`, `raise`, `bet`, `draw` ...
        to: the player's total in this round, for open, bet and raise.
        cards: what to discard, as text or as cards of the wire; none stands pat.
        request_id: made when absent, and kept however often the action has to be sent.

        Raises TurkpokerError when it is refused: nothing has changed then, and unless the decision is gone
        the session gives it again. ValueError for an unknown action or card.
        """
        if self._over:
            raise self._failure or RuntimeError("the session is over")
        decision_id = decision if isinstance(decision, str) else decision.id
        request_id = request_id or uuid.uuid4().hex
        request = table_service_pb2.PlayRequest(
            action=table_service_pb2.PlayAction(
                request_id=request_id, decision_id=decision_id, action=make_action(action, to=to, cards=cards)
            )
        )
        retries = Retries(self._client.patience)
        while True:
            result = await self._exchange(request_id, request)
            if result.WhichOneof("outcome") == "accepted":
                return Accepted(result.accepted.version, result.accepted.resume_token)
            error = TurkpokerError.from_status(result.refused)
            if not error.is_passing:
                gone = isinstance(error, StaleDecisionError)
                if not gone and self._given is not None and self._given[0] == decision_id:
                    self._given = None
                raise error
            await retries.pause(error)

    async def _exchange(
        self, request_id: str, request: table_service_pb2.PlayRequest
    ) -> table_service_pb2.PlayResult:
        if request_id in self._pending:
            raise ValueError(f"the request id {request_id!r} is still waiting for its answer")
        if self._over:
            raise self._failure or RuntimeError("the session is over")
        answer: asyncio.Future[table_service_pb2.PlayResult] = asyncio.get_running_loop().create_future()
        self._pending[request_id] = _Pending(request, answer)
        try:
            call = self._call
            if call is not None:
                await self._write(call, request)
            return await answer
        finally:
            self._pending.pop(request_id, None)

    async def _write(self, call: _Play, request: table_service_pb2.PlayRequest) -> None:
        # A write on a broken stream says nothing here: the reader notices and sends again what has no answer.
        async with self._writing:
            with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError, aio.UsageError):
                await call.write(request)

    async def _keep_reading(self) -> None:
        retries = Retries(self._client.patience)
        try:
            while not self._over:
                error = await self._read_one_stream(retries)
                if self._over:
                    return
                if self._leaving and error.code is grpc.StatusCode.OK:
                    self._end(None)
                    return
                if not stream_may_resume(error):
                    self._end(error)
                    return
                await retries.pause(error)
        except TurkpokerError as error:
            self._end(error)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self._end(TurkpokerError(grpc.StatusCode.INTERNAL, f"the session failed: {error!r}"))
            raise

    async def _read_one_stream(self, retries: Retries) -> TurkpokerError:
        """Read until the stream ends; tells how it ended."""
        call = self._client.tables.Play(metadata=self._client.metadata())
        try:
            start = table_service_pb2.PlayStart(name=self._name, resume_token=self._resume_token)
            await call.write(table_service_pb2.PlayRequest(start=start))
            self._call = call
            for pending in list(self._pending.values()):
                await self._write(call, pending.request)
            self.connections += 1
            async for response in call:
                retries.succeeded()
                self._take(response)
            code = await call.code()
            if code is grpc.StatusCode.OK and not self._leaving:
                # It has no more to say although the player still sits: take it for a broken connection.
                code = grpc.StatusCode.UNAVAILABLE
            return TurkpokerError(code, await call.details() or "the stream ended")
        except aio.AioRpcError as error:
            return TurkpokerError.from_rpc_error(error)
        except (asyncio.InvalidStateError, aio.UsageError):
            return await _how_it_ended(call)
        finally:
            self._call = None
            call.cancel()

    def _take(self, response: table_service_pb2.PlayResponse) -> None:
        if response.WhichOneof("response") == "result":
            pending = self._pending.get(response.result.request_id)
            if pending is not None and not pending.answer.done():
                pending.answer.set_result(response.result)
            self._end_when_answered()
            return
        update = response.update
        kind = update.WhichOneof("update")
        if kind == "events":
            view = self.view
            for event in update.events.events:
                view.apply(event)
                if self._on_event is not None:
                    self._on_event(event, view)
        elif kind == "snapshot":
            self._view = TableView.from_wire(update.snapshot)
        self._resume_token = update.resume_token or self._resume_token
        if self._view is not None and (self._view.closed or self._view.your_seat is None):
            self._leaving = True
            self._end_when_answered()
        self._changed.set()

    def _end_when_answered(self) -> None:
        # What closed the table may have been an action of ours, whose answer is still on its way.
        if self._leaving and all(pending.answer.done() for pending in self._pending.values()):
            self._end(None)

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _end(self, failure: TurkpokerError | None) -> None:
        if not self._over:
            self._over = True
            self._failure = failure
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_exception(
                    self._failure or TurkpokerError(grpc.StatusCode.CANCELLED, "the session is over")
                )
        self._changed.set()


async def _how_it_ended(call: _Play) -> TurkpokerError:
    """The status of a call that was over before a message could be written to it."""
    code = await call.code()
    trailing = await call.trailing_metadata()
    error = aio.AioRpcError(code, aio.Metadata(), trailing, await call.details())
    return TurkpokerError.from_rpc_error(error)
