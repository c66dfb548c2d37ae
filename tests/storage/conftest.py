"""A real private server for all tests of the storage, and for each of them keys of its own."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from storage.evenings import Evening
from table.desks import SeededDealer
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.redis_store import RedisTableStore, StoreSettings
from turkpoker.storage.seal import Seal
from turkpoker.table.tables import Tables

KEY = bytes(range(32))
_prefixes = itertools.count(1)


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server for the session; nobody may rely on what another test has left there."""
    server = EmbeddedRedis(tmp_path_factory.mktemp("redis"))
    yield asyncio.run(server.start())
    asyncio.run(server.stop())


@pytest.fixture
def seal() -> Seal:
    return Seal([KEY])


@pytest.fixture
def settings() -> StoreSettings:
    # Without grace a deadline is over when it is over; the tests of the grace set one.
    return StoreSettings(prefix=f"t{next(_prefixes)}", grace=timedelta(0))


@pytest.fixture
async def store(redis_url: str, seal: Seal, settings: StoreSettings) -> AsyncIterator[RedisTableStore]:
    opened = await RedisTableStore.connect(redis_url, seal, settings)
    yield opened
    await opened.close()


@pytest.fixture
async def evening(store: RedisTableStore) -> Evening:
    """A table of three, a hand on: ``first`` is asked and may open."""
    evening = Evening(Tables(store, SeededDealer(4)), store)
    await evening.begin("a", "b", "c")
    return evening


@pytest.fixture
async def other_tables(redis_url: str, seal: Seal, settings: StoreSettings) -> AsyncIterator[Tables]:
    """The same tables as another process sees them."""
    opened = await RedisTableStore.connect(redis_url, seal, settings)
    yield Tables(opened, SeededDealer(4))
    await opened.close()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"
