"""Cards as people write them, and as `turkpoker.v1` numbers them.

A card on the wire is `v1.Card`: its id (rank * 4 + suit, rank 0 = two .. 12 = ace, suit 0 = clubs,
1 = diamonds, 2 = spades, 3 = hearts) plus one, so that 0 can stand for a card that the viewer may not see.
"""

from collections.abc import Iterable

from turkpoker.v1 import cards_pb2

RANKS = "23456789TJQKA"
SUITS = "cdsh"
HIDDEN = "??"

_TEXTS = (HIDDEN, *(rank + suit for rank in RANKS for suit in SUITS))
_CARDS = {text: cards_pb2.Card.ValueType(number) for number, text in enumerate(_TEXTS) if number}


def card(text: str) -> cards_pb2.Card.ValueType:
    """The card that a text such as `As`, `td` or `10h` names; ValueError for anything else."""
    short = text.replace("10", "T", 1) if text.startswith("10") else text
    found = _CARDS.get(short[:1].upper() + short[1:].lower())
    if found is None:
        raise ValueError(f"{text!r} is not a card; write rank and suit, such as As, Td, 10d, 9c")
    return found


def cards(text: str) -> list[cards_pb2.Card.ValueType]:
    """The cards of a text such as `As Td 9c` (spaces or commas between); ValueError for anything else."""
    return [card(part) for part in text.replace(",", " ").split()]


def card_text(number: int) -> str:
    """`As` for a card of the wire, `??` for a hidden one; ValueError for a number that is no card."""
    if not 0 <= number < len(_TEXTS):
        raise ValueError(f"{number} is not a card of turkpoker.v1")
    return _TEXTS[number]


def hand_text(numbers: Iterable[int]) -> str:
    """`As Td 9c` for cards of the wire."""
    return " ".join(card_text(number) for number in numbers)


def rank_of(number: int) -> int:
    """0 for a two .. 12 for an ace."""
    return (number - 1) >> 2


def suit_of(number: int) -> int:
    """0 clubs, 1 diamonds, 2 spades, 3 hearts."""
    return (number - 1) & 3


def category_name(number: cards_pb2.Category.ValueType) -> str:
    """`full_house` for CATEGORY_FULL_HOUSE."""
    return cards_pb2.Category.Name(number).removeprefix("CATEGORY_").lower()
