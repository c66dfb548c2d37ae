"""The part of a stored state that tells how a table lives: pauses, waiting list, who was sent away, orders of
the seats. A value of its own, so that states written before it was there are read with its defaults.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from turkpoker.table.config import DEFAULT_AWAY_LIMIT
from turkpoker.table.events import Waiting
from turkpoker.table.state import Seat, TableState

_MILLISECOND = timedelta(milliseconds=1)


class SeatLife(msgspec.Struct, array_like=True):
    """What a seat has ordered."""

    leaves_after_hand: bool = False
    sits_out_at_next_ante: bool = False
    auto_top_up: int = 0


class TableLife(msgspec.Struct, array_like=True):
    """What a table's life adds to its state; durations in ms."""

    private: bool = False
    spectator_delay: int = 0
    away_limit: int = DEFAULT_AWAY_LIMIT // _MILLISECOND
    invitation: str = ""
    paused: str = ""
    pause_reason: str = ""
    ending: str = ""
    waiting: tuple[tuple[str, str, int | None], ...] = ()
    removed: tuple[str, ...] = ()
    left_with: dict[str, int] = {}
    seats: dict[int, SeatLife] = {}


def pack_life(state: TableState) -> TableLife:
    """What of a state is kept here; seats without orders are left out."""
    config = state.config
    return TableLife(
        private=config.private,
        spectator_delay=config.spectator_delay // _MILLISECOND,
        away_limit=config.away_limit // _MILLISECOND,
        invitation=state.invitation,
        paused=state.paused,
        pause_reason=state.pause_reason,
        ending=state.ending,
        waiting=tuple((each.player, each.display_name, each.offered_seat) for each in state.waiting),
        removed=state.removed,
        left_with=state.left_with,
        seats={
            number: SeatLife(seat.leaves_after_hand, seat.sits_out_at_next_ante, seat.auto_top_up)
            for number, seat in state.seats.items()
            if seat.leaves_after_hand or seat.sits_out_at_next_ante or seat.auto_top_up
        },
    )


def config_fields(life: TableLife) -> dict[str, Any]:
    """The fields of ``TableConfig`` that are kept here."""
    return {
        "private": life.private,
        "spectator_delay": life.spectator_delay * _MILLISECOND,
        "away_limit": life.away_limit * _MILLISECOND,
    }


def state_fields(life: TableLife) -> dict[str, Any]:
    """The fields of ``TableState`` that are kept here."""
    return {
        "invitation": life.invitation,
        "paused": life.paused,
        "pause_reason": life.pause_reason,
        "ending": life.ending,
        "waiting": tuple(Waiting(*each) for each in life.waiting),
        "removed": life.removed,
        "left_with": life.left_with,
    }


def restore_orders(life: TableLife, seats: dict[int, Seat]) -> None:
    """Give the seats their orders back."""
    for number, orders in life.seats.items():
        seat = seats[number]
        seat.leaves_after_hand = orders.leaves_after_hand
        seat.sits_out_at_next_ante = orders.sits_out_at_next_ante
        seat.auto_top_up = orders.auto_top_up
