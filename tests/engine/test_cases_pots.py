"""Faults of other engines with pots, as small inputs with the right result (cases P1 to P9).

The dealer is the last seat, suits break no ties; A beats B beats C where a case says so.
"""

from __future__ import annotations

import pytest
from engine.playing import asked, final, held, legal, named, play, pots, start
from turkpoker.engine import Hand, Rules, RulesError
from turkpoker.evaluator import deck_cards

KINGS = "Ks Kh Kd 9h 8s"
QUEENS = "Qs Qh Qd 9d 8d"
JACKS = "Js Jh Jd 9c 8c"
THREE_HANDS = (KINGS, QUEENS, JACKS)


def test_p1_main_pot_300_to_a_side_pot_400_to_b_final_300_1100_700() -> None:
    hand = start([100, 1000, 1000], THREE_HANDS, ante=10, stake_min=10)
    play(hand, "A open 90", "B call", "C call", "A draw", "B draw", "C draw", "B bet 200", "C call")
    assert pots(hand) == [(300, "ABC"), (400, "BC")]
    assert named(hand.result.payouts) == {"A": 300, "B": 400}
    assert final(hand) == [300, 1100, 700]


def test_p2_150_back_to_c_300_to_a_side_300_to_c_final_300_350_650() -> None:
    hand = start([100, 600, 600], THREE_HANDS, ante=10, stake_min=10)
    play(hand, "A open 90", "B raise 240", "C raise 390", "B fold", "A draw", "C draw")
    returned = [event for event in hand.events if event.name == "uncalled_returned"]
    assert [(event.seat, event.amount) for event in returned] == [(2, 150)]
    assert pots(hand) == [(300, "AC"), (300, "C")]
    assert final(hand) == [300, 350, 650]


def test_p3_305_back_to_a_pot_2696_nets_plus_1798_minus_2_minus_898_minus_898() -> None:
    hands = ("Ks Kh Kd 9h 8s", "As Qh Jd Td 7c", "Qs Qd Qc 9d 8d", "Js Jh Jc 9c 8c")
    hand = start([1203, 1000, 898, 898], hands, ante=2, stake_min=2)
    play(hand, "A open 1201", "B fold", "C call", "D call", "A draw", "C draw", "D draw")
    returned = [event for event in hand.events if event.name == "uncalled_returned"]
    assert [(event.seat, event.amount) for event in returned] == [(0, 305)]
    assert pots(hand) == [(2696, "ACD")]
    assert final(hand) == [1203 + 1798, 998, 0, 0]


def test_p4_three_way_tie_of_341_gives_114_114_113_from_one_merged_pot() -> None:
    hands = ("9s Th Jd Qc Ks", "9h Td Jc Qs Kh", "9d Tc Js Qh Kd", "As Ah 6c 7c 8c", "Ad Ac 6d 7d 8d")
    hand = start([200] * 5, hands, ante=1, stake_min=1)
    play(hand, "A open 19", "B call", "C call", "D call", "E raise 20", "A raise 99")
    play(hand, "B call", "C call", "D fold", "E fold", "A draw", "B draw", "C draw")
    play(hand, "A check", "B check", "C check")
    assert pots(hand) == [(341, "ABC")]
    assert named(hand.result.payouts) == {"A": 114, "B": 114, "C": 113}


def test_p5_150_and_160_both_to_b_final_0_680_370() -> None:
    hand = start([50, 500, 500], (QUEENS, KINGS, JACKS), ante=10, stake_min=10, opening_requirement="Q")
    play(hand, "A open 40")
    assert legal(hand, "B")["raise"][0] == 50
    play(hand, "B raise 120", "C call", "A draw", "B draw", "C draw", "B check", "C check")
    assert pots(hand) == [(150, "ABC"), (160, "BC")]
    assert named(hand.result.payouts) == {"B": 310}
    assert final(hand) == [0, 680, 370]


def test_p6_heads_up_bet_of_190_not_called_won_20_returned_190_final_210_190() -> None:
    hand = start([200, 200], ("Ks Kh Kd 9h Ts", "Qs Qh Qd 9d Td"), ante=10, stake_min=10)
    play(hand, "A open 190", "B fold")
    returned = [event for event in hand.events if event.name == "uncalled_returned"]
    assert [(event.seat, event.amount) for event in returned] == [(0, 190)]
    assert pots(hand) == [(20, "A")]
    assert named(hand.result.payouts) == {"A": 20}
    assert final(hand) == [210, 190]
    assert hand.result.over == "folds"


def test_p7_folded_four_kings_are_never_compared() -> None:
    hands = ("Ks Kh Kd Kc 8s", "Qs Qh Ad 9d 8d", "Js Jh Ac 9c 8c")
    hand = start([100, 100, 100], hands, ante=1, stake_min=2)
    play(hand, "A open 2", "B call", "C call", "A draw", "B draw", "C draw")
    play(hand, "A check", "B bet 10", "C call", "A fold")
    assert pots(hand) == [(29, "BC")]
    assert named(hand.result.payouts) == {"B": 29}
    assert held(hand, "A") == ["8s", "Kc", "Kd", "Kh", "Ks"]
    shown = {event.seat for event in hand.events if event.name == "hand_shown"}
    assert shown == {1, 2}


def test_p8_pot_15_then_30_an_ante_is_no_credit_towards_a_bet() -> None:
    hand = start([100, 100, 100], THREE_HANDS, ante=5, stake_min=5)
    assert hand.view(None).pot == 15
    assert legal(hand, "A")["open"] == (5, 95)
    play(hand, "A open 15")
    assert hand.view(None).pot == 30
    assert hand.view(None).seats[0].stack == 80
    assert legal(hand, "B")["call"] == 15


def test_p9_stacks_200_and_0_are_refused_without_taking_an_ante() -> None:
    rules = Rules.profile("turkish", ante=2)
    stacks = {0: 200, 1: 0}
    with pytest.raises(RulesError):
        Hand(rules, stacks, 0, deck_cards(24))
    assert stacks == {0: 200, 1: 0}


def test_p9_a_stack_of_1_with_an_ante_of_2_posts_1() -> None:
    hand = start([1, 50], ("Ks Kh 9d 9h Ts", "Qs Qh Qd 9s Td"), ante=2)
    antes = [(event.seat, event.amount) for event in hand.events if event.name == "ante_posted"]
    assert antes == [(0, 1), (1, 2)]
    assert hand.view(None).seats[0].stack == 0
    assert asked(hand) == "A"
    play(hand, "A draw", "B draw")
    assert pots(hand) == [(2, "AB")]
    assert final(hand) == [0, 51]
