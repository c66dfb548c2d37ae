"""Standing orders: chips are filled up between hands, as far as the rules allow."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from table.desks import Desk
from table.test_table_leaving import fold_out, in_a_hand
from turkpoker.table.commands import SetAutoTopUp, SitIn, SitOut
from turkpoker.table.errors import Reason
from turkpoker.table.events import AutoTopUpSet, BoughtIn, ChipsAdded, project

PAUSE = timedelta(seconds=3)


def test_chips_are_filled_up_when_the_hand_is_over_and_not_before() -> None:
    desk = in_a_hand(rebuy="between_deals")
    desk.do(SetAutoTopUp("a", 150))
    assert desk.names() == ["auto_top_up_set"]
    fold_out(desk)
    (added,) = [event for event in desk.last.events if isinstance(event, ChipsAdded)]
    (bought,) = [event for event in desk.last.events if isinstance(event, BoughtIn)]
    assert (added.player, added.automatic, added.pending) == ("a", True, False)
    assert bought.amount == added.amount
    assert desk.stacks()["a"] == 150
    # What the table bought is not what the caller of that command bought.
    assert desk.last.bought == 0


def test_between_hands_an_order_is_carried_out_at_once() -> None:
    desk = Desk(hand_pause=PAUSE, rebuy="between_deals")
    desk.join("a")
    desk.do(SetAutoTopUp("a", 130))
    assert desk.stacks() == {"a": 130}
    assert not desk.do(SetAutoTopUp("a", 130)).changed
    desk.do(SetAutoTopUp("a", 0))
    assert desk.state.seats[0].auto_top_up == 0


def test_who_sits_out_is_not_filled_up_until_he_is_back() -> None:
    desk = Desk(hand_pause=PAUSE, rebuy="between_deals")
    desk.join("a")
    desk.do(SitOut("a"))
    desk.do(SetAutoTopUp("a", 130))
    assert desk.stacks() == {"a": 100}
    desk.do(SitIn("a"))
    assert desk.stacks() == {"a": 130}


def test_where_chips_come_only_when_bust_the_order_waits_for_that() -> None:
    desk = in_a_hand(players=2, rebuy="when_bust")
    first = desk.asked()[0]
    second = "b" if first == "a" else "a"
    for player in (first, second):
        desk.do(SetAutoTopUp(player, 100))
    desk.act(first, "open", 99)
    desk.act(second, "call")
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "draw")
    assert sorted(desk.stacks().values()) in ([100, 200], [100, 100])
    assert all(seat.auto_top_up == 100 for seat in desk.state.seats.values())


def test_such_an_order_stands_while_chips_are_left() -> None:
    desk = in_a_hand(rebuy="when_bust")
    for player in "abc":
        desk.do(SetAutoTopUp(player, 100))
    fold_out(desk)
    assert sorted(desk.stacks().values()) == [99, 99, 102]
    assert [seat.auto_top_up for seat in desk.state.seats.values()] == [100, 100, 100]


@pytest.mark.parametrize("target", [-1, 1, 19, 501, 2**62])
def test_a_target_outside_the_buy_in_is_refused_with_the_range(target: int) -> None:
    desk = Desk(hand_pause=PAUSE, rebuy="between_deals")
    desk.join("a")
    error = desk.refuse(SetAutoTopUp("a", target))
    assert (error.reason, error.field) == (Reason.BUY_IN_OUT_OF_RANGE, "target")
    assert error.metadata == {"min": "20", "max": "500"}


def test_where_the_rules_know_no_more_chips_there_is_no_order() -> None:
    desk = Desk(hand_pause=PAUSE, rebuy="none")
    desk.join("a")
    assert desk.refuse(SetAutoTopUp("a", 100)).reason is Reason.NOT_NOW
    assert desk.refuse(SetAutoTopUp("b", 100)).reason is Reason.NOT_YOUR_SEAT
    bust = Desk(hand_pause=PAUSE, rebuy="when_bust")
    bust.join("a")
    assert bust.refuse(SetAutoTopUp("a", 120)).metadata == {"min": "100", "max": "100"}


def test_an_order_ends_by_itself_when_the_rules_forbid_it() -> None:
    desk = in_a_hand(rebuy="between_deals")
    desk.do(SetAutoTopUp("a", 150))
    rules = desk.state.config.rules.changed(rebuy="none")
    desk.state = replace(desk.state, config=replace(desk.state.config, rules=rules))
    fold_out(desk)
    assert AutoTopUpSet(0, "a", 0) in desk.last.events
    assert desk.state.seats[0].auto_top_up == 0


def test_only_he_himself_is_told_of_an_order() -> None:
    event = AutoTopUpSet(0, "a", 150)
    assert project(event, 0, "a") == event
    assert project(event, 0, "b") is None
    assert project(event, None) is None
