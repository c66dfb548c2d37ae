"""What hosts and operators may do: pause, send away, change the deals, end, invite."""

from __future__ import annotations

from datetime import timedelta

import pytest
from table.desks import INVITATION, Desk
from table.test_table_leaving import fold_out, in_a_hand
from turkpoker.table.access import check_invited
from turkpoker.table.alarms import NEXT_HAND
from turkpoker.table.commands import (
    Close,
    Command,
    EndSession,
    Join,
    JoinWaitingList,
    Leave,
    Pause,
    Remove,
    RenewInvitation,
    Resume,
    SwitchDealMode,
    TimeOut,
    asked,
)
from turkpoker.table.errors import NotDue, Reason, TableError
from turkpoker.table.events import (
    CarriedPotShared,
    CashedOut,
    MatchEnded,
    PlayerRemoved,
    RulesChanged,
    SessionEnding,
    TableClosed,
    TablePaused,
)
from turkpoker.table.hosting import MAX_REMOVED

PAUSE = timedelta(seconds=3)


@pytest.mark.parametrize(
    "command",
    [
        Close("a"),
        Pause("a"),
        Resume("a"),
        Remove("a", 1, "b"),
        SwitchDealMode("a", "blind"),
        EndSession("a"),
        RenewInvitation("a", "mine"),
    ],
)
def test_these_are_the_hosts_alone(command: Command) -> None:
    desk = Desk(hand_pause=PAUSE, profile="french", private=True)
    desk.do(Join("a", "A", invitation=INVITATION))
    assert desk.refuse(command).reason is Reason.NOT_THE_HOST


# -- pauses ----------------------------------------------------------------------------------------------


def test_a_pause_lets_the_running_hand_go_on_and_no_other_begin() -> None:
    desk = in_a_hand()
    desk.do(Pause("host", reason="tea"))
    assert desk.last.events == (TablePaused(by_operator=False, reason="tea"),)
    assert desk.asked()
    fold_out(desk)
    assert NEXT_HAND not in desk.state.alarms
    with pytest.raises(NotDue):
        desk.do(TimeOut())
    assert not desk.do(Pause("host", reason="tea")).changed
    desk.do(Resume("host"))
    assert desk.names() == ["table_resumed"]
    assert desk.state.alarms[NEXT_HAND].after == PAUSE
    assert not desk.do(Resume("host")).changed
    desk.time_out()
    assert desk.state.hand_running


def test_without_a_pause_between_hands_resuming_deals_at_once() -> None:
    desk = Desk(seat_count=3)
    desk.do(Pause("host"))
    desk.join("a", "b")
    assert not desk.state.hand_running
    desk.do(Resume("host"))
    assert desk.state.hand_running


def test_an_operators_pause_is_not_the_hosts_to_end() -> None:
    desk = in_a_hand()
    desk.do(Pause("host"))
    desk.do(Pause("boss", operator=True, reason="audit"))
    assert desk.last.events == (TablePaused(by_operator=True, reason="audit"),)
    assert not desk.do(Pause("host")).changed
    error = desk.refuse(Resume("host"))
    assert (error.reason, error.metadata) == (Reason.ROLE_MISSING, {"role": "operator"})
    desk.do(Resume("other boss", operator=True))
    assert not desk.state.paused
    desk.do(Pause("host"))
    desk.do(Resume("boss", operator=True))
    assert not desk.state.paused


@pytest.mark.parametrize("reason", ["x" * 201, "a\nb", " "])
def test_a_reason_that_cannot_be_shown_is_refused(reason: str) -> None:
    for command in (Pause("host", reason=reason), Close("host", reason=reason)):
        error = Desk().refuse(command)
        assert (error.reason, error.field) == (Reason.INVALID_FIELD, "reason")


# -- sending away ----------------------------------------------------------------------------------------


def test_who_is_sent_away_is_folded_paid_and_cannot_come_back() -> None:
    desk = in_a_hand()
    first = desk.asked()[0]
    seat = desk.state.seat_of(first)
    assert seat is not None
    desk.do(Remove("boss", seat, first, operator=True))
    assert desk.last.events[0] == PlayerRemoved(seat, first, by_operator=True)
    assert [(event.player, event.amount) for event in desk.last.events if isinstance(event, CashedOut)] == [
        (first, 99)
    ]
    assert desk.last.cashed_out == 0  # it is not who removed him that was paid
    fold_out(desk)
    assert first not in desk.stacks()
    assert desk.refuse(Join(first, "A")).reason is Reason.REMOVED
    assert desk.refuse(JoinWaitingList(first, "A")).reason is Reason.REMOVED


def test_a_host_sends_nobody_away_who_is_in_the_running_hand() -> None:
    desk = in_a_hand()
    first = desk.asked()[0]
    seat = desk.state.seat_of(first)
    assert seat is not None
    refusal = desk.refuse(Remove("host", seat, first))
    assert refusal.reason is Reason.NOT_NOW
    desk.act(first, "open", 20)
    second = desk.asked()[0]
    other = desk.state.seat_of(second)
    assert other is not None
    desk.act(second, "fold")
    desk.do(Remove("host", other, second))  # he has nothing to lose any more
    assert desk.last.events[0] == PlayerRemoved(other, second, by_operator=False)


def test_seat_and_player_must_both_be_right() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a", "b")
    for seat, player in ((0, "b"), (3, "a")):
        assert desk.refuse(Remove("host", seat, player)).reason is Reason.NOT_NOW
    assert desk.refuse(Remove("host", 9, "a")).field == "seat"
    assert desk.refuse(Remove("host", 0, "")).field == "player"


def test_nobody_sends_himself_away() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("host")
    error = desk.refuse(Remove("host", 0, "host"))
    assert (error.reason, error.field) == (Reason.INVALID_FIELD, "player")


def test_who_has_left_all_in_can_still_be_kept_from_coming_back() -> None:
    desk = in_a_hand()
    first = desk.asked()[0]
    seat = desk.state.seat_of(first)
    assert seat is not None
    desk.act(first, "open", 99)
    desk.do(Leave(first))
    desk.do(Remove("host", seat, first))
    assert desk.names() == ["player_removed"]
    assert not desk.do(Remove("host", seat, first)).changed


def test_an_operator_may_send_the_host_away() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("host")
    desk.do(Remove("boss", 0, "host", operator=True))
    assert desk.last.events[0] == PlayerRemoved(0, "host", by_operator=True)
    assert desk.refuse(Join("host", "H")).reason is Reason.REMOVED


def test_only_so_many_can_be_sent_away() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.state.removed = tuple(f"p{number}" for number in range(MAX_REMOVED))
    desk.join("a")
    assert desk.refuse(Remove("host", 0, "a")).reason is Reason.NOT_NOW


# -- the deals of a French table -------------------------------------------------------------------------


def test_a_french_table_changes_its_deals_from_the_next_hand_on() -> None:
    desk = in_a_hand(profile="french", opening_requirement="J", opener_proof="showdown_only")
    desk.do(SwitchDealMode("host", "blind"))
    assert desk.last.events == (RulesChanged("blind"),)
    assert desk.state.config.rules.deal_mode == "blind"
    assert desk.state.hand is not None
    assert desk.state.hand.rules.deal_mode == "ante"
    while desk.state.hand_running:
        desk.time_out()
    assert desk.last.finished[0].record["options"].get("deal_mode", "ante") == "ante"
    desk.state.carried_blind = False
    for player in list(desk.stacks()):
        desk.join(player)
    desk.time_out()
    assert desk.state.hand.rules.deal_mode == "blind"
    assert not desk.do(SwitchDealMode("host", "blind")).changed
    desk.do(SwitchDealMode("host", "ante"))
    assert desk.state.config.rules.deal_mode == "ante"


def test_other_tables_do_not_change_their_deals() -> None:
    error = Desk().refuse(SwitchDealMode("host", "blind"))
    assert (error.reason, error.field) == (Reason.RULES_NOT_PLAYABLE, "deal_mode")
    error = Desk(profile="french").refuse(SwitchDealMode("host", "both"))
    assert (error.reason, error.field) == (Reason.INVALID_FIELD, "deal_mode")


def test_what_the_rules_forbid_is_refused_with_their_reason() -> None:
    error = Desk(profile="french", karanlik="on").refuse(SwitchDealMode("host", "blind"))
    assert (error.reason, error.field) == (Reason.RULES_NOT_PLAYABLE, "deal_mode")
    assert error.message.startswith("karanlik: ")


# -- the end ---------------------------------------------------------------------------------------------


def dead_hand() -> Desk:
    desk = in_a_hand()
    for _ in range(3):
        desk.act(desk.asked()[0], "check")
    assert desk.state.carried == 3
    return desk


def test_between_hands_a_session_ends_at_once() -> None:
    desk = dead_hand()
    desk.do(EndSession("host"))
    assert desk.last.events[0] == SessionEnding(by_operator=False)
    (shared,) = [event for event in desk.last.events if isinstance(event, CarriedPotShared)]
    assert [amount for _, amount in shared.shares] == [1, 1, 1]
    (ended,) = [event for event in desk.last.events if isinstance(event, MatchEnded)]
    assert [(each.place, each.chips) for each in ended.placings] == [(1, 100)] * 3
    assert desk.last.events[-1] == TableClosed()
    assert (desk.state.closed, desk.state.seats, desk.state.chips()) == (True, {}, 0)


def test_in_a_hand_it_ends_when_the_hand_is_over() -> None:
    desk = in_a_hand()
    desk.do(EndSession("boss", operator=True))
    assert desk.last.events == (SessionEnding(by_operator=True),)
    assert not desk.do(EndSession("host")).changed
    assert desk.refuse(Join("d", "D")).reason is Reason.NOT_NOW
    assert desk.refuse(JoinWaitingList("d", "D")).reason is Reason.NOT_NOW
    fold_out(desk)
    (ended,) = [event for event in desk.last.events if isinstance(event, MatchEnded)]
    assert [each.chips for each in ended.placings] == sorted(
        (each.chips for each in ended.placings), reverse=True
    )
    assert sum(each.chips for each in ended.placings) == 300
    assert desk.state.closed
    assert desk.state.alarms == {}


def test_a_tournament_is_not_ended_before_it_has_its_winner() -> None:
    desk = Desk(hand_pause=PAUSE, seat_count=2, match="tournament")
    desk.join("a", "b")
    desk.time_out()
    assert desk.refuse(EndSession("host")).reason is Reason.NOT_NOW


def test_an_operator_may_close_and_say_why() -> None:
    desk = Desk(hand_pause=PAUSE)
    desk.join("a")
    desk.do(Close("boss", operator=True, reason="maintenance"))
    assert desk.last.events[-1] == TableClosed("maintenance")


# -- private tables --------------------------------------------------------------------------------------


def private_table() -> Desk:
    return Desk(hand_pause=PAUSE, private=True, seat_count=2)


@pytest.mark.parametrize("invitation", ["", "wrong", INVITATION[:-1], INVITATION + "x", "\ud800"])
def test_without_the_invitation_nobody_comes_in(invitation: str) -> None:
    desk = private_table()
    assert desk.refuse(Join("a", "A", invitation=invitation)).reason is Reason.NOT_INVITED
    assert desk.refuse(JoinWaitingList("a", "A", invitation)).reason is Reason.NOT_INVITED
    with pytest.raises(TableError):
        check_invited(desk.state, "a", (), invitation)


def test_an_empty_invitation_never_opens() -> None:
    desk = private_table()
    desk.state.invitation = ""
    assert desk.refuse(Join("a", "A")).reason is Reason.NOT_INVITED


def test_guests_host_and_operators_come_in() -> None:
    desk = private_table()
    desk.do(Join("a", "A", invitation=INVITATION))
    desk.do(Join("host", "H"))
    # Who sits there needs it no more.
    check_invited(desk.state, "a", (), "")
    check_invited(desk.state, "host", ("player",), "")
    check_invited(desk.state, "boss", ("operator",), "")
    desk.do(JoinWaitingList("c", "C", INVITATION))
    check_invited(desk.state, "c", (), "")
    assert not desk.do(Join("a", "A")).changed
    desk.do(Leave("a"))
    desk.do(Join("c", "C"))
    with pytest.raises(TableError):
        check_invited(desk.state, "a", (), "")


def test_who_was_sent_away_does_not_look_on_either() -> None:
    desk = private_table()
    desk.do(Join("a", "A", invitation=INVITATION))
    desk.do(Remove("host", 0, "a"))
    with pytest.raises(TableError) as caught:
        check_invited(desk.state, "a", (), INVITATION)
    assert caught.value.reason is Reason.REMOVED


def test_a_new_invitation_makes_the_old_one_worthless() -> None:
    desk = private_table()
    desk.do(RenewInvitation("host", "another one"))
    assert desk.last.events == ()
    assert desk.refuse(Join("a", "A", invitation=INVITATION)).reason is Reason.NOT_INVITED
    desk.do(Join("a", "A", invitation="another one"))
    assert Desk().refuse(RenewInvitation("host", "x")).reason is Reason.NOT_NOW


def test_no_text_of_a_state_or_command_holds_the_invitation() -> None:
    desk = private_table()
    commands = (
        Join("a", "A", invitation=INVITATION),
        JoinWaitingList("a", "A", INVITATION),
        RenewInvitation("host", INVITATION),
    )
    for thing in (desk.state, *commands):
        assert INVITATION not in repr(thing)


def test_a_repeated_request_for_an_invitation_is_the_same_request() -> None:
    first, second = RenewInvitation("host", "one"), RenewInvitation("host", "two")
    assert list(asked(first)) == list(asked(second))
