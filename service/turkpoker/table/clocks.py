"""When the clocks of a table run: one alarm for each thing that waits, and none of them touches another.

- A turn has the whole action clock; several who are asked at once share one alarm. Whoever comes, goes or
  answers beside it does not touch it.
- A proof window has its own time, also beside somebody's turn.
- The next hand begins ``hand_pause`` after enough players are ready; who comes or goes meanwhile does not
  make the others wait longer.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from turkpoker.table.alarms import NEXT_HAND, PROOF, TURN, Alarm
from turkpoker.table.dealing import can_deal
from turkpoker.table.desk import Desk
from turkpoker.table.errors import NotDue
from turkpoker.table.events import DeadlineChanged, HandSettled, TableEvent
from turkpoker.table.state import TableState

#: So long until the next try where a hand would begin while an operator lets none begin.
HELD_PAUSE = timedelta(seconds=5)
#: Alarms in whose time a player must do something: where nobody could, he gets the whole of it again.
_TIME_OF_PLAYERS = (TURN, PROOF)


def ring(desk: Desk) -> None:
    """Take the alarms that are due next off the table and note them in ``desk.due``.

    The commit is refused where the store's clock says that it is not yet their time.

    Raises:
        NotDue: no alarm is set.
    """
    alarms = desk.state.alarms
    moments = [alarm.at for alarm in alarms.values() if alarm.at is not None]
    if not moments:
        raise NotDue("no clock runs at this table")
    desk.moment = min(moments)
    desk.due = frozenset(name for name, alarm in alarms.items() if alarm.at == desk.moment)
    for name in desk.due:
        desk.clear_alarm(name)


def run_hand_clocks(desk: Desk) -> None:
    """Set the alarms of new questions, take off those of questions that are gone."""
    state, base = desk.state, desk.base
    turns = _turns(state)
    before = _turns(base) if base.hand_number == state.hand_number else set()
    if not turns:
        desk.clear_alarm(TURN)
    elif turns - before or TURN not in state.alarms:
        desk.set_alarm(TURN, state.config.action_clock)
    if not (state.hand_running and state.hand is not None and state.hand.proof_asked_of):
        desk.clear_alarm(PROOF)
    elif PROOF not in state.alarms:
        desk.set_alarm(PROOF, state.config.proof_window)


def _turns(state: TableState) -> set[str]:
    """The open questions that are not about a proof."""
    if not state.hand_running:
        return set()
    return {asked.decision_id for asked in state.decisions() if asked.phase != "proof"}


def run_pause(desk: Desk) -> None:
    """Set or take off the alarm of the next hand, and let the end of the last one say when that is."""
    state = desk.state
    if not can_deal(state):
        desk.clear_alarm(NEXT_HAND)
        return
    if NEXT_HAND in state.alarms:
        return
    pause = state.config.hand_pause
    desk.set_alarm(NEXT_HAND, max(pause, HELD_PAUSE) if desk.held else pause)
    for place in reversed(range(len(desk.events))):
        event = desk.events[place]
        if isinstance(event, HandSettled):
            desk.events[place] = replace(event, next_hand=state.alarms[NEXT_HAND])
            return


def changed_deadlines(base: TableState, state: TableState) -> list[DeadlineChanged]:
    """The questions that stand as they stood but have another deadline."""
    if base.hand_number != state.hand_number:
        return []
    before = {asked.decision_id: asked for asked in base.decisions()}
    return [
        DeadlineChanged(asked.seat, asked.decision_id, asked.alarm)
        for asked in state.decisions()
        if asked.alarm is not None
        and (old := before.get(asked.decision_id)) is not None
        and old.legal == asked.legal
        and old.alarm != asked.alarm
    ]


def restart(base: TableState) -> tuple[TableState, tuple[TableEvent, ...]] | None:
    """The table with its whole time again for everybody who has to do something; None where nobody has.

    For a store that stood still: nobody could act meanwhile, so nobody may be timed out for that. Alarms
    that take nothing from anybody stay as they were.
    """
    mine = {name: alarm for name, alarm in base.alarms.items() if name in _TIME_OF_PLAYERS}
    if not mine:
        return None
    state = base.copy()
    state.version += 1
    state.alarms |= {name: Alarm(alarm.after) for name, alarm in mine.items()}
    return state, tuple(changed_deadlines(base, state))
