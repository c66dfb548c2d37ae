"""The store keeper: looks whether the store answers, tells health, and starts an own store again that died.

A store that others share is only waited for; its clients connect again by themselves. An own one died alone
when its process is gone: it is started on the same data, and since nobody could act meanwhile, its clocks
start anew before anything is carried out that became due.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from turkpoker.table.errors import StoreAway, StoreError

logger = logging.getLogger(__name__)

#: How often the store is looked at.
INTERVAL = timedelta(seconds=0.5)
#: A store that does not answer for so long is away.
PATIENCE = timedelta(seconds=2)
#: The pauses before the tries to start an own store again; no more tries until it has run for STEADY.
PAUSES = tuple(timedelta(seconds=each) for each in (0, 0.5, 1, 2, 5, 10, 30))
STEADY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class OwnStore:
    """A store that this program started itself.

    Args:
        lives: whether its process does.
        start_again: starts it on the same data and gives everybody his time again.
    """

    lives: Callable[[], bool]
    start_again: Callable[[], Awaitable[None]]


class StoreKeeper:
    """Watches over the store until it is stopped.

    Args:
        ping: asks the store for a sign of life; raises when there is none.
        tell: is told whether the store answers, at once and at every change.
        own: where the store is this program's own.
    """

    def __init__(
        self,
        ping: Callable[[], Awaitable[None]],
        tell: Callable[[bool], Awaitable[None]],
        own: OwnStore | None = None,
    ) -> None:
        self._ping = ping
        self._tell = tell
        self._own = own
        self._answers = True
        self._tries = 0
        self._steady_from = 0.0
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin; the store answers now."""
        await self._tell(True)
        self._task = asyncio.create_task(self._run(), name="store keeper")

    async def stop(self) -> None:
        """End; nothing is started again from now on."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def only_with_store(
        self, run: Callable[[], Awaitable[timedelta | None]]
    ) -> Callable[[], Awaitable[timedelta | None]]:
        """``run``, but StoreAway while the own store is down or its clocks are not started anew."""

        async def guarded() -> timedelta | None:
            if self._own is not None and (not self._answers or not self._own.lives()):
                raise StoreAway("the store is being started again")
            return await run()

        return guarded

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL.total_seconds())
            if self._own is not None and not self._own.lives():
                await self._change(False)
                if not await self._start_again(self._own):
                    return
            await self._change(await self._alive())

    async def _alive(self) -> bool:
        try:
            async with asyncio.timeout(PATIENCE.total_seconds()):
                await self._ping()
        except (StoreError, TimeoutError):
            return False
        return True

    async def _change(self, answers: bool) -> None:
        if answers != self._answers:
            self._answers = answers
            logger.warning("the store answers again" if answers else "the store is away")
            await self._tell(answers)

    async def _start_again(self, own: OwnStore) -> bool:
        """Whether it runs again; False: every try has failed, and an operator has to look."""
        loop = asyncio.get_running_loop()
        if loop.time() > self._steady_from:
            self._tries = 0
        while self._tries < len(PAUSES):
            pause = PAUSES[self._tries]
            self._tries += 1
            await asyncio.sleep(pause.total_seconds())
            try:
                await own.start_again()
            except (StoreError, OSError) as error:
                logger.warning("the own store does not start: %s", error)
                continue
            self._steady_from = loop.time() + STEADY.total_seconds()
            return True
        logger.error("the own store ends again and again; it is not started any more")
        return False
