"""Requests that no client would send: whatever comes, the answer is a clear code and a refusal changes
nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from turkpoker.server.app import Running
from turkpoker.server.auth import make_token
from turkpoker.v1 import evaluator_service_pb2 as evaluator_pb
from turkpoker.v1 import hand_history_service_pb2 as history_pb
from turkpoker.v1 import operator_service_pb2 as operator_pb
from turkpoker.v1 import rules_pb2
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import KEY, Caller, act, easy_rules, new_id, seated, whose_turn, without_clock

Make = Callable[..., Caller]
FAULTS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED}
EXTREMES = [0, 1, -1, 2**31 - 1, -(2**31), 2**31, 2**53, 2**63 - 1, -(2**63)]
TEXTS = [
    "",
    "a",
    "tables/",
    "tables/a",
    "\x00",
    "ü" * 70,
    "x" * 3000,
    "h1.round1.s0.d1",
    "h" * 60,
    "😀",
    "../..",
]
CALLS = 2000
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
    }


def mutate_fields(message: Message, dice: random.Random) -> None:
    """Put something odd into some field, at whatever depth."""
    field = dice.choice(message.DESCRIPTOR.fields)
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        inner = getattr(message, field.name)
        mutate_fields(inner.add() if field.is_repeated else inner, dice)
        return
    for _ in range(20):
        value: Any = dice.choice(EXTREMES)
        if field.type == FieldDescriptor.TYPE_STRING:
            value = dice.choice(TEXTS)
        elif field.type == FieldDescriptor.TYPE_BYTES:
            value = dice.randbytes(dice.randrange(40))
        elif field.type == FieldDescriptor.TYPE_BOOL:
            value = dice.random() < 0.5
        try:
            if field.is_repeated:
                getattr(message, field.name).extend([value] * dice.choice([1, 1, 5, 60]))
            else:
                setattr(message, field.name, value)
        except ValueError:
            continue  # too large for this kind of number
        return


def mutated(message: Message, dice: random.Random) -> bytes:
    """A request gone wrong: in its fields, in its bytes, or altogether."""
    way = dice.randrange(6)
    if way == 0:
        return dice.randbytes(dice.randrange(60))
    if way <= 3:
        changed = type(message)()
        changed.CopyFrom(message)
        for _ in range(dice.randrange(1, 4)):
            mutate_fields(changed, dice)
        return changed.SerializeToString()
    content = bytearray(message.SerializeToString())
    for _ in range(dice.randrange(1, 4)):
        place = dice.randrange(len(content) + 1)
        if way == 4 and place < len(content):
            content[place] ^= 1 << dice.randrange(8)
        elif way == 5 and dice.random() < 0.5:
            del content[place:]
        else:
            content[place:place] = dice.randbytes(dice.randrange(1, 5))
    return bytes(content)


async def send(caller: Caller, method: str, content: bytes) -> grpc.StatusCode:
    """Send raw bytes and wait for an answer, of a stream the first one."""
    try:
        if method.endswith("/Play"):
            play = caller.channel.stream_stream(method)(metadata=caller.metadata, timeout=10)
            await play.write(content)
            await play.done_writing()
            await play.read()
            play.cancel()
        elif method.endswith(("/WatchTable", "/ExportHandRecords")):
            watch = caller.channel.unary_stream(method)(content, metadata=caller.metadata, timeout=10)
            await watch.read()
            watch.cancel()
        else:
            await caller.channel.unary_unary(method)(content, metadata=caller.metadata, timeout=10)
    except grpc.aio.AioRpcError as error:
        code = error.code()
        assert isinstance(code, grpc.StatusCode)
        if code in FAULTS:
            pytest.fail(f"{method} {content.hex()}: {code} {error.details()}")
        return code
    return grpc.StatusCode.OK


async def read_to_the_end(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_mutated_requests_get_a_clear_code_and_change_nothing(player: Make) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    callers = [player("ayse"), player("bora")]
    operator = player("olga", make_token(KEY, "olga", roles=("operator",)))
    # A clock that does not run out meanwhile.
    rules = easy_rules(action_clock=Duration(seconds=3600))
    name = await seated(callers, rules, pause=0.2)
    caller, decision = await whose_turn(callers, name)
    before = without_clock(await caller.get(name))
    codes: Counter[str] = Counter()
    for _ in range(CALLS):
        method, request = dice.choice(list(valid_requests(name, decision.decision_id).items()))
        if method.endswith(ENDING) and dice.random() < 0.9:
            continue
        sender = operator if "OperatorService" in method else caller
        code = await send(sender, method, mutated(request, dice))
        if method.endswith("/Drain"):
            await operator.operator.Drain(operator_pb.DrainRequest(end=True), metadata=operator.metadata)
        codes[code.name] += 1
        after = without_clock(await caller.get(name))
        if code is not grpc.StatusCode.OK:
            assert after == before, (method, code)
        elif after != before:
            # It was a request that can be carried out; the table goes on from here, or another takes its
            # place.
            name = await seated(callers, rules, pause=0.2)
            caller, decision = await whose_turn(callers, name)
            after = without_clock(await caller.get(name))
        before = after
    print(dict(codes))
    assert codes["INVALID_ARGUMENT"] > CALLS / 5
    assert codes["OK"] > CALLS / 50


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
