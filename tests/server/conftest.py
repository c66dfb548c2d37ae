"""A real server with a real Valkey for each test that asks, on loopback, gone afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from turkpoker.server.app import Running, running_server
from turkpoker.server.settings import ServerSettings
from wire_players import KEY, Caller


@pytest.fixture
def settings(tmp_path: Path) -> ServerSettings:
    """Settings of a test's server; a test may override this fixture with others."""
    return ServerSettings(
        listen="127.0.0.1:0",
        data_dir=tmp_path / "data",
        token_key=KEY,
        drain_pause=timedelta(0),
        drain_grace=timedelta(seconds=1),
    )


@pytest.fixture
async def server(settings: ServerSettings) -> AsyncIterator[Running]:
    """A running server."""
    async with running_server(settings) as running:
        yield running


@pytest.fixture
async def player(server: Running) -> AsyncIterator[Callable[..., Caller]]:
    """Makes callers by name; None is a caller without a token."""
    callers: list[Caller] = []

    def make(name: str | None, token: str | None = None) -> Caller:
        callers.append(Caller(server.address, name, token))
        return callers[-1]

    yield make
    for caller in callers:
        await caller.close()
