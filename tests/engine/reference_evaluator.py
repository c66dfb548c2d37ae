"""A slow evaluator for stripped decks, written from the rules text alone.

It exists to be compared with the real one and shares no code with it: no tables, no bit tricks, only
counting.  Cards are ids, ``rank * 4 + suit`` with rank 0 = two .. 12 = ace and suit 0 clubs, 1 diamonds,
2 spades, 3 hearts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

RANK_LETTERS = "23456789TJQKA"
SUIT_LETTERS = "cdsh"
ACE = 12

#: Strongest first, as tabled for each ranking.
TURKISH_ORDER = (
    "royal_flush",
    "straight_flush",
    "minor_straight_flush",
    "four_of_a_kind",
    "flush",
    "full_house",
    "three_of_a_kind",
    "straight",
    "minor_straight",
    "two_pair",
    "pair",
    "high_card",
)
STANDARD_ORDER = (
    "royal_flush",
    "straight_flush",
    "minor_straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "minor_straight",
    "three_of_a_kind",
    "two_pair",
    "pair",
    "high_card",
)
ORDERS = {"turkish": TURKISH_ORDER, "french": TURKISH_ORDER, "standard": STANDARD_ORDER}


def card(text: str) -> int:
    """The id of one card such as ``Th`` (``10h`` is the same card)."""
    text = text.replace("10", "T")
    return RANK_LETTERS.index(text[0]) * 4 + SUIT_LETTERS.index(text[1])


def cards(text: str | Sequence[str]) -> list[int]:
    """The ids of several cards, separated by blanks or given as a list."""
    parts = text.split() if isinstance(text, str) else text
    return [card(part) for part in parts]


def name(card_id: int) -> str:
    return RANK_LETTERS[card_id // 4] + SUIT_LETTERS[card_id % 4]


def names(card_ids: Sequence[int]) -> str:
    return " ".join(name(card_id) for card_id in card_ids)


def lowest_rank(deck_size: int) -> int:
    return 13 - deck_size // 4


def minor_run(deck_size: int) -> set[int]:
    """The ace and the four lowest ranks of the deck."""
    low = lowest_rank(deck_size)
    return {ACE, low, low + 1, low + 2, low + 3}


def groups(hand: Sequence[int]) -> list[tuple[int, int]]:
    """(how often, rank), most frequent first, then the higher rank."""
    counted = Counter(card_id // 4 for card_id in hand)
    return sorted(((count, rank) for rank, count in counted.items()), reverse=True)


def category(hand: Sequence[int], deck_size: int, minor: bool = True) -> str:
    ranks = {card_id // 4 for card_id in hand}
    suited = len({card_id % 4 for card_id in hand}) == 1
    shape = [count for count, _ in groups(hand)]
    if len(ranks) == 5:
        minor_hand = minor and ranks == minor_run(deck_size)
        run = max(ranks) - min(ranks) == 4
        if suited and run:
            return "royal_flush" if max(ranks) == ACE else "straight_flush"
        if suited and minor_hand:
            return "minor_straight_flush"
        if suited:
            return "flush"
        if run:
            return "straight"
        return "minor_straight" if minor_hand else "high_card"
    return {
        (4, 1): "four_of_a_kind",
        (3, 2): "full_house",
        (3, 1, 1): "three_of_a_kind",
        (2, 2, 1): "two_pair",
        (2, 1, 1, 1): "pair",
    }[tuple(shape)]


def high_key(
    hand: Sequence[int],
    deck_size: int,
    ranking: str = "turkish",
    minor: bool = True,
    suits: bool = False,
    suit_order: str = "hsdc",
) -> tuple[int, ...]:
    """A value that orders hands: the bigger wins, equal ones tie."""
    kind = category(hand, deck_size, minor)
    place = -ORDERS[ranking].index(kind)
    by_group = [rank for _, rank in groups(hand)]
    if kind in {"royal_flush", "minor_straight_flush", "minor_straight"}:
        compared: list[int] = []
    elif kind in {"straight_flush", "straight"}:
        compared = [max(by_group)]
    else:
        compared = by_group
    compared += [0] * (5 - len(compared))
    suit = _deciding_suit(hand, kind, suit_order) if suits else 0
    return (place, *compared, suit)


def _deciding_suit(hand: Sequence[int], kind: str, suit_order: str) -> int:
    value = {SUIT_LETTERS.index(letter): 4 - place for place, letter in enumerate(suit_order)}
    if kind in {"four_of_a_kind", "full_house", "three_of_a_kind"}:
        return 0
    if kind in {"two_pair", "pair"}:
        paired = max(rank for count, rank in groups(hand) if count == 2)
        return max(value[card_id % 4] for card_id in hand if card_id // 4 == paired)
    considered = [card_id for card_id in hand if kind != "minor_straight" or card_id // 4 != ACE]
    return value[max(considered, key=lambda card_id: card_id // 4) % 4]


def low_key(hand: Sequence[int], qualifier: str) -> tuple[object, ...] | None:
    """A value that orders low hands, the SMALLER is the better low; None when it does not qualify.

    ``qualifier`` is ``no_qualifier`` or ``eight_or_lower``.
    """
    values = [1 if card_id // 4 == ACE else card_id // 4 + 2 for card_id in hand]
    counted = sorted(((count, value) for value, count in Counter(values).items()), reverse=True)
    shape = tuple(count for count, _ in counted)
    if qualifier == "eight_or_lower" and (len(shape) != 5 or max(values) > 8):
        return None
    worse = [(1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), (3, 2), (4, 1)].index(shape)
    return (worse, *(value for _, value in counted))


def qualifies(hand: Sequence[int], requirement: int | None, deck_size: int, minor: bool) -> bool:
    """Whether the five cards may open; ``requirement`` is the rank of the lowest pair, None for none."""
    if requirement is None:
        return True
    kind = category(hand, deck_size, minor)
    if kind == "pair":
        return groups(hand)[0][1] >= requirement
    return kind != "high_card"


def kept_qualify(kept: Sequence[int], requirement: int) -> bool:
    """Whether the cards an opener keeps satisfy the requirement by themselves."""
    if len(kept) == 5:
        return True
    counted = Counter(card_id // 4 for card_id in kept)
    pairs = [rank for rank, count in counted.items() if count >= 2]
    return (
        any(rank >= requirement for rank in pairs)
        or len(pairs) >= 2
        or 3 in counted.values()
        or 4 in counted.values()
    )


def proof_cards(dealt: Sequence[int], requirement: int) -> list[int]:
    """The smallest part of a dealt hand that qualifies, in the order in which it was dealt."""
    counted = Counter(card_id // 4 for card_id in dealt)
    good_pairs = [rank for rank, count in counted.items() if count >= 2 and rank >= requirement]
    if good_pairs:
        return [card_id for card_id in dealt if card_id // 4 == min(good_pairs)][:2]
    alike = [rank for rank, count in counted.items() if count >= 3]
    if alike:
        return [card_id for card_id in dealt if card_id // 4 == alike[0]][:3]
    pairs = [rank for rank, count in counted.items() if count == 2]
    if len(pairs) == 2:
        return [card_id for card_id in dealt if card_id // 4 in pairs]
    return list(dealt)
