"""Faults of other engines in betting rounds, as small inputs with the right result (cases B1 to B8)."""

from __future__ import annotations

from typing import Any

import pytest
from engine.playing import asked, final, fingerprint, legal, play, pots, start
from turkpoker.engine import Action, BadAction, Hand, Refused

FOUR_HANDS = ("Ks Kh Kd 9h 8s", "Qs Qh Qd 9d 8d", "Js Jh Jd 9c 8c", "Ts Th Td 9s 8h")
HEADS_UP = ("Ks Kh Kd 9h Ts", "Qs Qh Qd 9d Td")


def b1_before_a_answers() -> Hand:
    hand = start([500, 18, 500, 21], FOUR_HANDS, ante=2, stake_min=2, min_raise="last_raise")
    play(hand, "A open 2", "B raise 16", "C call", "D raise 19")
    return hand


def test_b1_a_facing_17_may_raise_at_least_to_33() -> None:
    hand = b1_before_a_answers()
    assert asked(hand) == "A"
    assert legal(hand, "A") == {"fold": True, "call": 17, "raise": (33, 498)}


def test_b1_after_a_calls_c_facing_3_may_only_call_or_fold() -> None:
    hand = b1_before_a_answers()
    play(hand, "A call")
    assert asked(hand) == "C"
    assert legal(hand, "C") == {"fold": True, "call": 3}


def test_b1_after_a_goes_to_33_c_may_raise_at_least_to_47() -> None:
    hand = b1_before_a_answers()
    play(hand, "A raise 33")
    assert legal(hand, "C") == {"fold": True, "call": 17, "raise": (47, 498)}


def test_b2_steps_of_80_then_260_at_least_called_all_in_for_200_60_back_pot_400() -> None:
    # The level of 20 is a blind; who posted it has 200, the first to act 1000.
    options: dict[str, Any] = {"deal_mode": "blind", "blind": 20, "stake_min": 20, "over_blind": 0}
    hand = start([200, 1000], HEADS_UP, min_raise="last_raise", **options)
    assert legal(hand, "B") == {"fold": True, "call": 20, "raise": (40, 1000)}
    play(hand, "B raise 100")
    assert legal(hand, "A") == {"fold": True, "call": 80, "raise": (180, 200)}
    play(hand, "A raise 180")
    assert legal(hand, "B") == {"fold": True, "call": 80, "raise": (260, 1000)}
    play(hand, "B raise 260")
    assert legal(hand, "A") == {"fold": True, "call": 20}
    play(hand, "A call", "A draw", "B draw")
    returned = [event for event in hand.events if event.name == "uncalled_returned"]
    assert [(event.seat, event.amount) for event in returned] == [(1, 60)]
    assert pots(hand) == [(400, "AB")]
    assert final(hand) == [400, 800]


def test_b3_with_130_facing_100_only_all_in_to_130_which_reopens_nothing() -> None:
    hands = FOUR_HANDS[:3]
    hand = start([501, 501, 131], hands, ante=1, stake_min=40, min_raise="last_raise")
    play(hand, "A open 40", "B raise 100")
    assert legal(hand, "C") == {"fold": True, "call": 100, "raise": (130, 130)}
    before = fingerprint(hand)
    for to in (131, 160, 500, 129, 101):
        with pytest.raises(Refused):
            hand.apply(Action(2, "raise", to=to))
    assert fingerprint(hand) == before
    play(hand, "C raise 130", "A call")
    assert legal(hand, "B") == {"fold": True, "call": 30}


def b4_before_a_answers() -> Hand:
    hand = start([2001, 1881], HEADS_UP, ante=1, stake_min=2)
    play(hand, "A open 180", "B raise 1880")
    return hand


def test_b4_a_is_asked_for_1700() -> None:
    hand = b4_before_a_answers()
    assert asked(hand) == "A"
    assert legal(hand, "A") == {"fold": True, "call": 1700}


def test_b4_if_a_folds_1700_goes_back_to_b() -> None:
    hand = b4_before_a_answers()
    play(hand, "A fold")
    returned = [event for event in hand.events if event.name == "uncalled_returned"]
    assert [(event.seat, event.amount) for event in returned] == [(1, 1700)]
    assert final(hand) == [2001 - 181, 1881 + 181]


def test_b5_one_all_in_one_deep_caller_no_more_betting_both_draw_then_showdown() -> None:
    hand = start([21, 500, 500], FOUR_HANDS[:3], ante=1, stake_min=2)
    play(hand, "A open 20")
    assert "raise" in legal(hand, "B")
    play(hand, "B call", "C fold")
    assert hand.phase == "draw"
    assert legal(hand, "B") == {}
    play(hand, "A draw", "B draw")
    assert hand.result.over == "showdown"
    assert pots(hand) == [(43, "AB")]
    assert final(hand) == [43, 479, 499]


def test_b5_a_deep_caller_after_the_last_fold_is_offered_no_raise() -> None:
    hand = start([21, 500, 500], FOUR_HANDS[:3], ante=1, stake_min=2, dealer=0)
    play(hand, "B check", "C check", "A open 20", "B fold")
    assert legal(hand, "C") == {"fold": True, "call": 20}


def test_b6_the_dealer_who_folded_before_the_draw_is_never_asked_again() -> None:
    hand = start([100, 100, 100], FOUR_HANDS[:3], ante=1, stake_min=2)
    play(hand, "A open 2", "B call", "C fold")
    for line in ("A draw 9h", "B draw 9d", "A check", "B bet 4", "A raise 10", "B raise 30", "A call"):
        assert 2 not in hand.asked
        assert legal(hand, "C") == {}
        play(hand, line)
    assert hand.result.over == "showdown"
    with pytest.raises(Refused):
        hand.apply(Action(2, "check"))


@pytest.mark.parametrize("to", [2.1, -5, 2**63, None, True, "20"])
def test_b7_a_raise_to_an_impossible_amount_is_a_bad_argument_and_changes_nothing(to: Any) -> None:
    hand = start([100, 100, 100], FOUR_HANDS[:3], ante=1, stake_min=2)
    play(hand, "A open 4")
    before = fingerprint(hand)
    with pytest.raises(BadAction) as caught:
        hand.apply(Action(1, "raise", to=to))
    assert caught.value.field == "to"
    assert fingerprint(hand) == before


def test_b8_a_finished_hand_lists_no_action_and_accepts_none() -> None:
    hand = start([100, 100], HEADS_UP, ante=1, stake_min=2)
    play(hand, "A open 4", "B fold")
    assert hand.asked == ()
    assert hand.to_act is None
    before = fingerprint(hand)
    for seat in (0, 1):
        assert hand.legal(seat) == {}
        for name in ("check", "call", "fold"):
            with pytest.raises(Refused) as caught:
                hand.apply(Action(seat, name))
            assert caught.value.reason == "hand_over"
            assert caught.value.legal == {}
    assert fingerprint(hand) == before
