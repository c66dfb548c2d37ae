"""Leaving now or after the hand, three ways to sit out, and coming back with what one left with."""

from __future__ import annotations

from datetime import timedelta

import pytest
from table.desks import Desk
from turkpoker.table.alarms import left_alarm
from turkpoker.table.commands import AddChips, Join, Leave, SitIn, SitOut
from turkpoker.table.desk import MAX_REMEMBERED, REMEMBERED_FOR
from turkpoker.table.errors import Reason
from turkpoker.table.events import LeaveAnnounced, PlayerLeft, SatOut

PAUSE = timedelta(seconds=3)


def in_a_hand(players: int = 3, **options: object) -> Desk:
    """A hand is on; seats 0, 1 ... are a, b ..."""
    options.setdefault("opening_requirement", "none")
    desk = Desk(hand_pause=PAUSE, **options)  # type: ignore[arg-type]
    desk.join(*"abcde"[:players])
    desk.time_out()
    return desk


def fold_out(desk: Desk) -> None:
    """Play the hand to its end: somebody opens, everybody else folds."""
    hand = desk.state.hand_number
    while desk.state.hand_running and desk.state.hand_number == hand:
        player = desk.asked()[0]
        legal = desk.state.decision(desk.state.seat_of(player) or 0)
        assert legal is not None
        assert legal.legal is not None
        if "fold" in legal.legal:
            desk.act(player, "fold")
        elif "open" in legal.legal:
            desk.act(player, "open", 2)
        else:
            desk.act(player, "check")


# -- leaving after the hand ------------------------------------------------------------------------------


def test_who_leaves_after_the_hand_plays_it_to_its_end_and_is_paid_then() -> None:
    desk = in_a_hand()
    leaver = desk.asked()[0]
    seat = desk.state.seat_of(leaver)
    assert seat is not None
    decision = desk.do(Leave(leaver, "after_hand"))
    assert (decision.pending, decision.cashed_out) == (True, 0)
    assert decision.events == (LeaveAnnounced(seat, leaver, cancelled=False),)
    assert desk.asked() == [leaver]
    desk.act(leaver, "open", 2)
    for _ in range(2):
        desk.act(desk.asked()[0], "fold")
    (left,) = [event for event in desk.last.events if isinstance(event, PlayerLeft)]
    assert (left.player, left.cashed_out) == (leaver, 102)
    assert leaver not in desk.stacks()
    assert desk.state.chips() == 198


def test_saying_it_twice_changes_nothing_and_taking_it_back_keeps_the_seat() -> None:
    desk = in_a_hand()
    desk.do(Leave("b", "after_hand"))
    again = desk.do(Leave("b", "after_hand"))
    assert (again.changed, again.pending) == (False, True)
    assert desk.do(Leave("b", "cancelled")).events == (LeaveAnnounced(1, "b", cancelled=True),)
    assert not desk.do(Leave("b", "cancelled")).changed
    fold_out(desk)
    assert "b" in desk.stacks()


def test_an_announced_leave_can_be_made_at_once() -> None:
    desk = in_a_hand()
    desk.do(Leave("b", "after_hand"))
    decision = desk.do(Leave("b"))
    assert decision.cashed_out == 99
    assert desk.refuse(Leave("b", "cancelled")).reason is Reason.NOT_YOUR_SEAT


def test_between_hands_leaving_after_the_hand_is_leaving_now() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a", "b")
    assert desk.do(Leave("a", "after_hand")).cashed_out == 100


def test_who_is_all_in_and_gone_cannot_take_it_back() -> None:
    desk = in_a_hand()
    first = desk.asked()[0]
    desk.act(first, "open", 99)
    desk.do(Leave(first))
    assert desk.refuse(Leave(first, "cancelled")).reason is Reason.NOT_NOW
    assert desk.refuse(Leave("stranger", "cancelled")).reason is Reason.NOT_YOUR_SEAT
    error = desk.refuse(Leave("b" if first != "b" else "a", "later"))  # type: ignore[arg-type]
    assert (error.reason, error.field) == (Reason.INVALID_FIELD, "when")


def test_the_winner_of_a_tournament_may_have_announced_to_leave() -> None:
    desk = Desk(hand_pause=PAUSE, seat_count=2, match="tournament", opening_requirement="none")
    desk.join("a", "b")
    desk.time_out()
    first, second = desk.asked()[0], ("b" if desk.asked()[0] == "a" else "a")
    desk.do(Leave(first, "after_hand"))
    desk.act(first, "open", 2)
    desk.do(Leave(second))
    assert desk.state.match_over
    assert dict(desk.state.placings) == {first: 1, second: 2}
    assert desk.state.seats == {}


# -- sitting out -----------------------------------------------------------------------------------------


def test_sitting_out_now_folds_and_keeps_seat_and_chips() -> None:
    desk = in_a_hand()
    player = desk.asked()[0]
    desk.do(SitOut(player, "now"))
    assert desk.names()[:2] == ["sat_out", "left_folded"]
    assert desk.asked() != [player]
    assert desk.stacks()[player] == 99
    assert not desk.do(SitOut(player, "now")).changed
    # He may still leave in this hand, and is paid at once.
    assert desk.do(Leave(player)).cashed_out == 99


def test_who_sat_out_for_the_next_deal_may_fold_now_after_all() -> None:
    desk = in_a_hand()
    player = desk.asked()[0]
    desk.do(SitOut(player))
    assert desk.asked() == [player]
    desk.do(SitOut(player, "now"))
    assert desk.names()[0] == "left_folded"
    assert desk.asked() != [player]


def test_an_all_in_player_who_sits_out_now_stays_in_the_hand() -> None:
    desk = in_a_hand()
    first = desk.asked()[0]
    desk.act(first, "open", 99)
    desk.do(SitOut(first, "now"))
    assert desk.names() == ["sat_out"]
    desk.act(desk.asked()[0], "call")
    desk.act(desk.asked()[0], "fold")
    assert desk.asked() == [first]
    assert desk.do(SitOut(first, "next_ante")).changed is False


def test_until_the_next_ante_means_the_next_deal_where_all_pay_antes() -> None:
    desk = in_a_hand()
    assert desk.do(SitOut("b", "next_ante")).events == (SatOut(1, "b", at_next_ante=True),)
    assert not desk.do(SitOut("b", "next_ante")).changed
    fold_out(desk)
    desk.time_out()
    assert desk.names()[0] == "sat_out"
    assert "b" not in desk.state.hand_players.values()
    assert desk.state.seats[1].sitting_out
    assert not desk.state.seats[1].sits_out_at_next_ante


def test_a_deal_without_antes_is_still_dealt_to_who_waits_for_the_next_ante() -> None:
    desk = in_a_hand(max_carries=1)
    for _ in range(3):
        desk.act(desk.asked()[0], "check")
    assert desk.state.dead_before == 1
    desk.do(SitOut("b", "next_ante"))
    desk.time_out()
    assert "b" in desk.state.hand_players.values()
    fold_out(desk)
    desk.time_out()
    assert "b" not in desk.state.hand_players.values()


def test_missed_antes_cost_something_too() -> None:
    desk = in_a_hand(max_carries=1, carried_pot_entry="missed_antes")
    for _ in range(3):
        desk.act(desk.asked()[0], "check")
    desk.join("d")
    desk.do(SitOut("d", "next_ante"))
    desk.do(SitOut("b", "next_ante"))
    desk.time_out()
    assert "d" not in desk.state.hand_players.values()
    assert "b" in desk.state.hand_players.values()


def test_in_blind_deals_only_the_blinder_pays() -> None:
    desk = in_a_hand(players=4, profile="french", deal_mode="blind", over_blind=0)
    fold_out(desk)
    dealer = desk.state.dealer
    assert dealer is not None
    blinder = (dealer + 2) % 4
    flagged = desk.state.seats[blinder].player
    another = desk.state.seats[(dealer + 4) % 4].player
    for player in (flagged, another):
        desk.do(SitOut(player, "next_ante"))
    desk.time_out()
    assert flagged not in desk.state.hand_players.values()
    assert another in desk.state.hand_players.values()


def test_sitting_in_takes_back_what_was_to_come() -> None:
    desk = in_a_hand()
    desk.do(SitOut("b", "next_ante"))
    assert desk.do(SitIn("b")).changed
    fold_out(desk)
    desk.time_out()
    assert "b" in desk.state.hand_players.values()
    error = desk.refuse(SitOut("b", "soon"))  # type: ignore[arg-type]
    assert (error.reason, error.field) == (Reason.INVALID_FIELD, "when")


# -- leaving and coming back with less -------------------------------------------------------------------


def rich_leaver(chips: int = 300) -> Desk:
    """``a`` has left with so many chips; the rules allow 20 to 500 and give 100."""
    desk = Desk(hand_pause=PAUSE)
    desk.do(Join("a", "A", 0, chips))
    desk.do(Leave("a"))
    return desk


@pytest.mark.parametrize("buy_in", [20, 100, 299])
def test_who_left_comes_back_with_no_less(buy_in: int) -> None:
    error = rich_leaver().refuse(Join("a", "A", None, buy_in))
    assert error.reason is Reason.BUY_IN_OUT_OF_RANGE
    assert (error.field, error.metadata) == ("buy_in", {"min": "300", "max": "500"})


@pytest.mark.parametrize(("buy_in", "brought"), [(None, 300), (300, 300), (500, 500)])
def test_with_as_much_or_more_he_is_welcome(buy_in: int | None, brought: int) -> None:
    desk = rich_leaver()
    desk.do(Join("a", "A", None, buy_in))
    assert desk.stacks() == {"a": brought}
    assert desk.state.left_with == {}


def test_who_won_more_than_one_may_buy_brings_exactly_that() -> None:
    desk = rich_leaver()
    desk.state.left_with["a"] = 700
    assert desk.refuse(Join("a", "A", None, 500)).metadata == {"min": "700", "max": "700"}
    desk.do(Join("a", "A"))
    assert desk.stacks() == {"a": 700}


def test_who_left_with_little_may_bring_the_usual() -> None:
    desk = rich_leaver(50)
    desk.do(Join("a", "A"))
    assert desk.stacks() == {"a": 100}


def test_what_comes_after_the_hand_counts_too() -> None:
    desk = in_a_hand()
    first = desk.asked()[0]
    desk.act(first, "open", 40)
    desk.do(Leave(first))
    assert desk.state.left_with == {first: 59}
    desk.act(desk.asked()[0], "fold")
    paid = desk.state.ledger.cashed_out
    assert paid > 59
    assert desk.state.left_with == {first: paid}


def test_of_the_last_leavers_only_so_many_are_remembered() -> None:
    desk = Desk(hand_pause=PAUSE)
    for number in range(MAX_REMEMBERED + 5):
        desk.join(f"p{number}")
        desk.leave(f"p{number}")
    assert len(desk.state.left_with) == MAX_REMEMBERED
    assert "p4" not in desk.state.left_with
    assert left_alarm("p4") not in desk.state.alarms
    assert "p5" in desk.state.left_with


def test_after_an_hour_nobody_remembers() -> None:
    desk = rich_leaver()
    assert desk.state.alarms[left_alarm("a")].after == REMEMBERED_FOR
    desk.time_out()
    assert desk.state.left_with == {}
    desk.do(Join("a", "A", None, 20))
    assert desk.stacks() == {"a": 20}


def test_who_is_back_is_not_remembered_and_a_closed_table_remembers_nobody() -> None:
    desk = rich_leaver()
    desk.do(Join("a", "A"))
    assert left_alarm("a") not in desk.state.alarms
    desk.close()
    assert (desk.state.left_with, desk.state.alarms) == ({}, {})


def test_chips_added_are_told_to_who_bought_them() -> None:
    desk = Desk(hand_pause=PAUSE, rebuy="between_deals")
    desk.join("a")
    assert desk.do(AddChips("a", 30)).bought == 30
    assert desk.do(Leave("a")).bought == 0
