"""The time bank: when it runs, what is taken from it, and for whom it does not run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from table.desks import Desk, StackedDealer
from turkpoker.table.clocks import restart
from turkpoker.table.commands import Join, SitIn, SitOut
from turkpoker.table.events import DeadlineChanged, TimeBankStarted, TimedOut
from turkpoker.table.ports import Timing
from turkpoker.table.state import MAX_TIME_USED, BankUse

PAUSE = timedelta(seconds=3)
CLOCK = timedelta(seconds=30)
BANK = timedelta(seconds=60)
ACES_FOR_FIRST = "Ac 8d 9s Ad Td Js Kc Qd 8c 9c Th Jd 8h 9h Ts"


def desk_in_hand(**options: Any) -> Desk:
    options = {"time_bank": "60s", **options}
    desk = Desk(StackedDealer({("deal", 1): ACES_FOR_FIRST}), hand_pause=PAUSE, **options)
    desk.join("a", "b", "c")
    desk.time_out()
    return desk


def go_on_until(desk: Desk, player: str) -> None:
    """The others answer what costs least, in as many hands as it takes, until the player has the turn."""
    while not desk.state.hand_running or desk.asked() != [player]:
        if not desk.state.hand_running:
            desk.time_out()
            continue
        (asked,) = desk.state.decisions()
        assert asked.legal is not None
        action = next(each for each in ("check", "call", "draw") if each in asked.legal)
        desk.act(desk.asked()[0], action)


def test_the_bank_runs_after_the_clock_and_the_table_answers_at_its_end() -> None:
    desk = desk_in_hand()
    (asked,) = desk.state.decisions()
    assert (asked.time_bank, asked.bank_running) == (BANK, False)
    desk.time_out()
    (started,) = desk.last.events
    assert isinstance(started, TimeBankStarted)
    assert (started.seat, started.decision_id, started.time_bank) == (asked.seat, asked.decision_id, BANK)
    assert desk.left("turn") is None
    assert desk.left("bank") == BANK
    (running,) = desk.state.decisions()
    assert running.decision_id == asked.decision_id
    assert (running.time_bank, running.bank_running) == (BANK, True)
    assert running.alarm == desk.state.alarms["bank"]
    assert desk.state.seats[asked.seat].timeouts == 0
    desk.time_out()
    assert desk.names()[:2] == ["timed_out", "checked"]
    player = desk.state.hand_players[asked.seat]
    assert desk.state.seats[asked.seat].timeouts == 1
    assert desk.state.time_bank(player) == timedelta(0)
    assert desk.left("bank") is None
    assert desk.left("turn") == CLOCK


def test_an_answer_in_the_bank_counts_and_takes_what_was_used_to_the_millisecond() -> None:
    desk = desk_in_hand()
    player = desk.asked()[0]
    desk.wait(30.2)
    desk.time_out()
    desk.wait(12.345)
    answered = desk.act(player, "check")
    assert (answered.timing, answered.moment) == (Timing.IN_TIME, desk.now + BANK - timedelta(seconds=12.345))
    assert "timed_out" not in desk.names()
    assert desk.state.time_bank(player) == BANK - timedelta(seconds=12.345)
    assert desk.state.bank_use is None


def test_an_answer_before_the_end_of_the_clock_takes_nothing() -> None:
    desk = desk_in_hand()
    player = desk.asked()[0]
    desk.wait(29.999)
    desk.act(player, "check")
    assert desk.state.time_used == {}


def test_the_next_question_has_what_is_left_and_none_when_it_is_used_up() -> None:
    desk = desk_in_hand()
    first = desk.asked()[0]
    desk.time_out()
    desk.wait(40)
    desk.act(first, "open", 10)
    go_on_until(desk, first)
    (asked,) = desk.state.decisions()
    assert (asked.time_bank, asked.bank_running) == (timedelta(seconds=20), False)
    desk.time_out()
    assert desk.left("bank") == timedelta(seconds=20)
    desk.time_out()
    assert "timed_out" in desk.names()
    # Once a match: nothing fills it again, and the next time-out comes at the end of the clock.
    go_on_until(desk, first)
    desk.time_out()
    assert [event.player for event in desk.last.events if isinstance(event, TimedOut)] == [first]


def test_leaving_and_coming_back_does_not_fill_it() -> None:
    desk = desk_in_hand()
    player = desk.asked()[0]
    desk.time_out()
    desk.wait(25)
    desk.leave(player)  # stops it, too
    assert desk.left("bank") is None
    assert desk.state.time_bank(player) == timedelta(seconds=35)
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    assert desk.state.seat_of(player) is None
    desk.do(Join(player, player))
    assert desk.state.time_bank(player) == timedelta(seconds=35)


def test_somebody_who_comes_or_sits_out_does_not_stop_it() -> None:
    desk = desk_in_hand()
    player = desk.asked()[0]
    desk.time_out()
    desk.wait(5)
    desk.join("d")
    desk.do(SitOut(player))
    assert desk.left("bank") == timedelta(seconds=55)
    assert desk.state.time_used == {}


def test_it_does_not_run_for_who_sits_out() -> None:
    desk = desk_in_hand()
    player = desk.asked()[0]
    desk.do(SitOut(player))
    desk.time_out()
    assert "timed_out" in desk.names()
    assert desk.state.time_bank(player) == BANK
    desk.do(SitIn(player))
    assert desk.state.time_bank(player) == BANK


def test_without_the_option_no_question_has_one() -> None:
    desk = desk_in_hand(time_bank="0s")
    (asked,) = desk.state.decisions()
    assert (asked.time_bank, asked.bank_running) == (None, False)
    desk.time_out()
    assert "timed_out" in desk.names()


def test_entry_has_no_bank_and_time_out_stays_out() -> None:
    desk = Desk(profile="turkish-online", hand_pause=PAUSE, time_bank="60s")
    desk.join("a", "b", "c")
    desk.time_out()
    assert [asked.phase for asked in desk.state.decisions()] == ["entry"] * 3
    assert [asked.time_bank for asked in desk.state.decisions()] == [None] * 3
    assert set(desk.state.alarms) == {"turn"}
    desk.time_out()
    assert desk.names().count("timed_out") == 3
    assert desk.names().count("stayed_out") == 3


def test_karanlik_has_the_clock_but_no_bank_and_time_out_declines() -> None:
    desk = Desk(hand_pause=PAUSE, karanlik="on", time_bank="60s")
    desk.join("a", "b", "c")
    desk.time_out()
    (asked,) = desk.state.decisions()
    assert (asked.phase, asked.time_bank) == ("karanlik", None)
    assert desk.left("turn") == CLOCK
    desk.time_out()
    assert desk.names()[:2] == ["timed_out", "declined"]
    # Who looked because he did not answer has his turn next, with a whole clock and his bank.
    (turn,) = desk.state.decisions()
    assert (turn.phase, turn.time_bank) == ("round1", BANK)
    assert desk.left("turn") == CLOCK


def test_over_blinds_have_the_clock_but_no_bank_and_time_out_declines() -> None:
    desk = Desk(
        profile="french", players="2-6", deal_mode="blind", over_blind=2, hand_pause=PAUSE, time_bank="9s"
    )
    desk.join("a", "b", "c")
    desk.time_out()
    (asked,) = desk.state.decisions()
    assert (asked.phase, asked.time_bank) == ("blinds", None)
    desk.time_out()
    assert desk.names()[:2] == ["timed_out", "declined"]


def test_a_window_for_the_proof_has_no_bank_and_the_turn_beside_it_has() -> None:
    desk = desk_in_hand(profile="turkish-pagat", ante=1)
    first, second, third = desk.state.hand_players.values()
    desk.act(first, "open", 5)
    desk.act(second, "raise", 20)
    desk.act(third, "call")
    desk.act(first, "fold")
    banks = {asked.phase: asked.time_bank for asked in desk.state.decisions()}
    assert banks == {"draw": BANK, "proof": None}
    desk.time_out()
    assert "passed" in desk.names()
    assert "time_bank_started" not in desk.names()
    desk.time_out()
    assert desk.names() == ["time_bank_started"]


def test_a_proof_asked_for_while_the_bank_runs_leaves_it_running() -> None:
    desk = desk_in_hand(profile="turkish-pagat", ante=1, action_clock="2s")
    first, second, third = desk.state.hand_players.values()
    desk.act(first, "open", 5)
    desk.act(second, "raise", 20)
    desk.act(third, "call")
    desk.act(first, "fold")
    desk.time_out()
    assert desk.left("bank") == BANK
    desk.wait(1)
    window = desk.left("proof")
    answered = desk.act(third, "ask_proof")
    assert answered.moment == desk.now + (window or timedelta(0))
    assert desk.left("bank") == BANK - timedelta(seconds=1)
    assert desk.state.time_used == {}


def test_after_a_stand_still_the_bank_is_what_it_was() -> None:
    desk = desk_in_hand()
    player = desk.asked()[0]
    desk.time_out()
    desk.wait(3600)
    restarted = restart(desk.state)
    assert restarted is not None
    desk.state, events = restarted
    desk.state.stamp(desk.now)
    (changed,) = events
    assert isinstance(changed, DeadlineChanged)
    assert changed.alarm.after == BANK
    assert desk.left("bank") == BANK
    desk.wait(10)
    desk.act(player, "check")
    assert desk.state.time_bank(player) == BANK - timedelta(seconds=10)


def test_so_many_are_remembered_and_the_earliest_go_first() -> None:
    desk = desk_in_hand()
    state = desk.state
    for number in range(MAX_TIME_USED + 5):
        state = replace(state, bank_use=BankUse(f"p{number}", desk.now, BANK))
        state.stamp(desk.now + timedelta(seconds=1))
    assert len(state.time_used) == MAX_TIME_USED
    assert "p4" not in state.time_used
    assert state.time_bank("p5") == BANK - timedelta(seconds=1)


@pytest.mark.parametrize("seconds", [-5, 0])
def test_a_clock_that_goes_backwards_fills_no_bank(seconds: int) -> None:
    desk = desk_in_hand()
    state = replace(desk.state, bank_use=BankUse("a", desk.now, BANK))
    state.stamp(desk.now + timedelta(seconds=seconds))
    assert state.time_bank("a") == BANK
