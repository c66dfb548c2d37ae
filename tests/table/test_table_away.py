"""Who is away too long is paid out; a table at which nobody sits is closed; no chip is lost by either."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from table.desks import Desk, StackedDealer, snapshot
from turkpoker.storage.encoding import Codec
from turkpoker.storage.seal import Seal
from turkpoker.table.alarms import Alarm
from turkpoker.table.clocks import restart
from turkpoker.table.commands import AddChips, ConfirmBuyIn, Join, JoinWaitingList, SitIn, SitOut
from turkpoker.table.errors import NotDue
from turkpoker.table.events import (
    CarriedPotShared,
    CashedOut,
    MatchEnded,
    PlayerLeft,
    SatOut,
    TableClosed,
    WaitingListChanged,
)
from turkpoker.table.waiting import OFFER_LIFE

PAUSE = timedelta(seconds=3)
LIMIT = timedelta(minutes=15)
EMPTY = timedelta(minutes=10)
ACES_FOR_FIRST = "Ac 8d 9s Ad Td Js Kc Qd 8c 9c Th Jd 8h 9h Ts"


def desk_of(*players: str, **options: Any) -> Desk:
    options = {"hand_pause": PAUSE, "away_limit": LIMIT, "empty_limit": EMPTY, **options}
    desk = Desk(StackedDealer({("deal", 1): ACES_FOR_FIRST}), **options)
    desk.join(*players)
    return desk


def sat_out(desk: Desk) -> SatOut:
    (event,) = [event for event in desk.last.events if isinstance(event, SatOut)]
    return event


def test_who_sits_out_longer_than_the_limit_is_paid_out_and_leaves() -> None:
    desk = desk_of("a", "b")
    desk.do(SitOut("b"))
    leaves = sat_out(desk).leaves
    assert leaves is not None
    assert leaves.moment(desk.now) == desk.now + LIMIT
    assert desk.left("away:1") == LIMIT
    desk.time_out()
    paid, left = desk.last.events
    assert isinstance(paid, CashedOut)
    assert (paid.seat, paid.player, paid.amount) == (1, "b", 100)
    assert left == PlayerLeft(1, "b", 100)
    assert desk.stacks() == {"a": 100}
    assert "away:1" not in desk.state.alarms


def test_who_is_back_in_time_stays_and_a_new_absence_counts_from_nothing() -> None:
    desk = desk_of("a", "b")
    desk.do(SitOut("b"))
    desk.wait(14 * 60)
    desk.do(SitIn("b"))
    assert desk.left("away:1") is None
    desk.do(SitOut("b"))
    assert desk.left("away:1") == LIMIT


def test_who_sits_out_by_time_outs_is_away_from_then_on() -> None:
    desk = desk_of("a", "b", "c")
    desk.time_out()
    while not desk.state.seats[0].sitting_out:
        desk.time_out()
    sat = [event for event in desk.last.events if isinstance(event, SatOut)]
    assert [event.leaves for event in sat] == [Alarm(LIMIT)] * 3
    assert [desk.left(f"away:{seat}") for seat in range(3)] == [LIMIT] * 3
    desk.time_out()
    # All at one moment, in one command; then nobody is there.
    assert desk.state.seats == {}
    assert desk.left("empty") == EMPTY


def test_the_last_to_go_takes_a_carried_pot_with_him() -> None:
    desk = desk_of("a", "b", "c")
    desk.time_out()
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    assert desk.state.carried == 3
    for player in ("a", "b", "c"):
        desk.do(SitOut(player))
        desk.wait(1)
    for _ in range(3):
        desk.time_out()
    assert [event.amount for event in desk.last.events if isinstance(event, CarriedPotShared)] == [3]
    assert desk.state.carried == 0
    assert desk.state.ledger.cashed_out == 300
    closed = desk.time_out()
    assert closed.events == (TableClosed("nobody sits here any more"),)


def test_nobody_goes_in_a_running_hand_but_after_it() -> None:
    desk = desk_of("a", "b", "c", action_clock="60m")
    desk.time_out()
    player = desk.asked()[0]
    desk.do(SitOut(player))
    seat = desk.state.seat_of(player)
    desk.time_out()
    assert desk.names() == []
    assert desk.state.seat_of(player) == seat
    assert desk.left(f"away:{seat}") is None
    # It lives through the store's bytes.
    codec = Codec(Seal([bytes(range(32))]))
    again = codec.open_state(codec.seal_state(desk.state), "t1", desk.state.version)
    assert snapshot(again) == snapshot(desk.state)
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    assert desk.state.seat_of(player) is None
    assert f"away:{seat}" not in desk.state.alarms
    left = [event for event in desk.last.events if isinstance(event, PlayerLeft)]
    assert [(event.player, event.cashed_out) for event in left] == [(player, 99)]


def test_who_comes_back_in_that_hand_stays() -> None:
    desk = desk_of("a", "b", "c", action_clock="60m")
    desk.time_out()
    player = desk.asked()[0]
    desk.do(SitOut(player))
    desk.time_out()
    desk.do(SitIn(player))
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    assert desk.state.seat_of(player) is not None


def test_who_is_in_no_hand_goes_at_once_although_others_play() -> None:
    desk = desk_of("a", "b", "c", "d", action_clock="60m")
    desk.do(SitOut("d"))
    desk.time_out()
    assert desk.state.hand_running
    desk.time_out()
    assert desk.state.seat_of("d") is None
    assert desk.state.hand_running
    assert "hand_settled" not in desk.names()


def test_who_has_no_chips_counts_as_away_until_he_buys_some() -> None:
    desk = desk_of("a", "b", players="2-5")
    desk.state.seats[1].stack = 0
    desk.state.seats[0].stack = 200
    desk.do(Join("c", "C"))
    assert desk.left("away:1") == LIMIT
    assert "sat_out" not in desk.names()
    desk.wait(60)
    desk.do(AddChips("b", 50))
    assert desk.left("away:1") is None


def test_whose_chips_the_bank_has_not_paid_yet_is_not_away() -> None:
    desk = desk_of()
    desk.state.config = replace(desk.state.config, bank=True)
    ordered = desk.join("a")
    assert desk.state.seats[0].stack == 0
    assert desk.left("away:0") is None
    desk.do(ConfirmBuyIn(ordered.orders[0].transfer_id))
    assert desk.stacks() == {"a": 100}
    assert desk.left("away:0") is None


def test_who_is_all_in_is_not_away() -> None:
    desk = desk_of("a", "b", opening_requirement="none")
    desk.join("c", buy_in=20)
    desk.time_out()
    while desk.asked() != ["c"]:
        desk.act(desk.asked()[0], "check")
    desk.act("c", "open", 19)
    assert desk.state.seats[2].stack == 0
    assert desk.left("away:2") is None


@pytest.mark.parametrize("option", ["never", "tournament"])
def test_nobody_is_sent_away_where_the_limit_is_zero_or_in_a_tournament(option: str) -> None:
    if option == "never":
        desk = desk_of("a", "b", away_limit=timedelta(0), players="2-5")
    else:
        desk = Desk(hand_pause=PAUSE, match="tournament", seat_count=3)
        desk.join("a", "b")
    desk.do(SitOut("b"))
    assert sat_out(desk).leaves is None
    assert "away:1" not in desk.state.alarms


def test_an_empty_table_is_closed_after_a_while_and_only_then() -> None:
    desk = desk_of("a", "b")
    assert desk.left("empty") is None
    desk.leave("a")
    desk.leave("b")
    assert desk.left("empty") == EMPTY
    desk.wait(9 * 60)
    desk.join("c")
    assert desk.left("empty") is None
    desk.leave("c")
    assert desk.left("empty") == EMPTY
    desk.time_out()
    assert desk.state.closed
    assert desk.state.alarms == {}
    with pytest.raises(NotDue):
        desk.time_out()


def test_a_rehearsal_waits_for_its_players_for_ever() -> None:
    desk = desk_of()
    desk.state.config = replace(desk.state.config, rehearsal=True)
    desk.join("a")
    desk.leave("a")
    assert desk.left("empty") is None


def test_who_waits_keeps_an_empty_table_open() -> None:
    desk = desk_of("a", "b", seat_count=2, players="2-2")
    desk.do(JoinWaitingList("c", "C"))
    desk.leave("a")
    desk.leave("b")
    assert desk.state.seats == {}
    assert desk.left("empty") is None


def test_after_a_stand_still_the_absent_have_their_time_and_an_empty_table_has_not() -> None:
    desk = desk_of("a", "b")
    desk.do(SitOut("b"))
    desk.wait(3600)
    restarted = restart(desk.state)
    assert restarted is not None
    desk.state, events = restarted
    assert events == ()
    desk.state.stamp(desk.now)
    assert desk.left("away:1") == LIMIT
    desk.leave("a")
    desk.leave("b")
    assert restart(desk.state) is None


def test_after_a_stand_still_a_seat_that_is_offered_is_kept_its_whole_time() -> None:
    desk = desk_of("a", "b", seat_count=2, players="2-2")
    desk.do(JoinWaitingList("c", "C"))
    desk.leave("a")
    assert desk.left("offer:0") == OFFER_LIFE
    desk.wait(3600)
    restarted = restart(desk.state)
    assert restarted is not None
    desk.state, events = restarted
    desk.state.stamp(desk.now)
    assert desk.left("offer:0") == OFFER_LIFE
    (changed,) = events
    assert isinstance(changed, WaitingListChanged)
    (waiting,) = changed.waiting
    assert (waiting.player, waiting.offer) == ("c", Alarm(OFFER_LIFE))


def test_when_a_tournament_is_over_its_players_go_after_a_while_and_the_table_is_closed() -> None:
    desk = Desk(match="tournament", seat_count=2, hand_pause=PAUSE, empty_limit=EMPTY)
    desk.join("a", "b")
    desk.time_out()
    assert not any(name.startswith("away") for name in desk.state.alarms)
    desk.leave("a")
    while not desk.state.match_over:
        desk.time_out()
    assert desk.left("away:1") == LIMIT
    desk.time_out()
    assert [event.cashed_out for event in desk.last.events if isinstance(event, PlayerLeft)] == [101]
    desk.time_out()
    assert desk.state.closed
    assert desk.state.ledger.cashed_out == 200


def test_a_tournament_of_which_all_are_away_is_ended_after_a_while_and_paid_by_chips() -> None:
    desk = Desk(
        match="tournament", seat_count=2, hand_pause=PAUSE, empty_limit=EMPTY, start_stack=10**9, ante=1
    )
    desk.join("a", "b")
    desk.time_out()
    desk.do(SitOut("a"))
    assert desk.left("empty") is None
    desk.do(SitOut("b"))
    assert desk.left("empty") == EMPTY
    for _ in range(3):
        desk.time_out()
    desk.do(SitIn("b"))
    assert desk.left("empty") is None
    desk.do(SitOut("b"))
    hands = desk.state.hand_number
    while not desk.state.closed:
        desk.time_out()
        assert desk.state.hand_number <= hands + EMPTY / PAUSE + 2
    assert desk.state.ledger.cashed_out == desk.state.ledger.bought_in == 2 * 10**9
    assert sum(isinstance(event, MatchEnded) for event in desk.last.events) == 1


def test_a_time_out_and_the_away_limit_in_the_same_moment() -> None:
    desk = desk_of("a", "b", "c", action_clock="60s", away_limit=timedelta(seconds=60))
    desk.time_out()
    opener = desk.asked()[0]
    desk.act(opener, "open", 20)
    second = desk.asked()[0]
    desk.do(SitOut(second, "now"))  # its away limit and the turn of the next one begin in one commit
    third = desk.asked()[0]
    desk.time_out()
    assert second not in desk.stacks()
    assert not desk.state.hand_running
    assert desk.state.seat_of(third) is not None
    desk.state.check_chips()
