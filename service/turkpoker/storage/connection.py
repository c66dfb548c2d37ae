"""The connection to Redis or Valkey: what is asked of the server, and what its failures mean."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

import redis
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from turkpoker.table.errors import StoreAway, StoreRefused

T = TypeVar("T")

_MAX_CONNECTIONS = 32
_TIMEOUT = 5.0
_OLDEST_VERSION = 7
#: Answers that say "not now": a failover, a load from disk, full memory, a replica cut off.
_PASSING = (
    "OOM",
    "READONLY",
    "LOADING",
    "MASTERDOWN",
    "CLUSTERDOWN",
    "TRYAGAIN",
    "NOREPLICAS",
    "MISCONF",
    "BUSY",
)


def connect(url: str, *, read_timeout: float = _TIMEOUT) -> Redis:
    """A client with a pool of its own; connects at the first command.

    Raises:
        StoreRefused: the URL is not one. Its password is not told.
    """
    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=_MAX_CONNECTIONS,
            timeout=_TIMEOUT,
            protocol=2,
            socket_timeout=read_timeout,
            socket_connect_timeout=_TIMEOUT,
            retry=Retry(ExponentialBackoff(cap=0.2, base=0.02), 2),
            client_name="turkpoker",
        )
    except (ValueError, TypeError) as error:
        raise StoreRefused(f"the Redis URL cannot be used: {type(error).__name__}") from None
    return Redis(connection_pool=pool)


async def check_server(client: Redis) -> None:
    """See that the server is new enough and will never evict a key.

    Raises:
        StoreRefused: it must not be used as it is set up.
        StoreAway: it cannot be reached.
    """
    async with failures():
        server = await client.info("server")
        memory = await client.info("memory")
    version = str(server.get("redis_version", "0"))
    if int(version.partition(".")[0]) < _OLDEST_VERSION:
        raise StoreRefused(f"Redis {version} is too old: {_OLDEST_VERSION}.0 or any Valkey is needed")
    policy = memory.get("maxmemory_policy")
    if policy != "noeviction":
        raise StoreRefused(
            f"this Redis may evict keys, and tables with them (maxmemory-policy {policy}): set noeviction"
        )


@asynccontextmanager
async def failures() -> AsyncIterator[None]:
    """What redis-py raises, as errors of the store; texts of the server are left out, since they may quote
    keys.

    Raises:
        StoreAway: trying again later makes sense.
        StoreRefused: it does not.
    """
    try:
        yield
    except (redis.AuthenticationError, redis.exceptions.AuthorizationError) as error:
        raise StoreRefused(f"Redis does not let us in: {type(error).__name__}") from error
    except redis.ResponseError as error:
        word = str(error).partition(" ")[0]
        if word in _PASSING or isinstance(error, redis.ReadOnlyError | redis.OutOfMemoryError):
            raise StoreAway(f"Redis does not take this now: {word}") from error
        raise
    except (redis.ConnectionError, redis.TimeoutError, OSError, TimeoutError) as error:
        raise StoreAway(f"Redis cannot be reached: {type(error).__name__}") from error


async def shielded(call: Coroutine[Any, Any, T]) -> T:
    """Run a call to its end even when its caller is cancelled, so that no connection is left in
    mid-answer.
    """
    task = asyncio.ensure_future(call)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            task.add_done_callback(_look_at)
        raise


def _look_at(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()


async def ask(call: Awaitable[Any]) -> Any:
    """One call with its failures told as the store's."""
    async with failures():
        return await shielded(cast("Coroutine[Any, Any, Any]", call))
