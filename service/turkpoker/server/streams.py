"""What every open stream has: a bounded mailbox, an end with a reason, and a place in the register."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Generic, TypeVar

from turkpoker.server.auth import Identity
from turkpoker.server.errors import ServiceError

R = TypeVar("R")
U = TypeVar("U")


class Notice(Enum):
    """What a mailbox gives instead of an item."""

    QUIET = "nothing came for a while"
    LAGGED = "updates were dropped: the viewer was too slow and needs a fresh snapshot"
    FINISHED = "nothing more will come"


class Mailbox(Generic[R, U]):
    """What waits to be written to one stream: results, which are never dropped, and updates, which may be.

    Args:
        max_results: results that wait before ``put_result`` does.
        max_updates: updates that wait before all of them are dropped for one ``Notice.LAGGED``.
    """

    def __init__(self, max_results: int, max_updates: int) -> None:
        self._results: deque[R] = deque()
        self._updates: deque[U] = deque()
        self._max_updates = max_updates
        self._free_results = asyncio.Semaphore(max_results)
        self._lagged = False
        self._finished = False
        self._owed = 0
        self._end: Exception | None = None
        self._changed = asyncio.Event()

    @contextmanager
    def owing(self) -> Iterator[None]:
        """While the block runs a result is on its way, so that ``last_results`` waits for it."""
        self._owed += 1
        try:
            yield
        finally:
            self._owed -= 1
            self._changed.set()

    async def put_result(self, result: R) -> None:
        """Add a result; waits while too many are unread."""
        await self._free_results.acquire()
        self._results.append(result)
        self._changed.set()

    async def last_results(self) -> AsyncIterator[R]:
        """The results that wait or are on their way, for a stream that has nothing else to say."""
        while self._results or self._owed:
            if self._results:
                self._free_results.release()
                yield self._results.popleft()
            else:
                self._changed.clear()
                await self._changed.wait()

    def put_update(self, update: U) -> None:
        """Add an update; never waits."""
        if self._lagged:
            return
        if len(self._updates) >= self._max_updates:
            self._updates.clear()
            self._lagged = True
        else:
            self._updates.append(update)
        self._changed.set()

    def drop_updates(self) -> None:
        """Forget the updates that wait: what comes from now on does not go on from them."""
        self._updates.clear()
        self._lagged = False

    def finish(self) -> None:
        """Nothing more is to come once the results that wait are read."""
        self._finished = True
        self._changed.set()

    def end(self, reason: Exception) -> None:
        """Let ``get`` raise a reason from now on; the first reason stays."""
        self._end = self._end or reason
        self._changed.set()

    def check(self) -> None:
        """See that the stream may go on, for one that takes nothing out of here.

        Raises:
            Exception: the reason for which the stream has been ended.
        """
        if self._end is not None:
            raise self._end

    async def get(self, patience: timedelta) -> R | U | Notice:
        """The next result, else the next update, else a notice; QUIET when none came within ``patience``.

        Raises:
            Exception: the reason for which the stream has been ended.
        """
        while True:
            if self._results:
                self._free_results.release()
                return self._results.popleft()
            if self._end is not None:
                raise self._end
            if self._finished:
                return Notice.FINISHED
            if self._lagged:
                self._lagged = False
                return Notice.LAGGED
            if self._updates:
                return self._updates.popleft()
            self._changed.clear()
            try:
                async with asyncio.timeout(patience.total_seconds()):
                    await self._changed.wait()
            except TimeoutError:
                return Notice.QUIET


class StreamRegister:
    """The open streams of this process: limited per player, replaced per seat, ended all at the end."""

    def __init__(self, max_per_player: int) -> None:
        self._max_per_player = max_per_player
        self._open: set[Mailbox[object, object]] = set()
        self._per_player: Counter[str] = Counter()
        self._exclusive: dict[Hashable, Mailbox[object, object]] = {}
        self._closing = False

    def __len__(self) -> int:
        return len(self._open)

    @contextmanager
    def entered(
        self, mailbox: Mailbox[R, U], player: str, exclusive: Hashable | None = None
    ) -> Iterator[None]:
        """Keep a stream registered; with ``exclusive`` it ends the older stream of the same key.

        Raises:
            ServiceError: TOO_MANY_STREAMS; SHUTTING_DOWN.
        """
        if self._closing:
            raise shutting_down()
        if self._per_player[player] >= self._max_per_player:
            raise ServiceError(
                "TOO_MANY_STREAMS",
                f"more than {self._max_per_player} open streams",
                metadata={"max": str(self._max_per_player)},
                retry_after=timedelta(seconds=5),
            )
        box: Mailbox[object, object] = mailbox  # type: ignore[assignment]
        self._open.add(box)
        self._per_player[player] += 1
        if exclusive is not None:
            older = self._exclusive.get(exclusive)
            if older is not None:
                older.end(replaced())
            self._exclusive[exclusive] = box
        try:
            yield
        finally:
            self._open.discard(box)
            self._per_player[player] -= 1
            if not self._per_player[player]:
                del self._per_player[player]
            if exclusive is not None and self._exclusive.get(exclusive) is box:
                del self._exclusive[exclusive]

    def end_all(self) -> None:
        """End every stream and refuse new ones: the server is going."""
        self._closing = True
        for mailbox in list(self._open):
            mailbox.end(shutting_down())


def replaced() -> ServiceError:
    """The reason of a stream whose place a newer one has taken."""
    return ServiceError("REPLACED", "a newer stream of the same seat has taken over")


def shutting_down() -> ServiceError:
    """The reason of streams that a leaving server ends."""
    return ServiceError(
        "SHUTTING_DOWN",
        "this server is going; resume the stream",
        retry_after=timedelta(milliseconds=500),
    )


class StreamAge:
    """How long a stream may last: until its greatest age, or until the caller's token is good no more.

    Args:
        max_age: the greatest age.
        identity: the caller.
    """

    def __init__(self, max_age: timedelta, identity: Identity) -> None:
        self._ends = min(datetime.now(UTC) + max_age, identity.expires)
        self._is_revoked = identity.is_revoked

    @property
    def left(self) -> timedelta:
        """How long it may last from now; not negative."""
        if self._is_revoked():
            return timedelta(0)
        return max(self._ends - datetime.now(UTC), timedelta(0))


def expired(resume_token: str) -> ServiceError:
    """The reason of streams whose time is up, with the token to resume with."""
    metadata = {"resume_token": resume_token}
    return ServiceError("STREAM_EXPIRED", "the stream's time is up; resume it", metadata=metadata)
