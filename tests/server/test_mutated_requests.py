"""Requests that no client would send: whatever comes, the answer is a clear code and a refusal changes
nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from mutations import mutated
from turkpoker.server.app import Running, running_server
from turkpoker.server.auth import make_token
from turkpoker.server.buckets import Limit
from turkpoker.server.settings import ServerSettings
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import Seal, parse_keys
from turkpoker.v1 import evaluator_service_pb2 as evaluator_pb
from turkpoker.v1 import hand_history_service_pb2 as history_pb
from turkpoker.v1 import operator_service_pb2 as operator_pb
from turkpoker.v1 import rules_pb2, table_service_pb2
from turkpoker.v1 import session_service_pb2 as session_pb
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import KEY, SEAL_KEY, Caller, act, easy_rules, new_id, seated

Make = Callable[..., Caller]
Metadata = tuple[tuple[str, str], ...]
TOKENS = ["", "Bearer", "Bearer x", "Basic abc", "Bearer a.b.c", "Bearer " + "x" * 4000, "bearer e30.e30.e30"]
FAULTS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED}
FAULT_NUMBERS = {fault.value[0] for fault in FAULTS}
#: So many tables are worked on at once.
WORKERS = 6
#: After these a table is of no more use, so they are sent seldom.
ENDING = (
    "/LeaveTable",
    "/CloseTable",
    "/SitOut",
    "/EndSession",
    "/RemovePlayer",
    "/PauseTable",
    "/ForceCloseTable",
)


def valid_requests(name: str, decision: str) -> dict[str, Message]:
    """One request of every method as a client would send it."""
    settings = evaluator_pb.EvaluatorSettings(deck_size=36, ranking=rules_pb2.RANKING_STANDARD)
    table = "turkpoker.v1.TableService"
    evaluator = "turkpoker.v1.EvaluatorService"
    history = "turkpoker.v1.HandHistoryService"
    operator = "turkpoker.v1.OperatorService"
    session = "turkpoker.v1.SessionService"
    return {
        f"/{table}/CreateTable": pb.CreateTableRequest(
            request_id=new_id(), display_name="a", rules=easy_rules(), seat_count=3
        ),
        f"/{table}/GetTable": pb.GetTableRequest(name=name),
        f"/{table}/ListTables": pb.ListTablesRequest(
            page_size=2, filter=pb.TableFilter(profile="turkish", min_ante=1, text="a", mine=True)
        ),
        f"/{table}/CloseTable": pb.CloseTableRequest(request_id=new_id(), name=name),
        f"/{table}/JoinTable": pb.JoinTableRequest(request_id=new_id(), name=name, seat=0, buy_in=100),
        f"/{table}/LeaveTable": pb.LeaveTableRequest(
            request_id=new_id(), name=name, when=pb.LEAVE_WHEN_AFTER_HAND
        ),
        f"/{table}/SubmitAction": pb.SubmitActionRequest(
            request_id=new_id(), name=name, decision_id=decision, action=act("open", to=5, cards=(3, 4))
        ),
        f"/{table}/AddChips": pb.AddChipsRequest(request_id=new_id(), name=name, amount=50),
        f"/{table}/SitOut": pb.SitOutRequest(request_id=new_id(), name=name, when=pb.SIT_OUT_WHEN_NEXT_ANTE),
        f"/{table}/SitIn": pb.SitInRequest(request_id=new_id(), name=name),
        f"/{table}/SetAutoTopUp": pb.SetAutoTopUpRequest(request_id=new_id(), name=name, target=150),
        f"/{table}/JoinWaitingList": pb.JoinWaitingListRequest(
            request_id=new_id(), name=name, invitation="x" * 32
        ),
        f"/{table}/LeaveWaitingList": pb.LeaveWaitingListRequest(request_id=new_id(), name=name),
        f"/{table}/PauseTable": pb.PauseTableRequest(request_id=new_id(), name=name, reason="tea"),
        f"/{table}/ResumeTable": pb.ResumeTableRequest(request_id=new_id(), name=name),
        f"/{table}/RemovePlayer": pb.RemovePlayerRequest(
            request_id=new_id(), name=name, seat=1, player="bora"
        ),
        f"/{table}/SwitchDealMode": pb.SwitchDealModeRequest(
            request_id=new_id(), name=name, deal_mode="blind"
        ),
        f"/{table}/EndSession": pb.EndSessionRequest(request_id=new_id(), name=name),
        f"/{table}/RenewInvitation": pb.RenewInvitationRequest(request_id=new_id(), name=name),
        f"/{table}/ExplainRules": pb.ExplainRulesRequest(rules=easy_rules(), language="tr"),
        f"/{table}/WatchTable": pb.WatchTableRequest(name=name, resume_token="AQAAAAAAAAAAAAAA"),
        f"/{table}/Play": pb.PlayRequest(start=pb.PlayStart(name=name)),
        f"/{evaluator}/EvaluateHand": evaluator_pb.EvaluateHandRequest(
            settings=settings, text="As Kd Tc 9h 9s"
        ),
        f"/{evaluator}/BatchEvaluateHands": evaluator_pb.BatchEvaluateHandsRequest(
            settings=settings, hands=bytes([51, 50, 49, 48, 47])
        ),
        f"/{evaluator}/AnalyzeDraw": evaluator_pb.AnalyzeDrawRequest(cards=[52, 51, 50, 40, 30], draw_max=1),
        f"/{evaluator}/GetFrequencies": evaluator_pb.GetFrequenciesRequest(settings=settings),
        f"/{history}/GetHandRecord": history_pb.GetHandRecordRequest(name=f"{name}/hands/1"),
        f"/{history}/ListHandRecords": history_pb.ListHandRecordsRequest(parent=name, page_size=3),
        f"/{history}/ExportHandRecords": history_pb.ExportHandRecordsRequest(
            parent="players/me", format=history_pb.RECORD_FORMAT_PHH
        ),
        f"/{operator}/ListAllTables": operator_pb.ListAllTablesRequest(page_size=2),
        f"/{operator}/ForceCloseTable": operator_pb.ForceCloseTableRequest(
            request_id=new_id(), name=name, reason="a"
        ),
        f"/{operator}/Drain": operator_pb.DrainRequest(end=True, reason="a"),
        f"/{operator}/ListAuditEntries": operator_pb.ListAuditEntriesRequest(parent=name, page_size=2),
        f"/{session}/CreateGuest": session_pb.CreateGuestRequest(display_name="Gül"),
        f"/{session}/GetSession": session_pb.GetSessionRequest(),
    }


def all_methods() -> set[str]:
    """Every method of every service of the contract."""
    files = (table_service_pb2, evaluator_pb, history_pb, operator_pb, session_pb)
    return {
        f"/{service.full_name}/{method.name}"
        for each in files
        for service in each.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }


def test_no_method_is_left_out() -> None:
    assert set(valid_requests("tables/a", "d")) == all_methods()


async def exchange(
    caller: Caller, method: str, content: bytes, metadata: Metadata, after: Sequence[bytes]
) -> grpc.StatusCode:
    """Send raw bytes and wait for the answer: of a stream the first one, of Play all."""
    try:
        if method.endswith("/Play"):
            play: Any = caller.channel.stream_stream(method)(metadata=metadata, timeout=20)
            await play.write(content)
            await play.read()
            for each in after:
                await play.write(each)
                # Its result, or the end of the stream.
                while (answer := await play.read()) is not grpc.aio.EOF:
                    message = pb.PlayResponse.FromString(answer)
                    if message.HasField("result"):
                        assert message.result.refused.code not in FAULT_NUMBERS, message
                        break
            play.cancel()
        elif method.endswith(("/WatchTable", "/ExportHandRecords")):
            watch: Any = caller.channel.unary_stream(method)(content, metadata=metadata, timeout=20)
            await watch.read()
            watch.cancel()
        else:
            await caller.channel.unary_unary(method)(content, metadata=metadata, timeout=20)
    except grpc.aio.AioRpcError as error:
        code = error.code()
        assert isinstance(code, grpc.StatusCode)
        if code in FAULTS:
            pytest.fail(f"{method} {content[:200].hex()}: {code} {error.details()}")
        return code
    return grpc.StatusCode.OK


class Worker:
    """Sends bad requests to one table after another."""

    def __init__(self, address: str, store: RedisTableStore, number: int, dice: random.Random) -> None:
        self.store, self.dice, self.number = store, dice, number
        self.callers = [Caller(address, f"{name}{number}") for name in ("a", "b")]
        self.operator = Caller(address, "olga", make_token(KEY, "olga", roles=("operator",)))
        self.maker = Caller(address, f"maker{number}")
        self.name = ""
        self.ways: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.tables = 0

    async def close(self) -> None:
        for caller in (*self.callers, self.operator, self.maker):
            await caller.close()

    async def digest(self) -> list[bytes | None]:
        """What the store says of the table: version, epoch, mark of its commit, deadline, sealed state."""
        key = self.store.keys.table(self.name.removeprefix("tables/"))
        digest: list[bytes | None] = await self.store.client.hmget(key, "v", "e", "n", "d", "s")
        return digest

    async def fresh_table(self) -> None:
        while True:
            try:
                self.name = await seated(self.callers, easy_rules(action_clock=Duration(seconds=3600)))
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                await asyncio.sleep(0.01)  # another worker asked for rest
            else:
                self.tables += 1
                return

    async def still_good(self) -> bool:
        """Whether a hand is on and both play it."""
        stored = await self.store.load(self.name.removeprefix("tables/"))
        if stored is None or not stored.state.hand_running or stored.state.paused or stored.state.ending:
            return False
        self.state = stored.state
        return not any(seat.leaving or seat.sitting_out for seat in stored.state.seats.values())

    async def one(self) -> None:
        """One bad request, and a look at what it did."""
        asked = self.state.decisions()[0]
        player = self.state.hand_players[asked.seat]
        requests = valid_requests(self.name, asked.decision_id)
        method, request = self.dice.choice(list(requests.items()))
        if method.endswith(ENDING) and self.dice.random() < 0.9:
            return
        caller = next(each for each in self.callers if each.player == player)
        if "OperatorService" in method:
            caller = self.operator
        elif method.endswith("/CreateTable"):
            caller = self.maker
        way, content = mutated(request, self.dice.choice(list(requests.values())), self.dice)
        after: list[bytes] = []
        if method.endswith("/Play"):
            action = pb.PlayAction(request_id=new_id(), decision_id=asked.decision_id, action=act("check"))
            message = pb.PlayRequest(action=action)
            after = [mutated(message, request, self.dice)[1] for _ in range(self.dice.randrange(4))]
            if after:
                content = request.SerializeToString()
        metadata: Metadata = caller.metadata
        if self.dice.random() < 0.03:
            way = "credentials"
            metadata = (("authorization", self.dice.choice(TOKENS)),)
        before = await self.digest()
        code = await exchange(caller, method, content, metadata, after)
        if method.endswith("/Drain"):
            end = operator_pb.DrainRequest(end=True)
            await self.operator.operator.Drain(end, metadata=self.operator.metadata)
        self.ways[way] += 1
        self.codes[code.name] += 1
        changed = await self.digest() != before
        if code is not grpc.StatusCode.OK and not after:
            assert not changed, (method, content.hex(), code)
        if changed and not await self.still_good():
            await self.fresh_table()
            assert await self.still_good()

    async def run(self, count: int) -> None:
        await self.fresh_table()
        assert await self.still_good()
        while self.ways.total() < count:
            await self.one()


async def mutate(tmp_path: Path, calls: int, seed: int) -> Counter[str]:
    """Send so many bad requests; the codes of the answers."""
    async with EmbeddedRedis(tmp_path / "store") as embedded:
        free = Limit.parse("0")
        settings = ServerSettings(
            listen="127.0.0.1:0",
            data_dir=tmp_path / "data",
            redis_url=embedded.url,
            token_key=KEY,
            seal_key=SEAL_KEY,
            player_limit=free,
            create_limit=free,
            table_limit=free,
            stranger_limit=free,
            sign_in_limit=free,
            guest_limit=free,
            max_hosted_tables=100_000,
            max_joined_tables=100_000,
            drain_pause=timedelta(0),
            drain_grace=timedelta(seconds=1),
        )
        store = await RedisTableStore.connect(embedded.url, Seal(parse_keys(SEAL_KEY, "the seal key")))
        async with running_server(settings) as server:
            workers = [
                Worker(server.address, store, number, random.Random(f"{seed}/{number}"))
                for number in range(WORKERS)
            ]
            async with asyncio.TaskGroup() as group:
                for worker in workers:
                    group.create_task(worker.run(-(-calls // WORKERS)))
            for worker in workers:
                await worker.close()
        await store.close()
    ways = sum((worker.ways for worker in workers), Counter[str]())
    codes = sum((worker.codes for worker in workers), Counter[str]())
    print(
        f"seed {seed}: {ways.total()} requests at {sum(worker.tables for worker in workers)} tables, "
        f"{dict(ways)}, answered {dict(codes)}"
    )
    return codes


def check(codes: Counter[str], calls: int) -> None:
    """It was no waste: many were refused for what they were, and some were good in spite of all."""
    assert codes.total() >= calls
    assert codes["INVALID_ARGUMENT"] > calls / 5
    assert codes["OK"] > calls / 50


async def test_mutated_requests_get_a_clear_code_and_change_nothing(tmp_path: Path) -> None:
    check(await mutate(tmp_path, 2000, random.SystemRandom().randrange(2**32)), 2000)


@pytest.mark.slow
@pytest.mark.timeout(1200)
async def test_many_mutated_requests_get_a_clear_code_and_change_nothing(tmp_path: Path) -> None:
    check(await mutate(tmp_path, 50_000, random.SystemRandom().randrange(2**32)), 50_000)


async def read_to_the_end(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_bytes_that_are_no_message_on_an_open_play_stream(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    method = "/turkpoker.v1.TableService/Play"
    call: Any = callers[0].channel.stream_stream(method)(metadata=callers[0].metadata)
    await call.write(pb.PlayRequest(start=pb.PlayStart(name=name)).SerializeToString())
    await call.read()
    await call.write(b"\xff\xff\xff")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await read_to_the_end(call)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_method_that_is_not_there(server: Running, player: Make) -> None:
    caller = player("ayse")
    for method in ("/turkpoker.v1.TableService/Cheat", "/turkpoker.v1.Nothing/Get", "/x/y"):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await caller.channel.unary_unary(method)(b"", metadata=caller.metadata)
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
