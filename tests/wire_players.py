"""Callers of the real wire for tests: raw stubs with a token, and what stands in a refusal."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2
from turkpoker.server.auth import make_token
from turkpoker.v1 import actions_pb2, errors_pb2, rules_pb2, tables_pb2
from turkpoker.v1 import table_service_pb2 as pb
from turkpoker.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub
from turkpoker.v1.hand_history_service_pb2_grpc import HandHistoryServiceStub
from turkpoker.v1.operator_service_pb2_grpc import OperatorServiceStub
from turkpoker.v1.session_service_pb2_grpc import SessionServiceStub
from turkpoker.v1.table_service_pb2_grpc import TableServiceStub

KEY = b"the key of the tests, which is long enough"
SEAL_KEY = "5eb63bbbe01eeed093cb22bb8f5acdc3b10a8db164e0754105b7a99be72e3fe5"
_ids = itertools.count(1)


def new_id() -> str:
    """A request id that no other request of this run has."""
    return f"r{next(_ids)}"


@dataclass(frozen=True)
class Refusal:
    """What a client learns from a refusal."""

    code: grpc.StatusCode
    message: str
    reason: str
    metadata: dict[str, str]
    fields: list[str]
    retry_seconds: float | None
    action: errors_pb2.ActionRefusal | None


def refusal_of(status: status_pb2.Status) -> Refusal:
    """A google.rpc.Status, taken apart."""
    reason, metadata, fields, retry, action = "", {}, [], None, None
    for detail in status.details:
        if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
            info = error_details_pb2.ErrorInfo.FromString(detail.value)
            assert info.domain == "turkpoker"
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Is(error_details_pb2.BadRequest.DESCRIPTOR):
            bad = error_details_pb2.BadRequest.FromString(detail.value)
            fields = [violation.field for violation in bad.field_violations]
        elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            retry = (
                error_details_pb2.RetryInfo.FromString(detail.value).retry_delay.ToTimedelta().total_seconds()
            )
        elif detail.Is(errors_pb2.ActionRefusal.DESCRIPTOR):
            action = errors_pb2.ActionRefusal.FromString(detail.value)
    code = next(code for code in grpc.StatusCode if code.value[0] == status.code)
    return Refusal(code, status.message, reason, metadata, fields, retry, action)


def refusal_of_error(error: grpc.aio.AioRpcError) -> Refusal:
    """The refusal in a failed call; without details only code and message are known."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            refusal = refusal_of(status_pb2.Status.FromString(value))
            assert refusal.code is error.code()
            return refusal
    return Refusal(error.code(), error.details() or "", "", {}, [], None, None)


async def refused(call: Awaitable[Any]) -> Refusal:
    """The refusal that a call must end with."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return refusal_of_error(caught.value)


class Caller:
    """One client of the server: a channel of its own, and a token unless ``player`` is None."""

    def __init__(
        self, address: str, player: str | None, token: str | None = None, options: Any = None
    ) -> None:
        if token is None and player is not None:
            token = make_token(KEY, player)
        self.player = player or ""
        self.metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self.channel = grpc.aio.insecure_channel(address, options)
        self.tables = TableServiceStub(self.channel)
        self.evaluator = EvaluatorServiceStub(self.channel)
        self.history = HandHistoryServiceStub(self.channel)
        self.sessions = SessionServiceStub(self.channel)
        self.operator = OperatorServiceStub(self.channel)

    async def close(self) -> None:
        await self.channel.close()

    async def create(
        self, rules: rules_pb2.Rules | None = None, pause: float | None = 0, **fields: Any
    ) -> tables_pb2.Table:
        request = pb.CreateTableRequest(request_id=fields.pop("request_id", new_id()), rules=rules, **fields)
        if pause is not None:
            request.hand_pause.CopyFrom(Duration(seconds=int(pause), nanos=int(pause % 1 * 1e9)))
        return (await self.tables.CreateTable(request, metadata=self.metadata)).table

    async def get(self, name: str) -> tables_pb2.Table:
        return (await self.tables.GetTable(pb.GetTableRequest(name=name), metadata=self.metadata)).table

    async def join(
        self, name: str, seat: int | None = None, buy_in: int = 0, **fields: Any
    ) -> tables_pb2.Table:
        request = pb.JoinTableRequest(
            request_id=fields.pop("request_id", new_id()), name=name, seat=seat, buy_in=buy_in
        )
        return (await self.tables.JoinTable(request, metadata=self.metadata)).table

    async def leave(self, name: str, request_id: str = "") -> pb.LeaveTableResponse:
        request = pb.LeaveTableRequest(request_id=request_id or new_id(), name=name)
        return await self.tables.LeaveTable(request, metadata=self.metadata)

    async def submit(
        self, name: str, decision_id: str, action: actions_pb2.Action, request_id: str | None = None
    ) -> pb.SubmitActionResponse:
        request = pb.SubmitActionRequest(
            request_id=new_id() if request_id is None else request_id,
            name=name,
            decision_id=decision_id,
            action=action,
        )
        return await self.tables.SubmitAction(request, metadata=self.metadata)

    def watch(self, name: str, resume_token: str = "") -> Any:
        request = pb.WatchTableRequest(name=name, resume_token=resume_token)
        return self.tables.WatchTable(request, metadata=self.metadata)

    async def play(self, name: str, resume_token: str = "") -> Any:
        call = self.tables.Play(metadata=self.metadata)
        # A call that is refused at once may be over before this is written; reading tells why.
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await call.write(pb.PlayRequest(start=pb.PlayStart(name=name, resume_token=resume_token)))
        return call


def act(name: str, to: int | None = None, cards: tuple[int, ...] = ()) -> actions_pb2.Action:
    """An action of the rules text; cards are ids."""
    kind = actions_pb2.ActionType.Value(f"ACTION_TYPE_{name.upper()}")
    return actions_pb2.Action(type=kind, to=to, cards=[card + 1 for card in cards])


def legal_of(decision: actions_pb2.Decision) -> dict[str, actions_pb2.LegalAction]:
    """Legal actions by the names of the rules text."""
    return {
        actions_pb2.ActionType.Name(each.type).removeprefix("ACTION_TYPE_").lower(): each
        for each in decision.legal_actions
    }


def easy_action(decision: actions_pb2.Decision) -> actions_pb2.Action:
    """What keeps a hand going: open or bet the least, else check, call, stand pat, or whatever is there."""
    legal = legal_of(decision)
    for name in ("open", "bet"):
        if name in legal:
            return act(name, to=legal[name].min_to)
    for name in ("check", "call", "draw", "enter", "decline", "pass", "fold"):
        if name in legal:
            return act(name)
    raise AssertionError(f"nothing legal in {decision.decision_id}")


def without_clock(table: tables_pb2.Table) -> bytes:
    """Everything of a view that a refused call must leave as it was."""
    copy = tables_pb2.Table()
    copy.CopyFrom(table)
    copy.ClearField("server_time")
    return copy.SerializeToString(deterministic=True)


def without_deadlines(table: tables_pb2.Table) -> bytes:
    """The view without what changes when the clocks are started anew, which is a version of the table."""
    copy = tables_pb2.Table()
    copy.CopyFrom(table)
    for changed in ("version", "etag", "resume_token"):
        copy.ClearField(changed)
    copy.decision.ClearField("deadline")
    for asked in copy.hand.asked:
        asked.ClearField("deadline")
    return without_clock(copy)


def easy_rules(**options: Any) -> rules_pb2.Rules:
    """The profile turkish, but any hand may open, so that tests need no particular cards."""
    options.setdefault("opening_requirement", rules_pb2.OPENING_REQUIREMENT_NONE)
    return rules_pb2.Rules(profile="turkish", **options)


async def seated(callers: list[Caller], rules: rules_pb2.Rules | None = None, pause: float = 0) -> str:
    """A table of the first caller at which all of them sit, in seats 0, 1 ...; its name.

    The first hand is dealt to all of them.
    """
    rules = rules or easy_rules()
    rules.players_min, rules.players_max = len(callers), 5
    table = await callers[0].create(rules, pause=pause)
    for seat, each in enumerate(callers):
        table = await each.join(table.name, seat)
    while not table.hand_number:
        # The pause is kept before the first hand too.
        await asyncio.sleep(0.02)
        table = await callers[0].get(table.name)
    return table.name


async def whose_turn(callers: list[Caller], name: str) -> tuple[Caller, actions_pb2.Decision]:
    """Who is asked now, and what."""
    for each in callers:
        table = await each.get(name)
        if table.HasField("decision"):
            return each, table.decision
    raise AssertionError("nobody is asked")


async def go_on(callers: list[Caller], name: str) -> Caller:
    """One easy action of whoever is asked; gives who it was."""
    caller, decision = await whose_turn(callers, name)
    await caller.submit(name, decision.decision_id, easy_action(decision))
    return caller


async def unchanged(caller: Caller, name: str, before: tables_pb2.Table) -> None:
    """Hold a table against what it was."""
    after = await caller.get(name)
    assert without_clock(after) == without_clock(before)
