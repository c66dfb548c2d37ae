"""Tables over the real wire: each refusal with its code and details and nothing changed, and what must go
well.

The numbers X1, X2 ... are those of the reported faults of other servers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from turkpoker.v1 import actions_pb2, errors_pb2, rules_pb2, tables_pb2
from turkpoker.v1 import hand_history_service_pb2 as history_pb
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
    whose_turn,
    without_clock,
)

Make = Callable[..., Caller]


async def unchanged(caller: Caller, name: str, before: tables_pb2.Table) -> None:
    after = await caller.get(name)
    assert without_clock(after) == without_clock(before)


@pytest.mark.parametrize("token", [None, "abc", "a.b.c"])
async def test_a_wrong_token_is_unauthenticated_on_every_call(player: Make, token: str | None) -> None:
    stranger = player(None, token)
    calls = [
        stranger.tables.CreateTable(pb.CreateTableRequest(), metadata=stranger.metadata),
        stranger.tables.GetTable(pb.GetTableRequest(name="tables/a"), metadata=stranger.metadata),
        stranger.tables.ListTables(pb.ListTablesRequest(), metadata=stranger.metadata),
        stranger.tables.CloseTable(pb.CloseTableRequest(), metadata=stranger.metadata),
        stranger.tables.JoinTable(pb.JoinTableRequest(), metadata=stranger.metadata),
        stranger.tables.LeaveTable(pb.LeaveTableRequest(), metadata=stranger.metadata),
        stranger.tables.SubmitAction(pb.SubmitActionRequest(), metadata=stranger.metadata),
        stranger.tables.AddChips(pb.AddChipsRequest(), metadata=stranger.metadata),
        stranger.tables.SitOut(pb.SitOutRequest(), metadata=stranger.metadata),
        stranger.tables.SitIn(pb.SitInRequest(), metadata=stranger.metadata),
        stranger.tables.ExplainRules(pb.ExplainRulesRequest(), metadata=stranger.metadata),
        stranger.watch("tables/a").read(),
        (await stranger.play("tables/a")).read(),
        stranger.history.GetHandRecord(history_pb.GetHandRecordRequest(), metadata=stranger.metadata),
        stranger.history.ListHandRecords(history_pb.ListHandRecordsRequest(), metadata=stranger.metadata),
    ]
    for call in calls:
        refusal = await refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "NO_CREDENTIALS")
        assert not token or token not in refusal.message


async def test_a_table_is_made_listed_joined_and_closed(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    made = await ayse.create(easy_rules(ante=2), pause=1.5, display_name="Salon", seat_count=4)
    assert made.name.startswith("tables/")
    assert (made.display_name, made.host, made.seat_count) == ("Salon", "ayse", 4)
    assert (made.rules.ante, made.rules.profile) == (2, "turkish")
    assert made.rules.ranking == rules_pb2.RANKING_TURKISH
    assert made.hand_pause == Duration(seconds=1, nanos=500_000_000)
    assert not made.HasField("your_seat")
    assert not made.rehearsal
    joined = await bora.join(made.name, 2, buy_in=77)
    assert joined.your_seat == 2
    assert [(seat.player, seat.stack) for seat in joined.seats] == [("bora", 77)]
    listed = await bora.tables.ListTables(pb.ListTablesRequest(), metadata=bora.metadata)
    assert [(each.name, each.seats_taken) for each in listed.tables] == [(made.name, 1)]
    request = pb.CloseTableRequest(request_id=new_id(), name=made.name)
    refusal = await refused(bora.tables.CloseTable(request, metadata=bora.metadata))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_THE_HOST")
    closed = (await ayse.tables.CloseTable(request, metadata=ayse.metadata)).table
    assert closed.closed
    assert not closed.seats
    listed = await bora.tables.ListTables(pb.ListTablesRequest(), metadata=bora.metadata)
    assert not listed.tables
    refusal = await refused(bora.join(made.name))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TABLE_CLOSED")


async def test_lists_come_in_pages_newest_first(player: Make) -> None:
    ayse = player("ayse")
    names = [(await ayse.create()).name for _ in range(5)]
    found: list[str] = []
    token = ""
    while True:
        request = pb.ListTablesRequest(page_size=2, page_token=token)
        page = await ayse.tables.ListTables(request, metadata=ayse.metadata)
        assert len(page.tables) <= 2
        found += [each.name for each in page.tables]
        token = page.next_page_token
        if not token:
            break
    assert sorted(found) == sorted(names)


async def test_rules_go_over_the_wire_and_back(player: Make) -> None:
    ayse = player("ayse")
    for profile in ("turkish", "turkish-pagat", "turkish-online", "french"):
        made = await ayse.create(rules_pb2.Rules(profile=profile))
        again = await ayse.create(made.rules)
        assert again.rules == made.rules


@pytest.mark.parametrize(
    ("rules", "reason", "field"),
    [
        (rules_pb2.Rules(profile="belgian"), "INVALID_FIELD", "rules.profile"),
        (rules_pb2.Rules(deck=33), "INVALID_FIELD", "rules.deck"),
        (rules_pb2.Rules(ante=-1), "INVALID_FIELD", "rules.ante"),
        (rules_pb2.Rules(ante=2**62), "INVALID_FIELD", "rules.ante"),
        (rules_pb2.Rules(ranking=99), "INVALID_FIELD", "rules.ranking"),  # type: ignore[arg-type]
        (rules_pb2.Rules(draw_max=9), "INVALID_FIELD", "rules.draw_max"),
        (rules_pb2.Rules(suit_order="abcd"), "INVALID_FIELD", "rules.suit_order"),
        (rules_pb2.Rules(players_min=2), "INVALID_FIELD", "rules.players_min"),
        (rules_pb2.Rules(players_min=5, players_max=3), "INVALID_FIELD", "rules.players_min"),
        (rules_pb2.Rules(action_clock=Duration(nanos=-1)), "INVALID_FIELD", "rules.action_clock"),
        (rules_pb2.Rules(action_clock=Duration(seconds=2**60)), "INVALID_FIELD", "rules.action_clock"),
        (rules_pb2.Rules(levels=[rules_pb2.Level()]), "INVALID_FIELD", "rules.levels[0]"),
        (
            rules_pb2.Rules(deck=24, players_min=2, players_max=5),
            "RULES_NOT_PLAYABLE",
            "rules.players_min",
        ),
        (rules_pb2.Rules(buy_in_min=100, buy_in_max=50), "RULES_NOT_PLAYABLE", "rules.buy_in_max"),
    ],
)
async def test_rules_that_cannot_be_are_refused_by_field(
    player: Make, rules: rules_pb2.Rules, reason: str, field: str
) -> None:
    refusal = await refused(player("ayse").create(rules))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason)
    assert refusal.fields == [field]


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
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_A_PLAYER")
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


@pytest.mark.parametrize(
    ("action", "code", "reason"),
    [
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
    ],
    ids=lambda value: str(value).replace("\n", " ") if isinstance(value, actions_pb2.Action) else "",
)
async def test_b7_actions_that_cannot_be_change_nothing(
    player: Make, action: actions_pb2.Action, code: grpc.StatusCode, reason: str
) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    caller, decision = await whose_turn(callers, name)
    before = await caller.get(name)
    refusal = await refused(caller.submit(name, decision.decision_id, action))
    assert (refusal.code, refusal.reason) == (code, reason)
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


@pytest.mark.parametrize(
    ("buy_in", "reason"),
    [(19, "BUY_IN_OUT_OF_RANGE"), (501, "BUY_IN_OUT_OF_RANGE"), (-7, "BUY_IN_OUT_OF_RANGE")],
)
async def test_a_buy_in_outside_the_limits_is_refused(player: Make, buy_in: int, reason: str) -> None:
    ayse = player("ayse")
    name = (await ayse.create(easy_rules())).name
    refusal = await refused(ayse.join(name, 0, buy_in=buy_in))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason)
    assert (refusal.metadata["min"], refusal.metadata["max"]) == ("20", "500")
    assert not (await ayse.get(name)).seats


async def test_a_full_table_and_seats_that_are_not_there(player: Make) -> None:
    callers = [player(f"p{number}") for number in range(3)]
    name = (await callers[0].create(easy_rules(), seat_count=2, pause=60)).name
    for seat in (-1, 2, 2**31 - 1):
        refusal = await refused(callers[0].join(name, seat))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["seat"])
    await callers[0].join(name)
    await callers[1].join(name)
    refusal = await refused(callers[2].join(name))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TABLE_FULL")


async def test_unknown_names(player: Make) -> None:
    ayse = player("ayse")
    for name in ("", "tables/", "table/x", "tables/a/b", "tables/" + "x" * 100, "tables/ü", "tables/a\n"):
        refusal = await refused(ayse.get(name))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["name"])
    for call in (ayse.get("tables/none"), ayse.join("tables/none"), ayse.leave("tables/none")):
        refusal = await refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND")
        assert refusal.metadata == {"table": "tables/none"}
    refusal = await refused(ayse.watch("tables/none").read())
    assert refusal.reason == "TABLE_NOT_FOUND"


async def test_repeated_request_ids_make_one_table_and_one_seat(player: Make) -> None:
    ayse = player("ayse")
    made = [await ayse.create(easy_rules(), request_id="once") for _ in range(3)]
    assert len({table.name for table in made}) == 1
    refusal = await refused(ayse.create(easy_rules(ante=2), request_id="once"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED")
    name = made[0].name
    joined = [await ayse.join(name, 3, request_id="join") for _ in range(3)]
    assert {table.your_seat for table in joined} == {3}
    left = [await ayse.leave(name, "leave") for _ in range(3)]
    assert [each.cashed_out for each in left] == [100, 100, 100]
    # Another player's ids are his own.
    other = await player("bora").create(easy_rules(), request_id="once")
    assert other.name != name


async def test_long_names_and_ids_are_refused(player: Make) -> None:
    ayse = player("ayse")
    for fields, field in (
        ({"request_id": "x" * 65}, "request_id"),
        ({"request_id": "a\x00b"}, "request_id"),
        ({"display_name": "x" * 81}, "display_name"),
        ({"display_name": "a\nb"}, "display_name"),
        ({"seat_count": -1}, "seat_count"),
        ({"seat_count": 99}, "seat_count"),
        ({"pause": -1}, "hand_pause"),
        ({"pause": 10**9}, "hand_pause"),
    ):
        refusal = await refused(ayse.create(easy_rules(), **fields))  # type: ignore[arg-type]
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, [field])


async def test_who_sits_out_is_not_dealt_in_until_he_is_back(player: Make) -> None:
    callers = [player("ayse"), player("bora"), player("cem")]
    name = await seated(callers)
    cem = callers[2]
    request = pb.SitOutRequest(request_id=new_id(), name=name)
    table = (await cem.tables.SitOut(request, metadata=cem.metadata)).table
    assert [seat.player for seat in table.seats if seat.sitting_out] == ["cem"]
    again = (await cem.tables.SitOut(request, metadata=cem.metadata)).table
    assert again.version == table.version
    number = table.hand_number
    while (table := await cem.get(name)).hand_number == number:
        await go_on(callers, name)
    # The rules of this table want three to begin with, but two are enough to go on.
    assert {each.player for each in table.hand.players} == {"ayse", "bora"}
    back = (await cem.tables.SitIn(pb.SitInRequest(name=name), metadata=cem.metadata)).table
    assert not any(seat.sitting_out for seat in back.seats)
    number = back.hand_number
    while (table := await cem.get(name)).hand_number == number:
        await go_on(callers, name)
    assert "cem" in {each.player for each in table.hand.players}
    stranger = player("stranger")
    refusal = await refused(stranger.tables.SitOut(pb.SitOutRequest(name=name), metadata=stranger.metadata))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT")


async def test_rules_are_explained_in_the_readers_language(player: Make) -> None:
    ayse = player("ayse")
    texts = {}
    for language in ("", "tr", "fr", "fa"):
        request = pb.ExplainRulesRequest(rules=easy_rules(), language=language)
        answer = await ayse.tables.ExplainRules(request, metadata=ayse.metadata)
        assert answer.language == language or (language, answer.language) == ("", "en")
        assert answer.text.startswith("# ")
        texts[answer.language] = answer.text
    assert len(set(texts.values())) == 4
    made = await ayse.create(easy_rules())
    of_table = pb.ExplainRulesRequest(name=made.name)
    answer = await ayse.tables.ExplainRules(of_table, metadata=ayse.metadata)
    assert answer.text == texts["en"]
    odd = pb.ExplainRulesRequest(rules=easy_rules(progressive_openers=True))
    answer = await ayse.tables.ExplainRules(odd, metadata=ayse.metadata)
    assert any("progressive_openers" in warning for warning in answer.warnings)
    for bad, field in (
        (pb.ExplainRulesRequest(language="xx"), "language"),
        (pb.ExplainRulesRequest(rules=easy_rules(), name=made.name), "rules"),
        (pb.ExplainRulesRequest(name="x"), "name"),
        (pb.ExplainRulesRequest(rules=rules_pb2.Rules(deck=1)), "rules.deck"),
    ):
        refusal = await refused(ayse.tables.ExplainRules(bad, metadata=ayse.metadata))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, [field])
