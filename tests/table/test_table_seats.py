"""Coming and going: seats, buy-ins, leaving in and between hands, the end of a table."""

from __future__ import annotations

from datetime import timedelta

import pytest
from table.desks import Desk, StackedDealer, snapshot
from turkpoker.engine import MAX_CHIPS
from turkpoker.table.commands import Act, AddChips, Close, Join, Leave, SitIn, SitOut
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.events import BoughtIn, CarriedPotShared, CashedOut, PlayerLeft

PAUSE = timedelta(seconds=3)
#: With three players (28 cards) and B dealing: C has a pair of aces and may open.
ACES_FOR_FIRST = "Ac 8d 9s Ad Td Js Kc Qd 8c 9c Th Jd 8h 9h Ts"


def refused(desk: Desk, command: object) -> TableError:
    before = snapshot(desk.state)
    with pytest.raises(TableError) as caught:
        desk.do(command)  # type: ignore[arg-type]
    assert snapshot(desk.state) == before
    return caught.value


def test_seats_fill_from_the_first_free_one_and_stand_clockwise() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.do(Join("c", "C", 3))
    desk.join("a", "b")
    assert {number: seat.player for number, seat in desk.state.seats.items()} == {0: "a", 1: "b", 3: "c"}
    assert list(desk.state.seats) == [0, 1, 3]


def test_a_buy_in_is_an_event_with_a_transfer_id_and_stands_in_the_ledger() -> None:
    desk = Desk(hand_pause=PAUSE, ante=2)
    desk.do(Join("a", "A", None, 150))
    (bought,) = [event for event in desk.last.events if isinstance(event, BoughtIn)]
    assert (bought.amount, bought.transfer_id) == (150, "t1-2-1-" + bought.transfer_id[-12:])
    assert desk.state.ledger.bought_in == 150
    assert desk.stacks() == {"a": 150}


def test_without_a_buy_in_it_is_the_start_stack() -> None:
    desk = Desk(hand_pause=PAUSE, ante=2)
    desk.join("a")
    assert desk.stacks() == {"a": 200}


@pytest.mark.parametrize("buy_in", [-1, 0, 1, 39, 1001, 2**63, 2**200])
def test_a_buy_in_outside_the_range_is_refused_with_the_range(buy_in: int) -> None:
    error = refused(Desk(ante=2), Join("a", "A", None, buy_in))
    assert error.reason is Reason.BUY_IN_OUT_OF_RANGE
    assert (error.field, error.metadata) == ("buy_in", {"min": "40", "max": "1000"})


@pytest.mark.parametrize("buy_in", [True, 50.0, "50"])
def test_a_buy_in_that_is_no_whole_number_is_refused(buy_in: object) -> None:
    error = refused(Desk(), Join("a", "A", None, buy_in))  # type: ignore[arg-type]
    assert (error.reason, error.field) == (Reason.INVALID_FIELD, "buy_in")


@pytest.mark.parametrize("seat", [-1, 5, 2**40, True])
def test_a_seat_that_is_not_there_is_refused(seat: int) -> None:
    error = refused(Desk(), Join("a", "A", seat))
    assert (error.reason, error.field) == (Reason.INVALID_FIELD, "seat")


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 81])
def test_a_display_name_that_cannot_be_shown_is_refused(name: str) -> None:
    desk = Desk()
    if name == "":
        desk.do(Join("a", name))
        assert desk.state.seats[0].display_name == "a"
        return
    error = refused(desk, Join("a", name))
    assert (error.reason, error.field) == (Reason.INVALID_FIELD, "display_name")


def test_x2_a_taken_seat_and_a_second_seat_are_refused_and_cost_nothing() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.do(Join("a", "A", 2))
    assert refused(desk, Join("b", "B", 2)).reason is Reason.SEAT_TAKEN
    again = refused(desk, Join("a", "A", 3))
    assert (again.reason, again.metadata) == (Reason.ALREADY_SEATED, {"seat": "2"})
    assert desk.state.ledger.bought_in == 100


def test_x11_joining_again_changes_nothing() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.do(Join("a", "A", 2))
    before = snapshot(desk.state)
    for command in (Join("a", "A", 2, 300), Join("a", "Other", None, 300)):
        decision = desk.do(command)
        assert not decision.changed
        assert decision.events == ()
        assert snapshot(desk.state) == before


def test_a_full_table_is_refused() -> None:
    desk = Desk(seat_count=2, hand_pause=PAUSE)
    desk.join("a", "b")
    assert refused(desk, Join("c", "C")).reason is Reason.TABLE_FULL


def test_leaving_between_hands_pays_the_stack() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a", "b")
    decision = desk.leave("a")
    assert decision.cashed_out == 100
    assert desk.names() == ["cashed_out", "player_left"]
    assert desk.stacks() == {"b": 100}
    assert desk.state.ledger.cashed_out == 100


def test_who_does_not_sit_cannot_leave() -> None:
    assert refused(Desk(), Leave("a")).reason is Reason.NOT_YOUR_SEAT


def in_a_hand(**options: object) -> Desk:
    """Three players, 100 each, ante 1; the first after the dealer holds aces and is asked."""
    desk = Desk(StackedDealer({("deal", 1): ACES_FOR_FIRST}), hand_pause=PAUSE, **options)
    desk.join("a", "b", "c")
    desk.time_out()
    return desk


def test_x1_leaving_in_a_hand_folds_at_once_and_pays_what_is_left() -> None:
    desk = in_a_hand()
    first, second, third = (desk.state.hand_players[seat] for seat in desk.state.hand_players)
    desk.act(first, "open", 20)
    # ``first`` has 21 in, and ``second`` is to act.
    decision = desk.leave(first)
    assert decision.cashed_out == 79
    assert not decision.pending
    assert [event.name for event in decision.events][:3] == ["left_folded", "cashed_out", "player_left"]
    assert desk.asked() == [second]
    assert desk.state.hand is not None
    assert desk.state.hand.pot == 23
    assert desk.state.chips() == 300 - 79
    seat = desk.state.seat_of(first)
    assert seat is not None
    assert (desk.state.seats[seat].leaving, desk.state.seats[seat].stack) == (True, 0)
    assert third not in desk.asked()


def test_a_leavers_seat_is_free_when_the_hand_is_over_and_not_before() -> None:
    desk = in_a_hand()
    first, second, third = desk.state.hand_players.values()
    desk.act(first, "open", 20)
    desk.leave(first)
    assert refused(desk, Join(first, "again")).reason is Reason.NOT_NOW
    question = desk.state.decisions()[0].decision_id
    for command in (Leave(first), SitIn(first), SitOut(first), AddChips(first), Act(first, question, "fold")):
        assert refused(desk, command).reason is Reason.NOT_YOUR_SEAT
    # One folds, and the last one takes the antes; the opening that nobody called is the leaver's.
    desk.act(second, "fold")
    assert not desk.state.hand_running
    assert first not in desk.stacks()
    assert desk.stacks()[third] == 99 + 3
    assert desk.last.cashed_out == 0
    assert [(event.player, event.amount) for event in desk.last.events if isinstance(event, CashedOut)] == [
        (first, 20)
    ]
    desk.join(first)
    assert desk.stacks()[first] == 100


def test_an_all_in_leaver_is_paid_after_the_hand() -> None:
    desk = in_a_hand()
    first, second, third = desk.state.hand_players.values()
    desk.act(first, "open", 99)
    decision = desk.leave(first)
    assert (decision.cashed_out, decision.pending) == (0, True)
    assert desk.names() == ["left_all_in"]
    again = desk.leave(first)
    assert (again.changed, again.pending) == (False, True)
    desk.act(second, "call")
    desk.act(third, "fold")
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "draw")
    # Aces against nothing: the pot of 201 is his and is paid out.
    left = [event for event in desk.last.events if isinstance(event, PlayerLeft)]
    paid = [event for event in desk.last.events if isinstance(event, CashedOut)]
    assert [(event.player, event.cashed_out) for event in left] == [(first, 201)]
    assert [(event.player, event.amount) for event in paid] == [(first, 201)]
    assert first not in desk.stacks()
    assert desk.state.chips() == 99


def test_chips_that_come_back_to_a_leaver_are_paid_when_the_hand_is_over() -> None:
    desk = in_a_hand()
    first, second, third = desk.state.hand_players.values()
    desk.act(first, "open", 20)
    desk.act(second, "call")
    desk.act(third, "raise", 60)
    desk.leave(third)  # 39 are his at once; the 40 that nobody has called yet stay for now
    assert desk.last.cashed_out == 39
    desk.act(first, "fold")
    # The last one takes it: the uncalled part of the leaver goes back to him first.
    paid = [event for event in desk.last.events if isinstance(event, CashedOut)]
    assert [(event.player, event.amount) for event in paid] == [(third, 40)]
    assert desk.stacks() == {first: 79, second: 79 + 21 * 3}
    assert desk.state.chips() == 300 - 39 - 40


def dead_hand() -> Desk:
    """Three players after a hand that nobody opened: 3 chips are carried."""
    desk = in_a_hand()
    for _ in range(3):
        desk.act(desk.asked()[0], "check")
    assert desk.state.carried == 3
    return desk


def test_close_pays_everybody_and_shares_the_carried_pot_from_the_dealers_left() -> None:
    desk = dead_hand()
    desk.leave(desk.state.seats[0].player)
    assert desk.state.carried == 3
    desk.close()
    (shared,) = [event for event in desk.last.events if isinstance(event, CarriedPotShared)]
    dealer = desk.state.dealer
    assert dealer is not None
    left_of_dealer = min([1, 2], key=lambda seat: (seat - dealer - 1) % 3)
    assert dict(shared.shares) == {left_of_dealer: 2, 3 - left_of_dealer: 1}
    assert desk.state.closed
    assert desk.state.seats == {}
    assert desk.state.chips() == 0
    assert desk.names()[-1] == "table_closed"
    assert desk.left("next_hand") is None


def test_the_last_to_leave_takes_the_carried_pot() -> None:
    desk = dead_hand()
    players = list(desk.stacks())
    assert [desk.leave(player).cashed_out for player in players] == [99, 99, 102]
    assert desk.state.chips() == 0


def test_only_the_host_closes_and_not_in_a_hand() -> None:
    desk = in_a_hand()
    assert refused(desk, Close("a")).reason is Reason.NOT_THE_HOST
    assert refused(desk, Close("host")).reason is Reason.NOT_NOW


def test_a_closed_table_takes_no_commands() -> None:
    desk = Desk()
    desk.close()
    assert refused(desk, Join("a", "A")).reason is Reason.TABLE_CLOSED
    assert refused(desk, Leave("a")).reason is Reason.TABLE_CLOSED


def test_a_table_takes_no_more_chips_than_the_rules_can_count() -> None:
    desk = Desk(
        hand_pause=PAUSE, ante=2, start_stack=MAX_CHIPS // 2, buy_in_max=MAX_CHIPS // 2, players="2-5"
    )
    desk.join("a", "b")
    assert desk.refuse(Join("c", "C")).reason is Reason.NOT_NOW
    assert desk.refuse(Join("c", "C", buy_in=500)).reason is Reason.NOT_NOW
    desk.leave("b")
    desk.do(Join("c", "C", buy_in=MAX_CHIPS // 2 - 100))
    assert desk.refuse(AddChips("c", 101)).reason in (Reason.BUY_IN_OUT_OF_RANGE, Reason.NOT_NOW)


def test_a_ledger_never_counts_beyond_its_numbers() -> None:
    desk = Desk(hand_pause=PAUSE, ante=2, start_stack=MAX_CHIPS // 2, buy_in_max=MAX_CHIPS // 2)
    while (desk.state.ledger.bought_in + MAX_CHIPS // 2) < 2**63:
        desk.join("a")
        desk.leave("a")
    assert desk.refuse(Join("a", "A")).reason is Reason.NOT_NOW


@pytest.mark.parametrize("players", [("a", "b"), ("a", "b", "c")])
def test_who_sits_out_at_once_where_entry_is_asked_can_leave_in_the_same_hand(
    players: tuple[str, ...],
) -> None:
    desk = Desk(entry="opt_in", seat_count=3)
    desk.join(*players)
    first = desk.asked()[0]
    desk.do(SitOut(first, "now"))
    desk.do(SitIn(first))
    desk.do(SitOut(first, "now"))
    desk.leave(first)
    desk.state.check_chips()
