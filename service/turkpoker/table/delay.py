"""What spectators of a table with a spectator delay may see at once: everything but the running hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from turkpoker.table.alarms import away_alarm
from turkpoker.table.state import Seat, TableState


def sees_later(state: TableState, player: str) -> bool:
    """Whether somebody sees what happens only after the spectator delay: he does not sit here, or has left
    and been paid.
    """
    number = state.seat_of(player)
    sits = number is not None and not state.seats[number].paid_out
    return state.config.spectator_delay > timedelta(0) and not sits


def without_running_hand(state: TableState) -> TableState:
    """The table as it stood before the running hand, as far as that hand has changed it; the state itself
    where none is on.

    Who came, and who stays beside the hand, is told at once. Of those in it everything is as it was before:
    stacks, and also what tells of an answer or a fold, such as a seat that is being left.
    """
    if not state.hand_running or state.hand is None:
        return state
    record = state.hand.record()
    before = dict(record.stacks)
    seats = {}
    for number, seat in state.seats.items():
        if number in state.hand_players:
            seat = Seat(  # noqa: PLW2901 - what is not named here may have changed since
                seat.player,
                seat.display_name,
                before.get(number, seat.stack),
                auto_top_up=seat.auto_top_up,
            )
        seats[number] = seat
    away = {away_alarm(number) for number in state.hand_players}
    return replace(
        state,
        seats=seats,
        alarms={name: alarm for name, alarm in state.alarms.items() if name not in away},
        version=max(1, state.hand_start_version - 1),
        hand=None,
        hand_players={},
        hand_number=state.hand_number - 1,
        carried=record.carried,
    )
