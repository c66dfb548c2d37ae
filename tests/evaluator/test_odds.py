"""Exact odds against brute force, sampled ones against exact ones and against enumeration."""

import random
from bisect import bisect_left, bisect_right
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from turkpoker.evaluator import (
    Category,
    Evaluator,
    HandRange,
    card_rank,
    deck_cards,
    parse_cards,
    sampled_odds,
)


def brute_force(evaluator, hand, dead, discards, weight=lambda strength: 1):
    """``{discard: (win, tie, loss)}`` by walking every draw and every hand of the opponent."""
    unseen = [card for card in deck_cards(evaluator.deck_size) if card not in (*hand, *dead)]
    others = [
        (evaluator.strength(other), sum(1 << card for card in other)) for other in combinations(unseen, 5)
    ]
    # A hand of weight w stands there w times.
    others = sorted([pair for pair in others for _ in range(weight(pair[0]))])
    results = {}
    for discard in discards:
        keep = tuple(card for card in hand if card not in discard)
        win = tie = loss = 0
        for drawn in combinations(unseen, len(discard)):
            mine = evaluator.strength(keep + drawn)
            blocked = sum(1 << card for card in drawn)
            possible = [strength for strength, mask in others if not mask & blocked]
            first, last = bisect_left(possible, mine), bisect_right(possible, mine)
            win += first
            tie += last - first
            loss += len(possible) - last
        results[discard] = (win, tie, loss)
    return results


def discards_of(hand, sizes):
    return [discard for size in sizes for discard in combinations(hand, size)]


def compare(evaluator, hand, dead, sizes, **settings):
    weight = settings.pop("weight", lambda strength: 1)
    odds = evaluator.odds(hand, dead, **settings)
    found = {one.discard: (one.win, one.tie, one.loss) for one in odds}
    expected = brute_force(evaluator, hand, dead, discards_of(hand, sizes), weight)
    assert {discard: found[discard] for discard in expected} == expected
    return odds


def hands_of(deck, count, seed):
    rng = random.Random(seed)
    return [tuple(rng.sample(deck_cards(deck), 5)) for _ in range(count)]


@pytest.mark.parametrize("suits", [False, True])
@pytest.mark.parametrize("hand", hands_of(24, 4, 1))
def test_every_discard_of_24_cards_with_some_seen(hand, suits):
    rng = random.Random(hand[0])
    dead = tuple(rng.sample([card for card in deck_cards(24) if card not in hand], 7))
    evaluator = Evaluator(24, "standard" if hand[0] % 2 else "turkish", suit_tiebreak=suits)
    odds = compare(evaluator, hand, dead, range(6), draw_max=5)
    assert len(odds) == 32
    assert [one.equity for one in odds] == sorted((one.equity for one in odds), reverse=True)


@pytest.mark.parametrize("hand", hands_of(24, 3, 2))
def test_small_discards_of_a_whole_24_deck(hand):
    compare(Evaluator(24), hand, (), (0, 1))


def test_standing_and_one_card_with_36():
    hand = parse_cards("Kh Kd Ac Qs 9c")
    compare(Evaluator(36), hand, (), (0,))
    compare(Evaluator(36), hand, parse_cards("6c 7c 8d 9d Td Jd 6h 7h 6s 7s"), (1,))


def compare_some(evaluator, hand, discards):
    odds = {one.discard: (one.win, one.tie, one.loss) for one in evaluator.odds(hand, draw_max=5)}
    expected = brute_force(evaluator, hand, (), discards)
    assert {discard: odds[discard] for discard in discards} == expected


@pytest.mark.slow
@pytest.mark.parametrize("hand", hands_of(24, 2, 3))
def test_large_discards_of_a_whole_24_deck(hand):
    evaluator = Evaluator(24, suit_tiebreak=hand[0] % 2 == 0)
    compare_some(evaluator, hand, [hand[:2], hand[1:4], hand[1:]])


@pytest.mark.slow
@pytest.mark.parametrize("hand", hands_of(36, 1, 4))
def test_some_discards_of_36_cards(hand):
    compare_some(Evaluator(36), hand, [hand[:1], hand[4:], hand[1:3]])


def test_what_is_counted():
    evaluator = Evaluator(36)
    hand = parse_cards("Kh Kd Ac Qs 9c")
    odds = evaluator.odds(hand, draw_max=5)
    for one in odds:
        thrown = len(one.discard)
        assert one.draws == comb(31, thrown)
        assert one.total == comb(31, thrown) * comb(31 - thrown, 5)
        assert sum(one.categories.values()) == one.draws
        assert one.equity == Fraction(2 * one.win + one.tie, 2 * one.total)
        assert one.keep == tuple(card for card in hand if card not in one.discard)
        strengths = []
        if thrown <= 2:
            unseen = [card for card in deck_cards(36) if card not in hand]
            strengths = [evaluator.strength(one.keep + drawn) for drawn in combinations(unseen, thrown)]
            assert one.mean_strength == Fraction(sum(strengths), len(strengths))
            for category, count in one.categories.items():
                assert [evaluator.category(s) for s in strengths].count(category) == count
    assert odds == evaluator.odds("Kh Kd Ac Qs 9c", (), 5)
    assert len(evaluator.odds(hand)) == 31
    assert len(evaluator.odds(hand, draw_max=0)) == 1
    five = next(one for one in odds if len(one.discard) == 5)
    assert five.win == five.loss


def test_weighted_ranges():
    evaluator = Evaluator(24)
    hand, dead = parse_cards("Kh Kd Ac Qs 9c"), parse_cards("9d Td Jd Qd Ad 9h")
    range_ = HandRange.openers(evaluator, "K")
    kings = evaluator.opening_strength("K")
    compare(evaluator, hand, dead, (0, 1, 2), opponent=range_, weight=lambda s: int(s >= kings))
    weights = {Category.PAIR: 3, "two_pair": 5, "straight": 1}
    by_category = HandRange.of_categories(evaluator, weights)
    compare(
        evaluator,
        hand,
        dead,
        (0, 1, 2, 5),
        draw_max=5,
        opponent=by_category,
        weight=lambda s: weights.get(str(evaluator.category(s)), weights.get(evaluator.category(s), 0)),
    )


def test_a_range_of_single_hands():
    evaluator = Evaluator(24)
    hand = parse_cards("Kh Kd Ac Qs 9c")
    weights = {"Ah Ad As Tc Td": 2, "Th Ts Jh Js 9d": 7, "Kh Ks Kc 9d 9h": 100}
    odds = {one.discard: one for one in evaluator.odds(hand, opponent=HandRange.of_hands(evaluator, weights))}
    assert (odds[()].win, odds[()].tie, odds[()].loss) == (0, 0, 9)
    expected = 0
    unseen = [card for card in deck_cards(24) if card not in hand]
    for drawn in combinations(unseen, 3):
        mine = evaluator.strength(hand[:2] + drawn)
        for text, weight in list(weights.items())[:2]:
            other = parse_cards(text)
            expected += weight * (not set(other) & set(drawn) and mine > evaluator.strength(other))
    assert odds[hand[2:]].win == expected
    assert odds[hand[2:]].total == 9 * comb(14, 3)
    with pytest.raises(ValueError, match="none of the hands"):
        evaluator.odds(hand, opponent=HandRange.of_hands(evaluator, {"Kh Ks Kc 9d 9h": 1}))


BAD = [
    ({"hand": "Kh Kd Ac Qs"}, "five cards"),
    ({"dead": "Kh"}, "in the hand and dead"),
    ({"dead": "9d 9d"}, "twice among the dead"),
    ({"dead": "2c"}, "not in the deck"),
    ({"draw_max": 6}, "draw_max"),
    ({"draw_max": -1}, "draw_max"),
    ({"draw_max": True}, "draw_max"),
    ({"dead": tuple(range(28, 41)), "hand": "Kh Ks Ac Ad Ah"}, "too few"),
]


@pytest.mark.parametrize(("changes", "complaint"), BAD)
def test_bad_questions(changes, complaint):
    question = {"hand": "Kh Kd Ac Qs 9c", **changes}
    with pytest.raises(ValueError, match=complaint):
        Evaluator(24).odds(**question)
    with pytest.raises(ValueError, match=complaint):
        sampled_odds(Evaluator(24), **question, seed=1)


def test_bad_ranges():
    evaluator = Evaluator(24)
    for weights in ({"pair": -1}, {"pair": 1.5}, {"pair": 2**32}, {"paar": 1}):
        with pytest.raises(ValueError, match=r"weight|paar"):
            HandRange.of_categories(evaluator, weights)
    with pytest.raises(ValueError, match="twice"):
        HandRange.of_hands(evaluator, {"Ah Ad As Tc Td": 2, "Ad Ah As Tc Td": 2})
    with pytest.raises(ValueError, match="another evaluator"):
        Evaluator(28).odds("Kh Kd Ac Qs 9c", opponent=HandRange.openers(evaluator, "K"))


def test_sampled_agrees_with_exact_where_nobody_else_draws():
    evaluator = Evaluator(28)
    hand = "Kh Kd Ac Qs 9c"
    exact = {one.discard: one for one in evaluator.odds(hand)}
    sampled = sampled_odds(evaluator, hand, seed=5, policy="stand_pat", samples=4000)
    assert len(sampled) == 31
    for one in sampled:
        assert not one.exact
        assert one.win + one.tie + one.loss == one.samples == 4000
        assert abs(one.equity - exact[one.discard].equity) < 5 * one.standard_error


def usual_in_python(cards):
    """The usual policy, written again."""
    evaluator = Evaluator(24)
    category = evaluator.category(evaluator.strength(cards))
    ranks, suits = [card_rank(card) for card in cards], [card % 4 for card in cards]
    if category not in (Category.HIGH_CARD, Category.PAIR, Category.TWO_PAIR, Category.THREE_OF_A_KIND):
        return ()
    if category is Category.HIGH_CARD:
        for suit in range(4):
            if suits.count(suit) == 4:
                return [card for card in cards if card % 4 != suit]
        return sorted(cards)[:4]
    return [card for card in cards if ranks.count(card // 4) == 1]


def test_policies_in_python_and_built_in_are_the_same():
    built_in = sampled_odds(Evaluator(24), "Kh Kd Ac Qs 9c", seed=9, samples=300, opponents=2)
    in_python = sampled_odds(
        Evaluator(24), "Kh Kd Ac Qs 9c", seed=9, samples=300, opponents=2, policy=usual_in_python
    )
    assert built_in == in_python
    assert built_in != sampled_odds(Evaluator(24), "Kh Kd Ac Qs 9c", seed=10, samples=300, opponents=2)


def test_a_drawing_opponent_against_enumeration():
    evaluator = Evaluator(24)
    hand = parse_cards("Kh Kd Ac Qs 9c")
    unseen = parse_cards("9d 9h Td Tc Jh Jc Qd As")
    dead = tuple(card for card in deck_cards(24) if card not in (*hand, *unseen))

    def throws_the_lowest(cards):
        return [min(cards)]

    shares = []
    for other in combinations(unseen, 5):
        stock = [card for card in unseen if card not in other]
        for drawn in stock:
            mine = evaluator.strength((*hand[:4], drawn))
            for replaced in (card for card in stock if card != drawn):
                theirs = evaluator.strength([c for c in other if c != min(other)] + [replaced])
                shares.append(Fraction((mine > theirs) * 2 + (mine == theirs), 2))
    exact = sum(shares) / len(shares)
    settings = {"dead": dead, "draw_max": 1, "policy": throws_the_lowest, "samples": 4000, "seed": 3}
    odds = {one.discard: one for one in sampled_odds(evaluator, hand, **settings)}
    one = odds[hand[4:]]
    assert abs(one.equity - exact) < 5 * one.standard_error
    assert one.standard_error > 0


def test_many_opponents_use_up_the_stock():
    odds = sampled_odds(
        Evaluator(36), "Kh Kd Ac Qs 9c", seed=1, opponents=5, samples=200, policy=lambda cards: cards[:4]
    )
    assert all(one.win + one.tie + one.loss == 200 for one in odds)


def test_policies_that_cheat():
    for policy, complaint in [
        (lambda cards: (51,) * 2, "each once"),
        (lambda cards: (cards[0], cards[0]), "each once"),
        (lambda cards: cards, "4 are the most"),
        ("whatever", "policy must be"),
    ]:
        with pytest.raises(ValueError, match=complaint):
            sampled_odds(Evaluator(36), "Kh Kd Ac Qs 9c", seed=1, samples=50, policy=policy)
    royal = HandRange.of_categories(Evaluator(36), {"royal_flush": 1})
    with pytest.raises(ValueError, match="too rare"):
        sampled_odds(Evaluator(36), "Kh Kd Ac Qs 9c", seed=1, samples=5, opponent=royal, opponents=3)
