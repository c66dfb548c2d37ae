"""A real server with a real Valkey, and clients by name; a server that can be stopped and started again."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from types import TracebackType

import pytest
from turkpoker.client import Client
from turkpoker.server.app import running_server
from turkpoker.server.auth import make_token
from turkpoker.server.rehearsal import SeededDealer
from turkpoker.server.settings import ServerSettings

KEY = b"a key for the tests of the client and nothing else"


class Venue:
    """A server on a fixed port and data directory. Decks come from a seed, so that hands repeat."""

    def __init__(self, directory: Path, port: int) -> None:
        self.address = f"127.0.0.1:{port}"
        self._settings = ServerSettings(
            listen=self.address,
            data_dir=directory,
            token_key=KEY,
            drain_pause=timedelta(0),
            drain_grace=timedelta(seconds=1),
        )
        self._running: contextlib.AsyncExitStack | None = None
        self._clients: list[Client] = []

    async def start(self) -> None:
        """Serve, on the same data as before."""
        stack = contextlib.AsyncExitStack()
        await stack.enter_async_context(running_server(self._settings, dealer=SeededDealer(11)))
        self._running = stack

    async def stop(self) -> None:
        """Serve no more; the data stay."""
        running, self._running = self._running, None
        if running is not None:
            await running.aclose()

    @staticmethod
    def token(name: str) -> str:
        """A token of a player."""
        return make_token(KEY, name)

    def client(self, name: str | None, *, address: str | None = None, patience: float = 20.0) -> Client:
        """A client of a player; None is a caller without a token."""
        token = self.token(name) if name else ""
        # A connection of its own for each, as between machines.
        options: list[tuple[str, int | str]] = [("grpc.use_local_subchannel_pool", 1)]
        client = Client(address or self.address, token, patience=patience, options=options)
        self._clients.append(client)
        return client

    async def __aenter__(self) -> Venue:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._clients:
            await client.close()
        await self.stop()


class Cut:
    """A TCP connection in the middle that can be cut, or made to swallow what the server says."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.address = ""
        self.swallow = False
        self.connections = 0

    async def __aenter__(self) -> Cut:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """Break every connection there is."""
        for writer in list(self._writers):
            writer.transport.abort()
        self._writers.clear()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(
                self._pass_on(reader, far_writer, from_server=False),
                self._pass_on(far_reader, writer, from_server=True),
            )

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, from_server: bool
    ) -> None:
        while data := await reader.read(65536):
            if not (from_server and self.swallow):
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@pytest.fixture
async def venue(tmp_path: Path) -> AsyncIterator[Venue]:
    """A running server that a test may stop and start."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with Venue(tmp_path / "data", port) as opened:
        yield opened


@pytest.fixture
def cut_before() -> Callable[[str], Cut]:
    """Makes a connection in the middle: `async with cut_before(address) as cut`."""
    return Cut
