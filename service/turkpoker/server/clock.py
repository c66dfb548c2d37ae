"""The clock keeper: carries out what the tables' clocks have run out on.

Every server runs one. Two of them may see the same deadline; the version check of the commit lets one win.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

logger = logging.getLogger(__name__)

_MAX_BACK_OFF = timedelta(seconds=5)


class ClockKeeper:
    """Calls ``run_due`` again and again until it is stopped.

    Args:
        run_due: carries out what is due and tells how long until the next deadline, None when there is none.
        interval: the longest pause between two looks; other servers may set deadlines we do not hear of.
    """

    def __init__(self, run_due: Callable[[], Awaitable[timedelta | None]], interval: timedelta) -> None:
        self._run_due = run_due
        self._interval = interval
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._run(), name="clock keeper")

    async def stop(self) -> None:
        """End; what is being carried out is cut off or done, never half done, since a commit is one step."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        failures = 0
        while True:
            pause = self._interval
            try:
                next_due = await self._run_due()
                if next_due is not None:
                    pause = min(pause, max(next_due, timedelta(0)))
                failures = 0
            except Exception as error:
                # The store may be away for a while; the clocks go on when it is back.
                failures += 1
                pause = min(self._interval * 2 ** min(failures, 10), _MAX_BACK_OFF)
                if failures == 1:
                    logger.warning("the clocks stand still: %s", type(error).__name__)
            await asyncio.sleep(pause.total_seconds())
