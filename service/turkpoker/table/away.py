"""Seats kept for nobody: who is away too long is paid out, and a table at which nobody sits is closed.

Away is who sits out, and who has no chips and buys none. In a tournament nobody is sent away, since he is
dealt in and answered for; it is ended when all of them are away too long. When it is over, nobody has
anything to do there any more. Who is in the running hand goes when it is over.
"""

from __future__ import annotations

from dataclasses import replace

from turkpoker.table.alarms import EMPTY, Alarm, away_alarm, seat_of_away
from turkpoker.table.between import end_table
from turkpoker.table.config import TableConfig
from turkpoker.table.desk import Desk
from turkpoker.table.events import SatOut
from turkpoker.table.seating import depart
from turkpoker.table.state import TableState


def send_away(desk: Desk) -> None:
    """Pay those out whose time is over, or note that they go when the running hand is over."""
    state = desk.state
    for number in sorted(seat for name in desk.due if (seat := seat_of_away(name)) is not None):
        # A hand that has just come to its end by another alarm of this moment is still to be settled.
        if desk.base.hand_running and number in state.hand_players:
            state.seats[number].away_over = True
        else:
            depart(desk, number)


def send_away_after_the_hand(desk: Desk) -> None:
    """Pay those out whose time was over while they were in the hand, and who are not back."""
    for number in [number for number, seat in desk.state.seats.items() if seat.away_over]:
        depart(desk, number)


def close_empty(desk: Desk) -> None:
    """Close the table if nobody came in time."""
    if EMPTY in desk.due and not desk.base.hand_running:
        end_table(desk, "nobody sits here any more" if not desk.state.seats else "nobody plays here any more")


def run_away_clocks(desk: Desk) -> None:
    """Set the alarms of seats that have nobody now, and of the table if nobody is there at all; take off
    those of who is back.
    """
    state = desk.state
    away = {number for number in state.seats if _is_away(state, number)}
    for number, seat in state.seats.items():
        if number not in away:
            seat.away_over = False
        elif away_alarm(number) not in state.alarms and not seat.away_over:
            desk.set_alarm(away_alarm(number), state.config.away_limit)
    for name in list(state.alarms):
        if (seat_number := seat_of_away(name)) is not None and seat_number not in away:
            desk.clear_alarm(name)
    for place, event in enumerate(desk.events):
        if isinstance(event, SatOut) and not event.at_next_ante:
            desk.events[place] = replace(event, leaves=state.alarms.get(away_alarm(event.seat)))
    if not nobody_is_there(state) or state.waiting or state.closed:
        desk.clear_alarm(EMPTY)
    elif EMPTY not in state.alarms and (alarm := first_alarm(state.config)) is not None:
        state.alarms[EMPTY] = alarm


def first_alarm(config: TableConfig) -> Alarm | None:
    """The alarm of a table at which nobody sits; None where it waits for ever, as a rehearsal does."""
    return Alarm(config.empty_limit) if config.empty_limit and not config.rehearsal else None


def nobody_is_there(state: TableState) -> bool:
    """Whether no seat is taken, or a tournament goes on among players who all sit out: their antes may need
    years to eat the stacks.
    """
    if state.tournament and state.hand_number and not state.match_over:
        return all(seat.sitting_out for seat in state.seats.values())
    return not state.seats


def _in_hand(state: TableState, number: int) -> bool:
    return state.hand_running and number in state.hand_players


def _is_away(state: TableState, number: int) -> bool:
    seat = state.seats[number]
    if not state.config.away_limit or seat.leaving:
        return False
    if state.tournament:
        return state.match_over
    chips = seat.stack + seat.pending + seat.awaiting_bank
    return seat.sitting_out or not (chips or _in_hand(state, number))
