"""A slow evaluator written from the rules alone, to hold the real one against. Shares no code with it."""

from __future__ import annotations

TURKISH = [
    "high_card",
    "pair",
    "two_pair",
    "minor_straight",
    "straight",
    "three_of_a_kind",
    "full_house",
    "flush",
    "four_of_a_kind",
    "minor_straight_flush",
    "straight_flush",
    "royal_flush",
]
STANDARD = [
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "minor_straight",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "minor_straight_flush",
    "straight_flush",
    "royal_flush",
]
WEAKEST_FIRST = {"turkish": TURKISH, "french": TURKISH, "standard": STANDARD}


def describe(cards, deck, minor):
    """Category, the ranks compared in turn, and the cards whose suits would break a tie."""
    ranks = sorted([card // 4 for card in cards], reverse=True)
    different = set(ranks)
    suited = len({card % 4 for card in cards}) == 1
    if len(different) == 5:
        lowest = (52 - deck) // 4
        if ranks[0] == ranks[4] + 4:
            name = "straight"
            if suited:
                name = "royal_flush" if ranks[0] == 12 else "straight_flush"
            return name, [ranks[0]], [c for c in cards if c // 4 == ranks[0]]
        if minor and different == {12, lowest, lowest + 1, lowest + 2, lowest + 3}:
            name = "minor_straight_flush" if suited else "minor_straight"
            return name, [], [c for c in cards if c // 4 == lowest + 3]
        return "flush" if suited else "high_card", ranks, [c for c in cards if c // 4 == ranks[0]]
    by_count = sorted(different, key=lambda rank: (ranks.count(rank), rank), reverse=True)
    shape = [ranks.count(rank) for rank in by_count]
    name = {
        (4, 1): "four_of_a_kind",
        (3, 2): "full_house",
        (3, 1, 1): "three_of_a_kind",
        (2, 2, 1): "two_pair",
        (2, 1, 1, 1): "pair",
    }[tuple(shape)]
    deciding = [c for c in cards if c // 4 == by_count[0]] if name in ("pair", "two_pair") else []
    return name, by_count, deciding


def key(cards, deck, ranking="turkish", minor=True, suits=False, suit_order="hsdc"):
    """A tuple that orders hands as the rules do: the bigger wins, equal ones tie."""
    name, ranks, deciding = describe(cards, deck, minor)
    return ranked(name, ranks, deciding, ranking, suits, suit_order)


def ranked(name, ranks, deciding, ranking, suits, suit_order="hsdc"):
    place = WEAKEST_FIRST[ranking].index(name)
    suit = max([-suit_order.index("cdsh"[c % 4]) for c in deciding], default=0)
    return (place, *ranks, suit if suits else 0)


def low_key(cards):
    """A tuple that orders low hands: the smaller wins."""
    ranks = [1 if card // 4 == 12 else card // 4 + 2 for card in cards]
    by_count = sorted(set(ranks), key=lambda rank: (ranks.count(rank), rank), reverse=True)
    matches = [(1,) * 5, (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), (3, 2), (4, 1)]
    return (matches.index(tuple([ranks.count(rank) for rank in by_count])), *by_count)
