"""Cards as text, and rules from names: what the client takes and what it refuses."""

from datetime import timedelta

import pytest
from turkpoker.client import card, card_text, cards, category_name, hand_text, option_names, rules
from turkpoker.client.cards import rank_of, suit_of
from turkpoker.v1 import cards_pb2, rules_pb2


def test_every_card_of_the_wire_has_its_name() -> None:
    suits = {"CLUBS": "c", "DIAMONDS": "d", "SPADES": "s", "HEARTS": "h"}
    ranks = dict(
        zip(
            [
                "TWO",
                "THREE",
                "FOUR",
                "FIVE",
                "SIX",
                "SEVEN",
                "EIGHT",
                "NINE",
                "TEN",
                "JACK",
                "QUEEN",
                "KING",
                "ACE",
            ],
            "23456789TJQKA",
            strict=True,
        )
    )
    seen = 0
    for name, number in cards_pb2.Card.items():
        if number == cards_pb2.CARD_UNSPECIFIED:
            assert card_text(number) == "??"
            continue
        rank, suit = name.removeprefix("CARD_").split("_OF_")
        text = ranks[rank] + suits[suit]
        assert card_text(number) == text
        assert card(text) == card(text.swapcase()) == number
        assert (rank_of(number) * 4 + suit_of(number)) + 1 == number
        seen += 1
    assert seen == 52


def test_cards_are_read_as_people_write_them() -> None:
    assert hand_text(cards("As, 10d  tc,9H")) == "As Td Tc 9h"
    assert cards("") == []
    assert category_name(cards_pb2.CATEGORY_MINOR_STRAIGHT_FLUSH) == "minor_straight_flush"


@pytest.mark.parametrize("text", ["", "A", "1s", "Ax", "As Kd", "11d", "100d", "??", "é♠"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        card(text)


@pytest.mark.parametrize("number", [-1, 53, 1000])
def test_numbers_that_are_no_card_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match="not a card"):
        card_text(number)


def test_rules_take_values_and_text_alike() -> None:
    typed = rules(
        "french",
        players="3-6",
        deck="auto",
        ranking="standard",
        minor_straight=False,
        opening_requirement="K",
        four_card_draw="3+1",
        opening_min="pot",
        stake_max="none",
        ante=2,
        action_clock=timedelta(seconds=30),
        hi_lo=False,
        karanlik=True,
        suit_order="hdcs",
    )
    written = rules(
        "french",
        players="3-6",
        deck="0",
        ranking="Standard",
        minor_straight="off",
        opening_requirement="kings",
        four_card_draw="three_then_one",
        opening_min="pot",
        stake_max="0",
        ante="2",
        action_clock="30s",
        hi_lo="off",
        karanlik="on",
        suit_order="hdcs",
    )
    assert typed == written
    assert typed.profile == "french"
    assert (typed.players_min, typed.players_max) == (3, 6)
    assert typed.HasField("deck")
    assert typed.deck == 0
    assert typed.ranking == rules_pb2.RANKING_STANDARD
    assert typed.opening_requirement == rules_pb2.OPENING_REQUIREMENT_KINGS
    assert typed.four_card_draw == rules_pb2.FOUR_CARD_DRAW_THREE_THEN_ONE
    assert typed.opening_min_is_pot
    assert not typed.HasField("opening_min")
    assert typed.HasField("minor_straight")
    assert not typed.minor_straight
    assert typed.action_clock.ToTimedelta() == timedelta(seconds=30)


def test_what_is_not_named_stays_with_the_profile() -> None:
    assert rules().SerializeToString() == rules_pb2.Rules(profile="turkish").SerializeToString()


def test_levels_are_text_or_none() -> None:
    levels = rules("turkish", levels="10 Hands: 1/2, 15 min: 2/4/6,1 hand:3").levels
    hands, minutes, one = levels
    assert (hands.hands, hands.ante, hands.blind, hands.stake_min) == (10, 1, 2, 2)
    assert minutes.time.ToTimedelta() == timedelta(minutes=15)
    assert (minutes.ante, minutes.blind, minutes.stake_min) == (2, 4, 6)
    assert (one.hands, one.ante, one.blind, one.stake_min) == (1, 3, 3, 3)
    assert not rules("turkish", levels="none").levels


def test_every_field_of_the_contract_can_be_set() -> None:
    fields = {field.name for field in rules_pb2.Rules.DESCRIPTOR.fields}
    renamed = {"profile", "players_min", "players_max", "opening_min_is_pot"}
    assert set(option_names()) == (fields - renamed) | {"players"}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("anté", "1", "no option"),
        ("profile", "french", "no option"),
        ("levels", "1", "level 1"),
        ("levels", "9 hands: 1/2, 9: 2", "level 2"),
        ("players", "two", "of the form 2-5"),
        ("ranking", "swedish", "turkish, french, standard"),
        ("ranking", "unspecified", "is none of"),
        ("opening_requirement", "T", "j, q, k, a, none"),
        ("ante", "1.5", "not a whole number"),
        ("ante", True, "not a whole number"),
        ("ante", "none", "not a whole number"),
        ("ante", str(2**63), "too large"),
        ("deck", str(2**31), "too large"),
        ("minor_straight", "maybe", "neither on nor off"),
        ("action_clock", "30", "with a unit"),
        ("action_clock", 30, "with its unit"),
        ("action_clock", "9" * 40 + "h", "too long"),
    ],
)
def test_a_bad_option_is_named(name: str, value: str | int, words: str) -> None:
    with pytest.raises(ValueError, match=name) as refusal:
        rules("turkish", **{name: value})
    assert words in str(refusal.value)
