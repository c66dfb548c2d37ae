"""Clocks: when hands begin, how long a decision may take, and what the table does for who is not there."""

from __future__ import annotations

from datetime import timedelta

import pytest
from table.desks import Desk, StackedDealer
from turkpoker.table.alarms import left_alarm
from turkpoker.table.clocks import restart
from turkpoker.table.commands import Act, SitIn, SitOut
from turkpoker.table.decide import decide
from turkpoker.table.errors import NotDue
from turkpoker.table.events import DeadlineChanged, SatOut, TimedOut
from turkpoker.table.ports import Timing

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
    assert desk.left("next_hand") is None
    desk.join("b")
    assert desk.left("next_hand") == PAUSE
    assert desk.state.hand is None


def test_a_third_player_does_not_make_the_others_wait_longer() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a", "b")
    desk.wait(1)
    desk.join("c")
    assert desk.left("next_hand") == PAUSE - timedelta(seconds=1)


def test_when_one_leaves_and_nobody_can_play_no_clock_runs() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a", "b")
    desk.leave("a")
    assert set(desk.state.alarms) == {left_alarm("a")}
    with pytest.raises(NotDue):
        Desk(hand_pause=PAUSE).time_out()


def test_without_a_pause_the_hand_begins_in_the_same_command() -> None:
    desk = Desk()
    desk.join("a", "b")
    assert desk.state.hand_running
    assert "deal_started" in desk.names()
    assert desk.left("turn") == CLOCK
    assert len(desk.questions()) == 1


def test_each_new_question_has_the_whole_clock() -> None:
    desk = desk_in_hand(action_clock="45s")
    assert desk.left("turn") == timedelta(seconds=45)
    desk.wait(20)
    desk.act(desk.asked()[0], "check")
    assert desk.left("turn") == timedelta(seconds=45)


def test_somebody_who_comes_does_not_touch_the_clock_of_the_asked() -> None:
    desk = desk_in_hand()
    desk.wait(20)
    desk.join("d")
    assert desk.left("turn") == CLOCK - timedelta(seconds=20)
    assert desk.questions() == []
    assert "deadline_changed" not in desk.names()


def test_an_answer_must_be_in_time_and_a_time_out_must_be_due() -> None:
    desk = desk_in_hand()
    end = desk.now + CLOCK
    answered = desk.act(desk.asked()[0], "check")
    assert (answered.timing, answered.moment) == (Timing.IN_TIME, end)
    desk.wait(2)
    desk.join("d")
    assert (desk.last.timing, desk.last.moment) == (Timing.ANY, None)
    timed_out = desk.time_out()
    assert (timed_out.timing, timed_out.moment) == (Timing.DUE, end)


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
    assert desk.left("next_hand") is None
    desk.join("a")
    assert desk.names() == ["sat_in"]
    assert desk.state.ledger.bought_in == 300
    desk.join("b")
    assert desk.left("next_hand") == PAUSE


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
    assert desk.left("turn") == CLOCK
    names = {asked.seat: asked.decision_id for asked in desk.state.decisions()}
    desk.wait(9)
    desk.act("b", "enter")
    assert desk.left("turn") == CLOCK - timedelta(seconds=9)
    assert desk.questions() == []
    assert {asked.seat: asked.decision_id for asked in desk.state.decisions()} == {
        seat: name for seat, name in names.items() if seat != 1
    }
    desk.act("a", "enter")
    desk.time_out()  # c has not answered: he stays out
    assert [event.player for event in desk.last.events if isinstance(event, TimedOut)] == ["c"]
    assert desk.state.hand is not None
    assert desk.state.hand.phase.value == "round1"
    assert desk.left("turn") == CLOCK


def proof_desk(**options: object) -> Desk:
    """turkish-pagat, the opener about to answer a raise: when he folds, the others may ask for his
    openers."""
    desk = Desk(
        StackedDealer({("deal", 1): ACES_FOR_FIRST}),
        profile="turkish-pagat",
        hand_pause=PAUSE,
        ante=1,
        **options,
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
    assert desk.left("proof") == timedelta(seconds=5)
    assert desk.left("turn") == CLOCK
    window = desk.state.alarms["proof"]
    ends = {asked.phase: (asked.alarm, asked.proof_alarm) for asked in desk.state.decisions()}
    assert ends == {"draw": (desk.state.alarms["turn"], window), "proof": (window, None)}
    phases = {desk.state.hand_players[asked.seat]: asked.phase for asked in desk.state.decisions()}
    assert phases == {second: "draw", third: "proof"}
    desk.time_out()
    # Nobody is said to have timed out for not asking; the turn is asked again without the window's actions.
    assert desk.names() == ["passed", "passed", "decision_asked"]
    assert desk.left("turn") == timedelta(seconds=25)
    assert desk.left("proof") is None
    assert {asked.phase for asked in desk.state.decisions()} == {"draw"}
    assert all(seat.timeouts == 0 for seat in desk.state.seats.values())
    desk.time_out()
    assert "timed_out" in desk.names()


def test_after_a_stand_still_turn_and_window_have_their_whole_time_and_say_so() -> None:
    desk = proof_desk()
    desk.wait(3600)
    questions = {asked.decision_id: asked.phase for asked in desk.state.decisions()}
    restarted = restart(desk.state)
    assert restarted is not None
    desk.state, events = restarted
    desk.state.stamp(desk.now)
    assert (desk.left("turn"), desk.left("proof")) == (CLOCK, timedelta(seconds=5))
    told = {questions[event.decision_id]: event for event in events if isinstance(event, DeadlineChanged)}
    assert {phase: event.alarm.after for phase, event in told.items()} == {
        "draw": CLOCK,
        "proof": timedelta(seconds=5),
    }
    assert told["draw"].proof_alarm == told["proof"].alarm
    assert told["proof"].proof_alarm is None


def test_a_proof_may_be_asked_under_the_name_of_the_turn() -> None:
    desk = proof_desk()
    (turn,) = [asked for asked in desk.state.decisions() if asked.phase == "draw"]
    assert turn.legal is not None
    assert {"draw", "ask_proof", "pass"} <= set(turn.legal)
    desk.wait(3)
    desk.act(desk.state.hand_players[turn.seat], "ask_proof")
    assert "openers_proved" in desk.names()
    # In time by the clock of the window; the turn stands as it was, and its clock goes on.
    assert desk.last.moment == desk.now + timedelta(seconds=2)
    assert [asked.decision_id for asked in desk.state.decisions()] == [turn.decision_id]
    assert desk.left("turn") == CLOCK - timedelta(seconds=3)
    assert desk.left("proof") is None


def test_a_turn_that_begins_in_a_proof_window_leaves_the_window_as_it_is() -> None:
    desk = proof_desk()
    _, second, third = desk.state.hand_players.values()
    desk.wait(2)
    desk.act(second, "draw")
    assert {desk.state.hand_players[asked.seat]: asked.phase for asked in desk.state.decisions()} == {
        second: "proof",
        third: "draw",
    }
    assert desk.left("proof") == timedelta(seconds=3)
    assert desk.left("turn") == CLOCK
    desk.time_out()
    assert desk.left("proof") is None
    assert desk.left("turn") == CLOCK - timedelta(seconds=3)
    assert "deadline_changed" not in desk.names()


def test_the_turn_runs_out_first_where_its_clock_is_shorter_and_the_window_stays() -> None:
    desk = proof_desk(action_clock="3s")
    _, second, third = desk.state.hand_players.values()
    desk.wait(1)
    desk.time_out()
    assert [event.player for event in desk.last.events if isinstance(event, TimedOut)] == [second]
    assert desk.left("proof") == timedelta(seconds=2)
    assert desk.left("turn") == timedelta(seconds=3)
    answered = desk.act(third, "pass")
    assert answered.moment == desk.now + timedelta(seconds=2)
    assert desk.left("turn") == timedelta(seconds=3)


def test_what_is_due_at_one_moment_is_carried_out_in_one_command() -> None:
    desk = proof_desk(action_clock="5s")
    desk.time_out()
    assert desk.names()[:2] == ["timed_out", "cards_drawn"]
    assert "passed" in desk.names()
    assert desk.left("proof") is None
    assert desk.left("turn") == timedelta(seconds=5)


def test_an_answer_to_one_question_is_in_time_by_its_own_alarm() -> None:
    desk = proof_desk()
    _, second, third = desk.state.hand_players.values()
    window, turn = desk.now + timedelta(seconds=5), desk.now + CLOCK
    desk.wait(6)  # the window is over, but nobody has looked yet
    (seat,) = [asked.seat for asked in desk.state.decisions() if asked.phase == "proof"]
    assert desk.state.hand_players[seat] == third
    assert decide(desk.state, Act(third, desk.state.decision_id(seat), "pass"), desk.dealer).moment == window
    answered = desk.act(second, "draw")
    assert answered.moment == turn
    # What was due before is due still, and carried out once.
    assert desk.state.alarms["proof"].at == window
    assert desk.time_out().moment == window
    assert desk.names().count("passed") == 2
    assert desk.time_out().moment == desk.now
    assert "timed_out" in desk.names()


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
    assert desk.left("proof") == timedelta(seconds=5)
    assert desk.left("turn") is None
    desk.wait(2)
    desk.act(second, "pass")
    assert desk.left("proof") == timedelta(seconds=3)
    desk.time_out()
    assert not desk.state.hand_running
    assert desk.left("next_hand") == PAUSE
    assert desk.stacks()[first] == 102
