"""Facts about decks against published counts and against counting."""

import json
from pathlib import Path

import pytest
from turkpoker.evaluator import (
    DECK_SIZES,
    Category,
    Evaluator,
    claims,
    frequency_rows,
    opening_chances,
    opening_hands,
    order_faults,
)

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "frequencies.json").read_text())["decks"]


@pytest.mark.parametrize("deck", DECK_SIZES)
@pytest.mark.parametrize("minor", [True, False])
def test_opening_hands(deck, minor):
    published = PUBLISHED[str(deck)]["rankings"][f"turkish,minor={'on' if minor else 'off'}"][
        "hands_that_open"
    ]
    found = opening_hands(Evaluator(deck, "turkish", minor))
    assert {name: found[name] for name in published} == published
    assert found["none"] == PUBLISHED[str(deck)]["total_hands"]
    assert found["none"] > found["J"] > found["Q"] > found["K"] > found["A"]


def test_opening_chances():
    chances = {deck: opening_chances(Evaluator(deck)) for deck in (24, 28, 32, 36, 52)}
    rounded = {d: [round(float(c[r]) * 100, 1) for r in "JKA"] for d, c in chances.items()}
    assert rounded == {
        24: [74.7, 56.7, 47.6],
        28: [58.9, 43.3, 35.5],
        32: [47.5, 34.1, 27.4],
        36: [39.0, 27.6, 21.9],
        52: [20.6, 14.1, 10.9],
    }


def test_usual_explanations():
    for deck in DECK_SIZES:
        published = PUBLISHED[str(deck)]["claims"]
        found = {claim.name: claim for claim in claims(Evaluator(deck))}
        flush = found["flush_rarer_than_full_house"]
        assert flush.true == published["flush_rarer_than_full_house (minor on)"] == (deck < 52)
        three = found["three_of_a_kind_rarer_than_straights"]
        assert three.true == published["trips_rarer_than_straight+minor"] is False
        assert f"three of a kind is not rarer than all straights: {three.rarer}" in three.text
        assert found["four_of_a_kind_rarer_than_flush"].true == (deck > 32)


def test_where_the_order_goes_against_rarity():
    def faults(*settings):
        return [(fault.stronger, fault.weaker) for fault in order_faults(Evaluator(*settings))]

    assert ("four_of_a_kind", "flush") in faults(32)
    assert ("four_of_a_kind", "flush") not in faults(36)
    assert faults(52) == [("flush", "full_house"), ("three_of_a_kind", "straight")]
    assert faults(52, "standard") == []


def test_rows_add_up():
    rows = frequency_rows(Evaluator(32, minor_straights=False))
    assert Category.MINOR_STRAIGHT not in [row.category for row in rows]
    assert rows[-1].this_or_better == 1
    assert sum(row.share for row in rows) == 1
