"""A bot's judgement against the evaluator: the kind is right, the place is about right."""

import itertools
import random
from collections import Counter

import pytest
from turkpoker.client.bots import TEMPERAMENTS, Judgement, judge
from turkpoker.client.bots.discards import choose_discards
from turkpoker.client.bots.temperament import Chance
from turkpoker.client.cards import cards, rank_of, suit_of
from turkpoker.evaluator import Evaluator, deck_cards
from turkpoker.v1 import rules_pb2

# The evaluator's finer names.
COARSE = {
    "royal_flush": "straight_flush",
    "minor_straight_flush": "straight_flush",
    "minor_straight": "straight",
    "four_of_a_kind": "four",
    "three_of_a_kind": "three",
}
RANKINGS = {"turkish": rules_pb2.RANKING_TURKISH, "standard": rules_pb2.RANKING_STANDARD}


@pytest.mark.parametrize("ranking", list(RANKINGS))
@pytest.mark.parametrize("deck", [24, 32, 36, 52])
def test_kind_and_place(deck: int, ranking: str) -> None:
    evaluator = Evaluator(deck_size=deck, ranking=ranking)
    ids = deck_cards(deck)
    chance = random.Random(deck)
    hands = (
        [chance.sample(ids, 5) for _ in range(4000)]
        if deck > 24
        else list(map(list, itertools.combinations(ids, 5)))[::7]
    )
    strengths = sorted(evaluator.strength(hand) for hand in hands)
    weaker = {strength: place / len(strengths) for place, strength in reversed(list(enumerate(strengths)))}
    errors = []
    for hand in hands:
        judged = judge([card + 1 for card in hand], deck, RANKINGS[ranking])
        strength = evaluator.strength(hand)
        name = str(evaluator.category(strength))
        assert judged.kind == COARSE.get(name, name)
        assert 0 <= judged.place <= 1
        errors.append(abs(judged.place - weaker[strength]))
    assert sum(errors) / len(errors) < 0.05
    assert max(errors) < 0.12


@pytest.mark.parametrize(
    ("hand", "deck", "near"),
    [
        ("As Js 9s 8s Qd", 32, "As Js 9s 8s"),
        ("Jd Tc 9s 8h As", 36, "Jd Tc 9s 8h"),
        ("Ad Kc Qs Jh 6s", 36, "Ad Kc Qs Jh"),  # only the tens help
        ("Ad 7c 8s 9h Ks", 36, "Ad 7c 8s 9h"),  # the sixes: the run with the ace below
        ("Ad 7c 8s 9h Ks", 32, "Ad 7c 8s 9h"),  # the tens
        ("9d Tc Js Qh 9s", 24, "9s Tc Js Qh"),
        ("Ad Kc Ts 8h 6s", 36, ""),
    ],
)
def test_near_hands(hand: str, deck: int, near: str) -> None:
    assert set(judge(cards(hand), deck).near) == set(cards(near))


def thrown(hand: str, deck: int, tries: int = 400) -> tuple[Judgement, Counter[frozenset[int]]]:
    dealt = cards(hand)
    judged = judge(dealt, deck)
    choices = Counter(
        frozenset(choose_discards(dealt, judged, 4, Chance(f"{hand}/{number}"))) for number in range(tries)
    )
    return judged, choices


def test_discards_are_sensible() -> None:
    for hand, usual in [
        ("Ks Kd Kc 9h 7s", "9h 7s"),
        ("Ks Kd 9c 9h 7s", "7s"),
        ("Ks Kd Tc 8h 7s", "Tc 8h 7s"),
        ("As Js 9s 8s Qd", "Qd"),
        ("Ts 9d 8c 7h 6s", ""),
    ]:
        _, choices = thrown(hand, 36)
        assert choices.most_common(1)[0][0] == frozenset(cards(usual)), hand


def test_a_discard_never_holds_more_than_allowed_nor_strange_cards() -> None:
    chance = random.Random(1)
    for number in range(2000):
        deck = chance.choice([24, 28, 32, 36, 52])
        hand = [card + 1 for card in chance.sample(deck_cards(deck), 5)]
        most = chance.randint(0, 5)
        discards = choose_discards(hand, judge(hand, deck), most, Chance(str(number)))
        assert len(discards) <= most
        assert len(set(discards)) == len(discards)
        assert set(discards) <= set(hand)
        assert all(0 <= rank_of(card) <= 12 and 0 <= suit_of(card) <= 3 for card in discards)


def test_chance_is_even_and_depends_on_its_key_alone() -> None:
    first, again, other = Chance("a"), Chance("a"), Chance("b")
    rolls = [first.roll() for _ in range(4000)]
    assert rolls == [again.roll() for _ in range(4000)]
    assert rolls[:10] != [other.roll() for _ in range(10)]
    assert all(0 <= roll < 1 for roll in rolls)
    assert 0.47 < sum(rolls) / len(rolls) < 0.53
    picks = Counter(Chance(str(number)).pick({"x": 3, "y": 1, "never": 0}) for number in range(2000))
    assert picks["never"] == 0
    assert 0.70 < picks["x"] / 2000 < 0.80


def test_temperaments_differ() -> None:
    assert len({(each.loose, each.bold, each.sly) for each in TEMPERAMENTS}) == len(TEMPERAMENTS) == 6
