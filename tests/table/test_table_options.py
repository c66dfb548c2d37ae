"""The options that a table carries out: each alone changes what comes of the same players and commands.

Those of one hand are in ``tests/engine/test_option_changes.py``.
"""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from table.desks import Desk, StackedDealer
from turkpoker.engine import OPTIONS
from turkpoker.engine.events import AntePosted
from turkpoker.table.commands import AddChips, Join
from turkpoker.table.errors import Reason
from turkpoker.table.events import DealerDrawn

PAUSE = timedelta(seconds=3)
#: Three players: aces, jacks and kings in the order of the deal.
DEAL = "Ac 8d 9s Ad Td Js Kc Qd 8c 9c Th Jd 8h 9h Ts"
TESTS = Path(__file__).parents[1]


def desk(**options: Any) -> Desk:
    return Desk(StackedDealer({("deal", 1): DEAL}), hand_pause=PAUSE, **options)


def in_a_hand(**options: Any) -> Desk:
    table = desk(**options)
    table.join("a", "b", "c")
    table.time_out()
    return table


def second_is_bust(**options: Any) -> tuple[Desk, str]:
    """A table after a hand in which the first was all-in with aces, the second called, the third folded."""
    table = in_a_hand(**options)
    first, second, third = table.state.hand_players.values()
    seat = table.state.seat_of(first)
    assert seat is not None
    table.act(first, "open", table.state.seats[seat].stack)
    table.act(second, "call")
    table.act(third, "fold")
    while table.state.hand_running:
        table.act(table.asked()[0], "draw")
    return table, second


def bought(player: str, amount: int | None, **options: Any) -> int | str:
    """The chips somebody sits down with, or why not."""
    table = desk(**options)
    command = Join(player, player, None, amount)
    try:
        table.do(command)
    except Exception:
        return table.refuse(command).reason.name
    return table.stacks()[player]


def test_option_players_is_how_many_must_be_there_for_a_deal() -> None:
    for players, starts in (("2-5", True), ("3-5", False)):
        table = desk(players=players)
        table.join("a", "b")
        assert (table.left("next_hand") is not None) is starts


def test_option_buy_in_min_is_the_least_one_sits_down_with() -> None:
    assert bought("a", 30) == 30
    assert bought("a", 30, buy_in_min=40) == "BUY_IN_OUT_OF_RANGE"


def test_option_buy_in_max_is_the_most_one_sits_down_with() -> None:
    assert bought("a", 400) == 400
    assert bought("a", 400, buy_in_max=300) == "BUY_IN_OUT_OF_RANGE"


def test_option_start_stack_is_what_one_gets_who_names_nothing() -> None:
    assert bought("a", None) == 100
    assert bought("a", None, start_stack=60) == 60


def test_option_buy_in_min_antes_is_the_least_in_antes() -> None:
    assert bought("a", 100, ante=2) == 100
    assert bought("a", 100, ante=2, buy_in_min_antes=60) == "BUY_IN_OUT_OF_RANGE"


def test_option_buy_in_max_antes_is_the_most_in_antes() -> None:
    assert bought("a", 400, ante=2) == 400
    assert bought("a", 400, ante=2, buy_in_max_antes=150) == "BUY_IN_OUT_OF_RANGE"


def test_option_match_tournament_waits_for_all_seats_and_sells_no_chips() -> None:
    session = Desk(seat_count=3, hand_pause=PAUSE)
    tournament = Desk(seat_count=3, hand_pause=PAUSE, match="tournament")
    for table in (session, tournament):
        table.join("a", "b")
    assert session.left("next_hand") == PAUSE
    assert tournament.left("next_hand") is None
    assert session.do(AddChips("a", 50)).bought == 50
    assert tournament.refuse(AddChips("a", 50)).reason is Reason.NOT_NOW


@pytest.mark.parametrize(
    ("rebuy", "bust", "rich"),
    [("none", "NOT_NOW", "NOT_NOW"), ("when_bust", 100, "NOT_NOW"), ("between_deals", 100, 50)],
)
def test_option_rebuy_is_who_may_buy_more(rebuy: str, bust: int | str, rich: int | str) -> None:
    table, second = second_is_bust(rebuy=rebuy)
    third = next(player for player, chips in table.stacks().items() if 0 < chips < 100)
    for player, amount, outcome in ((third, 50, rich), (second, 100, bust)):
        command = AddChips(player, amount)
        if isinstance(outcome, str):
            assert table.refuse(command).reason.name == outcome
        else:
            assert table.do(command).bought == outcome


@pytest.mark.parametrize(("way", "shown"), [("high_card", 3), ("random", 0)])
def test_option_first_dealer_is_drawn_for_openly_or_not(way: str, shown: int) -> None:
    table = in_a_hand(first_dealer=way)
    (drawn,) = [event for event in table.last.events if isinstance(event, DealerDrawn)]
    assert len(drawn.draws) == shown


def test_option_levels_raise_the_stakes_with_the_hands() -> None:
    for levels, antes in (("none", [1, 1]), ("1 hand: 1/2, 1 hand: 3/6", [1, 3])):
        table = Desk(hand_pause=PAUSE, seat_count=3, match="tournament", levels=levels)
        table.join("a", "b", "c")
        paid = []
        for _ in range(2):
            table.time_out()
            paid += [event.amount for event in table.last.events if isinstance(event, AntePosted)][:1]
            while table.state.hand_running:
                table.act(table.asked()[0], "check")
        assert paid == antes


def test_option_carried_pot_entry_makes_who_comes_later_pay_the_antes_he_missed() -> None:
    for way, pot in (("open", 2 + 3), ("missed_antes", 2 + 3 + 1)):
        table = Desk(hand_pause=PAUSE, carried_pot_entry=way)
        table.join("a", "b")
        table.time_out()
        while table.state.hand_running:
            table.act(table.asked()[0], "check")
        assert table.state.carried == 2
        table.join("c")
        table.time_out()
        assert table.state.hand is not None
        assert table.state.hand.pot == pot


def test_option_action_clock_is_how_long_one_may_think() -> None:
    assert in_a_hand().left("turn") == timedelta(seconds=30)
    assert in_a_hand(action_clock="12s").left("turn") == timedelta(seconds=12)


def test_option_time_bank_runs_when_the_clock_has_run_out() -> None:
    for bank, events in (("0s", "timed_out"), ("40s", "time_bank_started")):
        table = in_a_hand(time_bank=bank)
        table.time_out()
        assert table.names()[0] == events


def test_option_proof_window_is_how_long_the_others_may_ask() -> None:
    for window, left in (("5s", 5), ("9s", 9)):
        table = in_a_hand(profile="turkish-pagat", opener_proof="on_request", proof_window=window)
        first, *others = table.state.hand_players.values()
        table.act(first, "open", 2)
        for _ in others:
            table.act(table.asked()[0], "fold")
        assert table.left("proof") == timedelta(seconds=left)


def test_every_option_has_a_test_that_is_named_after_it() -> None:
    files = (TESTS / "engine" / "test_option_changes.py", TESTS / "table" / "test_table_options.py")
    tests = re.findall(r"^def test_option_(\w+)", "\n".join(each.read_text() for each in files), re.MULTILINE)
    # These have one value each, which is always played.
    wanted = set(OPTIONS) - {"unopened", "stock_exhaustion"}
    missing = {
        name for name in wanted if not any(re.search(rf"(^|_and_){name}(_|$)", test) for test in tests)
    }
    assert missing == set()
