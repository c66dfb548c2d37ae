"""Carrying out what is due at all tables, without letting one table keep the others waiting."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from turkpoker.table.errors import StoreAway
from turkpoker.table.ports import TableStore

logger = logging.getLogger(__name__)

#: So often in a row a table may be due although nothing is to be done there: another server was faster.
_LOST_RACES = 3
_LONGEST_WAIT = timedelta(minutes=1)


@dataclass(slots=True)
class _Failing:
    """A table at which what is due cannot be carried out, and the moment (of the event loop) to try again."""

    failures: int
    again: float


class DueTables:
    """Looks for tables with something due and carries it out.

    A table that fails (damaged, sealed with another key) is left out for a while, longer each time.

    Args:
        store: knows what is due.
        carry_out: does it at one table; whether something was done.
    """

    def __init__(self, store: TableStore, carry_out: Callable[[str], Awaitable[bool]]) -> None:
        self._store = store
        self._carry_out = carry_out
        self._failing: dict[str, _Failing] = {}
        self._idle: dict[str, int] = {}

    async def run(self) -> timedelta | None:
        """Carry out what is due now; the time until the next deadline, None where no clock runs.

        Raises:
            StoreAway: the store cannot be reached.
        """
        now = asyncio.get_running_loop().time()
        left_out = {table_id for table_id, failing in self._failing.items() if failing.again > now}
        due, later = await self._store.due(left_out)
        self._idle = {table_id: self._idle.get(table_id, 0) for table_id in due}
        away = 0
        for table_id in due:
            try:
                done = await self._carry_out(table_id)
            except StoreAway:
                away += 1
                if away > 1:  # one alone may be too busy
                    raise
            except Exception as error:
                self._put_off(table_id, error)
            else:
                self._idle[table_id] = 0 if done else self._idle[table_id] + 1
                if self._idle[table_id] > _LOST_RACES:
                    self._put_off(table_id, None)
                elif done:
                    self._failing.pop(table_id, None)
        return timedelta(0) if due else later

    def _put_off(self, table_id: str, error: Exception | None) -> None:
        failures = self._failing[table_id].failures + 1 if table_id in self._failing else 1
        wait = min(timedelta(seconds=2 ** min(failures, 10)), _LONGEST_WAIT)
        self._failing[table_id] = _Failing(failures, asyncio.get_running_loop().time() + wait.total_seconds())
        if failures == 1:
            # The text of an error may hold what nobody is to read in a log.
            kind = "nothing to do" if error is None else type(error).__name__
            logger.error("what is due at table %s cannot be carried out: %s", table_id, kind)
