"""When a call or stream is tried again, and for how long."""

import asyncio
import time
from dataclasses import dataclass, field

import grpc
from turkpoker.client.backoff import Backoff
from turkpoker.client.errors import TurkpokerError

# What a connection that broke looks like from inside; the server itself always gives a reason.
_BROKEN_STREAM = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
    }
)


@dataclass(slots=True)
class Retries:
    """Waits between tries until `patience` seconds have passed without any success."""

    patience: float
    backoff: Backoff = field(default_factory=Backoff)
    _since: float = field(default_factory=time.monotonic, init=False)

    def succeeded(self) -> None:
        """Something came through: the count of failures starts anew."""
        self._since = time.monotonic()
        self.backoff.reset()

    async def pause(self, error: TurkpokerError) -> None:
        """Wait before the next try; raises `error` when patience is at its end."""
        asked = error.retry_after.total_seconds() if error.retry_after else 0.0
        wait = self.backoff.next(asked)
        if time.monotonic() + wait - self._since > self.patience:
            raise error
        await asyncio.sleep(wait)


def stream_may_resume(error: TurkpokerError) -> bool:
    """Whether a stream that ended so is opened again. REPLACED never is: two clients would fight."""
    return error.is_passing or (not error.reason and error.code in _BROKEN_STREAM)
