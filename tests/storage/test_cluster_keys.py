"""In a cluster one script may touch keys of one slot only: those with the same hash tag."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from redis.crc import key_slot
from storage.evenings import Evening
from turkpoker.table.commands import ForceClose


class Noted:
    """A script that notes the keys that it is given."""

    def __init__(self, script: Any, keys: list[list[str]]) -> None:
        self._script = script
        self._keys = keys

    async def __call__(self, keys: list[str], args: Any) -> Any:
        self._keys.append(list(keys))
        return await self._script(keys=keys, args=args)


async def test_every_script_stays_in_one_slot(evening: Evening) -> None:
    scripts = evening.store._scripts
    noted: dict[str, list[list[str]]] = {}
    for name in ("create", "load", "commit"):
        noted[name] = []
        setattr(scripts, name, Noted(getattr(scripts, name), noted[name]))
    rng = random.Random(5)
    await evening.begin("a", "b", "c")
    while evening.state.hand_number < 4:
        await evening.play(rng, 1)
    await evening.tables.sit_out(evening.table_id, "a", "a request")
    await evening.tables.carry_out(evening.table_id, ForceClose("olga", operator=True), "another")
    for name, calls in noted.items():
        assert calls, name
        for keys in calls:
            assert len({key_slot(key.encode()) for key in keys}) == 1, name
            assert len(set(keys)) == len(keys), name
    # Commits of all kinds were among them: with and without a request, and with three players' hands.
    kinds = Counter(len(keys) for keys in noted["commit"])
    assert len(kinds) >= 3
