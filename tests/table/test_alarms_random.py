"""Random evenings by a random clock: every alarm rings once, in its time, and touches no other."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from table.desks import Desk, SeededDealer
from table.test_table_random import SEED, TABLES, random_command
from turkpoker.table.alarms import Alarm
from turkpoker.table.commands import TimeOut
from turkpoker.table.decide import decide
from turkpoker.table.errors import NotDue, TableError
from turkpoker.table.events import TimeBankStarted, TimedOut
from turkpoker.table.ports import Timing

BANK = timedelta(seconds=45)


class RandomClock:
    """A desk whose clock is what a store's would be: it refuses what comes too late or too early."""

    def __init__(self, desk: Desk, rng: random.Random) -> None:
        self.desk = desk
        self.rng = rng
        self.rung: set[tuple[str, Any]] = set()
        self.kinds: set[str] = set()

    def step(self) -> bool:
        """One random command, or what is due; whether anything changed."""
        desk, state = self.desk, self.desk.state
        desk.wait(self.rng.choice([0, 0, 1, 7, 31, 60, 400]))
        due = any(alarm.at is not None and alarm.at <= desk.now for alarm in state.alarms.values())
        if due and self.rng.random() < 0.5:
            self.time_out()
            return True
        command = random_command(self.rng, state)
        if isinstance(command, TimeOut):
            return False
        try:
            decision = decide(state, command, desk.dealer)
        except (TableError, NotDue):
            return False
        if decision.timing is Timing.IN_TIME and decision.moment is not None and decision.moment <= desk.now:
            self.time_out()  # too late: what is due comes first
            return True
        before = dict(state.alarms)
        desk.do(command)
        self.nothing_else(before, set())
        return desk.last.changed

    def time_out(self) -> None:
        """Carry out what is due first."""
        before = dict(self.desk.state.alarms)
        now = self.desk.now
        decision = self.desk.time_out()
        assert self.desk.now == now, "carried out before its time"
        moment = decision.moment
        due = {name for name, alarm in before.items() if alarm.at == moment}
        for name in due:
            assert (name, moment) not in self.rung, f"{name} rang twice"
            self.rung.add((name, moment))
            self.kinds.add(name.partition(":")[0])
        self.nothing_else(before, due)

    def nothing_else(self, before: dict[str, Alarm], due: set[str]) -> None:
        """An alarm stands as it stood, is gone, or begins now with its whole time."""
        now = self.desk.now
        for name, alarm in self.desk.state.alarms.items():
            begins = alarm.at == now + alarm.after
            assert begins if name in due else begins or alarm == before.get(name), name


@pytest.mark.parametrize(("profile", "options"), TABLES)
def test_every_alarm_rings_once_and_touches_no_other(profile: str, options: dict[str, Any]) -> None:
    seed = f"{SEED} alarms {profile} {options}"
    rng = random.Random(seed)
    options = {
        "hand_pause": timedelta(seconds=3),
        "empty_limit": timedelta(minutes=10),
        "time_bank": "45s",
        "proof_window": "20s",
        **options,
    }
    kinds: set[str] = set()
    clock = RandomClock(Desk(SeededDealer(SEED), profile=profile, **options), rng)
    for number in range(1500):
        desk = clock.desk
        if desk.state.closed or desk.state.match_over:
            kinds |= clock.kinds
            clock = RandomClock(Desk(SeededDealer(SEED + number), profile=profile, **options), rng)
            continue
        if not clock.step():
            continue
        state = desk.state
        state.check_chips()
        assert all(timedelta(0) <= used <= BANK for used in state.time_used.values())
        assert all(alarm.at is not None for alarm in state.alarms.values())
        asked = {each.decision_id: each for each in state.decisions()}
        for question in asked.values():
            assert question.alarm in state.alarms.values()
        started = [event for event in desk.last.events if isinstance(event, TimeBankStarted)]
        assert all(asked[event.decision_id].bank_running for event in started)
        answered = [event.decision_id for event in desk.last.events if isinstance(event, TimedOut)]
        assert len(answered) == len(set(answered))
        assert not set(answered) & asked.keys()
    kinds |= clock.kinds
    assert {"turn", "next_hand"} <= kinds
    print(f"seed {seed!r}: alarms of the kinds {sorted(kinds)}")
