"""Proof of openers, false openings, and deals that players enter. Exact numbers throughout."""

from __future__ import annotations

from typing import Any

import pytest
from engine.scripted import deal, event, final, legal, names, pat, payouts, play
from turkpoker.engine import Hand

A, B, C = "Kh Kd 9s Tc Jh", "Qh Qd 9d Th Jd", "Ah Ad 8c 9h Ts"
THREE = {"A": A, "B": B, "C": C}


def over(hand: Hand) -> tuple[str, int]:
    assert hand.result is not None, f"not over: {hand.phase}"
    return str(hand.result.over), hand.result.carried


# -- proof ------------------------------------------------------------------------------------------


def proof_cards(cards: str, requirement: str = "K", **options: Any) -> str:
    hands = {"A": cards, "B": "Qh Qd 9d Th Jd" if "Q" not in cards else "8s 8d 9d Th Jd"}
    hand = deal(hands, deck=36, opener_proof="to_collect", opening_requirement=requirement, **options)
    play(hand, "A open 2; B fold")
    return event(hand, "openers_proved").to_dict()["cards"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("cards", "shown"),
    [
        ("Kh 9s Kd Tc Jh", "Kh Kd"),
        ("Ah Ks Ad Kc 8h", "Ks Kc"),
        ("Kc Kd 8c Kh 9h", "Kc Kd"),
        ("8h 9s 8c Kh 8s", "8h 8c 8s"),
        ("8h 9s 8c 9h Ks", "8h 9s 8c 9h"),
        ("8h 9h 8c 9c 8s", "8h 8c 8s"),
        ("7h 9h Ah Kh 8h", "7h 9h Ah Kh 8h"),
        ("9h Tc Js Qs Kc", "9h Tc Js Qs Kc"),
        ("Kh Kc Qh Qc Qs", "Kh Kc"),
    ],
)
def test_the_smallest_part_of_the_dealt_hand_that_opens_is_shown(cards: str, shown: str) -> None:
    assert proof_cards(cards) == shown


def test_the_first_who_asks_gets_the_proof_and_the_hand_is_over() -> None:
    hand = play(deal(THREE, opener_proof="on_request"), "A open 4; B fold; C fold")
    assert hand.phase == "proof"
    assert hand.asked == (1, 2)
    assert hand.stacks == {0: 102, 1: 99, 2: 99}
    assert legal(hand, "A") == {}
    play(hand, "B pass")
    assert hand.asked == (2,)
    play(hand, "C ask_proof")
    assert event(hand, "openers_proved").to_dict()["cards"] == "Kh Kd"
    assert over(hand) == ("folds", 0)


def test_nobody_asks() -> None:
    hand = play(deal(THREE, opener_proof="on_request"), "A open 4; B fold; C fold; C pass; B pass")
    assert over(hand) == ("folds", 0)
    assert "openers_proved" not in names(hand)


def test_an_opener_who_folds_may_be_asked_beside_the_hand() -> None:
    hand = play(deal(THREE, opener_proof="on_request"), "A open 4; B raise 8; C call; A fold")
    assert (hand.phase, hand.to_act) == ("draw", 1)
    assert hand.asked == (1, 2)
    assert legal(hand, "B") == {"draw": (0, 4), "ask_proof": True, "pass": True}
    assert legal(hand, "C") == {"ask_proof": True, "pass": True}
    turn, window = hand.question(1), hand.question(1, "ask_proof")
    assert turn != window
    assert hand.question(2) == hand.question(2, "pass") == window
    assert hand.question(2, "draw") == 0
    play(hand, "C ask_proof")
    assert event(hand, "openers_proved").to_dict()["cards"] == "Kh Kd"
    assert hand.asked == (1,)
    assert hand.question(1) == turn


def test_a_window_that_nobody_answered_holds_the_hand_to_its_end() -> None:
    hand = play(deal(THREE, opener_proof="on_request"), "A open 4; B raise 8; C call; A fold; B pass")
    play(pat(hand), "B check; C check")
    assert hand.phase == "proof"
    assert hand.asked == (2,)
    hand.leave(2)
    assert over(hand) == ("showdown", 0)


def test_a_split_opener_at_a_showdown_is_proved_without_asking() -> None:
    pagat = {"opener_proof": "on_request", "split_openers": "declared_kept_aside"}
    hand = play(deal(THREE, **pagat), "A open 2; B call; C fold; A draw Kd; B draw")
    play(hand, "A check; B check")
    assert event(hand, "openers_proved").to_dict()["cards"] == "Kh Kd"
    hand = play(deal(THREE, **pagat), "A open 2; B call; C fold; A draw Tc; B draw")
    play(hand, "A check; B check")
    assert "openers_proved" not in names(hand)


def test_to_collect_proves_only_an_opener_who_takes_or_shares() -> None:
    collect = {"opener_proof": "to_collect"}
    hand = play(pat(play(deal(THREE, **collect), "A open 2; B call; C fold")), "A check; B check")
    assert names(hand).count("openers_proved") == 1
    hand = play(pat(play(deal(THREE, **collect), "A open 2; B fold; C call")), "A check; C check")
    assert payouts(hand) == {"C": 7}
    assert "openers_proved" not in names(hand)


FALSE = {"A": B, "B": A, "C": C}


def test_a_false_opener_left_alone_and_asked_loses_the_pot_with_all_his_bets() -> None:
    rules = {"false_opening": "penalise", "opener_proof": "on_request"}
    hand = play(deal(FALSE, **rules), "A open 10; B fold; C fold")
    assert hand.stacks == {0: 89, 1: 99, 2: 99}
    asked = play(hand.copy(), "B ask_proof")
    assert over(asked) == ("folds", 13)
    assert final(asked) == {"A": 89, "B": 99, "C": 99}
    assert payouts(asked) == {}
    assert "uncalled_returned" not in names(asked)
    unasked = play(hand, "B pass; C pass")
    assert over(unasked) == ("folds", 0)
    assert final(unasked) == {"A": 102, "B": 99, "C": 99}
    assert "false_opening" not in names(unasked)


def test_a_false_opener_who_must_prove_to_collect_is_always_found() -> None:
    hand = play(deal(FALSE, false_opening="penalise", opener_proof="to_collect"), "A open 10; B fold; C fold")
    assert over(hand) == ("folds", 13)
    assert names(hand).count("false_opening") == 1


def test_a_false_opener_is_never_found_uncontested_where_nothing_is_shown() -> None:
    hand = play(deal(FALSE, false_opening="penalise"), "A open 10; B fold; C fold")
    assert payouts(hand) == {"A": 3}


def test_a_false_opener_at_a_showdown_gets_the_uncalled_part_and_no_pot() -> None:
    hand = deal(FALSE, {"A": 100, "B": 41, "C": 100}, false_opening="penalise")
    play(hand, "A open 60; B call; C fold")
    pat(hand)
    assert hand.result is not None
    assert hand.result.returned == {0: 20}
    assert hand.result.pots == ((83, (1,)),)
    assert final(hand) == {"A": 59, "B": 83, "C": 99}


def test_a_false_opener_who_has_folded_suffers_no_more() -> None:
    rules = {"false_opening": "penalise", "opener_proof": "on_request"}
    hand = play(deal(FALSE, **rules), "A open 4; B raise 8; C call; A fold; B ask_proof")
    assert names(hand).count("false_opening") == 1
    play(pat(hand), "B check; C check")
    assert payouts(hand) == {"C": 23}


# -- entry ------------------------------------------------------------------------------------------


def test_fewer_than_two_entries_are_no_deal() -> None:
    hand = deal(THREE, entry="opt_in", carried=8)
    assert legal(hand, "C") == {"enter": True, "stay_out": True}
    play(hand, "B enter; C stay_out; A stay_out")
    assert over(hand) == ("no_deal", 8)
    assert final(hand) == {"A": 100, "B": 100, "C": 100}
    assert names(hand).count("ante_returned") == 1


def test_who_stays_out_is_not_in_the_hand() -> None:
    hand = play(deal(THREE, entry="opt_in"), "C stay_out; B enter; A enter")
    assert hand.seats == (0, 1)
    assert hand.view(None).deck_size == 24
    assert hand.stacks == {0: 99, 1: 99, 2: 100}


def test_the_dealer_may_stay_out_and_the_order_is_still_from_his_left() -> None:
    hand = play(
        deal({**THREE, "D": "Qs Qc Jc 7h 8h"}, dealer="B", entry="opt_in"),
        "B stay_out; C enter; A enter; D enter",
    )
    assert hand.seats == (2, 3, 0)
    assert hand.to_act == 2


def test_a_leaver_before_the_deal_takes_his_ante_with_him() -> None:
    hand = play(deal(THREE, entry="opt_in"), "A enter; B enter")
    hand.leave(0)
    play(hand, "C enter")
    assert hand.seats == (1, 2)
    assert hand.stacks == {0: 100, 1: 99, 2: 99}


def test_missed_antes_paid_on_entering_go_back_when_there_is_no_deal() -> None:
    hand = deal(THREE, entry="opt_in", carried=8, carried_pot_entry="missed_antes", missed={"B": 5})
    play(hand, "B enter; C stay_out; A stay_out")
    assert over(hand) == ("no_deal", 8)
    assert final(hand) == {"A": 100, "B": 100, "C": 100}
