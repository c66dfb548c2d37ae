"""The clock keeper: carries out what the tables' clocks have run out on.

Every server runs one. Two of them may see the same deadline; the version check of the commit lets one win.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta

logger = logging.getLogger(__name__)

_MAX_BACK_OFF = timedelta(seconds=5)


class ClockKeeper:
    """Calls ``run_due`` again and again until it is stopped.

    Args:
        run_due: carries out what is due and tells how long until the next deadline, None when there is none.
        interval: the longest pause between two looks; other servers may set deadlines we do not hear of.

    A look asks every shard, so looks are rare, and ``expect`` brings the next one forward where a deadline of
    this server comes before it.
    """

    def __init__(self, run_due: Callable[[], Awaitable[timedelta | None]], interval: timedelta) -> None:
        self._run_due = run_due
        self._interval = interval
        self._task: asyncio.Task[None] | None = None
        # The earliest deadline heard of since the last look began, by the clock of the event loop.
        self._expected = math.inf
        self._sooner = asyncio.Event()

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._run(), name="clock keeper")

    async def stop(self) -> None:
        """End; what is being carried out is cut off or done, never half done, since a commit is one step."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def expect(self, wait: timedelta) -> None:
        """A deadline was set that runs out after ``wait``: look again then at the latest."""
        at = asyncio.get_running_loop().time() + wait.total_seconds()
        if at < self._expected:
            self._expected = at
            self._sooner.set()

    async def _pause(self, pause: timedelta) -> None:
        loop = asyncio.get_running_loop()
        at_the_latest = loop.time() + pause.total_seconds()
        while (left := min(at_the_latest, self._expected) - loop.time()) > 0:
            self._sooner.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._sooner.wait()

    async def _run(self) -> None:
        failures = 0
        while True:
            pause, self._expected = self._interval, math.inf
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
            await self._pause(pause)
