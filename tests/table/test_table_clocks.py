"""Clocks: when hands begin, how long a decision may take, and what the table does for who is not there."""

from __future__ import annotations

from datetime import timedelta

import pytest
from table.desks import Desk, StackedDealer
from turkpoker.table.commands import SitIn, SitOut
from turkpoker.table.errors import NotDue
from turkpoker.table.events import SatOut, TimedOut
from turkpoker.table.ports import KEEP, Timing

PAUSE = timedelta(seconds=3)
CLOCK = timedelta(seconds=30)
#: Three players: the first after the dealer holds aces, all others nothing.
ACES_FOR_FIRST = "Ac 8d 9s Ad Td Js Kc Qd 8c 9c Th Jd 8h 9h Ts"


def desk_in_hand(**options: object) -> Desk:
    desk = Desk(StackedDealer({("deal", 1): ACES_FOR_FIRST}), hand_pause=PAUSE, **options)
    desk.join("a", "b", "c")
    desk.time_out()
    return desk


def test_a_hand_begins_after_the_pause_when_two_are_ready() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a")
    assert desk.last.deadline is None
    desk.join("b")
    assert desk.last.deadline == PAUSE
    assert desk.state.hand is None


def test_a_third_player_does_not_make_the_others_wait_longer() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a", "b", "c")
    assert desk.last.deadline is KEEP


def test_when_one_leaves_and_nobody_can_play_no_clock_runs() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a", "b")
    desk.leave("a")
    assert desk.last.deadline is None
    with pytest.raises(NotDue):
        desk.time_out()


def test_without_a_pause_the_hand_begins_in_the_same_command() -> None:
    desk = Desk()
    desk.join("a", "b")
    assert desk.state.hand_running
    assert "deal_started" in desk.names()
    assert desk.last.deadline == CLOCK
    assert len(desk.questions()) == 1


def test_each_new_question_has_the_whole_clock() -> None:
    desk = desk_in_hand(action_clock="45s")
    assert desk.last.deadline == timedelta(seconds=45)
    desk.act(desk.asked()[0], "check")
    assert desk.last.deadline == timedelta(seconds=45)


def test_somebody_who_comes_does_not_touch_the_clock_of_the_asked() -> None:
    desk = desk_in_hand()
    desk.join("d")
    assert desk.last.deadline is KEEP
    assert desk.questions() == []


def test_an_answer_must_be_in_time_and_a_time_out_must_be_due() -> None:
    desk = desk_in_hand()
    assert desk.act(desk.asked()[0], "check").timing is Timing.IN_TIME
    assert desk.time_out().timing is Timing.DUE
    assert desk.join("d").timing is Timing.ANY


def test_x4_the_clock_runs_out_checks_when_free_folds_otherwise_and_stands_pat() -> None:
    desk = desk_in_hand()
    first, second, third = desk.state.hand_players.values()
    desk.act(first, "open", 10)
    desk.time_out()
    assert [event.name for event in desk.last.events][:2] == ["timed_out", "folded"]
    assert isinstance(desk.last.events[0], TimedOut)
    assert desk.last.events[0].player == second
    desk.act(third, "call")
    desk.time_out()
    (drawn,) = [event for event in desk.last.events if event.name == "cards_drawn"]
    assert drawn.count == 0  # type: ignore[union-attr]
    desk.time_out()
    assert desk.state.hand is not None
    assert desk.state.hand.phase.value == "round2"
    desk.time_out()
    assert "checked" in desk.names()


def test_before_the_opening_the_time_out_checks() -> None:
    desk = desk_in_hand()
    desk.time_out()
    assert "checked" in desk.names()


def time_out_whole_hands(desk: Desk, hands: int) -> None:
    last = desk.state.hand_number + hands
    while desk.state.hand_number < last or desk.state.hand_running:
        desk.time_out()


def test_two_time_outs_in_a_row_sit_out_and_joining_again_sits_in() -> None:
    desk = desk_in_hand()
    time_out_whole_hands(desk, 0)
    assert [seat.timeouts for seat in desk.state.seats.values()] == [1, 1, 1]
    time_out_whole_hands(desk, 1)
    assert all(seat.sitting_out for seat in desk.state.seats.values())
    assert len([event for event in desk.last.events if isinstance(event, SatOut) and event.timed_out]) == 3
    assert desk.last.deadline is None
    desk.join("a")
    assert desk.names() == ["sat_in"]
    assert desk.state.ledger.bought_in == 300
    desk.join("b")
    assert desk.last.deadline == PAUSE


def test_an_answer_in_between_counts_from_nothing() -> None:
    desk = desk_in_hand()
    desk.time_out()
    desk.act(desk.asked()[0], "check")
    desk.time_out()
    assert sorted(seat.timeouts for seat in desk.state.seats.values()) == [0, 1, 1]


def test_who_sits_out_is_not_dealt_in_and_does_not_deal() -> None:
    desk = desk_in_hand()
    desk.do(SitOut("b"))
    assert "sat_out" in desk.names()
    assert "b" in desk.state.hand_players.values()
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    desk.time_out()
    assert sorted(desk.state.hand_players.values()) == ["a", "c"]
    assert desk.state.dealer is not None
    assert desk.state.seats[desk.state.dealer].player == "c"
    desk.do(SitIn("b"))
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    desk.time_out()
    assert sorted(desk.state.hand_players.values()) == ["a", "b", "c"]


def test_entry_is_asked_of_all_at_once_and_one_answer_leaves_the_clock_of_the_others() -> None:
    desk = Desk(profile="turkish-online", hand_pause=PAUSE)
    desk.join("a", "b", "c")
    desk.time_out()
    assert sorted(desk.asked()) == ["a", "b", "c"]
    assert desk.last.deadline == CLOCK
    names = {asked.seat: asked.decision_id for asked in desk.state.decisions()}
    desk.act("b", "enter")
    assert desk.last.deadline is KEEP
    assert desk.questions() == []
    assert {asked.seat: asked.decision_id for asked in desk.state.decisions()} == {
        seat: name for seat, name in names.items() if seat != 1
    }
    desk.act("a", "enter")
    desk.time_out()  # c has not answered: he stays out
    assert [event.player for event in desk.last.events if isinstance(event, TimedOut)] == ["c"]
    assert desk.state.hand is not None
    assert desk.state.hand.phase.value == "round1"
    assert desk.last.deadline == CLOCK


def proof_desk() -> Desk:
    """turkish-pagat, the opener about to answer a raise: when he folds, the others may ask for his
    openers."""
    desk = Desk(
        StackedDealer({("deal", 1): ACES_FOR_FIRST}), profile="turkish-pagat", hand_pause=PAUSE, ante=1
    )
    desk.join("a", "b", "c")
    desk.time_out()
    dealt = desk.state.hand_players.values()
    first, second, third = dealt
    desk.act(first, "open", 5)
    desk.act(second, "raise", 20)
    desk.act(third, "call")
    desk.act(first, "fold")
    return desk


def test_a_proof_window_stands_beside_the_turn_and_closes_first() -> None:
    desk = proof_desk()
    _, second, third = desk.state.hand_players.values()
    assert desk.last.deadline == timedelta(seconds=5)
    phases = {desk.state.hand_players[asked.seat]: asked.phase for asked in desk.state.decisions()}
    assert phases == {second: "draw", third: "proof"}
    desk.time_out()
    # Nobody is said to have timed out for not asking; the turn is asked again without the window's actions.
    assert desk.names() == ["passed", "passed", "decision_asked"]
    assert desk.last.deadline == timedelta(seconds=25)
    assert {asked.phase for asked in desk.state.decisions()} == {"draw"}
    assert all(seat.timeouts == 0 for seat in desk.state.seats.values())
    desk.time_out()
    assert "timed_out" in desk.names()


def test_a_proof_may_be_asked_under_the_name_of_the_turn() -> None:
    desk = proof_desk()
    (turn,) = [asked for asked in desk.state.decisions() if asked.phase == "draw"]
    assert turn.legal is not None
    assert {"draw", "ask_proof", "pass"} <= set(turn.legal)
    desk.act(desk.state.hand_players[turn.seat], "ask_proof")
    assert "openers_proved" in desk.names()
    # The turn stands as it was; its clock begins again, since nobody knows what the window took of it.
    assert [asked.decision_id for asked in desk.state.decisions()] == [turn.decision_id]
    assert desk.last.deadline == CLOCK


def test_when_the_opener_wins_by_folds_the_window_has_its_own_time() -> None:
    desk = Desk(
        StackedDealer({("deal", 1): ACES_FOR_FIRST}), profile="turkish-pagat", hand_pause=PAUSE, ante=1
    )
    desk.join("a", "b", "c")
    desk.time_out()
    first, second, third = desk.state.hand_players.values()
    desk.act(first, "open", 5)
    desk.act(second, "fold")
    desk.act(third, "fold")
    assert desk.state.hand_running
    assert desk.last.deadline == timedelta(seconds=5)
    desk.act(second, "pass")
    assert desk.last.deadline is KEEP
    desk.time_out()
    assert not desk.state.hand_running
    assert desk.last.deadline == PAUSE
    assert desk.stacks()[first] == 102
