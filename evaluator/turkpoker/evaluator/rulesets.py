"""What makes one way of ranking hands: the deck, the order of categories, the run below the ace, suits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from turkpoker.evaluator.cards import DECK_SIZES, SUITS


class Category(StrEnum):
    """The twelve kinds of hand, in the order in which their definitions are tried."""

    ROYAL_FLUSH = "royal_flush"
    STRAIGHT_FLUSH = "straight_flush"
    MINOR_STRAIGHT_FLUSH = "minor_straight_flush"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    FLUSH = "flush"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
    MINOR_STRAIGHT = "minor_straight"
    TWO_PAIR = "two_pair"
    PAIR = "pair"
    HIGH_CARD = "high_card"


_TURKISH = (
    Category.ROYAL_FLUSH,
    Category.STRAIGHT_FLUSH,
    Category.MINOR_STRAIGHT_FLUSH,
    Category.FOUR_OF_A_KIND,
    Category.FLUSH,
    Category.FULL_HOUSE,
    Category.THREE_OF_A_KIND,
    Category.STRAIGHT,
    Category.MINOR_STRAIGHT,
    Category.TWO_PAIR,
    Category.PAIR,
    Category.HIGH_CARD,
)
_STANDARD = (
    Category.ROYAL_FLUSH,
    Category.STRAIGHT_FLUSH,
    Category.MINOR_STRAIGHT_FLUSH,
    Category.FOUR_OF_A_KIND,
    Category.FULL_HOUSE,
    Category.FLUSH,
    Category.STRAIGHT,
    Category.MINOR_STRAIGHT,
    Category.THREE_OF_A_KIND,
    Category.TWO_PAIR,
    Category.PAIR,
    Category.HIGH_CARD,
)

#: The categories of each ranking, strongest first. French and Turkish differ in names only.
RANKINGS: dict[str, tuple[Category, ...]] = {
    "turkish": _TURKISH,
    "french": _TURKISH,
    "standard": _STANDARD,
}

LOW_QUALIFIERS = ("no_qualifier", "eight_or_lower")
OPENING_REQUIREMENTS = ("none", "J", "Q", "K", "A")


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The settings of an evaluator, checked.

    Raises:
        ValueError: a setting has no such value; the message names the setting and what it may be.
    """

    deck_size: int = 36
    ranking: str = "turkish"
    minor_straights: bool = True
    suit_tiebreak: bool = False
    suit_order: str = "hsdc"

    def __post_init__(self) -> None:
        if type(self.deck_size) is not int or self.deck_size not in DECK_SIZES:
            raise ValueError(f"deck_size must be one of {DECK_SIZES}, not {self.deck_size!r}")
        if not isinstance(self.ranking, str) or self.ranking not in RANKINGS:
            raise ValueError(f"ranking must be one of {tuple(RANKINGS)}, not {self.ranking!r}")
        for name in ("minor_straights", "suit_tiebreak"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if not isinstance(self.suit_order, str) or sorted(self.suit_order) != sorted(SUITS):
            raise ValueError(f"suit_order must hold each of h, s, d, c once, not {self.suit_order!r}")

    @property
    def lowest_rank(self) -> int:
        """The lowest rank in the deck, 0 for two to 7 for nine."""
        return 13 - self.deck_size // 4

    @property
    def categories(self) -> tuple[Category, ...]:
        """The categories, strongest first, the minor ones included even when they are switched off."""
        return RANKINGS[self.ranking]
