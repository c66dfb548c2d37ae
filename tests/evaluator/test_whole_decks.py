"""Every hand of whole decks against the oracle, on every path that this machine has."""

import random
from array import array
from itertools import combinations, product

import hand_oracle
import pytest
from turkpoker.evaluator import RANKINGS, Evaluator, deck_cards
from turkpoker.evaluator._kernels import available_kernels, force_kernel

SETTINGS = list(product(RANKINGS, (True, False), (True, False)))


def hold_against_oracle(deck, settings, hands):
    """Every hand under every setting, over rows, columns and masks, on every path that this machine has.

    Yields each evaluator with its strengths in the order of the keys.
    """
    seen = {setting: {} for setting in settings}
    evaluators = {setting: Evaluator(deck, *setting) for setting in settings}
    rng = random.Random(deck)
    for chunk in chunks(hands, 65536):
        described = {
            minor: [hand_oracle.describe(hand, deck, minor) for hand in chunk] for minor in (True, False)
        }
        shuffled = [rng.sample(hand, 5) for hand in chunk]
        rows = b"".join(map(bytes, shuffled))
        columns = b"".join(bytes(column) for column in zip(*shuffled, strict=True))
        masks = array("Q", [sum(1 << card for card in hand) for hand in chunk])
        for (ranking, minor, suits), evaluator in evaluators.items():
            strengths = evaluator.strengths(rows)
            for kernel in available_kernels():
                force_kernel(kernel)
                assert evaluator.strengths(rows) == strengths
                assert evaluator.strengths_columns(columns) == strengths
                assert evaluator.strengths_masks(masks) == strengths
            found = seen[ranking, minor, suits]
            for what, strength in zip(described[minor], strengths, strict=True):
                key = hand_oracle.ranked(*what, ranking, suits)
                assert found.setdefault(key, strength) == strength
    for (ranking, minor, suits), found in seen.items():
        order = [found[key] for key in sorted(found)]
        evaluator = evaluators[ranking, minor, suits]
        for key, strength in found.items():
            assert evaluator.category(strength) == hand_oracle.WEAKEST_FIRST[ranking][key[0]]
        yield evaluator, order


def chunks(hands, size):
    chunk = []
    for hand in hands:
        chunk.append(hand)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def hold_whole_deck(deck, settings):
    for evaluator, order in hold_against_oracle(deck, settings, combinations(deck_cards(deck), 5)):
        assert order == list(range(1, evaluator.levels + 1))


@pytest.mark.parametrize("deck", [24, 28])
def test_every_hand_of_a_small_deck(deck, usual_kernel):
    hold_whole_deck(deck, SETTINGS)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("deck", [32, 36])
def test_every_hand_of_a_large_deck(deck, usual_kernel):
    hold_whole_deck(deck, SETTINGS)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("ranking", ["french", "standard"])
def test_every_hand_of_52_cards(ranking, usual_kernel):
    hold_whole_deck(52, [(ranking, True, True), (ranking, False, False)])


@pytest.mark.parametrize("deck", [32, 36, 40, 44, 48, 52])
def test_a_sample_of_each_deck(deck, usual_kernel):
    rng = random.Random(deck)
    hands = [tuple(rng.sample(deck_cards(deck), 5)) for _ in range(6000)]
    # The rare ones are never drawn by chance: every suited hand of one suit, every hand around a four.
    hands += list(combinations([card for card in deck_cards(deck) if card % 4 == deck % 4], 5))[:2000]
    hands += [(48, 49, 50, 51, card) for card in deck_cards(deck)[:-4]]
    for _, order in hold_against_oracle(deck, SETTINGS[:4] + SETTINGS[8:], hands):
        assert order == sorted(set(order))
