"""The hand as a state machine: who is asked, when a phase ends, how a hand ends. Exact numbers throughout."""

from __future__ import annotations

from typing import Any

import pytest
from engine.scripted import deal, event, final, legal, names, pat, payouts, play
from turkpoker.engine import Action, Hand, Rules
from turkpoker.engine.phases import NEXT, Outcome, Phase
from turkpoker.evaluator import deck_cards, parse_cards

A, B, C = "Kh Kd 9s Tc Jh", "Qh Qd 9d Th Jd", "Ah Ad 8c 9h Ts"
THREE = {"A": A, "B": B, "C": C}
NO_OPENERS = {"A": "Kh Qd 9s Tc 8h", "B": "Qh Kd 9d Th 8d", "C": "Jh Jd 8c 9h Ts"}


def over(hand: Hand) -> tuple[str, int]:
    assert hand.result is not None, f"not over: {hand.phase}"
    return str(hand.result.over), hand.result.carried


def test_every_phase_leads_to_the_end() -> None:
    reached, todo = set(), [Phase.SEATING]
    while todo:
        phase = todo.pop()
        if phase not in reached:
            reached.add(phase)
            todo += NEXT[phase].values()
    assert reached == set(Phase) == set(NEXT)
    assert not NEXT[Phase.OVER]
    assert {outcome for exits in NEXT.values() for outcome in exits} == set(Outcome) - {Outcome.QUIET}


# -- antes, unopened pots ---------------------------------------------------------------------------


def test_a_short_stack_is_all_in_with_what_it_has() -> None:
    hand = deal(THREE, {"A": 100, "B": 1, "C": 100}, ante=3)
    posted: list[Any] = [one for one in hand.events if one.name == "ante_posted"]
    antes = [(one.seat, one.amount, one.all_in) for one in posted]
    assert antes == [
        (0, 3, False),
        (1, 1, True),
        (2, 3, False),
    ]


def test_all_pass_is_a_dead_hand_and_the_antes_stay() -> None:
    hand = play(deal(NO_OPENERS, carried=4), "A check; B check; C check")
    assert over(hand) == ("unopened", 7)
    assert hand.result is not None
    assert hand.result.next_dead == 1


def test_all_pass_with_somebody_all_in_is_played_on_without_an_opener() -> None:
    hand = play(deal(NO_OPENERS, {"A": 50, "B": 1, "C": 50}), "A check; C check")
    assert "played_on_unopened" in names(hand)
    assert (hand.phase, hand.to_act) == ("draw", 0)
    pat(hand)
    # Two players have chips: there is a second round, and B is only a spectator of it.
    assert (hand.phase, hand.to_act) == ("round2", 0)
    play(hand, "A check; C check")
    assert over(hand) == ("showdown", 0)
    assert payouts(hand) == {"C": 3}
    assert hand.result is not None
    assert hand.result.next_dead == 0


def test_only_one_player_with_chips_skips_both_rounds() -> None:
    hand = deal(NO_OPENERS, {"A": 50, "B": 1, "C": 1})
    assert hand.phase == "draw"
    pat(hand)
    assert names(hand).count("round_skipped") == 2
    assert over(hand) == ("showdown", 0)


def test_openers_may_pass_and_come_in_later() -> None:
    hand = play(deal({"A": A, "B": C, "C": B}), "A check; B open 4; C call")
    assert legal(hand, "A") == {"fold": True, "call": 4, "raise": (6, 99)}


def test_a_leaver_may_leave_one_player_who_is_asked_even_if_he_passed() -> None:
    hand = play(deal(THREE), "A check; B check")
    hand.leave(1)
    hand.leave(2)
    assert (hand.phase, hand.to_act) == ("round1", 0)
    assert legal(hand, "A") == {"check": True, "open": (2, 99)}
    opened = play(hand.copy(), "A open 5")
    assert over(opened) == ("folds", 0)
    assert final(opened) == {"A": 102, "B": 99, "C": 99}
    assert over(play(hand.copy(), "A check")) == ("unopened", 3)
    hand.leave(0)
    assert over(hand) == ("unopened", 3)


def test_leavers_leave_the_pot_to_one_who_is_all_in() -> None:
    hand = deal(THREE, {"A": 1, "B": 50, "C": 50})
    hand.leave(1)
    # C alone has chips and owes nothing: no betting, but a showdown with A.
    assert hand.phase == "draw"
    hand = deal(THREE, {"A": 1, "B": 50, "C": 50}, fold_unopened="yes")
    play(hand, "B fold")
    assert hand.phase == "draw"
    hand.leave(2)
    assert over(hand) == ("folds", 0)
    assert payouts(hand) == {"A": 3}


def test_folding_an_unopened_pot_down_to_one_does_not_give_it_to_him() -> None:
    hand = play(deal(THREE, fold_unopened="yes"), "A check; B fold; C fold")
    assert hand.to_act == 0
    assert legal(hand, "A") == {"check": True, "fold": True, "open": (2, 99)}
    assert over(play(hand.copy(), "A check")) == ("unopened", 3)
    assert over(play(hand.copy(), "A fold")) == ("unopened", 3)
    assert final(play(hand, "A open 2")) == {"A": 102, "B": 99, "C": 99}


def test_the_last_one_in_turn_is_asked_once_when_the_others_folded() -> None:
    hand = play(deal(THREE, fold_unopened="yes"), "A fold; B fold")
    assert hand.to_act == 2
    assert over(play(hand, "C check")) == ("unopened", 3)


def test_a_seat_without_chips_is_not_dealt_in_though_it_may_be_the_dealers() -> None:
    rules = Rules.profile("turkish")
    hand = Hand(rules, {0: 62, 1: 28, 2: 0}, 2, deck_cards(24))
    assert hand.seats == (0, 1)
    assert hand.view(None).deck_size == 24
    assert [hand.stacks[seat] for seat in (0, 1, 2)] == [61, 27, 0]
    while hand.to_act is not None:
        hand.apply(Action(hand.to_act, "draw" if hand.phase == "draw" else "check"))
    assert final(hand)["C"] == 0
    assert hand.record().restore().result == hand.result


# -- openings and raises ----------------------------------------------------------------------------


def test_a_short_stack_opens_all_in_and_binds_nobody() -> None:
    hands = {"A": "Ks Qd 9c Td 8h", "B": A, "C": "Ah Ad 8c 9h Ts"}
    hand = play(deal(hands, {"A": 100, "B": 5, "C": 100}, stake_min=10), "A check; B open 4")
    assert legal(hand, "C") == {"fold": True, "call": 4, "raise": (14, 99)}
    play(hand, "C call")
    assert legal(hand, "A") == {"fold": True, "call": 4, "raise": (14, 99)}


def test_two_short_raises_add_up_to_a_full_one() -> None:
    hands = {"A": A, "B": B, "C": C, "D": "8h 8d 7c Jc Qc"}
    stacks = {"A": 200, "B": 27, "C": 33, "D": 200}
    hand = play(deal(hands, stacks, stake_min=10), "A open 20; B raise 26; C raise 32; D call")
    # The level has grown by 12 since A's own bet, a whole raise; D called at 32.
    assert legal(hand, "A") == {"fold": True, "call": 12, "raise": (42, 199)}
    play(hand, "A call")
    assert hand.phase == "draw"


def test_a_short_bet_after_the_draw_binds_those_who_checked() -> None:
    hand = pat(play(deal(THREE, {"A": 100, "B": 100, "C": 8}, stake_min=5), "A open 5; B call; C call"))
    play(hand, "A check; B check")
    assert legal(hand, "C") == {"check": True, "fold": True, "bet": (2, 2)}
    play(hand, "C bet 2")
    assert legal(hand, "A") == {"fold": True, "call": 2}


def test_a_cap_below_the_minimum_is_the_minimum_and_counts_as_full() -> None:
    hand = play(deal(THREE, stake_max=3, stake_min=5), "A open 3; B raise 6")
    assert legal(hand, "C") == {"fold": True, "call": 6, "raise": (9, 9)}
    play(hand, "C raise 9")
    assert legal(hand, "A") == {"fold": True, "call": 6, "raise": (12, 12)}


def test_no_raise_when_every_other_live_player_is_all_in() -> None:
    hand = play(deal(THREE, {"A": 10, "B": 10, "C": 100}), "A open 9; B call")
    assert legal(hand, "C") == {"fold": True, "call": 9}


def test_a_leaver_who_was_the_last_to_raise_against_takes_the_raise_away() -> None:
    hand = play(deal(THREE, {"A": 10, "B": 100, "C": 100}), "A open 9")
    assert legal(hand, "B")["raise"] == (11, 99)
    question = hand.question(1)
    hand.leave(2)
    assert legal(hand, "B") == {"fold": True, "call": 9}
    assert hand.question(1) == question


def test_the_empty_pot_of_a_table_without_antes_measures_by_the_minimum_bet() -> None:
    hand = deal(THREE, ante=0, limit="pot", stake_min=3)
    assert legal(hand, "A")["open"] == (3, 3)
    assert legal(deal(THREE, ante=0, opening_min="pot", stake_min=3), "A")["open"] == (3, 100)


# -- blinds and karanlik ----------------------------------------------------------------------------


def test_karanlik_has_the_last_word_and_needs_no_proof() -> None:
    hand = play(
        deal(THREE, karanlik="on", karanlik_bet=4, opener_proof="to_collect"), "A karanlik; B call; C call"
    )
    assert legal(hand, "A") == {"check": True, "raise": (6, 99)}
    play(hand, "A check")
    pat(hand)
    play(hand, "A bet 10; B fold; C fold")
    assert "openers_proved" not in names(hand)
    assert payouts(hand) == {"A": 15}


def test_karanlik_declined_is_an_ordinary_hand() -> None:
    hand = play(deal(THREE, karanlik="on"), "A decline")
    assert (hand.phase, hand.to_act) == ("round1", 0)
    assert legal(hand, "A") == {"check": True, "open": (2, 99)}


def test_karanlik_by_a_short_stack_is_all_it_has() -> None:
    hand = play(deal(THREE, {"A": 3, "B": 50, "C": 50}, karanlik="on", karanlik_bet=8), "A karanlik")
    assert legal(hand, "B") == {"fold": True, "call": 2, "raise": (4, 49)}


def test_nobody_is_asked_for_karanlik_when_there_is_nobody_to_bet_against() -> None:
    assert deal(THREE, {"A": 50, "B": 1, "C": 1}, karanlik="on").phase == "draw"
    assert deal(THREE, {"A": 1, "B": 50, "C": 50}, karanlik="on").phase == "round1"


def test_a_short_blinder_sets_the_full_level() -> None:
    stacks = {"A": 3, "B": 100, "C": 100}
    hand = deal(THREE, stacks, deal_mode="blind", blind=5)
    assert event(hand, "blind_posted").to_dict() == {
        "event": "blind_posted", "seat": 0, "amount": 3, "level": 5, "all_in": True,
    }  # fmt: skip
    assert legal(hand, "B")["call"] == 5


def test_an_over_blind_is_offered_only_in_full() -> None:
    hand = deal(THREE, {"A": 100, "B": 9, "C": 100}, deal_mode="blind", blind=5, over_blind=2)
    assert hand.phase == "round1"
    hand = deal(THREE, {"A": 100, "B": 10, "C": 100}, deal_mode="blind", blind=5, over_blind=2)
    assert (hand.phase, hand.to_act) == ("blinds", 1)
    play(hand, "B over_blind 10; C over_blind 20")
    # A was the blinder and owes 15; nobody blinds twice.
    assert legal(hand, "A") == {"fold": True, "call": 15, "raise": (22, 100)}


def test_two_players_have_one_over_blind_at_most() -> None:
    hand = deal({"A": A, "B": B}, deal_mode="blind", blind=5, over_blind=2)
    play(hand, "B over_blind")
    assert (hand.phase, hand.to_act) == ("round1", 0)
    assert legal(hand, "A") == {"fold": True, "call": 5, "raise": (12, 100)}


def test_the_last_blinder_speaks_last_and_may_check() -> None:
    hand = play(deal(THREE, deal_mode="blind", blind=5, over_blind=1), "B over_blind; C call; A call")
    assert legal(hand, "B") == {"check": True, "raise": (12, 100)}
    play(hand, "B check")
    assert (hand.phase, hand.to_act) == ("draw", 0)


def test_over_blinds_count_as_bets_for_the_last_raise() -> None:
    hand = deal(THREE, deal_mode="blind", blind=5, over_blind=2, min_raise="last_raise")
    play(hand, "B over_blind; C over_blind")
    assert legal(hand, "A")["raise"] == (30, 100)


def test_a_pot_carried_out_of_a_blind_deal_is_told_to_the_table() -> None:
    hand = deal(THREE, deal_mode="blind", blind=5, all_check_after_draw="carry")
    play(pat(play(hand, "B call; C call; A check")), "A check; B check; C check")
    assert over(hand) == ("passed_out", 15)
    assert hand.result is not None
    assert hand.result.carried_blind is True


# -- the draw ---------------------------------------------------------------------------------------


def test_the_next_live_player_draws_first_when_the_opener_folded() -> None:
    hand = play(deal(THREE), "A open 4; B raise 8; C call; A fold")
    assert (hand.phase, hand.to_act) == ("draw", 1)


def test_four_thrown_cards_are_three_now_and_one_after_everybody() -> None:
    hand = play(deal(THREE, stock="Qs 8h Js As Ks"), "A open 2; B call; C fold; A draw Kd 9s Tc Jh")
    assert hand.view(0).seats[0].cards == (*parse_cards("Kh Qs 8h Js"),)
    play(hand, "B draw Jd")
    assert hand.view(0).seats[0].cards == parse_cards("Kh Qs 8h Js Ks")
    assert hand.view(1).seats[1].cards == parse_cards("Qh Qd 9d Th As")
    assert names(hand)[-3:-1] == ["cards_drawn", "fourth_card_dealt"]


def test_a_leaver_gets_no_fourth_card_and_an_end_in_mid_draw_deals_no_more() -> None:
    hand = play(deal(THREE), "A open 2; B call; C call; A draw Kd 9s Tc Jh; B draw 9d")
    left = hand.copy()
    left.leave(0)
    play(left, "C draw")
    assert "fourth_card_dealt" not in names(left)
    assert left.phase == "round2"
    hand.leave(1)
    hand.leave(2)
    assert over(hand) == ("folds", 0)
    assert "fourth_card_dealt" not in names(hand)


def test_a_reshuffle_takes_the_discards_of_the_others() -> None:
    hands = {**THREE, "D": "8h 8d 7c 7d Jc", "E": "6c 6d 6h 7h Qs"}
    given: list[tuple[int, ...]] = []

    def backwards(cards: tuple[int, ...]) -> tuple[int, ...]:
        given.append(cards)
        return cards[::-1]

    hand = deal(hands, reshuffle=backwards)
    play(
        hand,
        "A open 2; B call; C call; D call; E call;"
        "A draw 9s Tc Jh; B draw 9d Th Jd; C draw 8c 9h Ts; D draw 7c 7d Jc",
    )
    assert given == [parse_cards("9s Tc Jh 9d Th Jd 8c 9h Ts")]
    # Two cards were left in the stock; the third is the top of the new one.
    assert hand.view(3).seats[3].cards[-1] == parse_cards("Ts")[0]
    assert hand.record().reshuffles == (given[0][::-1],)


@pytest.mark.parametrize(
    ("kept", "split"),
    [("", 0), ("9s Tc Jh", 0), ("Kd 9s Tc", 1), ("Kd", 1)],
)
def test_openers_are_split_when_what_is_kept_would_not_open(kept: str, split: int) -> None:
    hand = deal(THREE, split_openers="declared_kept_aside")
    play(hand, f"A open 2; B call; C call; A draw {kept}")
    assert names(hand).count("openers_split") == split


# -- the second round and the end -------------------------------------------------------------------


def test_the_second_round_starts_with_the_next_able_player() -> None:
    hand = pat(play(deal(THREE, {"A": 10, "B": 50, "C": 50}), "A open 9; B call; C call"))
    assert (hand.phase, hand.to_act) == ("round2", 1)


def test_nobody_bets_but_somebody_is_all_in_is_a_showdown_even_where_it_would_carry() -> None:
    hand = pat(
        play(
            deal(THREE, {"A": 10, "B": 50, "C": 50}, all_check_after_draw="carry"), "A open 9; B call; C call"
        )
    )
    play(hand, "B check; C check")
    assert over(hand) == ("showdown", 0)


def test_free_folds_down_to_one_give_him_the_pot_even_where_it_would_carry() -> None:
    hand = pat(play(deal(THREE, all_check_after_draw="carry"), "A open 4; B call; C fold"))
    play(hand, "A check; B fold")
    assert payouts(hand) == {"A": 11}


def test_the_showdown_begins_with_the_last_to_bet() -> None:
    hand = pat(play(deal(THREE), "A open 4; B call; C call"))
    play(hand, "A check; B bet 4; C call; A call")
    shown = [e.seat for e in hand.events if e.name == "hand_shown"]  # type: ignore[attr-defined]
    assert shown == [1, 2, 0]
    hand = pat(play(deal({"A": B, "B": A, "C": C}), "A check; B open 4; C call; A call"))
    play(hand, "B check; C check; A check")
    shown = [e.seat for e in hand.events if e.name == "hand_shown"]  # type: ignore[attr-defined]
    assert shown == [1, 2, 0]


def test_what_nobody_called_goes_back_even_to_one_who_has_left() -> None:
    hand = pat(play(deal(THREE), "A open 4; B call; C call"))
    play(hand, "A bet 30")
    hand.leave(0)
    play(hand, "B fold")
    assert hand.result is not None
    assert hand.result.returned == {0: 30}
    assert final(hand) == {"A": 95, "B": 95, "C": 110}


def test_an_all_in_player_who_leaves_stays_in_and_is_paid() -> None:
    hand = play(deal(THREE, {"A": 10, "B": 50, "C": 50}), "A open 9; B call; C fold")
    hand.leave(0)
    assert names(hand)[-2:] == ["left_all_in", "cards_drawn"]
    play(hand, "B draw")
    assert over(hand) == ("showdown", 0)
    assert final(hand) == {"A": 21, "B": 40, "C": 49}
