"""The reference is held against recorded hands, vectors and frequencies before it judges others."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from engine import reference_evaluator as cards
from engine.reference_record import play_record

DATA = Path(__file__).parent.parent / "data"


def read_lines(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / file).read_text().splitlines() if line.strip()]


HANDS = read_lines("hands.jsonl")
VECTORS = read_lines("vectors.jsonl")


@pytest.mark.parametrize("record", HANDS, ids=[record["id"] for record in HANDS])
def test_reference_plays_the_recorded_hand(record: dict[str, Any]) -> None:
    hand, differences = play_record(record)
    assert differences == []
    paid_in = sum(record["stacks"].values()) + record["carried"]
    assert sum(hand.stack.values()) + hand.carried_out + hand.rake == paid_in


@pytest.mark.parametrize("record", HANDS, ids=[record["id"] for record in HANDS])
def test_reference_notices_a_wrong_expectation(record: dict[str, Any]) -> None:
    """A comparison that cannot fail would prove nothing: each field is spoilt in turn."""
    for field, wrong in {
        "over": "nothing",
        "carried": record["expect"]["carried"] + 1,
        "final": {seat: chips + 1 for seat, chips in record["expect"]["final"].items()},
        "payouts": {"A": 999},
        "pots": [[999, ["A"]]],
    }.items():
        spoilt = record | {"expect": record["expect"] | {field: wrong}}
        assert len(play_record(spoilt)[1]) == 1


@pytest.mark.parametrize("vector", VECTORS, ids=[str(place) for place in range(len(VECTORS))])
def test_reference_agrees_with_the_vector(vector: dict[str, Any]) -> None:
    a, b = cards.cards(vector["a"]), cards.cards(vector["b"])
    settings = (vector["deck"], vector["ranking"], bool(vector["minor"]), bool(vector["suits"]))
    assert cards.category(a, settings[0], settings[2]) == vector["category_a"]
    assert cards.category(b, settings[0], settings[2]) == vector["category_b"]
    keys = cards.high_key(a, *settings), cards.high_key(b, *settings)
    verdict = "a" if keys[0] > keys[1] else "b" if keys[1] > keys[0] else "tie"
    assert verdict == vector["expected"]


def test_reference_counts_the_24_card_deck() -> None:
    counted = Counter(cards.category(hand, 24) for hand in combinations(range(28, 52), 5))
    assert dict(counted) == {
        "royal_flush": 4,
        "straight_flush": 4,
        "minor_straight_flush": 4,
        "four_of_a_kind": 120,
        "flush": 12,
        "full_house": 720,
        "three_of_a_kind": 3840,
        "straight": 2040,
        "minor_straight": 1020,
        "two_pair": 8640,
        "pair": 23040,
        "high_card": 3060,
    }
    levels = {cards.high_key(hand, 24) for hand in combinations(range(28, 52), 5)}
    with_suits = {cards.high_key(hand, 24, suits=True) for hand in combinations(range(28, 52), 5)}
    assert (len(levels), len(with_suits)) == (252, 528)
