"""Hands as PHH: written, read back to the same hand, and readable as TOML by others."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pokerkit import HandHistory
from turkpoker.engine import (
    Action,
    Hand,
    HandRecord,
    RecordError,
    Rules,
    read_phh,
    read_phhs,
    replay,
    write_phh,
    write_phhs,
)
from turkpoker.evaluator import deck_cards

RECORDS = [
    json.loads(line) for line in (Path(__file__).parents[1] / "data" / "hands.jsonl").read_text().splitlines()
]


def played(record: dict[str, Any]) -> Hand:
    hand = replay(HandRecord.from_dict(record)).hand
    assert hand is not None
    return hand


@pytest.mark.parametrize("record", RECORDS, ids=[record["id"] for record in RECORDS])
def test_a_hand_comes_back_from_phh_as_it_was(record: dict[str, Any]) -> None:
    hand = played(record)
    written = write_phh(hand.record(record["id"]))
    again = read_phh(written)
    assert again.to_dict() == hand.record(record["id"]).to_dict()
    assert again.restore().events == hand.events
    assert write_phh(again) == written


def test_what_is_written() -> None:
    record = next(record for record in RECORDS if record["id"] == "S01")
    fields = tomllib.loads(write_phh(played(record).record("S01")))
    assert fields["variant"] == "TURK"
    assert fields["antes"] == [2, 2]
    assert fields["starting_stacks"] == [100, 100]
    assert fields["finishing_stacks"] == [138, 62]
    assert fields["winnings"] == [76, 0]
    assert fields["actions"] == [
        "d dh p1 KhKd9hThQh", "d dh p2 AsAdJcJd9c", "p1 cbr 6", "p2 cc", "p1 sd Kd", "d dh p1 Ah", "p2 sd 9c",
        "d dh p2 Ac", "p1 cbr 10", "p2 cbr 30", "p1 cc", "p2 sm AsAdJcJdAc", "p1 sm Kh9hThQhAh",
    ]  # fmt: skip
    assert fields["_options"] == {"ante": 2}
    assert fields["_deck"] == record["deck"]


def random_hand(seed: int) -> Hand:
    rng = random.Random(seed)
    profile = rng.choice(["turkish", "turkish-pagat", "turkish-online", "french"])
    options: dict[str, Any] = {}
    if profile == "french" and rng.random() < 0.5:
        options["deal_mode"] = "blind"
    elif rng.random() < 0.5:
        options["karanlik"] = "on"
    rules = Rules.profile(profile, **options)
    count = rng.randint(2, rules.players[1])
    deck = list(deck_cards(rules.deck_size(count)))
    rng.shuffle(deck)
    seats = rng.sample(range(8), count)
    stacks = {seat: rng.randint(1, 90) for seat in sorted(seats)}
    hand = Hand(
        rules,
        stacks,
        rng.choice(seats),
        deck,
        rng.choice((0, 11)),
        0,
        lambda pile: rng.sample(pile, len(pile)),
    )
    while hand.asked:
        if rng.random() < 0.02:
            seat = rng.choice(hand.seats)
            if not hand.has_left(seat):
                hand.leave(seat)
                continue
        seat = rng.choice(hand.asked)
        name, amount = rng.choice(list(hand.legal(seat).items()))
        cards = tuple(rng.sample(hand.cards_of(seat), rng.randint(0, 4))) if name == "draw" else ()
        hand.apply(
            Action(
                seat,
                name,
                rng.choice(amount) if isinstance(amount, tuple) and not cards and name != "draw" else None,
                cards,
            )
        )
    return hand


def test_random_hands_of_all_profiles_come_back() -> None:
    hands = [random_hand(seed) for seed in range(200)]
    records = [hand.record(str(number)) for number, hand in enumerate(hands)]
    again = read_phhs(write_phhs(records))
    assert [record.restore().events for record in again] == [hand.events for hand in hands]
    seen = {step.action for record in again for step in record.steps if isinstance(step, Action)}
    assert {"enter", "stay_out", "karanlik", "decline", "over_blind", "leave", "ask_proof", "pass"} <= seen


@pytest.mark.parametrize("record", RECORDS, ids=[record["id"] for record in RECORDS])
def test_pokerkit_reads_the_structure(record: dict[str, Any]) -> None:
    hand = played(record)
    found = HandHistory.loads(write_phh(hand.record(record["id"])))
    assert found.variant == "TURK"
    assert found.user_defined_fields is not None
    assert found.user_defined_fields["_profile"] == record["profile"]
    # Theirs begins at the dealer's left.
    seats = list(record["stacks"])
    first = seats.index(record["dealer"]) + 1
    assert found.starting_stacks == [record["stacks"][seat] for seat in seats[first:] + seats[:first]]
    assert len(found.actions) >= len(hand.seats)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"variant": "NT"}, "variant"),
        ({"variant": None}, "variant"),
        ({"_deck": None}, "_deck"),
        ({"_deck": "As Xx"}, "phh"),
        ({"_profile": "texan"}, "actions[0]"),
        ({"_dealer": 0}, "_dealer"),
        ({"starting_stacks": [100]}, "starting_stacks"),
        ({"actions": ["p1 wink"]}, "actions"),
        ({"actions": ["p9 cc"]}, "actions"),
        ({"actions": ["p1 cbr"]}, "actions"),
        ({"actions": ["p2 cc"]}, "actions[0]"),
        ({"actions": ["p1 cc", "p2 cbr 900"]}, "actions[1]"),
        ({"actions": "p1 cc"}, "actions"),
        ({"_beside": ["x p1 leave"]}, "_beside"),
        ({"_beside": ["9" * 5000 + " p1 leave"]}, "_beside"),
        ({"_beside": 3}, "_beside"),
        ({"actions": ["p1 cbr " + "9" * 5000]}, "actions"),
        ({"actions": ["p" + "1" * 5000 + " cc"]}, "actions"),
        ({"finishing_stacks": [139, 61]}, "finishing_stacks"),
        ({"finishing_stacks": 138}, "finishing_stacks"),
        ({"winnings": [76, False]}, "winnings"),
    ],
)
def test_a_bad_file_names_the_field(change: dict[str, Any], field: str) -> None:
    record = next(record for record in RECORDS if record["id"] == "S01")
    fields = tomllib.loads(write_phh(played(record).record("S01")))
    fields = {name: content for name, content in {**fields, **change}.items() if content is not None}
    text = "\n".join(
        f"{name} = {json.dumps(content)}" for name, content in fields.items() if name != "_options"
    )
    with pytest.raises(RecordError) as caught:
        read_phh(text + "\n_options = { ante = 2 }\n")
    assert caught.value.field == field


def test_a_bad_hand_among_many_is_named() -> None:
    first, second = (played(record).record(record["id"]) for record in RECORDS[:2])
    text = write_phhs([first, second])
    place = text.rindex("finishing_stacks = [") + len("finishing_stacks = [")
    with pytest.raises(RecordError) as caught:
        read_phhs(f"{text[:place]}9{text[place:]}")
    assert caught.value.field == "2.finishing_stacks"


def test_what_is_no_toml() -> None:
    with pytest.raises(RecordError, match="no TOML"):
        read_phh("_order = " + "[" * 100_000)
    with pytest.raises(RecordError, match="no TOML"):
        read_phh("this is not = = toml")
