"""Every reason of errors.proto, provoked over the wire and held against its documented example: the code, the
facts in the details, when to try again, and what the caller may do instead.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from operator_bank import KEY as BANK_KEY
from operator_bank import Ledger, OperatorBank
from turkpoker.server.app import running_server
from turkpoker.server.auth import make_token
from turkpoker.server.buckets import Limit
from turkpoker.server.errors import CODES
from turkpoker.server.settings import ServerSettings
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.v1 import errors_pb2, rules_pb2
from turkpoker.v1 import hand_history_service_pb2 as history_pb
from turkpoker.v1 import operator_service_pb2 as operator_pb
from turkpoker.v1 import session_service_pb2 as session_pb
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import (
    KEY,
    SEAL_KEY,
    Caller,
    Refusal,
    act,
    easy_rules,
    new_id,
    refused,
    seated,
    whose_turn,
)

PROTO = Path(__file__).parents[2] / "protos" / "turkpoker" / "v1" / "errors.proto"
#: Reasons that no client can meet today, and why.
NEVER_SENT = {
    "NOT_A_PLAYER": "Play answers NOT_YOUR_SEAT",
    "NOT_CARRIED_OUT": "this server carries out all of the contract; kept for values of later ones",
}


@dataclass(frozen=True)
class Documented:
    """What the comment of a reason says."""

    code: str
    example: dict[str, Any]
    text: str


def documented() -> dict[str, Documented]:
    """The comments of errors.proto by reason."""
    found, comment = {}, ""
    for line in PROTO.read_text(encoding="utf-8").splitlines():
        stripped = line.strip()
        if stripped.startswith("//"):
            comment += " " + stripped.removeprefix("//").strip()
            continue
        value = re.fullmatch(r"ERROR_REASON_(\w+) = \d+;", stripped)
        if value is not None:
            code = re.search(r"Code ([A-Z_]+)\.", comment)
            example = re.search(r"Example: (\{.*\})\.", comment)
            if code is not None and example is not None:
                found[value[1]] = Documented(code[1], json.loads(example[1]), comment)
        comment = ""
    return found


@dataclass
class Place:
    """A server for one refusal, and callers of it."""

    settings: ServerSettings
    stack: AsyncExitStack
    address: str = ""
    callers: dict[str, Caller] = field(default_factory=dict)
    store: EmbeddedRedis | None = None
    #: Begins to leave the server.
    leave: Callable[[], Awaitable[None]] | None = None

    def __getitem__(self, name: str) -> Caller:
        if name not in self.callers:
            token = make_token(KEY, name, roles=["operator"]) if name == "olga" else None
            self.callers[name] = Caller(self.address, name, token)
        return self.callers[name]

    async def table(self) -> tuple[str, Caller, Any, Caller]:
        """A table with a hand on: its name, who is asked, what, and the other one."""
        both = [self["ayse"], self["bora"]]
        name = await seated(both, easy_rules(action_clock=Duration(seconds=3600)))
        asked, decision = await whose_turn(both, name)
        return name, asked, decision, next(each for each in both if each is not asked)


Provoke = Callable[[Place], Awaitable[Refusal]]
PROVOKED: dict[str, Provoke] = {}
#: What the server of a reason has to be set to.
SETTINGS: dict[str, dict[str, Any]] = {
    "TOO_MANY_REQUESTS": {"player_limit": Limit.parse("1/m,1")},
    "TOO_MANY_TABLES": {"max_hosted_tables": 1},
    "TOO_MANY_STREAMS": {"max_streams_per_player": 1},
    "STREAM_EXPIRED": {"stream_max_age": timedelta(milliseconds=50)},
    "GUESTS_OFF": {"guests": "off"},
    "SHUTTING_DOWN": {"drain_pause": timedelta(seconds=1)},
}


def provokes(reason: str) -> Callable[[Provoke], Provoke]:
    def note(provoke: Provoke) -> Provoke:
        PROVOKED[reason] = provoke
        return provoke

    return note


def call(caller: Caller, method: str, **fields: Any) -> Any:
    """A call of TableService."""
    request = getattr(pb, f"{method}Request")(**fields)
    return getattr(caller.tables, method)(request, metadata=caller.metadata)


@provokes("INVALID_FIELD")
async def _(place: Place) -> Refusal:
    return await refused(place["ayse"].get("nonsense"))


@provokes("REQUEST_ID_REUSED")
async def _(place: Place) -> Refusal:
    await place["ayse"].create(request_id="b3c1")
    return await refused(place["ayse"].create(request_id="b3c1", display_name="another"))


@provokes("RULES_NOT_PLAYABLE")
async def _(place: Place) -> Refusal:
    rules = rules_pb2.Rules(profile="turkish", players_min=6, players_max=6, deck=32)
    return await refused(place["ayse"].create(rules))


@provokes("NO_CREDENTIALS")
async def _(place: Place) -> Refusal:
    nobody = place.callers["nobody"] = Caller(place.address, None)
    return await refused(nobody.create())


@provokes("NOT_YOUR_SEAT")
async def _(place: Place) -> Refusal:
    name, _, decision, _ = await place.table()
    refusals = [
        await refused(place["user24"].submit(name, decision.decision_id, act("check"))),
        await refused(place["user24"].leave(name)),
        await refused((await place["user24"].play(name)).read()),
    ]
    assert len({(each.code, each.reason, tuple(each.metadata)) for each in refusals}) == 1
    return refusals[0]


@provokes("NOT_THE_HOST")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    return await refused(call(place["bora"], "CloseTable", name=name))


@provokes("TABLE_NOT_FOUND")
async def _(place: Place) -> Refusal:
    return await refused(place["ayse"].get("tables/0123456789abcdef"))


@provokes("HAND_NOT_FOUND")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    request = history_pb.GetHandRecordRequest(name=f"{name}/hands/12")
    return await refused(place["ayse"].history.GetHandRecord(request, metadata=place["ayse"].metadata))


@provokes("SEAT_TAKEN")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    await place["ayse"].join(name, 2)
    return await refused(place["bora"].join(name, 2))


@provokes("ALREADY_SEATED")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    await place["ayse"].join(name, 0)
    return await refused(place["ayse"].join(name, 1))


@provokes("TABLE_FULL")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create(seat_count=2)).name
    for player in ("ayse", "bora"):
        await place[player].join(name)
    return await refused(place["cem"].join(name))


@provokes("TABLE_CLOSED")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    await call(place["ayse"], "CloseTable", name=name)
    return await refused(place["ayse"].join(name))


@provokes("STALE_DECISION")
async def _(place: Place) -> Refusal:
    name, asked, decision, _ = await place.table()
    await asked.submit(name, decision.decision_id, act("check"))
    return await refused(asked.submit(name, decision.decision_id, act("check")))


@provokes("NOT_YOUR_TURN")
async def _(place: Place) -> Refusal:
    name, _, decision, other = await place.table()
    return await refused(other.submit(name, decision.decision_id, act("check")))


@provokes("ACTION_NOT_LEGAL")
async def _(place: Place) -> Refusal:
    name, asked, decision, _ = await place.table()
    refusal = await refused(asked.submit(name, decision.decision_id, act("raise", to=10)))
    assert refusal.action is not None
    assert refusal.action.decision.legal_actions
    return refusal


@provokes("AMOUNT_OUT_OF_RANGE")
async def _(place: Place) -> Refusal:
    name, asked, decision, _ = await place.table()
    return await refused(asked.submit(name, decision.decision_id, act("open", to=10**9)))


@provokes("BAD_DISCARD")
async def _(place: Place) -> Refusal:
    name, asked, decision, other = await place.table()
    await asked.submit(name, decision.decision_id, act("open", to=2))
    _, decision = await whose_turn([other], name)
    await other.submit(name, decision.decision_id, act("call"))
    drawer, decision = await whose_turn([asked, other], name)
    table = await drawer.get(name)
    own = next(each for each in table.hand.players if each.seat == table.your_seat)
    return await refused(
        drawer.submit(name, decision.decision_id, act("draw", cards=(own.cards[0] - 1,) * 2))
    )


@provokes("REPLACED")
async def _(place: Place) -> Refusal:
    name, asked, _, _ = await place.table()
    older = await asked.play(name)
    await older.read()
    newer = await asked.play(name)
    await newer.read()
    return await refused(older.read())


@provokes("TOO_MANY_REQUESTS")
async def _(place: Place) -> Refusal:
    request = pb.ListTablesRequest()
    for _ in range(20):
        try:
            await place["ayse"].tables.ListTables(request, metadata=place["ayse"].metadata)
        except grpc.aio.AioRpcError:
            break
    return await refused(place["ayse"].tables.ListTables(request, metadata=place["ayse"].metadata))


@provokes("STORE_AWAY")
async def _(place: Place) -> Refusal:
    assert place.store is not None
    await place.store.stop()
    return await refused(place["ayse"].create())


@provokes("SHUTTING_DOWN")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    stream = place["ayse"].watch(name)
    await stream.read()
    assert place.leave is not None
    leaving = asyncio.ensure_future(place.leave())
    refusal = await refused(stream.read())
    await leaving
    return refusal


@provokes("BUY_IN_OUT_OF_RANGE")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    return await refused(place["ayse"].join(name, buy_in=10**9))


@provokes("STREAM_EXPIRED")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    stream = place["ayse"].watch(name)
    await stream.read()
    return await refused(stream.read())


@provokes("NOT_NOW")
async def _(place: Place) -> Refusal:
    name, *_ = await place.table()
    return await refused(call(place["ayse"], "CloseTable", name=name))


@provokes("NOT_INVITED")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create(private=True)).name
    return await refused(place["bora"].join(name))


@provokes("ROLE_MISSING")
async def _(place: Place) -> Refusal:
    request = operator_pb.DrainRequest()
    return await refused(place["ayse"].operator.Drain(request, metadata=place["ayse"].metadata))


@provokes("REMOVED")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create(seat_count=3)).name
    await place["bora"].join(name, 0)
    await call(place["ayse"], "RemovePlayer", name=name, seat=0, player="bora")
    return await refused(place["bora"].join(name))


@provokes("TOO_MANY_TABLES")
async def _(place: Place) -> Refusal:
    await place["ayse"].create()
    return await refused(place["ayse"].create())


@provokes("GUESTS_OFF")
async def _(place: Place) -> Refusal:
    return await refused(place["ayse"].sessions.CreateGuest(session_pb.CreateGuestRequest()))


@provokes("BANK_REFUSED")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    return await refused(place["ayse"].join(name))


@provokes("DRAINING")
async def _(place: Place) -> Refusal:
    await place["olga"].operator.Drain(operator_pb.DrainRequest(), metadata=place["olga"].metadata)
    return await refused(place["ayse"].create())


@provokes("TABLE_NOT_FULL")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    return await refused(call(place["bora"], "JoinWaitingList", name=name, request_id=new_id()))


@provokes("TOO_MANY_STREAMS")
async def _(place: Place) -> Refusal:
    name = (await place["ayse"].create()).name
    first = place["ayse"].watch(name)
    await first.read()
    return await refused(place["ayse"].watch(name).read())


@asynccontextmanager
async def place_for(reason: str, settings: ServerSettings, tmp_path: Path) -> AsyncIterator[Place]:
    """A server that is set up for a reason to be met."""
    async with AsyncExitStack() as stack, AsyncExitStack() as serving:
        place = Place(replace(settings, **SETTINGS.get(reason, {})), stack)
        if reason == "STORE_AWAY":
            place.store = await stack.enter_async_context(EmbeddedRedis(tmp_path / "store"))
            place.settings = replace(place.settings, redis_url=place.store.url, seal_key=SEAL_KEY)
        if reason == "BANK_REFUSED":
            bank = OperatorBank(Ledger(tmp_path / "ledger.db"))
            await bank.start()
            stack.push_async_callback(bank.stop)
            key_file = tmp_path / "bank.key"
            key_file.write_bytes(BANK_KEY)
            key_file.chmod(0o600)
            place.settings = replace(place.settings, bank_url=bank.url, bank_key_file=key_file)
        server = await serving.enter_async_context(running_server(place.settings))
        place.address, place.leave = server.address, serving.aclose
        yield place
        for caller in place.callers.values():
            await caller.close()


REASONS = sorted(
    {value.name.removeprefix("ERROR_REASON_") for value in errors_pb2.ErrorReason.DESCRIPTOR.values}
)


def test_every_reason_is_documented_and_provoked() -> None:
    reasons = set(REASONS) - {"UNSPECIFIED"}
    assert set(PROVOKED) == reasons - set(NEVER_SENT)
    assert set(documented()) >= set(CODES)
    for reason, says in documented().items():
        assert says.example["reason"] == reason
        assert says.code == CODES[reason].name


@pytest.mark.parametrize("reason", sorted(PROVOKED))
async def test_a_reason_is_as_its_example(reason: str, settings: ServerSettings, tmp_path: Path) -> None:
    says = documented()[reason]
    async with place_for(reason, settings, tmp_path) as place:
        refusal = await asyncio.wait_for(PROVOKED[reason](place), 30)
    assert refusal.reason == reason
    assert refusal.code.name == says.code
    assert set(refusal.metadata) == set(says.example.get("metadata", {}))
    assert bool(refusal.fields) == ("field" in refusal.metadata)
    assert (refusal.retry_seconds is not None) == ("RetryInfo" in says.text)
    assert (refusal.action is not None) == ("ActionRefusal" in says.text)
    assert refusal.message
