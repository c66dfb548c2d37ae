"""Replaying records: what the reference says is accepted, anything else is named as a difference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from engine import reference_evaluator as cards
from engine.random_hands import random_setup
from engine.reference_hand import ReferenceHand
from engine.side_by_side import Pair, play_both
from engine.test_reference_records import HANDS
from turkpoker.engine import HandRecord, replay

LETTERS = "ABCDEF"


def expected_by(reference: ReferenceHand) -> dict[str, Any]:
    """What a record would expect of the hand that the reference has played."""
    return {
        "over": reference.over,
        "pots": [
            [amount, [LETTERS[seat] for seat in sorted(eligible)]] for amount, eligible in reference.pots
        ],
        "payouts": {LETTERS[seat]: chips for seat, chips in reference.payouts.items()},
        "final": {LETTERS[seat]: chips for seat, chips in reference.stack.items()},
        "carried": reference.carried_out,
        "hands": {LETTERS[seat]: cards.names(held) for seat, held in reference.hands.items()},
        "categories": {LETTERS[seat]: kind for seat, kind in reference.categories().items()},
    }


def recorded(count: int) -> Iterator[tuple[Random, Pair, dict[str, Any]]]:
    """Random hands as records that expect what the reference says."""
    for seed in range(count):
        rng = Random(f"replay {seed}")
        pair = play_both(rng, random_setup(rng, None, rng.choice((0.0, 0.3))), rng.choice((0.0, 0.05)))
        record = pair.hand.record(f"R{seed}").to_dict() | {"expect": expected_by(pair.reference)}
        yield rng, pair, json.loads(json.dumps(record))


def spoil(rng: Random, expect: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of a field and the expectation with that field wrong."""
    seat = rng.choice(sorted(expect["final"]))
    wrong: dict[str, Any] = {
        "over": "passed_out" if expect["over"] != "passed_out" else "folds",
        "carried": expect["carried"] + 1,
        "final": expect["final"] | {seat: expect["final"][seat] + 1},
        "payouts": expect["payouts"] | {seat: expect["payouts"].get(seat, 0) + 1},
        "pots": [*expect["pots"], [7, [seat]]],
    }
    if seat in expect["hands"]:
        held = expect["hands"][seat].split()
        other = next(text for text in ("As", "Ks", "Qs", "Js", "Ts", "9s") if text not in held)
        wrong["hands"] = expect["hands"] | {seat: " ".join([*held[:4], other])}
        kind = "flush" if expect["categories"].get(seat) != "flush" else "pair"
        wrong["categories"] = expect["categories"] | {seat: kind}
    name = rng.choice(sorted(wrong))
    return name, expect | {name: wrong[name]}


def test_replay_accepts_what_the_reference_says_and_names_what_is_wrong() -> None:
    fields = set()
    for rng, pair, record in recorded(250):
        report = replay(HandRecord.from_dict(record))
        assert (report.ok, report.differences, report.refused) == (True, (), None), record
        assert [event.to_dict() for event in report.hand.events] == [
            event.to_dict() for event in pair.hand.events
        ]
        name, expect = spoil(rng, record["expect"])
        spoilt = replay(HandRecord.from_dict(record | {"expect": expect}))
        assert spoilt.ok is False
        assert len(spoilt.differences) == 1
        assert name[:3] in spoilt.differences[0]
        fields.add(name)
    assert fields == {"over", "carried", "final", "payouts", "pots", "hands", "categories"}


def test_replay_names_a_wrong_turn_and_a_wrong_range() -> None:
    for record in HANDS:
        for place, step in enumerate(record["steps"]):
            if step.get("check") == "turn":
                wrong: dict[str, Any] = step | {"seat": "B" if step["seat"] != "B" else "A"}
            elif step.get("check") == "legal":
                name = next(iter(step["legal"]))
                flipped = not step["legal"][name] if isinstance(step["legal"][name], bool) else 1
                wrong = step | {"legal": step["legal"] | {name: flipped}}
            else:
                continue
            steps = [*record["steps"][:place], wrong, *record["steps"][place + 1 :]]
            report = replay(HandRecord.from_dict(record | {"steps": steps}))
            assert report.ok is False
            assert len(report.differences) == 1


@pytest.mark.parametrize("record", HANDS, ids=[record["id"] for record in HANDS])
def test_an_illegal_step_is_a_difference(record: dict[str, Any]) -> None:
    first = next(place for place, step in enumerate(record["steps"]) if "action" in step)
    seat = record["steps"][first]["seat"]
    steps = [*record["steps"][:first], {"seat": seat, "action": "raise", "to": 1}]
    report = replay(HandRecord.from_dict(record | {"steps": steps}))
    assert report.ok is False
    assert report.differences
