"""Cards and categories on the wire: a card is its id plus one, so that 0 can stand for a hidden one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from turkpoker.evaluator import Category
from turkpoker.server.errors import invalid
from turkpoker.v1 import cards_pb2

HIDDEN = cards_pb2.CARD_UNSPECIFIED
_MAX_CARDS = 52
_CATEGORIES: dict[str, cards_pb2.Category.ValueType] = {
    category.value: cards_pb2.Category.Value(f"CATEGORY_{category.value.upper()}") for category in Category
}


def cards_to_wire(cards: Iterable[int | None]) -> list[cards_pb2.Card.ValueType]:
    """Card ids as enum values; None is a card that the viewer may not see."""
    return [cast(cards_pb2.Card.ValueType, 0 if card is None else card + 1) for card in cards]


def cards_from_wire(cards: Iterable[int], field: str) -> tuple[int, ...]:
    """Enum values as card ids, in their order; a repeated card is the business of whoever uses them.

    Raises:
        ServiceError: INVALID_FIELD; a value is no card, or there are more than a deck has.
    """
    ids = tuple(int(card) - 1 for card in cards)
    if len(ids) > _MAX_CARDS:
        raise invalid(field, f"{len(ids)} cards are more than a deck has")
    for place, card in enumerate(ids):
        if not 0 <= card < 52:
            raise invalid(f"{field}[{place}]", f"no card: {card + 1} (1 to 52)")
    return ids


def category_to_wire(category: Category | str) -> cards_pb2.Category.ValueType:
    """A category as its enum value."""
    return _CATEGORIES[str(category)]
