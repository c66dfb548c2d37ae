"""A match goes on where it was when its server is killed or replaced, to the last chip."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import pytest
from turkpoker.client import Client
from turkpoker.client.bots import Bot, BotMatch
from turkpoker.server.auth import make_token
from turkpoker.server.token_keys import load_key

SERVE = [
    sys.executable,
    "-c",
    "from turkpoker.server.cli import main; main()",
    "serve",
    "--log-level",
    "warning",
]


async def serve(port: int, data: Path) -> asyncio.subprocess.Process:
    """A server process that serves."""
    server = await asyncio.create_subprocess_exec(
        *SERVE,
        *("--listen", f"127.0.0.1:{port}", "--data", str(data)),
        stdout=asyncio.subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if not name.startswith("TURKPOKER_")},
    )
    assert server.stdout is not None
    async with asyncio.timeout(40):
        async for line in server.stdout:
            if line.startswith(b"serving gRPC on "):
                return server
    raise AssertionError("the server did not start")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_match_outlives_its_servers(tmp_path: Path, number: signal.Signals) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = await serve(port, tmp_path)
    key = load_key(tmp_path / "token.key")
    clients = [Client(f"127.0.0.1:{port}", make_token(key, f"bot-{n}"), patience=40) for n in range(3)]
    match = BotMatch(clients, [Bot(f"bot-{n}", seed=2) for n in range(3)], hands=60, stuck_after=45)
    playing = asyncio.create_task(match.run())
    try:
        for hands in (10, 30):
            while match.tally.hands < hands:
                assert not playing.done(), playing.exception()
                await asyncio.sleep(0.01)
            server.send_signal(number)
            await server.wait()
            server = await serve(port, tmp_path)
        await playing
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        for client in clients:
            await client.close()
        server.terminate()
        await server.wait()
    result = match.tally.to_json()
    assert result["hands"] == 60
    assert result["chips"]["ok"]
    assert result["time_outs"] == 0
