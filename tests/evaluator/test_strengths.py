"""The evaluator against the oracle, the published vectors and the exact counts."""

import json
import pickle
import random
from itertools import combinations, pairwise, permutations
from pathlib import Path

import hand_oracle
import pytest
from turkpoker.evaluator import Category, Evaluator, deck_cards, parse_cards

DATA = Path(__file__).parents[1] / "data"


def test_single_calls_agree_with_batches():
    rng = random.Random(7)
    for deck in (24, 36, 52):
        for suits in (False, True):
            evaluator = Evaluator(deck, suit_tiebreak=suits)
            for _ in range(500):
                hand = rng.sample(deck_cards(deck), 5)
                strength = evaluator.strengths(bytes(hand))[0]
                mask = sum(1 << card for card in hand)
                forms = [bytes(hand), hand, tuple(hand), mask, " ".join(map(text_of, hand)), bytearray(hand)]
                forms += [memoryview(bytes(hand)), iter(hand)]
                assert [evaluator.strength(form) for form in forms] == [strength] * len(forms)


def text_of(card):
    return "23456789TJQKA"[card // 4] + "cdsh"[card % 4]


@pytest.mark.parametrize("order", [*permutations("hsdc")][::5])
def test_suit_orders(order, kernel):
    order = "".join(order)
    evaluator = Evaluator(28, "turkish", True, True, order)
    rng = random.Random(order)
    hands = [tuple(rng.sample(deck_cards(28), 5)) for _ in range(4000)]
    keys = [hand_oracle.key(hand, 28, suits=True, suit_order=order) for hand in hands]
    strengths = evaluator.strengths(b"".join(map(bytes, hands)))
    pairs = sorted(zip(keys, strengths, strict=True))
    for (key, strength), (next_key, next_strength) in pairwise(pairs):
        assert (key < next_key) == (strength < next_strength)


def test_published_vectors():
    for line in (DATA / "vectors.jsonl").read_text().splitlines():
        row = json.loads(line)
        evaluator = Evaluator(row["deck"], row["ranking"], row["minor"], row["suits"])
        a, b = evaluator.strength(row["a"]), evaluator.strength(row["b"])
        assert evaluator.category(a) == row["category_a"], row
        assert evaluator.category(b) == row["category_b"], row
        assert {1: "a", 0: "tie", -1: "b"}[(a > b) - (a < b)] == row["expected"], row


def test_published_counts():
    published = json.loads((DATA / "frequencies.json").read_text())
    checked = 0
    for deck, about in published["decks"].items():
        for name, counts in about["rankings"].items():
            ranking, minor = name.split(",")
            evaluator = Evaluator(int(deck), ranking, minor == "minor=on")
            frequencies = evaluator.frequencies()
            assert [(str(c), n) for c, n in frequencies.items()] == list(
                counts["frequency_strongest_first"].items()
            )
            assert sum(frequencies.values()) == about["total_hands"]
            assert list(map(str, frequencies)) == published["order"][ranking]
            assert evaluator.levels == counts["levels"]
            with_suits = Evaluator(int(deck), ranking, minor == "minor=on", True)
            assert with_suits.levels == counts["levels_with_suits_highest_suit_of_pair"]
            by_category = [evaluator.category(level) for level in range(1, evaluator.levels + 1)]
            for category, levels in counts["levels_by_category"].items():
                assert by_category.count(Category(category)) == levels
            checked += 1
    assert checked == 48


def test_opening_hands_of_every_deck_that_can_be_counted():
    published = json.loads((DATA / "frequencies.json").read_text())
    for deck in (24, 28):
        for minor in (True, False):
            evaluator = Evaluator(deck, "turkish", minor)
            about = published["decks"][str(deck)]["rankings"][f"turkish,minor={'on' if minor else 'off'}"]
            opens = dict.fromkeys(about["hands_that_open"], 0)
            for hand in combinations(deck_cards(deck), 5):
                for requirement in opens:
                    opens[requirement] += evaluator.opens(bytes(hand), requirement)
            assert opens == about["hands_that_open"]


def test_no_two_hands_from_one_deck_tie_with_suits():
    evaluator = Evaluator(24, suit_tiebreak=True)
    seen = {}
    for hand in combinations(deck_cards(24), 5):
        seen.setdefault(evaluator.strength(hand), []).append(set(hand))
    for hands in seen.values():
        assert all(a & b for a, b in combinations(hands[:40], 2))


def test_reported_faults():
    turkish = Evaluator(36)
    assert turkish.strength("Qh Qs 8d 8c Ah") > turkish.strength("Jh Js 9d 9c Ad")
    assert turkish.strength("Kh Ks Kd 7c 7h") > turkish.strength("Qh Qs Qd Ac Ah")
    assert turkish.strength("7h 7s 7d Ac Kh") > turkish.strength("As Kd Qh Jc Ts")
    assert turkish.strength("Qh 9h 8h 7h 6h") > turkish.strength("Ah As Ad Kc Kh")
    first, second = "Kh Kd Ac Qs 9c", "Ks Kc Ad Qh 9d"
    assert turkish.strength(first) == turkish.strength(second)
    assert Evaluator(36, suit_tiebreak=True).strength(first) > Evaluator(36, suit_tiebreak=True).strength(
        second
    )


def test_low_hands():
    rng = random.Random(1)
    for deck in (24, 36, 40, 52):
        evaluator = Evaluator(deck)
        hands = [rng.sample(deck_cards(deck), 5) for _ in range(3000)]
        pairs = sorted(
            (hand_oracle.low_key(hand), evaluator.low_strength(hand, "no_qualifier")) for hand in hands
        )
        for (key, strength), (next_key, next_strength) in pairwise(pairs):
            assert (key < next_key) == (strength > next_strength)
        for hand in hands:
            low = evaluator.low_strength(hand, "eight_or_lower")
            key = hand_oracle.low_key(hand)
            qualifies = key[0] == 0 and key[1] <= 8
            assert low == (evaluator.low_strength(hand, "no_qualifier") if qualifies else None)
    assert Evaluator(52).low_strength("Ah 2s 3d 4c 5h", "eight_or_lower") == Evaluator(52).low_levels


def test_no_low_in_any_turkish_deck():
    for deck in (24, 28):
        evaluator = Evaluator(deck)
        for hand in combinations(deck_cards(deck), 5):
            assert evaluator.low_strength(bytes(hand), "eight_or_lower") is None


def test_one_object_for_each_setting():
    evaluator = Evaluator(32, "standard", False, True, "dhsc")
    assert (
        Evaluator(32, ranking="standard", minor_straights=False, suit_tiebreak=True, suit_order="dhsc")
        is evaluator
    )
    assert pickle.loads(pickle.dumps(evaluator)) is evaluator
    assert len({evaluator, Evaluator(32), Evaluator(32)}) == 2
    assert Evaluator().strength(parse_cards("As Ks Qs Js Ts")) == Evaluator().levels == 1404


BAD_SETTINGS = [
    *[(20,), (37,), ("36",), (36.0,), (True,), (None,), (36, "Turkish"), (36, None), (36, "turkish", 1)],
    *[(36, "turkish", True, "yes"), (36, "turkish", True, True, "hsd"), (36, "turkish", True, True, 4)],
    *[(36, "turkish", True, True, "hhsd"), (36, "turkish", True, True, "HSDC")],
]


@pytest.mark.parametrize("settings", BAD_SETTINGS)
def test_bad_settings(settings):
    with pytest.raises(ValueError, match="must"):
        Evaluator(*settings)


@pytest.mark.parametrize(
    ("cards", "complaint"),
    [
        ("As Ks Qs Js", "five cards, not 4"),
        ("As Ks Qs Js Ts 9s", "five cards, not 6"),
        ("As As Qs Js Ts", "As stands twice"),
        ("5s As Qs Js Ts", "5s is not in the deck of 36"),
        ("?? As Qs Js Ts", "no card"),
        (b"\x00\x01\x02\x03", "2c is not in the deck"),
        (bytes([51, 50, 49, 48, 255]), "no card id: 255"),
        (0b11111, "not in the deck"),
        (0b1111 << 48, "five cards, not 4"),
        (-1, "bits 0 to 51"),
        (1 << 52, "bits 0 to 51"),
        (10**40, "bits 0 to 51"),
        (None, "not NoneType"),
        (True, "not bool"),
        (51.0, "not float"),
        ((51, 50, 49, 48, 47.0), "no card id"),
        ((51, 50, 49, 48, True), "no card id"),
        ((51, 50, 49, 48, -1), "no card id"),
        ((), "five cards, not 0"),
    ],
)
def test_bad_hands(cards, complaint):
    for suits in (False, True):
        with pytest.raises(ValueError, match=complaint):
            Evaluator(36, suit_tiebreak=suits).strength(cards)
        with pytest.raises(ValueError, match=complaint):
            Evaluator(36, suit_tiebreak=suits).low_strength(cards, "no_qualifier")


@pytest.mark.parametrize("strength", [0, 1405, -1, 2**70, True, "7", None, 1.0])
def test_bad_strengths(strength):
    with pytest.raises(ValueError, match="from 1 to 1404"):
        Evaluator().category(strength)
