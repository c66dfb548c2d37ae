"""The levels of a tournament: how they are read, as values or as text, and written.

As text a level is its length and its stakes, and levels are set apart by commas::

    10 hands: 1/2, 10 hands: 2/4, 15 min: 5/5/10

The length is a number of ``hands`` or of minutes (``min``). The stakes are ante/minimum bet, or
ante/blind/minimum bet where blinds are dealt for; one number alone is all three.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turkpoker.engine.whole import MAX_CHIPS, whole

MAX_LEVELS = 200
_LONGEST = 10**6
_TEXT = re.compile(
    r"\s*(?P<length>[0-9]+)\s*(?P<unit>hands?|min|minutes?|m)\s*:\s*(?P<stakes>[0-9]+(?:\s*/\s*[0-9]+){0,2})\s*"
)
_FORM = "10 hands: 1/2 or 15 min: 1/2/2 (ante/minimum bet or ante/blind/minimum bet)"
#: What ``levels`` may be, for people.
VALUES = f"none, or levels with commas between them, each like {_FORM}"


@dataclass(frozen=True, slots=True)
class Level:
    """One step of a tournament's stakes; it ends after ``hands`` deals or after ``minutes``, whichever is
    set."""

    ante: int
    blind: int
    stake_min: int
    hands: int | None = None
    minutes: int | None = None

    @property
    def stakes(self) -> tuple[int, int, int]:
        """``(ante, blind, stake_min)``."""
        return self.ante, self.blind, self.stake_min

    def to_dict(self) -> dict[str, int]:
        """The level as numbers by name, what is not set left out."""
        length = {"hands": self.hands} if self.hands is not None else {"minutes": self.minutes}
        return {**length, "ante": self.ante, "blind": self.blind, "stake_min": self.stake_min}  # type: ignore[dict-item]


def read_levels(given: object) -> tuple[Level, ...]:
    """Levels from text, from ``Level`` values or from numbers by name.

    Raises:
        ValueError: they are none; the reason names the level, counted from 1.
    """
    if given is None or given == "none":
        return ()
    if isinstance(given, str):
        given = [_from_text(number, text) for number, text in enumerate(given.split(","), 1)]
    if not isinstance(given, Sequence) or isinstance(given, bytes):
        raise ValueError(f"must be {VALUES}")
    if len(given) > MAX_LEVELS:
        raise ValueError(f"must be at most {MAX_LEVELS} levels")
    return tuple(_read_level(number, level) for number, level in enumerate(given, 1))


def write_levels(value: tuple[Level, ...]) -> Any:
    """Levels as JSON values."""
    return [level.to_dict() for level in value] if value else "none"


def _from_text(number: int, text: str) -> dict[str, int]:
    found = _TEXT.fullmatch(text.lower())
    if not found or max(map(len, re.findall("[0-9]+", text))) > 18:
        raise ValueError(f"level {number} must be like {_FORM}")
    stakes = [int(stake) for stake in found["stakes"].split("/")]
    return {
        "hands" if found["unit"].startswith("hand") else "minutes": int(found["length"]),
        "ante": stakes[0],
        "blind": stakes[1] if len(stakes) == 3 else stakes[-1],
        "stake_min": stakes[-1],
    }


def _read_level(number: int, given: object) -> Level:
    if isinstance(given, Level):
        given = given.to_dict()
    if not isinstance(given, Mapping):
        raise ValueError(f"level {number} must have hands or minutes, ante, blind, stake_min")
    unknown = set(given) - {"hands", "minutes", "ante", "blind", "stake_min"}
    if unknown:
        raise ValueError(f"level {number} has no {sorted(map(str, unknown))[0]}")
    if ("hands" in given) == ("minutes" in given):
        raise ValueError(f"level {number} must have either hands or minutes")

    def read(name: str, least: int, most: int, otherwise: int | None = None) -> int:
        try:
            return whole(given.get(name, otherwise), least, most)
        except ValueError as error:
            raise ValueError(f"level {number}: {name} {error}") from None

    stake_min = read("stake_min", 1, MAX_CHIPS)
    return Level(
        ante=read("ante", 0, MAX_CHIPS, stake_min),
        blind=read("blind", 1, MAX_CHIPS, stake_min),
        stake_min=stake_min,
        hands=read("hands", 1, _LONGEST) if "hands" in given else None,
        minutes=read("minutes", 1, _LONGEST) if "minutes" in given else None,
    )
