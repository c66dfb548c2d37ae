"""How long to wait before the next try."""

import random
from dataclasses import dataclass, field


@dataclass(slots=True)
class Backoff:
    """Waits that double from `first` to `most` seconds, each shortened at random by up to half.

    The jitter keeps a thousand clients of a restarted server from coming back in the same moment.
    """

    first: float = 0.1
    most: float = 5.0
    _step: int = field(default=0, init=False)

    def next(self, at_least: float = 0.0) -> float:
        """Seconds to wait now; never less than what the server asked for, and with jitter beyond that."""
        ceiling = min(self.most, self.first * (1 << self._step))
        self._step = min(self._step + 1, 30)
        return max(at_least * random.uniform(1.0, 1.25), ceiling * random.uniform(0.5, 1.0))

    def reset(self) -> None:
        """Start anew, after something went well."""
        self._step = 0
