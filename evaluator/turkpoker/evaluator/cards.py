"""Cards as small integers, and their text.

A card is ``rank * 4 + suit``: rank 0 is the two and 12 the ace, suits are 0 clubs, 1 diamonds, 2 spades,
3 hearts, so that of two cards of one rank the higher id is the higher suit in the Turkish order. A deck of
``size`` cards holds the ids ``52 - size .. 51``: decks are stripped from below.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

RANKS = "23456789TJQKA"
SUITS = "cdsh"
DECK_SIZES = (24, 28, 32, 36, 40, 44, 48, 52)

_SUIT_OF = {letter: suit for suit, letter in enumerate(SUITS)}
_SUIT_OF |= {letter.upper(): suit for letter, suit in _SUIT_OF.items()}
_SUIT_OF |= {"♣": 0, "♦": 1, "♠": 2, "♥": 3}
_RANK_OF = {letter: rank for rank, letter in enumerate(RANKS)}
_RANK_OF |= {letter.lower(): rank for letter, rank in _RANK_OF.items()}
_TEXT = tuple(rank + suit for rank in RANKS for suit in SUITS)


def parse_cards(text: str) -> tuple[int, ...]:
    """Card ids from text such as ``"As Td 9c"``.

    Blanks and commas between cards are optional, ``10d`` is ``Td``, upper and lower case are alike, and the
    four suit signs are understood. Repeated cards are returned as they stand.

    Raises:
        ValueError: the text holds something that is no card; the message names it and its place.
    """
    if not isinstance(text, str):
        raise ValueError(f"cards as text must be a str, not {type(text).__name__}")
    cards = []
    place, end = 0, len(text)
    while place < end:
        if text[place] in " ,\t\n":
            place += 1
            continue
        width = 3 if text.startswith("10", place) else 2
        rank = 8 if width == 3 else _RANK_OF.get(text[place])
        suit = _SUIT_OF.get(text[place + width - 1]) if place + width <= end else None
        if rank is None or suit is None:
            raise ValueError(f"no card: {text[place : place + width]!r} at character {place + 1}")
        cards.append(rank * 4 + suit)
        place += width
    return tuple(cards)


def format_card(card: int) -> str:
    """The text of one card id, ``"Td"`` for 33.

    Raises:
        ValueError: not an id from 0 to 51.
    """
    return _TEXT[_checked(card)]


def format_cards(cards: Iterable[int]) -> str:
    """The text of card ids in the order given, separated by blanks: ``"As Td"``.

    Raises:
        ValueError: an entry is not an id from 0 to 51.
    """
    return " ".join([_TEXT[_checked(card)] for card in cards])


def card_rank(card: int) -> int:
    """The rank of a card id, 0 for two to 12 for ace."""
    return _checked(card) >> 2


def card_suit(card: int) -> int:
    """The suit of a card id, 0 clubs, 1 diamonds, 2 spades, 3 hearts."""
    return _checked(card) & 3


def deck_cards(size: int) -> tuple[int, ...]:
    """The card ids of a deck of ``size`` cards, lowest first.

    Raises:
        ValueError: no deck has this size (24, 28, 32, 36, 40, 44, 48 or 52).
    """
    if type(size) is not int or size not in DECK_SIZES:
        raise ValueError(f"no deck of {size!r} cards: choose {', '.join(map(str, DECK_SIZES))}")
    return tuple(range(52 - size, 52))


def smallest_deck(cards: Iterable[int]) -> int:
    """The size of the smallest deck that holds all these card ids (24 for none)."""
    lowest_rank = min([_checked(card) >> 2 for card in cards], default=12)
    return max(24, 52 - 4 * lowest_rank)


def _checked(card: int) -> int:
    try:
        number = index(card)
    except TypeError:
        raise ValueError(f"no card id: {card!r}") from None
    if not 0 <= number < 52 or isinstance(card, bool):
        raise ValueError(f"no card id: {card!r} (0 to 51)")
    return number
