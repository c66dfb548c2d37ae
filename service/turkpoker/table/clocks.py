"""When the clocks of a table run: one alarm for each thing that waits, and none of them touches another.

- A turn has the whole action clock; several who are asked at once share one alarm. Whoever comes, goes or
  answers beside it does not touch it.
- A time bank begins to run where the clock of a single player's turn has run out, if it holds anything and he
  does not sit out. What it ran is taken from it when it stops, by the store's clock; it is filled once a
  match.
- A proof window has its own time, also beside somebody's turn.
- The next hand begins ``hand_pause`` after enough players are ready; who comes or goes meanwhile does not
  make the others wait longer.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from turkpoker.table.alarms import BANK, NEXT_HAND, PROOF, TURN, Alarm, is_offer_alarm, seat_of_away
from turkpoker.table.dealing import can_deal
from turkpoker.table.desk import Desk
from turkpoker.table.errors import NotDue
from turkpoker.table.events import (
    DeadlineChanged,
    DecisionAsked,
    HandSettled,
    TableEvent,
    TimeBankStarted,
    WaitingListChanged,
)
from turkpoker.table.state import BankUse, TableState
from turkpoker.table.waiting import shown_list

#: So long until the next try where a hand would begin while an operator lets none begin.
HELD_PAUSE = timedelta(seconds=5)
#: Alarms in whose time a player must do something: where nobody could, he gets the whole of it again. So does
#: who is away, and who is offered a seat.
_TIME_OF_PLAYERS = (TURN, BANK, PROOF)


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
    if not turns or turns - before:
        desk.clear_alarm(TURN)
        desk.clear_alarm(BANK)
    if turns and not state.alarms.keys() & {TURN, BANK}:
        desk.set_alarm(TURN, state.config.action_clock)
    _note_bank_use(desk)
    if not (state.hand_running and state.hand is not None and state.hand.proof_asked_of):
        desk.clear_alarm(PROOF)
    elif PROOF not in state.alarms:
        desk.set_alarm(PROOF, state.config.proof_window)


def start_bank(desk: Desk, number: int) -> bool:
    """Let the time bank of a seat run whose clock has run out; whether it does."""
    state = desk.state
    seat, asked = state.seats[number], state.decision(number)
    if asked is None or not asked.time_bank or seat.sitting_out:
        return False
    desk.set_alarm(BANK, asked.time_bank)
    desk.events.append(TimeBankStarted(number, asked.decision_id, asked.time_bank, state.alarms[BANK]))
    return True


def _note_bank_use(desk: Desk) -> None:
    """Note that a time bank has stopped, if one has: the time of the commit says what it has used."""
    base, alarm = desk.base, desk.base.alarms.get(BANK)
    if alarm is None or alarm.at is None or desk.state.alarms.get(BANK) == alarm:
        return
    (seat,) = [asked.seat for asked in base.decisions() if asked.bank_running]
    desk.state.bank_use = BankUse(base.hand_players[seat], alarm.at - alarm.after, alarm.after)


def _turns(state: TableState) -> set[int]:
    """The numbers of the open questions that are not about a proof; unique in a hand."""
    hand = state.hand
    if hand is None or not state.hand_running:
        return set()
    questions = {hand.question(seat) for seat in hand.asked}
    return questions - {hand.question(seat, "pass") for seat in hand.proof_asked_of}


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


def deadline_changed(old: DecisionAsked, asked: DecisionAsked) -> DeadlineChanged | None:
    """What is to be told where a question stands as it stood but has another deadline.

    Of a time bank that runs now ``TimeBankStarted`` tells.
    """
    same = (asked.alarm, asked.proof_alarm) == (old.alarm, old.proof_alarm)
    if asked.alarm is None or same or asked.bank_running != old.bank_running:
        return None
    return DeadlineChanged(asked.seat, asked.decision_id, asked.alarm, asked.proof_alarm)


def restart(base: TableState) -> tuple[TableState, tuple[TableEvent, ...]] | None:
    """The table with its whole time again for everybody who has to do something; None where nobody has.

    For a store that stood still: nobody could act meanwhile, so nobody may be timed out for that. Alarms
    that take nothing from anybody stay as they were.
    """
    mine = {
        name: alarm
        for name, alarm in base.alarms.items()
        if name in _TIME_OF_PLAYERS or seat_of_away(name) is not None or is_offer_alarm(name)
    }
    if not mine:
        return None
    state = base.copy()
    state.version += 1
    state.alarms |= {name: Alarm(alarm.after) for name, alarm in mine.items()}
    questions = zip(base.decisions(), state.decisions(), strict=True)
    events: list[TableEvent] = [
        changed for old, now in questions if (changed := deadline_changed(old, now)) is not None
    ]
    if any(is_offer_alarm(name) for name in mine):
        events.append(WaitingListChanged(shown_list(state)))
    return state, tuple(events)
