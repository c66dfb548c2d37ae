"""The waiting list of a full table: order kept, and a seat that gets free is kept for the first in line."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from turkpoker.table.access import check_invited, check_not_removed
from turkpoker.table.alarms import is_offer_alarm, offer_alarm
from turkpoker.table.checking import checked_person
from turkpoker.table.commands import JoinWaitingList, LeaveWaitingList
from turkpoker.table.desk import Desk
from turkpoker.table.errors import Reason, TableError, not_now
from turkpoker.table.events import Waiting, WaitingListChanged
from turkpoker.table.state import TableState

MAX_WAITING = 20
#: So long a free seat is kept for who waits for it.
OFFER_LIFE = timedelta(seconds=60)


def join_list(desk: Desk, command: JoinWaitingList) -> bool:
    """Wait for a seat; whether anything changed."""
    state = desk.state
    player, display_name = checked_person(command.player, command.display_name)
    check_comer(state, player, command.invitation, operator=command.operator)
    if (held := state.seat_of(player)) is not None:
        raise TableError(
            Reason.ALREADY_SEATED, f"you sit on seat {held}", field="name", metadata={"seat": str(held)}
        )
    if any(each.player == player for each in state.waiting):
        return False
    if free := free_seats(state, player):
        raise TableError(
            Reason.TABLE_NOT_FULL,
            f"seat {free[0]} is free: join the table",
            metadata={"seat": str(free[0])},
        )
    if len(state.waiting) >= MAX_WAITING:
        raise not_now(f"{MAX_WAITING} are waiting already")
    state.waiting += (Waiting(player, display_name),)
    return True


def leave_list(desk: Desk, command: LeaveWaitingList) -> bool:
    """Wait no more; whether anything changed."""
    return strike(desk.state, command.player)


def check_comer(state: TableState, player: str, invitation: str, *, operator: bool) -> None:
    """Refuse who may not come to the table, or when nobody may.

    Raises:
        TableError: NOT_INVITED, REMOVED, NOT_NOW.
    """
    check_invited(state, player, ("operator",) if operator else (), invitation)
    check_not_removed(state, player)
    if state.tournament and state.hand_number:
        raise not_now("the tournament has begun")
    if state.ending:
        raise not_now("the session ends after this hand")


def strike(state: TableState, player: str) -> bool:
    """Take a player off the list; whether he was on it. A seat kept for him is free again."""
    rest = tuple(each for each in state.waiting if each.player != player)
    was_there = len(rest) < len(state.waiting)
    state.waiting = rest
    return was_there


def free_seats(state: TableState, player: str) -> list[int]:
    """The seats that a player may take: nobody sits there, and they are kept for nobody else.

    A seat that is kept for him comes first.
    """
    kept = {each.offered_seat: each.player for each in state.waiting if each.offered_seat is not None}
    free = [
        number
        for number in range(state.config.seat_count)
        if number not in state.seats and kept.get(number, player) == player
    ]
    return sorted(free, key=lambda number: number not in kept)


def offer_seats(desk: Desk) -> None:
    """Keep what has got free for those who wait, first come first, and tell when the list has changed.

    Who does not come in time is off the list, and the seat is kept for the next one. Nobody waits for a
    tournament that has begun, since nobody comes to it later.
    """
    state = desk.state
    if not state.waiting and not desk.base.waiting:
        return
    if state.tournament and state.hand_number:
        state.waiting = ()
    for each in state.waiting:
        if each.offered_seat is not None and offer_alarm(each.offered_seat) in desk.due:
            strike(state, each.player)
    kept = {each.offered_seat for each in state.waiting}
    free = [
        number
        for number in range(state.config.seat_count)
        if number not in state.seats and number not in kept
    ]
    state.waiting = tuple(
        replace(each, offered_seat=free.pop(0)) if free and each.offered_seat is None else each
        for each in state.waiting
    )
    _run_offers(desk)
    if state.waiting != desk.base.waiting and not state.closed:
        desk.events.append(WaitingListChanged(shown_list(state)))


def _run_offers(desk: Desk) -> None:
    """Let the time of new offers begin, and that of offers that are gone end."""
    before = {each.offered_seat: each.player for each in desk.base.waiting}
    now = {each.offered_seat: each.player for each in desk.state.waiting if each.offered_seat is not None}
    standing = {offer_alarm(seat) for seat in now}
    for name in [name for name in desk.state.alarms if is_offer_alarm(name) and name not in standing]:
        desk.clear_alarm(name)
    for seat, player in now.items():
        if before.get(seat) != player:
            desk.set_alarm(offer_alarm(seat), OFFER_LIFE)


def shown_list(state: TableState) -> tuple[Waiting, ...]:
    """Who waits, and until when a seat is kept for him."""
    return tuple(
        each
        if each.offered_seat is None
        else replace(each, offer=state.alarms.get(offer_alarm(each.offered_seat)))
        for each in state.waiting
    )


def empty_list(desk: Desk) -> None:
    """Nobody waits any more."""
    if desk.state.waiting:
        desk.state.waiting = ()
        desk.events.append(WaitingListChanged(()))
