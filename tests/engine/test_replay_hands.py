"""The recorded hands, and what a replay says when something differs."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from turkpoker.engine import HandRecord, RecordError, replay

RECORDS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "hands.jsonl").read_text().splitlines()
    if line.strip()
]
BY_ID = {record["id"]: record for record in RECORDS}


@pytest.mark.parametrize("record", RECORDS, ids=[record["id"] for record in RECORDS])
def test_a_recorded_hand_comes_out_as_written(record: dict[str, Any]) -> None:
    report = replay(HandRecord.from_dict(record))
    assert report.differences == ()
    assert report.ok is True


@pytest.mark.parametrize("record", RECORDS, ids=[record["id"] for record in RECORDS])
def test_a_hand_written_by_the_engine_replays_to_the_same_events(record: dict[str, Any]) -> None:
    first = replay(HandRecord.from_dict(record)).hand
    assert first is not None
    written = json.loads(json.dumps(first.record(record["id"]).to_dict()))
    again = HandRecord.from_dict(written).restore()
    assert again.events == first.events
    assert again.result == first.result
    assert again.record(record["id"]).to_dict() == written


def test_the_answer_has_the_fields_of_the_format() -> None:
    answer = replay(HandRecord.from_dict(BY_ID["S15"])).to_dict()
    assert answer["pots"] == [[60, ["A", "B", "C"]], [80, ["B", "C"]]]
    assert answer["payouts"] == {"A": 60, "C": 80}
    assert answer["final"] == {"A": 60, "B": 0, "C": 120}
    assert answer["hands"]["A"] == "Kh Ks Kd 8c 9d"
    assert answer["categories"]["A"] == "three_of_a_kind"
    assert "uncalled_returned" in answer["events"]
    assert (answer["ok"], answer["refused"], answer["differences"], answer["over"]) == (
        True,
        None,
        [],
        "showdown",
    )
    assert json.dumps(answer)


def changed(name: str, **changes: Any) -> dict[str, Any]:
    record = copy.deepcopy(BY_ID[name])
    for path, value in changes.items():
        *parts, last = path.split("__")
        target = record
        for part in parts:
            target = target[part]
        target[last] = value
    return record


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"expect__over": "folds"}, "over"),
        ({"expect__pots": [[75, ["A", "B"]]]}, "pots"),
        ({"expect__payouts": {"B": 76}}, "payout"),
        ({"expect__final": {"A": 137, "B": 62}}, "final of A"),
        ({"expect__carried": 1}, "carried"),
        ({"expect__hands": {"A": "Kh Kd Th Qh Ah"}}, "hand of A"),
        ({"expect__categories": {"A": "pair"}}, "categories of A"),
        ({"expect__never": ["uncalled", "raise"]}, "raise"),
        ({"steps": [{"check": "turn", "seat": "B"}]}, "turn B"),
        ({"steps": [{"seat": "B", "action": "check"}]}, "step 1: B check"),
        ({"deck": "As Ks"}, "deck"),
        ({"options": {"nonsense": 1}}, "nonsense"),
    ],
)
def test_every_expectation_is_held_against_the_hand(change: dict[str, Any], word: str) -> None:
    report = replay(HandRecord.from_dict(changed("S01", **change)))
    assert report.ok is False
    assert any(word in difference for difference in report.differences), report.differences


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ({"over": True}, "expect.over must be a word, not true"),
        ({"carried": False}, "expect.carried must be a whole number, not false"),
        ({"carried": 0.0}, "expect.carried must be a whole number, not 0.0"),
        ({"rake": False}, "expect.rake must be a whole number, not false"),
        ({"final": {"A": 138.0}}, "expect.final must be a whole number for each seat, not "),
        ({"final": {"Q": 0}}, "expect.final must be an object by seat of A, B"),
        ({"final": [138, 62]}, "expect.final must be an object by seat, not "),
        ({"payouts": {"A": 76, "Q": 0}}, "expect.payouts must be an object by seat of A, B"),
        ({"payouts": {"A": 76, "B": False}}, "expect.payouts must be a whole number for each seat, not "),
        ({"pots": [[76.0, ["A", "B"]]]}, "expect.pots must be a list of [chips, [seats]], not "),
        ({"pots": [[76, "AB"]]}, "expect.pots must be a list of [chips, [seats]], not "),
        ({"pots": [[76, ["A", 1]]]}, "expect.pots must be a list of [chips, [seats]], not "),
        ({"pots": {"76": ["A", "B"]}}, "expect.pots must be a list of [chips, [seats]], not "),
        ({"hands": {"A": 5}}, "expect.hands must be cards as text for each seat, not "),
        ({"hands": {"A": "Kh Zz"}}, "expect.hands must be cards as text for each seat, not "),
        ({"categories": {"A": 1}}, "expect.categories must be a word for each seat, not "),
        ({"never": "proof"}, "expect.never must be a list of words, not "),
        ({"never": [1]}, "expect.never must be a word, not "),
        ({"never": ["prof"]}, 'no event\'s name has "prof" in it'),
        ({"never": [""]}, 'no event\'s name has "" in it'),
        ({"winner": "A"}, 'expect has no "winner": it may hold over, pots, payouts'),
    ],
)
def test_an_expectation_of_another_type_or_name_is_never_passed_over(
    expect: dict[str, Any], difference: str
) -> None:
    record = copy.deepcopy(BY_ID["S01"])
    record["expect"] |= expect
    report = replay(HandRecord.from_dict(record))
    assert report.ok is False
    (found,) = report.differences
    assert found.startswith(difference)


@pytest.mark.parametrize(
    ("legal", "difference"),
    [
        ({"check": 1}, "check is true, not 1"),
        ({"check": [True]}, "check is true, not [true]"),
        ({"open": [2.0, 98]}, "open is [2, 98], not [2.0, 98]"),
        ({"open": 2}, "open is [2, 98], not 2"),
        ({"open": "2-98"}, 'open is [2, 98], not "2-98"'),
        ({"call": True}, "call is false, not true"),
        ({"call": None}, "call is false, not null"),
        ({"rise": False}, 'there is no action "rise"'),
    ],
)
def test_legal_actions_are_compared_by_type_too(legal: dict[str, Any], difference: str) -> None:
    record = copy.deepcopy(BY_ID["S01"])
    seat = record["steps"][0]["seat"]
    record["steps"].insert(0, {"check": "legal", "seat": seat, "legal": legal})
    (found,) = replay(HandRecord.from_dict(record)).differences
    assert found == f"step 1: legal {seat}: {difference}"


def test_order_of_pots_seats_and_cards_does_not_count() -> None:
    record = changed(
        "S15",
        expect__pots=[[80, ["C", "B"]], [60, ["C", "A", "B"]]],
        expect__payouts={"C": 80, "A": 60, "B": 0},
        expect__hands={"A": "9d 8c Kd Ks Kh"},
    )
    assert replay(HandRecord.from_dict(record)).ok is True


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"deck": "As Xx"}, "deck"),
        ({"dealer": "a"}, "dealer"),
        ({"stacks": [100, 100]}, "stacks"),
        ({"steps": [{"seat": "A"}]}, "steps[1]"),
        ({"steps": [{"check": "mood", "seat": "A"}]}, "steps[1]"),
        ({"options": []}, "options"),
        ({"expect": 3}, "expect"),
        ({"reshuffles": "As Kd"}, "reshuffles"),
    ],
)
def test_what_is_no_record_is_refused_with_the_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(RecordError) as caught:
        HandRecord.from_dict(changed("S01", **change))
    assert caught.value.field == field


def test_a_missing_field_is_named() -> None:
    record = copy.deepcopy(BY_ID["S01"])
    del record["deck"]
    with pytest.raises(RecordError, match="deck: is missing"):
        HandRecord.from_dict(record)


@pytest.mark.parametrize("cards", [0, False, {}, 7, ["Zz"], [5]])
def test_cards_of_a_step_that_are_none_are_named(cards: Any) -> None:
    step = {"seat": "A", "action": "draw", "cards": cards}
    with pytest.raises(RecordError, match=r"^steps\[1\]: "):
        HandRecord.from_dict(changed("S01", steps=[step]))


@pytest.mark.parametrize("amount", [2.1, -5, 2**63, None, True, "6"])
def test_an_impossible_amount_in_a_step_is_a_difference(amount: Any) -> None:
    record = changed("S01", steps=[{"seat": "A", "action": "open", "to": amount}])
    report = replay(HandRecord.from_dict(record))
    assert report.ok is False
    assert report.differences[0].startswith("step 1: A open: to:")


def test_entries_left_out_mean_that_everybody_is_in() -> None:
    record = {**changed("S10"), "profile": "turkish-online"}
    record["options"] = {"opening_min": 2, "ante": 1, "stake_min": 2}
    report = replay(HandRecord.from_dict(record))
    assert report.differences == ()
    entries = [{"seat": seat, "action": "enter"} for seat in "CAB"]
    record["steps"] = [*entries, *record["steps"]]
    assert replay(HandRecord.from_dict(record)).differences == ()


def test_silence_about_karanlik_declines_it() -> None:
    record = changed("S02", options={"stake_min": 2, "ante": 1, "karanlik": "on"})
    record["steps"] = [step for step in record["steps"] if "check" not in step]
    report = replay(HandRecord.from_dict(record))
    assert report.differences == ()
    assert report.to_dict()["events"].count("declined") == 1
