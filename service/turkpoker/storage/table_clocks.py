"""The part of a stored state that tells what a table will do by itself, and when. All times are in ms.

A value of its own, so that states written before it was there are read without it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from turkpoker.engine import Phase
from turkpoker.table.alarms import NEXT_HAND, PROOF, TURN, Alarm
from turkpoker.table.config import DEFAULT_EMPTY_LIMIT
from turkpoker.table.state import BankUse, Seat, TableState

_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TableClocks(msgspec.Struct, array_like=True):
    """Alarms as (name, after the commit, moment or None), and what players have used of their time banks."""

    alarms: list[tuple[str, int, int | None]] = []
    time_used: dict[str, int] = {}
    bank_use: tuple[str, int, int] | None = None
    away_over: list[int] = []
    empty_limit: int = DEFAULT_EMPTY_LIMIT // _MILLISECOND


def pack_clocks(state: TableState) -> TableClocks:
    """What of a state is kept here."""
    use = state.bank_use
    return TableClocks(
        alarms=[
            (name, _ms(alarm.after), None if alarm.at is None else _ms(alarm.at - _EPOCH))
            for name, alarm in state.alarms.items()
        ],
        time_used={player: _ms(used) for player, used in state.time_used.items()},
        bank_use=None if use is None else (use.player, _ms(use.since - _EPOCH), _ms(use.whole)),
        away_over=[number for number, seat in state.seats.items() if seat.away_over],
        empty_limit=_ms(state.config.empty_limit),
    )


def _ms(duration: timedelta) -> int:
    return max(0, duration // _MILLISECOND)


def clock_fields(clocks: TableClocks | None) -> dict[str, Any]:
    """The fields of ``TableState`` that are kept here."""
    if clocks is None:
        return {}
    use = clocks.bank_use
    return {
        "alarms": {
            name: Alarm(after * _MILLISECOND, None if at is None else _EPOCH + at * _MILLISECOND)
            for name, after, at in clocks.alarms
        },
        "time_used": {player: used * _MILLISECOND for player, used in clocks.time_used.items()},
        "bank_use": None
        if use is None
        else BankUse(use[0], _EPOCH + use[1] * _MILLISECOND, use[2] * _MILLISECOND),
    }


def empty_limit(clocks: TableClocks | None) -> timedelta:
    """The field of ``TableConfig`` that is kept here."""
    return DEFAULT_EMPTY_LIMIT if clocks is None else clocks.empty_limit * _MILLISECOND


def restore_away(clocks: TableClocks | None, seats: dict[int, Seat]) -> None:
    """Mark the seats again whose time was over in a hand."""
    for number in () if clocks is None else clocks.away_over:
        seats[number].away_over = True


def alarms_of_old(state: TableState, deadline: datetime, window_rest: int | None) -> dict[str, Alarm]:
    """The alarms of a state that had one deadline: of the window first, where one stood beside a turn.

    Args:
        state: as it was read.
        deadline: its deadline.
        window_rest: what the turn had left after that, in ms.
    """
    config = state.config
    if not state.hand_running or state.hand is None:
        return {NEXT_HAND: Alarm(config.hand_pause, deadline)}
    if window_rest is not None:
        end = deadline + window_rest * _MILLISECOND
        return {PROOF: Alarm(config.proof_window, deadline), TURN: Alarm(config.action_clock, end)}
    if state.hand.phase is Phase.PROOF:
        return {PROOF: Alarm(config.proof_window, deadline)}
    alarms = {TURN: Alarm(config.action_clock, deadline)}
    if state.hand.proof_asked_of:
        alarms[PROOF] = Alarm(config.proof_window, deadline)
    return alarms
