"""How a bot likes to play, and the chance it plays with."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Temperament:
    """loose: how gladly it pays to stay in; bold: how gladly it bets and raises; sly: how often it bluffs.

    All are about 0 (not at all) to 1.
    """

    name: str
    loose: float
    bold: float
    sly: float


TEMPERAMENTS = (
    Temperament("steady", loose=0.50, bold=0.50, sly=0.40),
    Temperament("loose", loose=0.80, bold=0.35, sly=0.40),
    Temperament("bold", loose=0.55, bold=0.85, sly=0.55),
    Temperament("careful", loose=0.30, bold=0.40, sly=0.30),
    Temperament("sly", loose=0.50, bold=0.55, sly=0.85),
    Temperament("stubborn", loose=0.70, bold=0.55, sly=0.50),
)


class Chance:
    """Numbers from 0 to 1 that depend on nothing but a key.

    A bot draws its chance from seed, name and decision, never from a running generator: so the same table in
    the same state gets the same answer, whatever came in late, twice or on another connection.
    """

    __slots__ = ("_block", "_key", "_left")

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._block = 0
        self._left: list[float] = []

    def roll(self) -> float:
        """The next number, 0 <= number < 1."""
        if not self._left:
            digest = hashlib.blake2b(self._key, salt=self._block.to_bytes(16, "big")).digest()
            self._block += 1
            self._left = [int.from_bytes(digest[i : i + 6], "big") / 2**48 for i in range(0, 48, 6)]
        return self._left.pop()

    def pick(self, weights: dict[str, float]) -> str:
        """One of the keys, with a chance in proportion to its weight; at least one weight is above 0."""
        point = self.roll() * sum(weights.values())
        for key, weight in weights.items():
            point -= weight
            if point < 0:
                return key
        return max(weights, key=lambda key: weights[key])
