"""Counts which pairs of option values have been played together, and which may stand together at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from random import Random
from typing import Any

from engine.random_hands import PROFILES, VALUES
from turkpoker.engine import Rules, RulesError

LEVELS = [
    {"hands": 5, "ante": 1, "blind": 2, "stake_min": 2},
    {"hands": 5, "ante": 2, "blind": 4, "stake_min": 4},
]
#: Values of the options that concern the table and its matches; a hand must not mind them.
TABLE_VALUES: dict[str, tuple[Any, ...]] = {
    "players": ("2-2", "2-3", "2-4", "2-5", "2-6", "3-5", "3-6"),
    "unopened": ("carry_and_reante",),
    "stock_exhaustion": ("reshuffle",),
    "proof_window": ("5s", "12s"),
    "carried_pot_entry": ("open", "missed_antes"),
    "levels": ("none", LEVELS),
    "first_dealer": ("high_card", "random"),
    "match": ("session", "tournament"),
    "rebuy": ("none", "when_bust", "between_deals"),
    "buy_in_min": (40, 100),
    "buy_in_max": (1000, 5000),
    "start_stack": (200, 400),
    "buy_in_min_antes": ("none", 20),
    "buy_in_max_antes": ("none", 500),
    "action_clock": ("30s", "10s"),
    "time_bank": ("0s", "60s"),
}
ALL_VALUES = VALUES | TABLE_VALUES
#: What a pair may need besides itself to be playable.
HELP: tuple[dict[str, Any], ...] = ({}, {"match": "tournament"}, {"players": "2-2"}, {"deck": 52})


def random_table_options(rng: Random) -> dict[str, Any]:
    """Options of the table that go together; ``players`` is left to the hand."""
    chosen = {name: rng.choice(values) for name, values in TABLE_VALUES.items() if name != "players"}
    if chosen["match"] == "tournament":
        chosen["rebuy"] = "none"
    else:
        chosen["levels"] = "none"
    return chosen


def written(value: Any) -> str:
    return "none" if value is None else str(value)


class PairCoverage:
    """How often each pair of listed values stood in a finished hand."""

    def __init__(self) -> None:
        self.names = list(ALL_VALUES)
        self.ids = {name: {written(value): None for value in values} for name, values in ALL_VALUES.items()}
        self.values: list[tuple[str, Any]] = []
        for name, values in ALL_VALUES.items():
            for value in values:
                self.ids[name][written(value)] = len(self.values)
                self.values.append((name, value))
        self.counts = [[0] * len(self.values) for _ in self.values]

    def count(self, rules: Rules) -> None:
        present = [self.ids[name].get(written(rules.option(name))) for name in self.names]
        listed = [number for number in present if number is not None]
        for place, first in enumerate(listed):
            row = self.counts[first]
            for second in listed[place + 1 :]:
                row[second] += 1

    def pairs(self) -> Iterator[tuple[tuple[str, Any], tuple[str, Any], int]]:
        for (i, first), (j, second) in combinations(enumerate(self.values), 2):
            if first[0] != second[0]:
                yield first, second, self.counts[i][j]

    def report(self, least: int) -> tuple[list[str], int]:
        """What to print, and how many pairs that may stand together are short of ``least`` hands."""
        lines: list[str] = []
        enough, impossible, short = [], 0, 0
        for first, second, count in self.pairs():
            if count >= least:
                enough.append(count)
                continue
            reason = why_not(dict([first, second]))
            if count == 0 and reason is not None:
                impossible += 1
                lines.append(f"  cannot stand together: {_say(first)} with {_say(second)} ({reason})")
            else:
                short += 1
                lines.append(f"  only {count} hands: {_say(first)} with {_say(second)}")
        head = [
            f"pairs of option values in at least {least} finished hands: {len(enough)}"
            + (f" (the rarest in {min(enough)})" if enough else ""),
            f"pairs that are refused when a table is made: {impossible}",
            f"pairs short of {least} hands: {short}",
        ]
        return head + lines, short


def _say(pair: tuple[str, Any]) -> str:
    name, value = pair
    return f"{name}={'(levels)' if isinstance(value, list) else written(value)}"


def why_not(pair: Mapping[str, Any]) -> str | None:
    """The reason for which no profile takes the pair, with whatever else it may need; None if one does."""
    reason = None
    for profile in PROFILES:
        for extra in HELP:
            try:
                Rules.profile(profile, **{**extra, **pair})
            except RulesError as error:
                reason = reason or str(error)
            else:
                return None
    return reason
