"""Random tables with short clocks in a real store, and two servers that look for what is due at once.

Whatever is due is carried out by one of them, once; answers that come in time count; no chip is lost.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from storage.evenings import Evening
from table.desks import SeededDealer
from table.test_table_random import random_action
from turkpoker.engine import Rules
from turkpoker.storage.redis_store import RedisTableStore, StoreSettings
from turkpoker.storage.seal import Seal
from turkpoker.table.clocks import ring
from turkpoker.table.commands import Join, TimeOut
from turkpoker.table.decide import decide
from turkpoker.table.desk import Desk
from turkpoker.table.errors import Conflict, NotDue, Reason, TableError
from turkpoker.table.ports import Answer, Commit, LogEntry
from turkpoker.table.tables import Tables

GRACE = timedelta(milliseconds=3)
TABLES: list[tuple[str, dict[str, Any]]] = [
    ("turkish", {"time_bank": "12ms"}),
    ("turkish", {"karanlik": "on", "opening_requirement": "none"}),
    ("turkish-pagat", {"proof_window": "4ms", "false_opening": "penalise", "time_bank": "5ms"}),
    ("turkish-online", {"entry": "opt_in", "time_bank": "8ms"}),
    ("french", {"deal_mode": "blind", "over_blind": 2, "players": "2-6"}),
    ("turkish", {"match": "tournament", "ante": 5, "stake_min": 5}),
]


class Watching(RedisTableStore):
    """A store that remembers which alarms were carried out at which version, and refuses to lose one."""

    done: dict[tuple[str, str, datetime], int]

    async def commit(self, change: Commit) -> Any:
        committed = await super().commit(change)
        if change.timing.value == "due":
            # What this time-out took off the table: by its own account of what is due.
            desk = Desk(change.base, SeededDealer(1))
            ring(desk)
            assert desk.moment == change.moment
            assert committed.now >= desk.moment + self.settings.grace
            for name in desk.due:
                key = (change.base.table_id, name, desk.moment)
                self.done[key] = self.done.get(key, 0) + 1
        elif change.timing.value == "in_time" and change.moment is not None:
            assert committed.now < change.moment + self.settings.grace
        return committed


async def open_store(url: str, seal: Seal, settings: StoreSettings, done: dict[Any, int]) -> Watching:
    store = await Watching.connect(url, seal, replace(settings, grace=GRACE))
    store.done = done
    return store


async def keep_clock(tables: Tables, stop: asyncio.Event) -> None:
    """What the clock keeper of a server does."""
    while not stop.is_set():
        await tables.run_due()
        await asyncio.sleep(0.002)


async def play(tables: Tables, table_id: str, rng: random.Random, actions: int) -> int:
    """Somebody answers at random moments, sometimes too late; how often he was."""
    late = 0
    for _ in range(actions):
        await asyncio.sleep(rng.choice([0.0, 0.001, 0.004, 0.012]))
        state = (await tables.get(table_id)).state
        if state.closed or not (asked := state.decisions()):
            continue
        command = random_action(rng, state, rng.choice(asked).seat)
        too_late = {Reason.STALE_DECISION, Reason.NOT_YOUR_SEAT, Reason.TABLE_CLOSED}
        if command.action in ("ask_proof", "pass"):
            # Asked beside a turn, whose name the window shares: the turn may still stand when it is closed.
            too_late.add(Reason.ACTION_NOT_LEGAL)
        try:
            await tables.act(table_id, command)
        except TableError as error:
            if error.reason not in too_late:
                raise
            late += 1
    return late


@pytest.mark.parametrize(("profile", "options"), TABLES)
async def test_two_servers_carry_out_random_tables_and_every_alarm_once(
    redis_url: str, seal: Seal, settings: StoreSettings, profile: str, options: dict[str, Any]
) -> None:
    done: dict[tuple[str, str, datetime], int] = {}
    stores = [await open_store(redis_url, seal, settings, done) for _ in range(3)]
    first, second, third = (Tables(store, SeededDealer(7)) for store in stores)
    seed = f"races {profile} {sorted(options)}"
    rng = random.Random(seed)
    rules = Rules.profile(profile, **{"action_clock": "10ms", **options})
    ids = []
    for _ in range(4):
        seats = 3
        made = await third.create(
            "host",
            rules,
            seat_count=seats,
            hand_pause=timedelta(milliseconds=4),
            away_limit=timedelta(milliseconds=60),
        )
        ids.append(made.state.table_id)
        for number in range(seats):
            await third.join(made.state.table_id, Join(f"p{number}", f"P{number}"))
    stop = asyncio.Event()
    keepers = [asyncio.create_task(keep_clock(tables, stop)) for tables in (first, second)]
    try:
        await asyncio.gather(
            *(play(third, table_id, random.Random(f"{seed} {table_id}"), 40) for table_id in ids)
        )
        for _ in range(3):  # who was sent away comes back, and it goes on
            for table_id in ids:
                if rules.match != "tournament":
                    await third.join(table_id, Join(f"p{rng.randrange(3)}", "P"))
            await asyncio.gather(
                *(play(third, table_id, random.Random(f"{seed} {table_id} b"), 15) for table_id in ids)
            )
    finally:
        stop.set()
        await asyncio.gather(*keepers)
    assert done
    assert set(done.values()) == {1}
    kinds = {name.partition(":")[0] for _, name, _ in done}
    assert {"turn", "next_hand"} <= kinds
    for table_id in ids:
        state = (await third.get(table_id)).state
        state.check_chips()
        entries = await stores[0].read_events(table_id, 0, 10_000)
        versions = [entry.version for entry in entries]
        assert versions == list(range(1, state.version + 1))
        answered_once(entries)
    print(f"{seed}: {len(done)} alarms of the kinds {sorted(kinds)}")
    for store in stores:
        await store.close()


def answered_once(entries: list[LogEntry]) -> None:
    """No question is answered by the table twice, and none has its time bank begun twice."""
    for kind in ("timed_out", "time_bank_started"):
        named = [
            event.decision_id  # type: ignore[union-attr]
            for entry in entries
            for event in entry.events
            if event.name == kind
        ]
        assert len(named) == len(set(named))


async def test_of_two_time_outs_on_one_version_the_store_takes_one(evening: Evening) -> None:
    await evening.begin("a", "b", "c", action_clock="5ms")
    await asyncio.sleep(0.01)
    base = evening.state
    changes = []
    for seed in (1, 2):
        decision = decide(base, TimeOut(), SeededDealer(seed))
        changes.append(
            Commit(
                base,
                decision.state,
                decision.events,
                Answer(base.version + 1, 0),
                decision.timing,
                decision.moment,
            )
        )
    told = await asyncio.gather(*(evening.store.commit(each) for each in changes), return_exceptions=True)
    assert sorted(type(each).__name__ for each in told) == ["Committed", "Conflict"]
    with pytest.raises((Conflict, NotDue)):
        await evening.store.commit(changes[0])
