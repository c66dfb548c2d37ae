"""Clocks over the real wire, with short ones: what viewers are told of deadlines, and what time-outs do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from turkpoker.v1 import actions_pb2, events_pb2, rules_pb2, tables_pb2
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import Caller, act, easy_rules, new_id, refused, seated

Make = Callable[..., Caller]
#: Nothing here waits so long unless it fails.
PATIENCE = 20


def short_rules(clock: float = 0.2, bank: float = 0, **options: Any) -> rules_pb2.Rules:
    rules = easy_rules(**options)
    rules.action_clock.CopyFrom(seconds(clock))
    rules.time_bank.CopyFrom(seconds(bank))
    return rules


def seconds(number: float) -> Duration:
    return Duration(seconds=int(number), nanos=round(number % 1 * 1e9))


class Watcher:
    """The events of a table as one viewer sees them."""

    def __init__(self, caller: Caller, name: str) -> None:
        self._stream = caller.watch(name)
        self._waiting: Iterator[events_pb2.TableEvent] = iter(())

    async def snapshot(self) -> tables_pb2.Table:
        return (await asyncio.wait_for(self._stream.read(), PATIENCE)).update.snapshot

    async def next(self, *kinds: str) -> events_pb2.TableEvent:
        """The next event of one of these kinds; others pass by."""
        while True:
            for event in self._waiting:
                if event.WhichOneof("event") in kinds:
                    return event
            message = await asyncio.wait_for(self._stream.read(), PATIENCE)
            self._waiting = iter(message.update.events.events)


def moment(timestamp: Timestamp) -> int:
    return timestamp.ToMilliseconds()


async def test_the_time_bank_runs_after_the_clock_and_everybody_is_told(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    name = await seated([ayse, bora], short_rules(clock=0.2, bank=60))
    watcher = Watcher(ayse, name)
    before = await watcher.snapshot()
    (asked,) = before.hand.asked
    assert asked.time_bank == seconds(60)
    assert [seat.time_bank for seat in before.seats] == [seconds(60)] * 2
    if not asked.time_bank_running:
        started = await watcher.next("time_bank_started")
        assert moment(started.create_time) >= moment(asked.deadline)
        told = started.time_bank_started
        assert (told.seat, told.decision_id) == (asked.seat, asked.decision_id)
        assert told.time_bank == seconds(60)
        assert moment(told.deadline) == moment(started.create_time) + 60_000
    holder, other = (ayse, bora) if before.your_seat == asked.seat else (bora, ayse)
    view = await holder.get(name)
    assert view.decision.decision_id == asked.decision_id
    assert view.decision.time_bank_running
    assert moment(view.decision.deadline) > moment(view.server_time) + 30_000
    # A refusal repeats the question with the deadline that it has now.
    refusal = await refused(holder.submit(name, asked.decision_id, act("draw")))
    assert refusal.action is not None
    assert refusal.action.decision.deadline == view.decision.deadline
    assert refusal.action.decision.time_bank_running
    await holder.submit(name, asked.decision_id, act("open", to=2))
    after = await other.get(name)
    (asking,) = after.hand.asked
    assert (asking.seat, asking.time_bank) != (asked.seat, Duration())
    left = {seat.seat: seat.time_bank.ToMilliseconds() for seat in after.seats}
    assert 0 < left[asked.seat] < 60_000
    assert left[asking.seat] == 60_000


async def test_when_the_bank_is_used_up_the_table_answers(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    name = await seated([ayse, bora], short_rules(clock=0.1, bank=0.2))
    watcher = Watcher(ayse, name)
    (asked,) = (await watcher.snapshot()).hand.asked
    if not asked.time_bank_running:
        started = await watcher.next("time_bank_started")
        assert started.time_bank_started.seat == asked.seat
    timed_out = await watcher.next("timed_out")
    assert timed_out.timed_out.seat == asked.seat
    acted = await watcher.next("acted")
    assert acted.acted.type == actions_pb2.ACTION_TYPE_CHECK
    view = await bora.get(name)
    (seat,) = [seat for seat in view.seats if seat.seat == asked.seat]
    assert seat.time_bank == Duration()


async def test_entry_is_asked_of_all_with_one_deadline_and_no_bank(player: Make) -> None:
    callers = [player(each) for each in ("ayse", "bora", "can")]
    rules = short_rules(clock=30, bank=60, entry=rules_pb2.ENTRY_OPT_IN)
    name = await seated(callers, rules)
    (deadline,) = {moment(asked.deadline) for asked in (await callers[0].get(name)).hand.asked}
    views = [await each.get(name) for each in callers]
    assert {moment(view.decision.deadline) for view in views} == {deadline}
    assert not any(view.decision.HasField("time_bank") for view in views)
    await callers[1].submit(name, views[1].decision.decision_id, act("enter"))
    assert {moment(asked.deadline) for asked in (await callers[0].get(name)).hand.asked} == {deadline}


@pytest.mark.parametrize("option", ["entry", "karanlik"])
async def test_x4_who_does_not_answer_stays_out_or_declines(player: Make, option: str) -> None:
    callers = [player(each) for each in ("ayse", "bora")]
    chosen: dict[str, Any] = {"entry": rules_pb2.ENTRY_OPT_IN} if option == "entry" else {"karanlik": True}
    name = await seated(callers, short_rules(clock=0.2, **chosen))
    watcher = Watcher(callers[0], name)
    (first, *_) = (await watcher.snapshot()).hand.asked
    timed_out = await watcher.next("timed_out")
    assert timed_out.timed_out.seat == first.seat
    acted = await watcher.next("acted")
    wanted = actions_pb2.ACTION_TYPE_STAY_OUT if option == "entry" else actions_pb2.ACTION_TYPE_DECLINE
    assert (acted.acted.seat, acted.acted.type) == (first.seat, wanted)


async def test_a_proof_window_has_its_own_deadline_beside_the_turn(player: Make) -> None:
    callers = [player(each) for each in ("ayse", "bora", "can")]
    rules = short_rules(
        clock=30,
        opener_proof=rules_pb2.OPENER_PROOF_ON_REQUEST,
        opening_requirement=rules_pb2.OPENING_REQUIREMENT_JACKS,
        false_opening=rules_pb2.FALSE_OPENING_RULE_PENALISE,  # any hand may open
    )
    rules.proof_window.CopyFrom(seconds(0.4))
    name = await seated(callers, rules)
    watcher = Watcher(callers[0], name)
    await watcher.snapshot()
    for action in (act("open", to=2), act("raise", to=10), act("call"), act("fold")):
        views = [await each.get(name) for each in callers]
        ((caller, decision),) = [
            (each, view.decision)
            for each, view in zip(callers, views, strict=True)
            if view.HasField("decision")
        ]
        await caller.submit(name, decision.decision_id, action)
    asked = {}
    while len(asked) < 2:
        decision = (await watcher.next("decision_asked")).decision_asked.decision
        if decision.phase in (actions_pb2.PHASE_PROOF, actions_pb2.PHASE_DRAW):
            asked[decision.phase] = decision
    window, turn = asked[actions_pb2.PHASE_PROOF], asked[actions_pb2.PHASE_DRAW]
    assert turn.proof_deadline == window.deadline
    assert not window.HasField("proof_deadline")
    passed = await watcher.next("acted")
    assert passed.acted.type == actions_pb2.ACTION_TYPE_PASS
    assert moment(passed.create_time) >= moment(window.deadline)
    assert moment(turn.deadline) - moment(window.deadline) == 29_600
    (standing,) = (await callers[0].get(name)).hand.asked
    assert (standing.decision_id, standing.deadline) == (turn.decision_id, turn.deadline)
    assert not standing.HasField("proof_deadline")


async def test_the_end_of_a_hand_tells_when_the_next_one_is_dealt(player: Make) -> None:
    callers = [player(each) for each in ("ayse", "bora")]
    name = await seated(callers, short_rules(clock=0.1), pause=5)
    watcher = Watcher(callers[0], name)
    ended = await watcher.next("hand_ended")
    assert moment(ended.hand_ended.deals_again_time) - moment(ended.create_time) == 5_000


async def test_who_is_away_too_long_is_paid_out_and_everybody_knew_when(player: Make) -> None:
    callers = [player(each) for each in ("ayse", "bora", "can")]
    made = await callers[0].create(short_rules(clock=60), pause=60, away_limit=seconds(0.5))
    for caller in callers:
        await caller.join(made.name)
    watcher = Watcher(callers[0], made.name)
    await watcher.snapshot()
    request = pb.SitOutRequest(request_id=new_id(), name=made.name)
    table = (await callers[1].tables.SitOut(request, metadata=callers[1].metadata)).table
    sat_out = await watcher.next("sat_out")
    assert moment(sat_out.sat_out.leaves_time) == moment(sat_out.create_time) + 500
    leaves = {seat.seat: seat.leaves_time for seat in table.seats if seat.HasField("leaves_time")}
    assert leaves == {1: sat_out.sat_out.leaves_time}
    left = await watcher.next("player_left")
    assert (left.player_left.seat, left.player_left.player, left.player_left.cashed_out) == (1, "bora", 100)
    assert moment(left.create_time) >= moment(sat_out.sat_out.leaves_time)
    assert [seat.player for seat in (await callers[0].get(made.name)).seats] == ["ayse", "can"]
