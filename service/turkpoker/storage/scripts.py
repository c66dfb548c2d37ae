"""The Lua scripts beside this file, and the short way of running them.

Each script's head comment says what goes in, what comes out, and which errors there are. A command of a
table is one run of one script, so the way there is kept short: connections are taken from a plain list
instead of redis-py's pool, and commands are packed by hiredis where it is installed. That is half the cost
of a call through the client.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import redis
from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoScriptError

try:
    import hiredis
except ImportError:  # pragma: no cover - hiredis comes with the server extra
    _hiredis_pack: Callable[[Any], bytes] | None = None
else:
    _hiredis_pack = hiredis.pack_command

#: So many scripts run at the same time at most; the others wait.
_MAX_CONNECTIONS = 64
# : A lost connection is made anew and the script sent again so often. Every script may be sent twice (see
# commit.lua).
_ATTEMPTS = 3
_PAUSES = (0.0, 0.02, 0.1)

Part = bytes | str | int


class Script:
    """One script.

    Args:
        name: of its file.
        run: what runs it.
    """

    __slots__ = ("_run", "sha", "text")

    def __init__(self, name: str, run: Callable[[Script, tuple[Part, ...]], Any]) -> None:
        self.text = (files("turkpoker.storage") / "lua" / f"{name}.lua").read_text(encoding="utf-8")
        # The name that Redis gives a script.
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        self._run = run

    async def __call__(self, keys: Sequence[str], args: Sequence[Part]) -> Any:
        """Run it.

        Raises:
            redis.RedisError: as redis-py tells it.
        """
        return await self._run(self, (len(keys), *keys, *args))


class Scripts:
    """The scripts and the connections that they run on.

    Args:
        client: whose pool says how to connect.
    """

    def __init__(self, client: Redis) -> None:
        self._pool = client.connection_pool
        self._idle: list[AbstractConnection] = []
        self._room = asyncio.Semaphore(_MAX_CONNECTIONS)
        self.create = Script("create", self._run)
        self.load = Script("load", self._run)
        self.commit = Script("commit", self._run)
        self.raise_epoch = Script("raise_epoch", self._run)
        self.lease = Script("lease", self._run)
        self.done = Script("done", self._run)
        self.bury = Script("bury", self._run)

    async def close(self) -> None:
        """Close the connections."""
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.disconnect()

    async def _run(self, script: Script, parts: tuple[Part, ...]) -> Any:
        async with self._room:
            connection = self._idle.pop() if self._idle else self._new_connection()
            try:
                return await self._attempt(connection, script, parts)
            finally:
                # After a failure it is disconnected, and connects again when it is used next.
                self._idle.append(connection)

    def _new_connection(self) -> AbstractConnection:
        connection: AbstractConnection = self._pool.make_connection()  # type: ignore[no-untyped-call]
        return connection

    async def _attempt(self, connection: AbstractConnection, script: Script, parts: tuple[Part, ...]) -> Any:
        command: tuple[Part, ...] = ("EVALSHA", script.sha, *parts)
        attempt = 0
        while True:
            try:
                return await _exchange(connection, command)
            except NoScriptError:
                command = ("EVAL", script.text, *parts)
            except redis.AuthenticationError:
                raise
            except (redis.ConnectionError, redis.TimeoutError, OSError):
                await connection.disconnect(nowait=True)
                attempt += 1
                if attempt == _ATTEMPTS:
                    raise
                await asyncio.sleep(_PAUSES[attempt])


async def _exchange(connection: AbstractConnection, command: tuple[Part, ...]) -> Any:
    packed = connection.pack_command(*command) if _hiredis_pack is None else [_hiredis_pack(command)]
    try:
        await connection.send_packed_command(packed)
        return await connection.read_response()
    except redis.ResponseError:
        raise
    except BaseException:
        # Cut off between question and answer: what comes next on it would be the answer to something else.
        await connection.disconnect(nowait=True)
        raise
