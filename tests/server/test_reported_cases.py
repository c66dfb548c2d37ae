"""Reported faults of other servers, over the real wire: each refusal with code and details, and nothing
changed.

The numbers X1, X2, B7 ... are those of the reports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import grpc
from google.protobuf.duration_pb2 import Duration
from turkpoker.v1 import actions_pb2, errors_pb2, tables_pb2
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import (
    Caller,
    Refusal,
    act,
    easy_rules,
    go_on,
    legal_of,
    new_id,
    refused,
    seated,
    unchanged,
    whose_turn,
    without_clock,
)

Make = Callable[..., Caller]


async def test_x1_who_leaves_in_mid_hand_is_paid_what_lies_before_him(player: Make) -> None:
    callers = [player(name) for name in ("ayse", "bora", "cem")]
    name = await seated(callers)
    # Until cem has twenty in: somebody opens to 19 (the ante is 1), and cem calls.
    while True:
        caller, decision = await whose_turn(callers, name)
        legal = legal_of(decision)
        action = act("open", to=19) if "open" in legal else act("call")
        await caller.submit(name, decision.decision_id, action)
        if caller.player == "cem":
            break
    caller, _ = await whose_turn(callers, name)
    assert caller.player != "cem"
    before = await callers[0].get(name)
    pot = before.hand.pot
    left = await callers[2].leave(name)
    assert (left.cashed_out, left.pending) == (80, False)
    after = await callers[0].get(name)
    assert after.hand.pot == pot
    assert next(each for each in after.hand.players if each.seat == 2).folded


async def test_x2_two_users_want_one_seat_at_the_same_moment(player: Make) -> None:
    host = player("host")
    name = (await host.create(easy_rules())).name
    rivals = [player(f"rival{number}") for number in range(4)]
    results = await asyncio.gather(*(each.join(name, 1) for each in rivals), return_exceptions=True)
    winners = [result for result in results if isinstance(result, tables_pb2.Table)]
    assert len(winners) == 1
    for rival, result in zip(rivals, results, strict=True):
        if isinstance(result, grpc.aio.AioRpcError):
            assert result.code() is grpc.StatusCode.ALREADY_EXISTS
            refusal = await refused(rival.join(name, 1))
            assert (refusal.reason, refusal.metadata["seat"]) == ("SEAT_TAKEN", "1")
    table = await host.get(name)
    assert [seat.stack for seat in table.seats] == [100]


async def test_x2_one_user_wants_a_second_seat(player: Make) -> None:
    ayse = player("ayse")
    name = (await ayse.create(easy_rules())).name
    await ayse.join(name, 0)
    before = await ayse.get(name)
    refusal = await refused(ayse.join(name, 1))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "ALREADY_SEATED")
    assert refusal.metadata["seat"] == "0"
    await unchanged(ayse, name, before)


async def test_x3_chips_added_in_mid_hand_wait_for_its_end(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers, easy_rules(start_stack=51, buy_in_min=20))
    caller, _ = await whose_turn(callers, name)
    request = pb.AddChipsRequest(request_id=new_id(), name=name, amount=100)
    answers = [await caller.tables.AddChips(request, metadata=caller.metadata) for _ in range(3)]
    assert [(each.amount, each.pending) for each in answers] == [(100, True)] * 3
    table = await caller.get(name)
    assert [(seat.stack, seat.pending) for seat in table.seats if seat.seat == table.your_seat] == [(50, 100)]
    # His all-in is what he had when the hand began: 51 less the ante.
    assert legal_of(table.decision)["open"].max_to == 50
    number = table.hand_number
    while (table := await caller.get(name)).hand_number == number:
        await go_on(callers, name)
    assert sum(each.stack for each in table.seats) + table.hand.pot == 202
    refusal = await refused(
        caller.tables.AddChips(pb.AddChipsRequest(name=name, amount=10_000), metadata=caller.metadata)
    )
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BUY_IN_OUT_OF_RANGE")
    stranger = player("stranger")
    refusal = await refused(
        stranger.tables.AddChips(pb.AddChipsRequest(name=name), metadata=stranger.metadata)
    )
    assert refusal.reason == "NOT_YOUR_SEAT"


async def test_x4_the_clock_checks_folds_and_stands_pat(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    rules = easy_rules(action_clock=Duration(nanos=200_000_000))
    name = await seated(callers, rules, pause=1)
    first, decision = await whose_turn(callers, name)
    assert decision.deadline.ToDatetime() > (await first.get(name)).server_time.ToDatetime()
    seen = []
    async for message in callers[0].watch(name):
        seen += list(message.update.events.events)
        if any(event.HasField("hand_ended") for event in seen):
            break
    acted = [
        actions_pb2.ActionType.Name(event.acted.type)
        for event in seen
        if event.WhichOneof("event") == "acted"
    ]
    # Nobody had bet, so both may stay for nothing, and nobody opened: the pot is carried.
    assert acted == ["ACTION_TYPE_CHECK", "ACTION_TYPE_CHECK"]
    assert sum(event.HasField("timed_out") for event in seen) == 2


async def test_x4_the_clock_folds_to_a_bet_and_stands_pat_in_the_draw(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers, easy_rules(action_clock=Duration(nanos=400_000_000)), pause=1)
    for _ in range(2):  # an opening and a call
        await go_on(callers, name)
    stream = callers[0].watch(name)
    seen = []
    async for message in stream:
        seen += list(message.update.events.events)
        drawn = [event.cards_drawn for event in seen if event.HasField("cards_drawn")]
        if len(drawn) == 2:
            break
    assert [each.count for each in drawn] == [0, 0]
    caller, decision = await whose_turn(callers, name)
    await caller.submit(name, decision.decision_id, act("bet", to=legal_of(decision)["bet"].min_to))
    async for message in stream:
        seen += list(message.update.events.events)
        if any(event.HasField("hand_ended") for event in seen):
            break
    last = [event.acted.type for event in seen if event.HasField("acted")][-1]
    assert last == actions_pb2.ACTION_TYPE_FOLD


async def test_x5_nobody_sees_the_hand_of_an_uncontested_winner(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers, pause=1)
    caller, decision = await whose_turn(callers, name)
    await caller.submit(name, decision.decision_id, act("open", to=10))
    caller, decision = await whose_turn(callers, name)
    await caller.submit(name, decision.decision_id, act("fold"))
    for viewer in (*callers, player("spectator")):
        table = await viewer.get(name)
        assert table.hand.phase == actions_pb2.PHASE_OVER
        for each in table.hand.players:
            if each.player != viewer.player:
                assert set(each.cards) == {0}


def refuses_action(refusal: Refusal, code: grpc.StatusCode, reason: str) -> None:
    assert (refusal.code, refusal.reason) == (code, reason)
    assert refusal.action is not None
    assert errors_pb2.ErrorReason.Name(refusal.action.reason) == f"ERROR_REASON_{reason}"


async def test_x6_one_fold_sent_three_times(player: Make) -> None:
    callers = [player("ayse"), player("bora"), player("cem")]
    name = await seated(callers, pause=1)
    await go_on(callers, name)
    caller, decision = await whose_turn(callers, name)
    fold = act("fold")
    first = await caller.submit(name, decision.decision_id, fold, "the fold")
    before = await caller.get(name)
    assert (await caller.submit(name, decision.decision_id, fold, "the fold")).version == first.version
    assert (await caller.submit(name, decision.decision_id, fold, "the fold")).version == first.version
    await unchanged(caller, name, before)
    refusal = await refused(caller.submit(name, decision.decision_id, fold, "another id"))
    refuses_action(refusal, grpc.StatusCode.ABORTED, "STALE_DECISION")
    assert refusal.metadata["decision_id"] == decision.decision_id
    refusal = await refused(caller.submit(name, decision.decision_id, act("call"), "the fold"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED")
    await unchanged(caller, name, before)


async def test_x6_the_current_decision_of_somebody_else(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    caller, decision = await whose_turn(callers, name)
    other = next(each for each in callers if each is not caller)
    before = await caller.get(name)
    refusal = await refused(other.submit(name, decision.decision_id, act("check")))
    refuses_action(refusal, grpc.StatusCode.FAILED_PRECONDITION, "NOT_YOUR_TURN")
    # What the other one may do, and so what he holds, is not told.
    assert refusal.action is not None
    assert not refusal.action.decision.legal_actions
    await unchanged(caller, name, before)


async def test_x7_a_raise_for_an_earlier_turn_arrives_late(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    caller, decision = await whose_turn(callers, name)
    await caller.submit(name, decision.decision_id, act("open", to=10))
    other, reply = await whose_turn(callers, name)
    await other.submit(name, reply.decision_id, act("raise", to=20))
    again, current = await whose_turn(callers, name)
    assert again is caller
    assert current.decision_id != decision.decision_id
    before = await caller.get(name)
    refusal = await refused(caller.submit(name, decision.decision_id, act("raise", to=60)))
    refuses_action(refusal, grpc.StatusCode.ABORTED, "STALE_DECISION")
    assert refusal.action is not None
    assert refusal.action.decision.decision_id == current.decision_id
    await unchanged(caller, name, before)
    # One of a hand that is not yet dealt is no better.
    refusal = await refused(caller.submit(name, "h99.round1.s0.d1", act("raise", to=60)))
    assert refusal.code is grpc.StatusCode.ABORTED
    await unchanged(caller, name, before)


async def test_x8_an_action_for_somebody_elses_seat(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    caller, decision = await whose_turn(callers, name)
    before = await caller.get(name)
    stranger = player("user24")
    refusal = await refused(stranger.submit(name, decision.decision_id, act("check")))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT")
    refusal = await refused(stranger.leave(name))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT")
    refusal = await refused((await stranger.play(name)).read())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT")
    await unchanged(caller, name, before)


async def test_x11_joining_again_gives_the_view_and_charges_nothing(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers, pause=1)
    before = await callers[0].get(name)
    for seat in (None, 0):
        again = await callers[0].join(name, seat, buy_in=50)
        assert without_clock(again) == without_clock(before)
        assert len(again.hand.players[0].cards) == 5
    await unchanged(callers[0], name, before)


IMPOSSIBLE_ACTIONS = [
    (act("open", to=1), grpc.StatusCode.FAILED_PRECONDITION, "AMOUNT_OUT_OF_RANGE"),
    (act("open", to=100), grpc.StatusCode.FAILED_PRECONDITION, "AMOUNT_OUT_OF_RANGE"),
    (act("raise", to=10), grpc.StatusCode.FAILED_PRECONDITION, "ACTION_NOT_LEGAL"),
    (act("fold"), grpc.StatusCode.FAILED_PRECONDITION, "ACTION_NOT_LEGAL"),
    (act("draw"), grpc.StatusCode.FAILED_PRECONDITION, "ACTION_NOT_LEGAL"),
    (act("open", to=-5), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
    (act("open", to=2**63 - 1), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
    (act("open"), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
    (act("check", cards=(50,)), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
    (actions_pb2.Action(), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
    (actions_pb2.Action(type=99), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),  # type: ignore[arg-type]
    (
        actions_pb2.Action(type=actions_pb2.ACTION_TYPE_DRAW, cards=[0]),
        grpc.StatusCode.INVALID_ARGUMENT,
        "INVALID_FIELD",
    ),
]


async def test_b7_actions_that_cannot_be_change_nothing(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    caller, decision = await whose_turn(callers, name)
    before = await caller.get(name)
    for action, code, reason in IMPOSSIBLE_ACTIONS:
        refusal = await refused(caller.submit(name, decision.decision_id, action))
        assert (refusal.code, refusal.reason) == (code, reason), action
        if code is grpc.StatusCode.INVALID_ARGUMENT:
            assert refusal.fields
            assert refusal.fields[0].startswith("action")
        else:
            assert refusal.action is not None
            assert refusal.action.decision.legal_actions == decision.legal_actions
            assert refusal.action.decision.decision_id == decision.decision_id
        await unchanged(caller, name, before)


async def test_d2_a_bad_discard_changes_nothing(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    for _ in range(2):
        await go_on(callers, name)
    caller, decision = await whose_turn(callers, name)
    assert list(legal_of(decision)) == ["draw"]
    before = await caller.get(name)
    own = [card - 1 for each in before.hand.players if each.seat == before.your_seat for card in each.cards]
    strange = next(card for card in range(28, 52) if card not in own)
    for cards in ((own[0], own[0]), (strange,), tuple(own)):
        refusal = await refused(caller.submit(name, decision.decision_id, act("draw", cards=cards)))
        refuses_action(refusal, grpc.StatusCode.FAILED_PRECONDITION, "BAD_DISCARD")
        await unchanged(caller, name, before)


async def test_b8_every_listed_bound_is_taken_and_the_values_outside_are_not(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    caller, decision = await whose_turn(callers, name)
    bounds = legal_of(decision)["open"]
    for to in (bounds.min_to - 1, bounds.max_to + 1):
        refusal = await refused(caller.submit(name, decision.decision_id, act("open", to=to)))
        assert refusal.reason == "AMOUNT_OUT_OF_RANGE"
        assert (refusal.metadata["min"], refusal.metadata["max"]) == (str(bounds.min_to), str(bounds.max_to))
    await caller.submit(name, decision.decision_id, act("open", to=bounds.max_to))
