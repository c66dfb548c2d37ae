"""Card ids and their text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turkpoker.evaluator import (
    card_rank,
    card_suit,
    deck_cards,
    format_card,
    format_cards,
    parse_cards,
    smallest_deck,
)

CARDS = st.lists(st.integers(0, 51), max_size=60)


@given(CARDS)
def test_text_and_back(cards):
    text = format_cards(cards)
    assert parse_cards(text) == tuple(cards)
    assert parse_cards(text.replace(" ", "")) == tuple(cards)
    assert parse_cards(text.replace("T", "10").replace(" ", ", ").upper()) == tuple(cards)
    assert [format_card(card) for card in cards] == text.split()


def test_ids():
    assert parse_cards("2c Td 9s Ah") == (0, 33, 30, 51)
    assert parse_cards("10d T♦ a♥") == (33, 33, 51)
    assert (card_rank(33), card_suit(33)) == (8, 1)
    assert deck_cards(24) == tuple(range(28, 52))
    assert len(deck_cards(52)) == 52
    assert [smallest_deck(parse_cards(t)) for t in ("", "9c", "8h As", "6d", "2c Ad")] == [24, 24, 28, 36, 52]


@pytest.mark.parametrize(
    "text", ["A", "As K", "1s", "Ax", "??", "As,,Kz", "11d", "100", "As Kd\0", "ŝs", 33, None, b"As"]
)
def test_no_cards(text):
    with pytest.raises(ValueError, match="card"):
        parse_cards(text)


@pytest.mark.parametrize("card", [-1, 52, 2**80, True, "As", None, 3.0])
def test_no_ids(card):
    for function in (format_card, card_rank, card_suit):
        with pytest.raises(ValueError, match="no card id"):
            function(card)
    with pytest.raises(ValueError, match="no card id"):
        format_cards([card])


@pytest.mark.parametrize("size", [0, 20, 25, 56, True, "36", None])
def test_no_deck(size):
    with pytest.raises(ValueError, match="no deck"):
        deck_cards(size)


@given(st.text(max_size=12))
def test_any_text_is_cards_or_a_clear_error(text):
    try:
        cards = parse_cards(text)
    except ValueError:
        with pytest.raises(ValueError, match="no card"):
            parse_cards(text)
    else:
        assert parse_cards(format_cards(cards)) == cards
