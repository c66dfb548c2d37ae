"""Coming, going, waiting, hosting and private tables over the real wire."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from turkpoker.server.auth import make_token
from turkpoker.table.waiting import OFFER_LIFE
from turkpoker.v1 import rules_pb2, tables_pb2
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import KEY, Caller, act, easy_rules, go_on, legal_of, new_id, refused, seated, whose_turn

Make = Callable[..., Caller]
DENIED = grpc.StatusCode.PERMISSION_DENIED
PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION


async def call(caller: Caller, method: str, name: str, **fields: Any) -> Any:
    """Call a method that changes a table."""
    request = getattr(pb, f"{method}Request")(
        request_id=fields.pop("request_id", new_id()), name=name, **fields
    )
    return await getattr(caller.tables, method)(request, metadata=caller.metadata)


def operator(player: Make, name: str = "boss") -> Caller:
    return player(name, make_token(KEY, name, roles=["player", "operator"]))


async def end_hand(callers: list[Caller], name: str, hand: int) -> None:
    """Play until a hand is over."""
    while True:
        table = await callers[0].get(name)
        if table.hand_number != hand or table.closed or not table.hand.asked:
            return
        caller, decision = await whose_turn(callers, name)
        legal = legal_of(decision)
        kind = next(kind for kind in ("fold", "check", "draw", "pass", "decline", "open") if kind in legal)
        await caller.submit(
            name, decision.decision_id, act(kind, to=legal[kind].min_to if kind == "open" else None)
        )


async def events_until(call: Any, last: str) -> list[Any]:
    """The events of a watch up to one of a kind."""
    found = []
    while True:
        message = await call.read()
        for event in message.update.events.events:
            found.append(event)
            if event.WhichOneof("event") == last:
                return found


# -- leaving and sitting out -----------------------------------------------------------------------------


async def test_leaving_after_the_hand_is_announced_taken_back_and_carried_out(player: Make) -> None:
    callers = [player("ayse"), player("bora"), player("cem")]
    name = await seated(callers)
    cem = callers[2]
    after = await call(cem, "LeaveTable", name, when=pb.LEAVE_WHEN_AFTER_HAND)
    assert (after.cashed_out, after.pending) == (0, True)
    (seat,) = [seat for seat in (await cem.get(name)).seats if seat.player == "cem"]
    assert (seat.leaves_after_hand, seat.leaving) == (True, True)
    await call(cem, "LeaveTable", name, when=pb.LEAVE_WHEN_CANCELLED)
    assert not any(seat.leaving for seat in (await cem.get(name)).seats)
    watch = callers[0].watch(name)
    await watch.read()
    await call(cem, "LeaveTable", name, when=pb.LEAVE_WHEN_AFTER_HAND)
    await end_hand(callers, name, 1)
    kinds = [event.WhichOneof("event") for event in await events_until(watch, "player_left")]
    assert kinds[0] == "leave_announced"
    watch.cancel()
    assert {seat.player for seat in (await cem.get(name)).seats} == {"ayse", "bora"}
    refusal = await refused(call(callers[0], "LeaveTable", name, when=9))
    assert (refusal.reason, refusal.fields) == ("INVALID_FIELD", ["when"])


async def test_sitting_out_now_folds_and_until_the_next_ante_plays_on(player: Make) -> None:
    callers = [player("ayse"), player("bora"), player("cem")]
    name = await seated(callers)
    asked, _ = await whose_turn(callers, name)
    table = (await call(asked, "SitOut", name, when=pb.SIT_OUT_WHEN_NOW)).table
    assert [each.folded for each in table.hand.players if each.player == asked.player] == [True]
    other, _ = await whose_turn(callers, name)
    table = (await call(other, "SitOut", name, when=pb.SIT_OUT_WHEN_NEXT_ANTE)).table
    (seat,) = [seat for seat in table.seats if seat.player == other.player]
    assert (seat.sitting_out, seat.sits_out_at_next_ante) == (False, True)
    table = (await call(other, "SitIn", name)).table
    assert not any(seat.sits_out_at_next_ante for seat in table.seats)
    refusal = await refused(call(other, "SitOut", name, when=9))
    assert refusal.fields == ["when"]


async def test_coming_back_with_less_is_refused_with_the_least(player: Make) -> None:
    ayse = player("ayse")
    name = (await ayse.create(easy_rules(), pause=60)).name
    await ayse.join(name, buy_in=300)
    assert (await ayse.leave(name)).cashed_out == 300
    refusal = await refused(ayse.join(name, buy_in=100))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BUY_IN_OUT_OF_RANGE")
    assert refusal.metadata["min"] == "300"
    assert [seat.stack for seat in (await ayse.join(name)).seats] == [300]


async def test_a_standing_order_fills_up_and_only_its_owner_sees_it(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    rules = easy_rules(rebuy=rules_pb2.REBUY_BETWEEN_DEALS)
    name = (await ayse.create(rules, pause=60)).name
    await ayse.join(name)
    watch = bora.watch(name)
    await watch.read()
    table = (await call(ayse, "SetAutoTopUp", name, target=150)).table
    assert [(seat.stack, seat.auto_top_up) for seat in table.seats] == [(150, 150)]
    assert [seat.auto_top_up for seat in (await bora.get(name)).seats] == [0]
    await call(ayse, "SitOut", name)
    kinds = [event.WhichOneof("event") for event in await events_until(watch, "sat_out")]
    assert kinds == ["chips_added", "sat_out"]
    watch.cancel()
    refusal = await refused(call(ayse, "SetAutoTopUp", name, target=-5))
    assert (refusal.reason, refusal.fields) == ("BUY_IN_OUT_OF_RANGE", ["target"])
    assert (await call(ayse, "SetAutoTopUp", name, target=0)).table.seats[0].auto_top_up == 0


# -- private tables --------------------------------------------------------------------------------------


async def private_table(host: Caller, **fields: Any) -> tables_pb2.Table:
    return await host.create(easy_rules(), pause=60, private=True, **fields)


async def test_a_private_table_opens_to_guests_alone(player: Make) -> None:
    ayse, bora, cem, boss = player("ayse"), player("bora"), player("cem"), operator(player)
    made = await private_table(ayse, seat_count=2, request_id="once")
    assert made.private
    assert len(made.invitation) >= 22  # 128 bits and more, in base64
    assert (await private_table(ayse, seat_count=2, request_id="once")).invitation == made.invitation
    name, invitation = made.name, made.invitation
    attempts: list[Callable[[str], Any]] = [
        lambda shown: cem.tables.GetTable(
            pb.GetTableRequest(name=name, invitation=shown), metadata=cem.metadata
        ),
        lambda shown: call(cem, "JoinTable", name, invitation=shown),
        lambda shown: call(cem, "JoinWaitingList", name, invitation=shown),
        lambda shown: cem.tables.WatchTable(
            pb.WatchTableRequest(name=name, invitation=shown), metadata=cem.metadata
        ).read(),
        lambda shown: cem.tables.ExplainRules(pb.ExplainRulesRequest(name=name), metadata=cem.metadata),
    ]
    for shown in ("", invitation[:-1], invitation[::-1]):
        for attempt in attempts:
            refusal = await refused(attempt(shown))
            assert (refusal.code, refusal.reason) == (DENIED, "NOT_INVITED")
            assert invitation not in refusal.message
    refusal = await refused(attempts[0]("x" * 200))
    assert refusal.fields == ["invitation"]
    joined = (await call(bora, "JoinTable", name, invitation=invitation)).table
    assert joined.invitation == ""  # guests do not hand it on by looking
    assert (await bora.get(name)).your_seat == 0
    assert (await boss.get(name)).invitation == ""
    assert (await ayse.get(name)).invitation == invitation
    seen = await cem.tables.GetTable(
        pb.GetTableRequest(name=name, invitation=invitation), metadata=cem.metadata
    )
    assert seen.table.name == name
    watch = cem.tables.WatchTable(
        pb.WatchTableRequest(name=name, invitation=invitation), metadata=cem.metadata
    )
    assert (await watch.read()).update.snapshot.name == name
    watch.cancel()


async def test_a_new_invitation_ends_the_old_one(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    made = await private_table(ayse)
    request_id = new_id()
    renewed = (await call(ayse, "RenewInvitation", made.name, request_id=request_id)).table
    again = (await call(ayse, "RenewInvitation", made.name, request_id=request_id)).table
    assert made.invitation != renewed.invitation == again.invitation
    refusal = await refused(call(bora, "JoinTable", made.name, invitation=made.invitation))
    assert refusal.reason == "NOT_INVITED"
    await call(bora, "JoinTable", made.name, invitation=renewed.invitation)
    refusal = await refused(call(bora, "RenewInvitation", made.name))
    assert (refusal.code, refusal.reason) == (DENIED, "NOT_THE_HOST")


async def names_listed(caller: Caller, **wanted: Any) -> list[str]:
    request = pb.ListTablesRequest(filter=pb.TableFilter(**wanted))
    return [
        table.name for table in (await caller.tables.ListTables(request, metadata=caller.metadata)).tables
    ]


async def test_private_tables_stand_in_no_list_of_strangers(player: Make) -> None:
    ayse, bora, boss = player("ayse"), player("bora"), operator(player)
    made = await private_table(ayse)
    assert await names_listed(bora) == []
    assert await names_listed(bora, mine=True) == []
    assert await names_listed(ayse) == []
    assert await names_listed(ayse, mine=True) == [made.name]
    assert await names_listed(boss) == [made.name]
    await call(bora, "JoinTable", made.name, invitation=made.invitation)
    assert await names_listed(bora, mine=True) == [made.name]
    await bora.leave(made.name)
    assert await names_listed(bora, mine=True) == []


# -- hosts and operators ---------------------------------------------------------------------------------


async def test_who_is_not_the_host_is_refused(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    before = (await callers[1].get(name)).version
    for method, fields in (
        ("PauseTable", {}),
        ("ResumeTable", {}),
        ("RemovePlayer", {"seat": 0, "player": "ayse"}),
        ("SwitchDealMode", {"deal_mode": "blind"}),
        ("EndSession", {}),
        ("RenewInvitation", {}),
        ("CloseTable", {}),
    ):
        refusal = await refused(call(callers[1], method, name, **fields))
        assert (refusal.code, refusal.reason) == (DENIED, "NOT_THE_HOST"), method
    assert (await callers[1].get(name)).version == before


async def test_a_table_is_paused_and_goes_on(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    ayse, boss = callers[0], operator(player)
    name = await seated(callers)
    watch = callers[1].watch(name)
    await watch.read()
    assert (await call(ayse, "PauseTable", name, reason="tea")).table.paused
    await end_hand(callers, name, 1)
    table = await ayse.get(name)
    assert (table.hand_number, list(table.hand.asked)) == (1, [])
    assert (await call(boss, "PauseTable", name, reason="audit")).table.paused
    refusal = await refused(call(ayse, "ResumeTable", name))
    assert (refusal.code, refusal.reason) == (DENIED, "ROLE_MISSING")
    table = (await call(boss, "ResumeTable", name)).table
    assert (table.paused, table.hand_number) == (False, 2)
    events = await events_until(watch, "table_resumed")
    paused = [event.table_paused for event in events if event.WhichOneof("event") == "table_paused"]
    assert [(each.reason, each.by_operator) for each in paused] == [("tea", False), ("audit", True)]
    watch.cancel()
    refusal = await refused(call(ayse, "PauseTable", name, reason="x" * 201))
    assert refusal.fields == ["reason"]


async def test_who_is_sent_away_cannot_come_back(player: Make) -> None:
    callers = [player("ayse"), player("bora"), player("cem")]
    ayse, bora = callers[:2]
    name = await seated(callers)
    for fields in ({"seat": 0, "player": "ayse"}, {"seat": 9, "player": "bora"}):
        refusal = await refused(call(ayse, "RemovePlayer", name, **fields))
        assert refusal.reason == "INVALID_FIELD"
    refusal = await refused(call(ayse, "RemovePlayer", name, seat=2, player="bora"))
    assert (refusal.code, refusal.reason) == (PRECONDITION, "NOT_NOW")
    refusal = await refused(call(ayse, "RemovePlayer", name, seat=1, player="bora"))
    assert (refusal.code, refusal.reason) == (PRECONDITION, "NOT_NOW")  # he is in the running hand
    await call(ayse, "PauseTable", name)
    await end_hand(callers, name, 1)
    table = (await call(ayse, "RemovePlayer", name, seat=1, player="bora")).table
    assert "bora" not in [each.player for each in table.seats]
    for attempt in (bora.join(name), call(bora, "JoinWaitingList", name)):
        refusal = await refused(attempt)
        assert (refusal.code, refusal.reason) == (DENIED, "REMOVED")


async def test_the_streams_of_who_is_sent_away_end(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    rules = easy_rules(players_min=3, players_max=3)
    made = await ayse.create(rules, private=True)
    joining = {"invitation": made.invitation, "request_id": new_id()}
    sitting_out = {"request_id": new_id()}
    await call(bora, "JoinTable", made.name, **joining)
    await call(bora, "SitOut", made.name, **sitting_out)
    watch, play = bora.watch(made.name), await bora.play(made.name)
    for stream in (watch, play):
        await stream.read()
    await call(ayse, "RemovePlayer", made.name, seat=0, player="bora")
    for stream in (watch, play):
        last = (await stream.read()).update.events.events
        assert [event.WhichOneof("event") for event in last] == ["player_removed", "player_left"]
        refusal = await refused(stream.read())
        assert (refusal.code, refusal.reason) == (DENIED, "REMOVED")
    for attempt in (
        bora.watch(made.name).read(),
        bora.get(made.name),
        call(bora, "JoinTable", made.name, invitation=made.invitation),
        # What he asked before is not asked again to look in.
        call(bora, "JoinTable", made.name, **joining),
        call(bora, "SitOut", made.name, **sitting_out),
    ):
        assert (await refused(attempt)).reason == "REMOVED"
    # At a public table he may look on like everybody.
    public = (await ayse.create(rules)).name
    await bora.join(public)
    await call(ayse, "RemovePlayer", public, seat=0, player="bora")
    assert not (await bora.get(public)).HasField("your_seat")


async def test_a_french_host_changes_the_deals(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    rules = rules_pb2.Rules(
        profile="french",
        players_min=2,
        players_max=3,
        opening_requirement=rules_pb2.OPENING_REQUIREMENT_NONE,
        opener_proof=rules_pb2.OPENER_PROOF_SHOWDOWN_ONLY,
    )
    name = (await ayse.create(rules)).name
    await ayse.join(name)
    table = await bora.join(name)
    assert table.hand_number == 1
    text = pb.ExplainRulesRequest(name=name)
    before = (await ayse.tables.ExplainRules(text, metadata=ayse.metadata)).text
    table = (await call(ayse, "SwitchDealMode", name, deal_mode="blind")).table
    assert table.rules.deal_mode == rules_pb2.DEAL_MODE_BLIND
    assert (await ayse.tables.ExplainRules(text, metadata=ayse.metadata)).text != before
    watch = bora.watch(name)
    await watch.read()
    caller, decision = await whose_turn([ayse, bora], name)
    await caller.submit(name, decision.decision_id, act("open", to=2))
    caller, decision = await whose_turn([ayse, bora], name)
    await caller.submit(name, decision.decision_id, act("fold"))
    kinds = [event.WhichOneof("event") for event in await events_until(watch, "blind_posted")]
    assert "hand_started" in kinds
    watch.cancel()
    refusal = await refused(call(ayse, "SwitchDealMode", name, deal_mode="both"))
    assert refusal.fields == ["deal_mode"]
    turkish = (await ayse.create(easy_rules())).name
    refusal = await refused(call(ayse, "SwitchDealMode", turkish, deal_mode="blind"))
    assert (refusal.reason, refusal.fields) == ("RULES_NOT_PLAYABLE", ["deal_mode"])


async def test_a_session_ends_after_the_running_hand(player: Make) -> None:
    callers = [player("ayse"), player("bora"), player("cem")]
    name = await seated(callers)
    watch = callers[2].watch(name)
    await watch.read()
    table = (await call(callers[0], "EndSession", name)).table
    assert (table.ending, table.closed) == (True, False)
    await end_hand(callers, name, 1)
    table = await callers[0].get(name)
    assert (table.closed, list(table.seats)) == (True, [])
    events = await events_until(watch, "table_closed")
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds[0] == "session_ending"
    (ended,) = [event.match_ended for event in events if event.WhichOneof("event") == "match_ended"]
    assert sum(each.chips for each in ended.placings) == 300
    left = [event.player_left for event in events if event.WhichOneof("event") == "player_left"]
    assert sum(each.cashed_out for each in left) == 300


# -- the waiting list ------------------------------------------------------------------------------------


async def test_a_freed_seat_is_kept_for_who_waits(player: Make) -> None:
    ayse, bora, cem, dilek = (player(name) for name in ("ayse", "bora", "cem", "dilek"))
    name = (await ayse.create(easy_rules(), pause=60, seat_count=2)).name
    await ayse.join(name)
    refusal = await refused(call(cem, "JoinWaitingList", name))
    assert (refusal.code, refusal.reason) == (PRECONDITION, "TABLE_NOT_FULL")
    assert refusal.metadata == {"seat": "1"}
    await bora.join(name)
    table = (await call(cem, "JoinWaitingList", name)).table
    assert [(each.player, each.HasField("offered_seat")) for each in table.waiting] == [("cem", False)]
    await bora.leave(name)
    for attempt, reason in ((dilek.join(name, 1), "SEAT_TAKEN"), (dilek.join(name), "TABLE_FULL")):
        assert (await refused(attempt)).reason == reason
    table = await cem.get(name)
    assert [(each.player, each.offered_seat) for each in table.waiting] == [("cem", 1)]
    kept = table.waiting[0].offer_expire_time.ToDatetime() - table.server_time.ToDatetime()
    assert timedelta(seconds=30) < kept <= OFFER_LIFE
    # For whoever looks for a free seat this table has none.
    assert await names_listed(dilek, free_seats=True) == []
    await call(dilek, "JoinWaitingList", name)
    table = (await call(cem, "LeaveWaitingList", name)).table
    assert [(each.player, each.offered_seat) for each in table.waiting] == [("dilek", 1)]
    listed = await ayse.tables.ListTables(pb.ListTablesRequest(), metadata=ayse.metadata)
    assert [each.waiting_count for each in listed.tables] == [1]
    assert (await dilek.join(name)).your_seat == 1
    assert not (await ayse.get(name)).waiting


async def test_settings_of_a_new_table_are_checked_and_shown(player: Make) -> None:
    ayse = player("ayse")
    table = await ayse.create(
        easy_rules(), spectator_delay=Duration(seconds=30), away_limit=Duration(seconds=90)
    )
    assert (table.spectator_delay.seconds, table.away_limit.seconds) == (30, 90)
    table = await ayse.create(easy_rules())
    assert (table.HasField("spectator_delay"), table.away_limit.seconds) == (False, 900)
    assert not (await ayse.create(easy_rules(), away_limit=Duration())).HasField("away_limit")
    for field, seconds in (("spectator_delay", 601), ("spectator_delay", -1), ("away_limit", 86401)):
        refusal = await refused(ayse.create(easy_rules(), **{field: Duration(seconds=seconds)}))
        assert (refusal.reason, refusal.fields) == ("INVALID_FIELD", [field])


# -- lists -----------------------------------------------------------------------------------------------


async def test_lists_are_filtered(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    salon = await ayse.create(easy_rules(ante=1), pause=60, display_name="Salon İzmir", seat_count=2)
    cafe = await bora.create(rules_pb2.Rules(profile="french"), display_name="Café")
    cup = await bora.create(easy_rules(ante=5, match=rules_pb2.MATCH_TOURNAMENT), display_name="Cup")
    for wanted, expected in (
        ({}, {salon.name, cafe.name, cup.name}),
        ({"profile": "french"}, {cafe.name}),
        ({"min_ante": 5}, {cup.name}),
        ({"max_ante": 4, "profile": "turkish"}, {salon.name}),
        ({"match": "tournament"}, {cup.name}),
        ({"match": "session", "text": "sALON"}, {salon.name}),
        ({"text": "caf"}, {cafe.name}),
        ({"mine": True}, {salon.name}),
    ):
        assert set(await names_listed(ayse, **wanted)) == expected, wanted
    await ayse.join(salon.name)
    assert set(await names_listed(bora, free_seats=True, max_ante=1)) == {salon.name}
    await bora.join(salon.name)
    assert await names_listed(bora, free_seats=True, max_ante=1) == []
    assert salon.name in await names_listed(bora, mine=True)
    request = pb.ListTablesRequest(filter=pb.TableFilter(text="salon"))
    (summary,) = (await ayse.tables.ListTables(request, metadata=ayse.metadata)).tables
    assert (summary.host, summary.match, summary.paused, summary.private) == ("ayse", "session", False, False)
    for wrong, field in (
        ({"profile": "belgian"}, "filter.profile"),
        ({"match": "cup"}, "filter.match"),
        ({"min_ante": -1}, "filter.min_ante"),
        ({"min_ante": 5, "max_ante": 4}, "filter.max_ante"),
        ({"text": "x" * 81}, "filter.text"),
    ):
        refusal = await refused(names_listed(ayse, **wrong))
        assert (refusal.reason, refusal.fields) == ("INVALID_FIELD", [field])


@pytest.mark.parametrize("mine", [True, False])
async def test_a_page_token_belongs_to_its_filter(player: Make, mine: bool) -> None:
    ayse, bora = player("ayse"), player("bora")
    names = [(await ayse.create(easy_rules(ante=1 + number % 2))).name for number in range(7)]
    wanted = pb.TableFilter(min_ante=2, mine=mine)
    found, token = [], ""
    while True:
        request = pb.ListTablesRequest(page_size=1, page_token=token, filter=wanted)
        page = await ayse.tables.ListTables(request, metadata=ayse.metadata)
        found += [each.name for each in page.tables]
        token = page.next_page_token
        if not token:
            break
        for other, who in ((pb.TableFilter(), ayse), (pb.TableFilter(min_ante=2, mine=not mine), ayse)):
            again = pb.ListTablesRequest(page_size=1, page_token=token, filter=other)
            refusal = await refused(who.tables.ListTables(again, metadata=who.metadata))
            assert (refusal.reason, refusal.fields) == ("INVALID_FIELD", ["page_token"])
    assert found == [name for number, name in enumerate(names) if number % 2][::-1]
    assert await names_listed(bora, mine=True) == []


async def test_a_hand_that_runs_shows_in_the_list(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    listed = await callers[0].tables.ListTables(pb.ListTablesRequest(), metadata=callers[0].metadata)
    assert [(each.name, each.hand_running) for each in listed.tables] == [(name, True)]
    await go_on(callers, name)
