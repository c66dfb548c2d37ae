"""The example of the README plays."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from turkpoker.client.bots import Bot, play

README = Path(__file__).parents[2] / "clients" / "README.md"


async def test_the_example_plays(venue: Any) -> None:
    found = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert found is not None
    example = found[1].replace("localhost:50051", venue.address).replace("asyncio.run(main())", "")
    names: dict[str, Any] = {"token": venue.token("ann"), "print": lambda *_: None}
    exec(example, names)
    main: Callable[[], Any] = names["main"]
    playing = asyncio.create_task(main())
    bob = venue.client("bob")
    tables: list[str] = []
    async with asyncio.timeout(20):
        while not tables:
            await asyncio.sleep(0.05)
            tables = [summary.name async for summary in bob.list_tables() if summary.seats_taken == 1]
        await bob.join(tables[0])
        async with bob.play(tables[0]) as session:
            partner = asyncio.create_task(play(session, Bot("bob")))
            while session.view.hand is None or session.view.hand.phase in ("", "round1"):
                assert not playing.done(), playing.exception()
                await session.changed()
            partner.cancel()
        playing.cancel()
        await asyncio.gather(playing, partner, return_exceptions=True)
    assert session.view.hand_number >= 1
