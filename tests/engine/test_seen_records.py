"""Records as a viewer may see them: his own cards and what was shown, in our format and in PHH."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pokerkit import HandHistory
from turkpoker.engine import (
    HOUSE,
    Action,
    Hand,
    HandRecord,
    RecordError,
    Rules,
    read_phh,
    replay,
    seen_record,
    write_phh,
)
from turkpoker.engine.events import (
    CardsDealt,
    CardsDrawn,
    CardsSeen,
    FourthCardDealt,
    HandShown,
    OpenersProved,
)
from turkpoker.evaluator import deck_cards, parse_cards

RECORDS = [
    json.loads(line) for line in (Path(__file__).parents[1] / "data" / "hands.jsonl").read_text().splitlines()
]


def recorded(data: dict[str, Any]) -> HandRecord:
    hand = replay(HandRecord.from_dict(data)).hand
    assert hand is not None
    return hand.record(data["id"])


def known(texts: list[str]) -> set[int]:
    """The cards in texts of cards, however they are packed; ?? is none."""
    return {card for text in texts for card in parse_cards(text.replace("??", " "))}


def allowed(record: HandRecord, seat: int | None) -> set[int]:
    """What a seat has seen, from the unprojected events: its own cards and those that were shown."""
    cards: set[int] = set()
    for event in record.restore().events:
        if isinstance(event, HandShown | OpenersProved):
            cards.update(event.cards)
        if seat is None or getattr(event, "seat", None) != seat:
            continue
        if isinstance(event, CardsSeen) or (isinstance(event, CardsDealt) and not event.unseen):
            cards.update(event.cards or ())
        elif isinstance(event, CardsDrawn | FourthCardDealt):
            cards.update(event.drawn or ())
    return cards


def texts_of(data: dict[str, Any]) -> list[str]:
    steps = [" ".join(step.get("cards", ())) for step in data["steps"]]
    return [data["deck"], *data["reshuffles"], *steps, *data.get("expect", {}).get("hands", {}).values()]


@pytest.mark.parametrize("data", RECORDS, ids=[record["id"] for record in RECORDS])
def test_a_viewers_record_holds_his_cards_and_what_was_shown(data: dict[str, Any]) -> None:
    record = recorded(data)
    whole = seen_record(record, HOUSE)
    assert "partial" not in whole
    assert HandRecord.from_dict(whole).to_dict() | {"expect": None} == record.to_dict() | {"expect": None}
    assert replay(HandRecord.from_dict(whole)).ok
    for seat in (None, *(number for number, _ in record.stacks)):
        seen = seen_record(record, seat)
        assert seen["partial"] is True
        assert known(texts_of(seen)) <= allowed(record, seat)
        assert len(seen["deck"].split()) == len(record.deck)
        assert len(known([seen["deck"]])) in ((0,) if seat is None else (0, 5))


def reshuffled() -> HandRecord:
    """Five players who throw four each, of 36 cards: the stock does not last."""
    rng = random.Random(3)
    rules = Rules.profile("turkish", opening_requirement="none")
    deck = list(deck_cards(36))
    rng.shuffle(deck)
    hand = Hand(
        rules, dict.fromkeys(range(5), 300), 0, deck, reshuffle=lambda pile: rng.sample(pile, len(pile))
    )
    while hand.asked:
        seat = hand.asked[0]
        legal = hand.legal(seat)
        name = next(name for name in ("open", "draw", "call", "check") if name in legal)
        amount = legal[name]
        to = amount[0] if name == "open" and isinstance(amount, tuple) else None
        hand.apply(Action(seat, name, to, tuple(hand.cards_of(seat)[:4]) if name == "draw" else ()))
    assert hand.record().reshuffles
    return hand.record("reshuffled")


def test_the_order_of_a_reshuffle_is_the_houses_alone() -> None:
    record = reshuffled()
    for seat in (None, *range(5)):
        seen = seen_record(record, seat)
        assert known(seen["reshuffles"]) == set()
        assert [len(order.split()) for order in seen["reshuffles"]] == list(map(len, record.reshuffles))
        assert known(texts_of(seen)) <= allowed(record, seat)
        assert known(tomllib.loads(write_phh(record, seat))["_reshuffles"]) == set()
    assert known(seen_record(record, HOUSE)["reshuffles"]) == {
        card for order in record.reshuffles for card in order
    }
    assert read_phh(write_phh(record)).restore().events == record.restore().events


@pytest.mark.parametrize("data", RECORDS, ids=[record["id"] for record in RECORDS])
def test_a_viewers_phh_file_holds_no_more_and_others_read_it(data: dict[str, Any]) -> None:
    record = recorded(data)
    assert write_phh(record) == write_phh(record, HOUSE)
    for seat in (None, *(number for number, _ in record.stacks)):
        text = write_phh(record, seat)
        fields = tomllib.loads(text)
        assert fields["_partial"] is True
        shown = [line.split()[-1] for line in fields["actions"] if line.split()[0] == "d" or " s" in line]
        cards = [word for word in shown if word not in ("sd", "sm")]
        assert known([*cards, fields["_deck"], *fields["_reshuffles"]]) <= allowed(record, seat)
        assert HandHistory.loads(text).variant == "TURK"
        with pytest.raises(RecordError, match="hidden"):
            read_phh(text)
