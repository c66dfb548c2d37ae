"""More chips, levels, elimination and the end of a match."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from table.desks import Desk, SeededDealer, StackedDealer, snapshot
from turkpoker.table.commands import AddChips, Join, SitIn, SitOut
from turkpoker.table.errors import NotDue, Reason, TableError
from turkpoker.table.events import BoughtIn, ChipsAdded, LevelStarted, MatchEnded, PlayerEliminated

PAUSE = timedelta(seconds=3)
#: Three players: aces, jacks and kings in the order of the deal.
DEAL = "Ac 8d 9s Ad Td Js Kc Qd 8c 9c Th Jd 8h 9h Ts"


def refused(desk: Desk, command: Any) -> TableError:
    before = snapshot(desk.state)
    with pytest.raises(TableError) as caught:
        desk.do(command)
    assert snapshot(desk.state) == before
    return caught.value


def in_a_hand(**options: Any) -> Desk:
    desk = Desk(StackedDealer({("deal", 1): DEAL}), hand_pause=PAUSE, **options)
    desk.join("a", "b", "c")
    desk.time_out()
    return desk


def all_in(desk: Desk) -> tuple[str, str, str]:
    """The first is all-in with aces, the second calls and loses, the third folds."""
    first, second, third = desk.state.hand_players.values()
    seat = desk.state.seat_of(first)
    assert seat is not None
    desk.act(first, "open", desk.state.seats[seat].stack)
    desk.act(second, "call")
    desk.act(third, "fold")
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "draw")
    return first, second, third


def test_x3_chips_added_in_a_hand_wait_until_it_is_over() -> None:
    desk = in_a_hand()
    first = desk.asked()[0]
    decision = desk.do(AddChips(first, 100))
    assert (decision.bought, decision.pending) == (100, True)
    (added,) = [event for event in desk.last.events if isinstance(event, ChipsAdded)]
    assert (added.amount, added.pending) == (100, True)
    assert desk.stacks()[first] == 99
    decisions = desk.state.decisions()
    assert decisions[0].legal is not None
    assert decisions[0].legal["open"] == (2, 99)
    assert desk.state.ledger.bought_in == 400
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    assert desk.stacks()[first] == 199


def test_chips_added_between_hands_are_there_at_once() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a")
    decision = desk.do(AddChips("a", 400))
    assert (decision.bought, decision.pending) == (400, False)
    assert desk.stacks() == {"a": 500}
    (bought,) = [event for event in desk.last.events if isinstance(event, BoughtIn)]
    assert bought.amount == 400
    error = refused(desk, AddChips("a", 1))
    assert error.reason is Reason.NOT_NOW


@pytest.mark.parametrize("amount", [0, -1, 401, 2**70])
def test_chips_beyond_the_greatest_buy_in_are_refused_with_the_range(amount: int) -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a")
    error = refused(desk, AddChips("a", amount))
    assert (error.reason, error.field) == (Reason.BUY_IN_OUT_OF_RANGE, "amount")
    assert error.metadata == {"min": "1", "max": "400"}


def test_without_an_amount_it_is_up_to_the_start_stack() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a", buy_in=40)
    assert desk.do(AddChips("a")).bought == 60
    assert refused(desk, AddChips("a")).reason is Reason.NOT_NOW


def test_who_is_bust_buys_a_whole_buy_in_and_plays_again() -> None:
    desk = in_a_hand()
    _, second, _ = all_in(desk)
    assert desk.stacks()[second] == 0
    assert refused(desk, AddChips(second, 19)).metadata == {"min": "20", "max": "500"}
    desk.do(AddChips(second))
    assert desk.stacks()[second] == 100
    desk.time_out()
    assert second in desk.state.hand_players.values()


def test_a_rebuy_when_bust_is_for_who_is_bust_and_for_the_start_alone() -> None:
    desk = in_a_hand(rebuy="when_bust")
    assert refused(desk, AddChips("a", 50)).reason is Reason.NOT_NOW
    first = desk.asked()[0]
    desk.act(first, "open", 99)
    assert refused(desk, AddChips(first)).reason is Reason.NOT_NOW
    second, third = desk.asked()[0], next(name for name in "abc" if name not in (first, desk.asked()[0]))
    desk.act(second, "call")
    desk.act(third, "fold")
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "draw")
    assert refused(desk, AddChips(second, 50)).metadata == {"min": "100", "max": "100"}
    assert desk.do(AddChips(second)).bought == 100


def test_who_does_not_sit_adds_no_chips_and_without_rebuys_nobody_does() -> None:
    assert refused(Desk(), AddChips("a", 50)).reason is Reason.NOT_YOUR_SEAT
    desk = Desk(rebuy="none")
    desk.join("a")
    assert refused(desk, AddChips("a", 50)).reason is Reason.NOT_NOW


def tournament(*players: str, dealer: Any = None, **options: Any) -> Desk:
    dealer = dealer or StackedDealer({("deal", 1): DEAL} if len(players) == 3 else {})
    seat_count = options.pop("seat_count", len(players))
    desk = Desk(dealer, seat_count=seat_count, hand_pause=PAUSE, match="tournament", **options)
    desk.join(*players)
    return desk


def test_a_tournament_begins_when_all_seats_are_taken_with_equal_stacks() -> None:
    desk = tournament("a", "b", seat_count=3)
    assert desk.left("next_hand") is None
    with pytest.raises(NotDue):
        desk.time_out()
    assert refused(desk, Join("c", "C", None, 99)).metadata == {"min": "100", "max": "100"}
    desk.join("c")
    assert desk.left("next_hand") == PAUSE
    desk.time_out()
    assert len(desk.state.hand_players) == 3
    desk.leave("a")
    assert refused(desk, Join("d", "D")).reason is Reason.NOT_NOW


def test_who_loses_his_last_chip_is_placed_and_the_deck_shrinks() -> None:
    desk = tournament("a", "b", "c")
    desk.time_out()
    first, second, third = all_in(desk)
    (out,) = [event for event in desk.last.events if isinstance(event, PlayerEliminated)]
    assert (out.player, out.place) == (second, 3)
    desk.time_out()
    assert sorted(desk.state.hand_players.values()) == sorted([first, third])
    assert desk.state.hand is not None
    assert len(desk.state.hand.record().deck) == 24


def test_the_last_one_wins_and_takes_the_carried_pot() -> None:
    desk = tournament("a", "b")
    desk.time_out()
    for player in desk.asked():
        desk.act(player, "check")
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    assert desk.state.carried == 2
    desk.leave("b")
    (ended,) = [event for event in desk.last.events if isinstance(event, MatchEnded)]
    assert [(placing.player, placing.place, placing.chips) for placing in ended.placings] == [
        ("a", 1, 101),
        ("b", 2, 0),
    ]
    assert desk.stacks() == {"a": 101}
    assert desk.left("next_hand") is None
    assert desk.state.match_over
    assert desk.state.alarms.keys() == {"away:0"}
    assert refused(desk, Join("c", "C")).reason is Reason.NOT_NOW
    assert desk.leave("a").cashed_out == 101


def test_leaving_in_a_hand_of_a_tournament_is_going_out() -> None:
    desk = tournament("a", "b", "c")
    desk.time_out()
    first = desk.asked()[0]
    desk.leave(first)
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    (out,) = [event for event in desk.last.events if isinstance(event, PlayerEliminated)]
    assert (out.player, out.place) == (first, 3)


def test_levels_follow_the_hands_and_stay_at_the_last() -> None:
    levels = [{"hands": 1, "ante": 1, "stake_min": 2}, {"hands": 2, "ante": 5, "stake_min": 10}]
    levels.append({"hands": 1, "ante": 7, "stake_min": 14})
    desk = tournament("a", "b", levels=levels)
    antes, started = [], []
    for _ in range(6):
        desk.time_out()
        started += [event.level for event in desk.last.events if isinstance(event, LevelStarted)]
        antes += [event.amount for event in desk.last.events if event.name == "ante_posted"][:1]  # type: ignore[union-attr]
        while desk.state.hand_running:
            desk.act(desk.asked()[0], "check")
    assert antes == [1, 5, 5, 7, 7, 7]
    assert started == [1, 2, 3]


def test_levels_in_minutes_follow_the_clock_of_the_store() -> None:
    levels = [{"minutes": 10, "ante": 1, "stake_min": 2}, {"minutes": 10, "ante": 5, "stake_min": 10}]
    desk = tournament("a", "b", levels=levels)
    antes = []
    for minute in (0, 9, 10, 30):
        desk.state = replace(desk.state, time=datetime(2026, 12, 1, 20, minute, tzinfo=UTC))
        desk.time_out()
        antes += [event.amount for event in desk.last.events if event.name == "ante_posted"][:1]  # type: ignore[union-attr]
        while desk.state.hand_running:
            desk.act(desk.asked()[0], "check")
    assert antes == [1, 1, 5, 5]


def test_who_sits_out_in_a_tournament_is_dealt_in_and_answered_for_at_once() -> None:
    desk = tournament("a", "b", "c")
    desk.do(SitOut("c"))
    desk.time_out()
    assert "c" in desk.state.hand_players.values()
    for _ in range(3):
        while desk.state.hand_running:
            assert desk.asked() != ["c"]
            desk.act(desk.asked()[0], "check")
        desk.time_out()
    assert desk.stacks()["c"] == 96
    assert desk.state.seats[2].timeouts == 0


def test_a_tournament_of_absent_players_comes_to_its_end() -> None:
    desk = tournament("a", "b", "c", dealer=SeededDealer(3), ante=20, stake_min=20)
    for player in "abc":
        desk.do(SitOut(player))
    for _ in range(200):
        if desk.state.match_over:
            break
        desk.time_out()
    assert desk.state.match_over
    assert sorted(desk.stacks().values())[:2] == [0, 0]
    assert sum(desk.stacks().values()) == desk.state.ledger.bought_in


def test_who_sits_out_in_a_tournament_with_opt_in_entry_comes_in_and_holds_nobody_up() -> None:
    desk = tournament("a", "b", dealer=SeededDealer(3), entry="opt_in")
    desk.do(SitOut("b"))
    desk.time_out()
    assert desk.asked() == ["a"]
    desk.act("a", "enter")
    assert desk.stacks() == {"a": 99, "b": 99}
    assert desk.state.hand_running


@pytest.mark.parametrize("options", [{"ante": 0, "stake_min": 2}, {"max_carries": 1}])
def test_absent_players_whom_no_hand_costs_a_chip_are_dealt_no_more_until_one_is_back(
    options: dict[str, Any],
) -> None:
    desk = tournament("a", "b", "c", dealer=SeededDealer(3), **options)
    for player in "abc":
        desk.do(SitOut(player))
    for _ in range(10):
        if desk.left("next_hand") is None:
            break
        desk.time_out()
    assert desk.left("next_hand") is None
    assert not desk.state.match_over
    with pytest.raises(NotDue):
        desk.time_out()
    hands = desk.state.hand_number
    desk.do(SitIn("b"))
    assert desk.left("next_hand") == desk.state.config.hand_pause
    desk.time_out()
    assert desk.state.hand_number == hands + 1
    assert desk.asked() == ["b"]


def test_closing_a_session_says_how_it_stands() -> None:
    desk = in_a_hand()
    first, second, third = all_in(desk)
    desk.close()
    (ended,) = [event for event in desk.last.events if isinstance(event, MatchEnded)]
    assert [(placing.player, placing.place, placing.chips) for placing in ended.placings] == [
        (first, 1, 201),
        (third, 2, 99),
        (second, 3, 0),
    ]


def test_a_pot_carried_out_of_a_blind_deal_is_played_for_with_antes() -> None:
    desk = Desk(
        SeededDealer(1), profile="french", deal_mode="blind", over_blind=0, stake_min=4, hand_pause=PAUSE
    )
    desk.join("a", "b", "c")
    desk.time_out()
    assert "blind_posted" in desk.names()
    desk.act(desk.asked()[0], "call")
    desk.act(desk.asked()[0], "call")
    desk.act(desk.asked()[0], "check")
    while desk.state.hand_running:
        legal = desk.state.decisions()[0].legal or {}
        desk.act(desk.asked()[0], "draw" if "draw" in legal else "check")
    assert desk.state.carried == 12
    desk.time_out()
    assert desk.names().count("ante_posted") == 3
    assert "blind_posted" not in desk.names()


#: Nobody of three has jacks or better, then somebody has.
NO_OPENERS = "2c 3d 4h 5c 6d 7h 8s 9s Ts Jc Qd Kh 2d 3h 4c"
OPENERS = "Ac Kd Qh Ad 6d 7h 8s 9s Ts Jc Qd Kh 2d 3h 4c"


def test_rules_7_3_4_all_ante_again_until_a_pot_carried_out_of_a_blind_deal_is_won() -> None:
    desk = Desk(
        StackedDealer({("deal", 1): NO_OPENERS, ("deal", 2): NO_OPENERS, ("deal", 3): OPENERS}),
        profile="french",
        deal_mode="blind",
        over_blind=0,
        stake_min=4,
        hand_pause=PAUSE,
    )
    desk.join("a", "b", "c")
    desk.time_out()
    assert "blind_posted" in desk.names()
    for action in ("call", "call", "check"):
        desk.act(desk.asked()[0], action)
    while desk.state.hand_running:
        legal = desk.state.decisions()[0].legal or {}
        desk.act(desk.asked()[0], "draw" if "draw" in legal else "check")
    assert desk.state.carried == 12
    # Dealt with antes and opened by nobody: all re-ante.
    desk.time_out()
    assert desk.names().count("ante_posted") == 3
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")
    assert desk.state.carried == 24
    desk.time_out()
    assert desk.names().count("ante_posted") == 3
    assert "blind_posted" not in desk.names()
    # Won at last: blind deals again.
    desk.act(desk.asked()[0], "open", 4)
    for _ in range(2):
        desk.act(desk.asked()[0], "fold")
    assert desk.state.carried == 0
    desk.time_out()
    assert "blind_posted" in desk.names()
    assert "ante_posted" not in desk.names()


def test_rules_7_3_4_a_pot_that_is_paid_out_between_hands_leaves_blind_deals_behind() -> None:
    desk = Desk(StackedDealer(), profile="french", deal_mode="blind", over_blind=0, hand_pause=PAUSE)
    desk.join("a", "b", "c")
    desk.time_out()
    for action in ("call", "call", "check"):
        desk.act(desk.asked()[0], action)
    while desk.state.hand_running:
        legal = desk.state.decisions()[0].legal or {}
        desk.act(desk.asked()[0], "draw" if "draw" in legal else "check")
    assert desk.state.carried > 0
    for player in "abc":
        desk.leave(player)
    assert desk.state.carried == 0
    desk.join("d", "e", "f")
    desk.time_out()
    assert "blind_posted" in desk.names()
