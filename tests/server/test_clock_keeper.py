"""When the clock keeper looks: seldom by itself, at once for a deadline that it hears of."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from turkpoker.server.clock import ClockKeeper

HOUR = timedelta(hours=1)


class Looks:
    """Counts looks; ``told`` is what each tells of the next deadline."""

    def __init__(self, told: timedelta | None = None) -> None:
        self.count = 0
        self.told = told
        self.looked = asyncio.Event()

    async def __call__(self) -> timedelta | None:
        self.count += 1
        self.looked.set()
        return self.told

    async def another(self) -> None:
        """Wait for the next look."""
        self.looked.clear()
        async with asyncio.timeout(10):
            await self.looked.wait()


async def test_a_deadline_of_this_server_brings_the_look_forward() -> None:
    looks = Looks()
    keeper = ClockKeeper(looks, HOUR)
    keeper.start()
    try:
        await looks.another()
        await asyncio.sleep(0)
        keeper.expect(timedelta(milliseconds=20))
        await looks.another()
        assert looks.count == 2
    finally:
        await keeper.stop()


async def test_a_deadline_set_during_a_look_is_not_forgotten() -> None:
    looks = Looks()

    async def look() -> timedelta | None:
        if not looks.count:
            keeper.expect(timedelta(milliseconds=20))
        return await looks()

    keeper = ClockKeeper(look, HOUR)
    keeper.start()
    try:
        await looks.another()
        await looks.another()
    finally:
        await keeper.stop()


async def test_later_deadlines_and_busy_tables_bring_no_further_looks() -> None:
    looks = Looks()
    keeper = ClockKeeper(looks, HOUR)
    keeper.start()
    try:
        await looks.another()
        for _ in range(100):
            await asyncio.sleep(0)
            keeper.expect(2 * HOUR)
        await asyncio.sleep(0.05)
        assert looks.count == 1
    finally:
        await keeper.stop()


async def test_what_a_look_tells_counts_and_the_earlier_of_two_deadlines() -> None:
    looks = Looks(told=timedelta(milliseconds=20))
    keeper = ClockKeeper(looks, HOUR)
    keeper.start()
    try:
        await looks.another()
        await looks.another()
        looks.told = None
        await looks.another()
        await asyncio.sleep(0)
        keeper.expect(timedelta(milliseconds=20))
        keeper.expect(timedelta(minutes=5))
        await looks.another()
    finally:
        await keeper.stop()
