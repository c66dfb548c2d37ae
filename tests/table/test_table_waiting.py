"""The waiting list: who waits for a seat gets the next free one, and nobody else does."""

from __future__ import annotations

from datetime import timedelta

from table.desks import Desk
from table.test_table_leaving import fold_out, in_a_hand
from turkpoker.table.alarms import offer_alarm
from turkpoker.table.commands import Close, Join, JoinWaitingList, Leave, LeaveWaitingList, Pause, Remove
from turkpoker.table.errors import Reason
from turkpoker.table.events import Waiting, WaitingListChanged
from turkpoker.table.waiting import MAX_WAITING, OFFER_LIFE

PAUSE = timedelta(seconds=3)


def full_table(*waiting: str) -> Desk:
    """Two seats, taken by a and b, and who waits for them."""
    desk = Desk(hand_pause=PAUSE, seat_count=2)
    desk.join("a", "b")
    for player in waiting:
        desk.do(JoinWaitingList(player, player.upper()))
    return desk


def line(desk: Desk) -> list[tuple[str, int | None]]:
    return [(each.player, each.offered_seat) for each in desk.state.waiting]


def test_who_comes_to_a_full_table_stands_in_line() -> None:
    desk = full_table("c", "d")
    assert desk.last.events == (WaitingListChanged((Waiting("c", "C"), Waiting("d", "D"))),)
    assert not desk.do(JoinWaitingList("c", "C")).changed
    assert desk.refuse(JoinWaitingList("a", "A")).reason is Reason.ALREADY_SEATED


def test_where_a_seat_is_free_there_is_no_list() -> None:
    desk = Desk(hand_pause=PAUSE, seat_count=2)
    desk.join("a")
    error = desk.refuse(JoinWaitingList("c", "C"))
    assert (error.reason, error.metadata) == (Reason.TABLE_NOT_FULL, {"seat": "1"})


def test_a_free_seat_is_kept_for_the_first_in_line() -> None:
    desk = full_table("c", "d")
    desk.do(Leave("b"))
    assert line(desk) == [("c", 1), ("d", None)]
    assert isinstance(desk.last.events[-1], WaitingListChanged)
    for other in ("d", "e"):
        error = desk.refuse(Join(other, "X", 1))
        assert (error.reason, error.metadata) == (Reason.SEAT_TAKEN, {"seat": "1"})
        assert "kept" in error.message
        assert desk.refuse(Join(other, "X")).reason is Reason.TABLE_FULL
    # The table is still full for everybody else, who may stand in line.
    desk.do(JoinWaitingList("e", "E"))
    desk.do(Join("c", "C"))
    assert desk.state.seats[1].player == "c"
    assert line(desk) == [("d", None), ("e", None)]


def test_a_second_free_seat_is_kept_for_the_second() -> None:
    desk = full_table("c", "d")
    desk.do(Leave("b"))
    desk.do(Leave("a"))
    assert line(desk) == [("c", 1), ("d", 0)]
    assert desk.refuse(Join("d", "D", 1)).reason is Reason.SEAT_TAKEN
    desk.do(Join("d", "D"))
    assert desk.state.seats[0].player == "d"


def test_who_gives_his_place_up_passes_the_seat_on() -> None:
    desk = full_table("c", "d")
    desk.do(Leave("b"))
    desk.do(LeaveWaitingList("c"))
    assert line(desk) == [("d", 1)]
    assert not desk.do(LeaveWaitingList("c")).changed
    desk.do(LeaveWaitingList("d"))
    assert line(desk) == []
    desk.do(Join("e", "E"))


def test_a_seat_of_a_leaver_is_offered_when_the_hand_is_over() -> None:
    desk = in_a_hand(seat_count=3)
    desk.do(JoinWaitingList("d", "D"))
    leaver = desk.asked()[0]
    seat = desk.state.seat_of(leaver)
    desk.do(Leave(leaver))
    assert line(desk) == [("d", None)]
    fold_out(desk)
    assert line(desk) == [("d", seat)]


def test_only_so_many_wait() -> None:
    desk = full_table(*(f"w{number}" for number in range(MAX_WAITING)))
    assert desk.refuse(JoinWaitingList("one too many", "X")).reason is Reason.NOT_NOW


def test_an_offer_lapses_and_goes_to_the_next() -> None:
    desk = full_table("c", "d")
    desk.do(Leave("b"))
    assert desk.state.alarms[offer_alarm(1)].after == OFFER_LIFE
    (changed,) = [event for event in desk.last.events if isinstance(event, WaitingListChanged)]
    assert [each.offer is not None for each in changed.waiting] == [True, False]
    first = desk.state.alarms[offer_alarm(1)]
    desk.time_out()
    assert line(desk) == [("d", 1)]
    assert desk.names() == ["waiting_list_changed"]
    # The next one has his whole time.
    assert desk.state.alarms[offer_alarm(1)] != first
    desk.time_out()
    assert line(desk) == []
    assert offer_alarm(1) not in desk.state.alarms
    desk.do(Join("e", "E", 1))


def test_an_offer_taken_or_given_up_has_no_alarm() -> None:
    desk = full_table("c", "d")
    desk.do(Leave("b"))
    desk.do(Leave("a"))
    assert {name for name in desk.state.alarms if name.startswith("offer")} == {
        offer_alarm(0),
        offer_alarm(1),
    }
    desk.do(Join("c", "C"))
    desk.do(LeaveWaitingList("d"))
    assert not any(name.startswith("offer") for name in desk.state.alarms)


def test_who_comes_and_goes_beside_an_offer_does_not_make_it_longer() -> None:
    desk = full_table("c")
    desk.do(Leave("b"))
    before = desk.state.alarms[offer_alarm(1)]
    desk.wait(5)
    desk.do(JoinWaitingList("d", "D"))
    assert desk.state.alarms[offer_alarm(1)] == before


def test_the_end_of_the_table_is_the_end_of_the_list() -> None:
    desk = full_table("c")
    desk.do(Close("host"))
    assert desk.last.events[-2] == WaitingListChanged(())
    assert desk.state.waiting == ()


def test_who_waits_without_a_seat_and_is_sent_away_by_another_seat_is_struck() -> None:
    desk = full_table("c")
    desk.do(Pause("host"))
    desk.do(Remove("host", 0, "a"))
    assert line(desk) == [("c", 0)]
    assert desk.refuse(JoinWaitingList("a", "A")).reason is Reason.REMOVED


def test_nobody_waits_for_a_tournament_that_has_begun() -> None:
    desk = Desk(hand_pause=PAUSE, seat_count=2, match="tournament")
    desk.join("a", "b")
    desk.do(JoinWaitingList("c", "C"))
    desk.time_out()
    assert line(desk) == []
    assert WaitingListChanged(()) in desk.last.events
    assert desk.refuse(JoinWaitingList("d", "D")).reason is Reason.NOT_NOW


def test_a_name_that_cannot_be_shown_is_refused() -> None:
    desk = full_table()
    for name in ("x" * 81, "a\nb", " "):
        error = desk.refuse(JoinWaitingList("c", name))
        assert (error.reason, error.field) == (Reason.INVALID_FIELD, "display_name")
