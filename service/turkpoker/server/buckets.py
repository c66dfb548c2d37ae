"""Token buckets: how much one caller may do in a second, with bursts, in bounded memory.

They stand in the memory of one process: who is spread over three servers has three buckets. That bounds
abuse, which is what they are for, and costs no round trip.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import timedelta

#: So many callers are remembered at most; the one not seen for longest is forgotten and starts with a full
#: bucket. Some 100 bytes each.
MAX_REMEMBERED = 65_536
#: Seconds by which sums of fractions may be wrong.
_ROUNDING = 1e-7
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Limit:
    """A rate and a burst; ``Limit.OFF`` limits nothing.

    Attributes:
        count: so many ...
        seconds: ... in so many seconds, again and again.
        burst: so many at once after a rest.
    """

    count: int
    seconds: float
    burst: int

    @classmethod
    def parse(cls, text: str) -> Limit:
        """A limit from ``500/s,1000``: a rate a second, minute or hour, and a burst; ``0``: none.

        Raises:
            ValueError: it is written in another way, or allows nothing.
        """
        if text.strip() == "0":
            return OFF
        rate, comma, burst = text.partition(",")
        count, slash, unit = rate.strip().partition("/")
        numbers = (count, burst.strip() if comma else count)
        if not slash or unit not in _UNITS or not all(number.isdecimal() for number in numbers):
            raise ValueError(f"no limit: {text[:20]!r} (500/s,1000; 30/m; 0 for none)")
        limit = cls(int(numbers[0]), _UNITS[unit], int(numbers[1]))
        if limit.count < 1 or limit.burst < 1:
            raise ValueError(f"a limit of {text[:20]!r} allows nothing (0 for none)")
        return limit

    @property
    def on(self) -> bool:
        """Whether it limits anything."""
        return self.count > 0

    def __str__(self) -> str:
        if not self.on:
            return "0"
        unit = next(unit for unit, seconds in _UNITS.items() if seconds == self.seconds)
        return f"{self.count}/{unit},{self.burst}"


OFF = Limit(0, 1.0, 0)


class Buckets:
    """One bucket for each caller.

    Kept is one number a caller: when his bucket will be full again. That is all a token bucket is.

    Args:
        limit: rate and burst of each bucket.
        clock: seconds that only go up.
        most: how many callers are remembered.
    """

    def __init__(
        self,
        limit: Limit,
        clock: Callable[[], float] = time.monotonic,
        most: int = MAX_REMEMBERED,
    ) -> None:
        self._limit = limit
        self._clock = clock
        self._most = most
        self._each = limit.seconds / limit.count if limit.on else 0.0
        self._full_at: OrderedDict[Hashable, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full_at)

    def wait(self, caller: Hashable) -> timedelta | None:
        """How long until there is a token for the caller; None: there is one now. Takes nothing."""
        if not self._limit.on:
            return None
        now = self._clock()
        full_at = max(self._full_at.get(caller, now), now)
        missing = full_at + self._each - now - self._limit.burst * self._each
        # Rounded up, so that waiting as told is enough.
        return timedelta(microseconds=math.ceil(missing * 1e6)) if missing > _ROUNDING else None

    def take(self, caller: Hashable) -> timedelta | None:
        """Take a token; where there is none, nothing is taken, and the time until there is one is given."""
        wait = self.wait(caller)
        if wait is None:
            self.count(caller)
        return wait

    def count(self, caller: Hashable) -> None:
        """Take a token, whether there is one or not."""
        if not self._limit.on:
            return
        now = self._clock()
        self._full_at[caller] = max(self._full_at.get(caller, now), now) + self._each
        self._full_at.move_to_end(caller)
        if len(self._full_at) > self._most:
            self._full_at.popitem(last=False)
