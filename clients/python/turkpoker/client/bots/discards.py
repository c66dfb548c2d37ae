"""What a bot throws away in the draw."""

from collections import Counter
from collections.abc import Sequence

from turkpoker.client.bots.judgement import Judgement
from turkpoker.client.bots.temperament import Chance
from turkpoker.client.cards import rank_of

# How gladly a hand of each kind draws so many cards. Standing pat with little, and keeping a side card, hide
# what one has; a small pair against openers of kings is sometimes given up for an ace.
_LIKINGS: dict[str, dict[int, float]] = {
    "straight_flush": {0: 0.95, 1: 0.05},
    "four": {0: 0.50, 1: 0.50},
    "full_house": {0: 0.97, 1: 0.03},
    "flush": {0: 0.95, 1: 0.05},
    "straight": {0: 0.92, 1: 0.08},
    "three": {0: 0.08, 1: 0.20, 2: 0.72},
    "two_pair": {0: 0.10, 1: 0.70, 2: 0.02, 3: 0.18},
    "chase": {0: 0.05, 1: 0.62, 2: 0.05, 3: 0.03, 4: 0.25},
    "torn": {0: 0.06, 1: 0.42, 2: 0.09, 3: 0.36, 4: 0.07},
    "high_pair": {0: 0.07, 1: 0.02, 2: 0.19, 3: 0.72},
    "small_pair": {0: 0.06, 1: 0.02, 2: 0.13, 3: 0.55, 4: 0.24, 5: 0.06},
    "high_card": {0: 0.10, 1: 0.02, 2: 0.08, 3: 0.30, 4: 0.50, 5: 0.30},
}
_OPENERS = 11  # kings
# From which chance of a flush or run on a bot gives up a pair for it, or thinks of it.
_GOOD_HOPE = 0.16
_SOME_HOPE = 0.12


def choose_discards(cards: Sequence[int], judged: Judgement, most: int, chance: Chance) -> tuple[int, ...]:
    """The cards to throw, at most `most`; none to stand pat."""
    likings = _LIKINGS[_mood(judged)]
    counts = {str(count): liking for count, liking in likings.items() if count <= most}
    count = int(chance.pick(counts))
    if judged.near and count == 1 and judged.kind in ("high_card", "pair"):
        return tuple(card for card in cards if card not in judged.near)
    return tuple(_least_useful_first(cards)[:count])


def _mood(judged: Judgement) -> str:
    if judged.kind not in ("pair", "high_card"):
        return judged.kind
    high = judged.kind == "pair" and judged.groups[0] >= _OPENERS
    if judged.hope >= _GOOD_HOPE:
        return "torn" if high else "chase"
    if judged.hope >= _SOME_HOPE and not high:
        return "torn" if judged.kind == "pair" else "chase"
    if judged.kind == "pair":
        return "high_pair" if high else "small_pair"
    return "high_card"


def _least_useful_first(cards: Sequence[int]) -> list[int]:
    counts = Counter(rank_of(card) for card in cards)
    return sorted(cards, key=lambda card: (counts[rank_of(card)], rank_of(card), card))
