"""Each option alone changes what comes of the same cards and the same actions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from engine.scripted import action, deal, event, final, legal, names, pat, payouts, play
from turkpoker.engine import Action, Refused, Rules, RulesError, first_dealer
from turkpoker.evaluator import deck_cards, parse_cards

KINGS = "Kh Kd 9s Tc Jh"
QUEENS = "Qh Qd 9d Th Jd"
ACES = "Ah Ad 9c Ts Js"
THREE = {"A": "Kh Kd 9s Tc Jh", "B": "Qh Qd 9d Th Jd", "C": "Ah Ad 8c 9h Ts"}


def refused(hand: Any, text: str) -> bool:
    try:
        hand.copy().apply(action(text))
    except Refused:
        return True
    return False


def test_option_players_bounds_who_is_dealt_in() -> None:
    with pytest.raises(RulesError, match="at most 2"):
        deal(THREE, players="2-2")
    assert deal(THREE, players="2-3").seats == (0, 1, 2)


def test_option_deck_changes_what_is_a_straight() -> None:
    hands = {"A": "Ah 7d 8c 9h Ts", "B": "Kh Kd Qs Jc Tc"}
    script = "B open 2; A call"
    small = play(pat(play(deal(hands, dealer="A", deck=32), script)), "B check; A check")
    large = play(pat(play(deal(hands, dealer="A", deck=36), script)), "B check; A check")
    assert payouts(small) == {"A": 6}
    assert payouts(large) == {"B": 6}


def test_option_four_player_deck_decides_which_cards_there_are() -> None:
    rules = [Rules.profile("turkish", four_player_deck=size) for size in (32, 36)]
    assert [rule.deck_size(4) for rule in rules] == [32, 36]
    hands = {"A": "Ah 7d 8c 9h Ts", "B": "Kh Kd Qs Jc Tc", "C": "Qh Qd 7h 7c 8h", "D": "Jh Jd 8s 9c 9s"}
    small = deal(hands, four_player_deck=32)
    assert legal(small, "A") == {"check": True, "open": (2, 99)}
    large = deal(hands, four_player_deck=36)
    assert legal(large, "A") == {"check": True}


def test_option_ranking_decides_between_three_kings_and_a_straight() -> None:
    hands = {"A": "Ks Kh Kd 9h Qs", "B": "Th Jd Qd Kc As"}
    script = "A open 10; B call; A draw; B draw; A bet 20; B call"
    for ranking, winner in (("turkish", "A"), ("french", "A"), ("standard", "B")):
        assert payouts(play(deal(hands, ranking=ranking), script)) == {winner: 62}


def test_option_minor_straight_off_makes_the_low_run_an_ace_high() -> None:
    hands = {"A": "Ah 9d Tc Jh Qs", "B": "Kh Kd 9s Ts Jd"}
    assert "open" in legal(deal(hands), "A")
    assert "open" not in legal(deal(hands, minor_straight="off"), "A")
    script = "A check; B open 5; A call; B draw; A draw; B check; A check"
    assert payouts(play(deal(hands), script)) == {"A": 12}
    assert payouts(play(deal(hands, minor_straight="off"), script)) == {"B": 12}


def test_option_tie_break_splits_or_looks_at_the_heart_in_the_pair() -> None:
    hands = {"A": "Ah Ad Ks Qd 9c", "B": "As Ac Kh Qc 9d"}
    script = "A open 4; B call; A draw; B draw; A check; B check"
    assert payouts(play(deal(hands), script)) == {"A": 5, "B": 5}
    assert payouts(play(deal(hands, tie_break="suits"), script)) == {"A": 10}


def test_option_suit_order_decides_between_equal_straights() -> None:
    hands = {"A": "Ks Qd Jc Th 9d", "B": "Kd Qs Jh Tc 9s"}
    script = "A open 4; B call; A draw; B draw; A check; B check"
    assert payouts(play(deal(hands, tie_break="suits"), script)) == {"A": 10}
    assert payouts(play(deal(hands, tie_break="suits", suit_order="hdcs"), script)) == {"B": 10}


def test_option_deal_mode_blind_asks_for_no_openers() -> None:
    ante = deal(THREE, dealer="A", profile="french", deck=32)
    blind = deal(THREE, dealer="A", profile="french", deck=32, deal_mode="blind")
    assert names(ante).count("ante_posted") == 3
    assert names(blind).count("ante_posted") == 0
    assert names(blind).count("blind_posted") == 1
    assert legal(ante, "B") == {"check": True, "open": (2, 98)}
    assert legal(blind, "C") == {"over_blind": True, "decline": True}


def test_option_ante_is_what_everybody_pays() -> None:
    for ante, carried in ((1, 3), (5, 15), (0, 0)):
        hand = play(deal(THREE, dealer="C", ante=ante), "A check; B check; C check")
        assert hand.result is not None
        assert hand.result.carried == carried


def test_option_blind_is_the_first_level() -> None:
    for blind in (2, 7):
        hand = deal(THREE, profile="french", deck=32, deal_mode="blind", blind=blind, over_blind=0)
        assert legal(hand, "B")["call"] == blind


def test_option_stake_min_is_the_smallest_raise() -> None:
    for stake_min, least in ((2, 6), (5, 9)):
        hand = play(deal(THREE, stake_min=stake_min, opening_min=4), "A open 4")
        assert legal(hand, "B")["raise"] == (least, 99)


def test_option_stake_max_caps_every_step() -> None:
    assert legal(deal(THREE), "A")["open"] == (2, 99)
    hand = deal(THREE, stake_max=10)
    assert legal(hand, "A")["open"] == (2, 10)
    assert legal(play(hand, "A open 10"), "B")["raise"] == (12, 20)


def test_option_opening_min_and_opening_max_bound_the_opening_alone() -> None:
    hand = deal(THREE, opening_min=6, opening_max=8)
    assert legal(hand, "A")["open"] == (6, 8)
    assert legal(play(hand, "A open 8"), "B")["raise"] == (10, 99)


def test_option_opening_min_pot_is_the_whole_pot_with_what_was_carried() -> None:
    assert legal(deal(THREE, opening_min="pot", carried=9), "A")["open"] == (12, 99)


def test_option_opening_max_pots_is_that_many_pots() -> None:
    assert legal(deal(THREE, opening_max_pots=8, carried=9), "A")["open"] == (2, 96)


@pytest.mark.parametrize(("requirement", "who"), [("J", "JQKA"), ("Q", "QKA"), ("K", "KA"), ("A", "A")])
def test_option_opening_requirement_is_the_lowest_pair(requirement: str, who: str) -> None:
    for rank in "TJQKA":
        rest = [card for card in ("8c", "9d", "Ks", "As", "Qc") if card[0] != rank][:3]
        hand = deal(
            {"A": f"{rank}h {rank}d {' '.join(rest)}", "B": "8h 8d Jc 9s Ts", "C": "9h 9c Kc Js Tc"},
            opening_requirement=requirement,
        )
        assert ("open" in legal(hand, "A")) == (rank in who)


def test_option_opening_requirement_none_lets_everybody_open() -> None:
    hand = deal(
        {"A": "8h 9h Ts Jc Ac", "B": KINGS, "C": QUEENS}, opening_requirement="none", minor_straight="off"
    )
    assert "open" in legal(hand, "A")


def test_option_karanlik_asks_before_cards_are_seen() -> None:
    assert deal(THREE).phase == "round1"
    hand = deal(THREE, karanlik="on")
    assert hand.phase == "karanlik"
    assert legal(hand, "A") == {"karanlik": True, "decline": True}
    play(hand, "A karanlik; B call; C call")
    assert legal(hand, "A") == {"check": True, "raise": (4, 99)}


def test_option_karanlik_bet_is_how_much() -> None:
    for bet in (2, 9):
        assert legal(play(deal(THREE, karanlik="on", karanlik_bet=bet), "A karanlik"), "B")["call"] == bet


@pytest.mark.parametrize(("doublings", "level"), [(0, 2), (1, 4), (2, 8)])
def test_option_over_blind_is_how_often_the_blind_may_be_doubled(doublings: int, level: int) -> None:
    hands = {**THREE, "D": "8h 8d Kc Qc 7s"}
    hand = deal(hands, profile="french", deck=32, deal_mode="blind", draw_max=4, over_blind=doublings)
    for letter in "BC"[:doublings]:
        play(hand, f"{letter} over_blind")
    assert hand.phase == "round1"
    assert hand.view(None).level == level
    assert hand.to_act == (1 + doublings) % 4


def test_option_limit_pot_is_call_and_then_the_pot() -> None:
    hand = deal(THREE, limit="pot")
    assert legal(hand, "A")["open"] == (2, 3)
    play(hand, "A open 3")
    # B calls 3 into 6 and may raise by the 9 that lie there then: 12.
    assert legal(hand, "B")["raise"] == (5, 12)
    assert legal(play(deal(THREE, limit="table"), "A open 3"), "B")["raise"] == (5, 99)


def test_option_limit_jackpot_makes_the_opening_the_ceiling_of_a_carried_deal() -> None:
    for limit, opening, raising in (("table", (2, 20), (17, 35)), ("jackpot", (2, 33), (17, 30))):
        hand = deal(THREE, limit=limit, carried=30, stake_max=20)
        assert legal(hand, "A")["open"] == opening
        assert legal(play(hand, "A open 15"), "B")["raise"] == raising


def test_option_limit_jackpot_without_a_carried_pot_is_the_ordinary_limit() -> None:
    hand = deal(THREE, limit="jackpot", stake_max=20)
    assert legal(hand, "A")["open"] == (2, 20)


def test_option_limit_none_is_the_stack() -> None:
    assert legal(deal(THREE, limit="none"), "A")["open"] == (2, 99)


def test_option_min_raise_last_raise_repeats_the_last_step() -> None:
    for min_raise, least in (("stake_min", 17), ("last_raise", 25)):
        hand = play(deal(THREE, min_raise=min_raise), "A open 5; B raise 15")
        assert legal(hand, "C")["raise"] == (least, 99)


def test_option_opening_cap_on_carried_pot_replaces_stake_max_for_the_opening() -> None:
    for cap, most in (("none", 10), ("pot", 33)):
        hand = deal(THREE, opening_cap_on_carried_pot=cap, carried=30, stake_max=10)
        assert legal(hand, "A")["open"] == (2, most)
    assert legal(deal(THREE, opening_cap_on_carried_pot="pot"), "A")["open"] == (2, 99)


def test_option_draw_max_five_lets_all_cards_be_thrown() -> None:
    hand = play(deal(THREE), "A open 2; B call; C call")
    assert legal(hand, "A") == {"draw": (0, 4)}
    hand = play(deal(THREE, draw_max=5), "A open 2; B call; C call; A draw Kh Kd 9s Tc Jh")
    assert event(hand, "cards_drawn").count == 5  # type: ignore[attr-defined]
    assert event(hand, "cards_drawn").later == 0  # type: ignore[attr-defined]


def test_option_four_card_draw_decides_who_gets_which_card() -> None:
    stock = "Qs Qc Ks 8h As Ac"
    script = "A open 2; B call; C fold; A draw Kd 9s Tc Jh; B draw Jd"
    drawn = {
        way: play(deal(THREE, stock=stock, four_card_draw=way), script).view(0).seats[0].cards
        for way in ("3+1", "at_once")
    }
    assert drawn["3+1"] == parse_cards("Kh Qs Qc Ks As")
    assert drawn["at_once"] == parse_cards("Kh Qs Qc Ks 8h")


@pytest.mark.parametrize(("start", "first"), [("opener", 1), ("left_of_dealer", 0)])
def test_option_draw_start_is_who_draws_first(start: str, first: int) -> None:
    hands = {"A": QUEENS, "B": KINGS, "C": THREE["C"]}
    hand = play(deal(hands, draw_start=start), "A check; B open 2; C call; A call")
    assert hand.phase == "draw"
    assert hand.to_act == first


@pytest.mark.parametrize(
    ("way", "declared", "pile"),
    [("unrestricted", 0, 4), ("declared_kept_aside", 1, 0), ("own_discard_kept", 0, 0)],
)
def test_option_split_openers_keeps_the_openers_discards_out_of_a_reshuffle(
    way: str, declared: int, pile: int
) -> None:
    hands = {
        "A": "Kh Kd 9s Tc Jh",
        "B": "Qh Qd 9d Th Jd",
        "C": "Ah Ad 8c 9h Ts",
        "D": "8h 8d 7c 7d Jc",
        "E": "6c 6d 6h 7h Qs",
    }
    given: list[tuple[int, ...]] = []

    def reshuffle(cards: tuple[int, ...]) -> tuple[int, ...]:
        given.append(cards)
        return cards

    hand = deal(hands, split_openers=way, reshuffle=reshuffle)
    play(
        hand,
        "A open 2; B call; C call; D call; E call;"
        "A draw Kh 9s Tc Jh; B draw 9d Th Jd; C draw 8c 9h Ts; D draw 7c 7d Jc",
    )
    assert names(hand).count("openers_split") == declared
    openers = set(parse_cards("Kh 9s Tc Jh"))
    assert len(openers & set(given[0])) == pile


@pytest.mark.parametrize(("start", "first"), [("opener", 0), ("left_of_last_blinder", 3)])
def test_option_round2_start_left_of_last_blinder_in_a_blind_deal(start: str, first: int) -> None:
    hands = {**THREE, "D": "8h 8d Kc Qc 7s"}
    hand = deal(hands, deal_mode="blind", over_blind=2, round2_start=start)
    play(hand, "B over_blind; C over_blind; D call; A call; B call; C check")
    pat(hand)
    assert hand.phase == "round2"
    assert hand.to_act == first


def test_option_all_check_after_draw_shows_down_or_carries() -> None:
    script = "A open 4; B call; C fold"
    for way, over, carried in (("showdown", "showdown", 0), ("carry", "passed_out", 11)):
        hand = play(pat(play(deal(THREE, all_check_after_draw=way), script)), "A check; B check")
        assert hand.result is not None
        assert (hand.result.over, hand.result.carried) == (over, carried)


def test_option_free_fold_round2_lets_one_fold_without_a_bet() -> None:
    for way, free in (("yes", True), ("no", False)):
        hand = pat(play(deal(THREE, free_fold_round2=way), "A open 4; B call; C fold"))
        assert ("fold" in legal(hand, "A")) == free


def test_option_check_raise_forbidden_leaves_fold_and_call() -> None:
    for way, may in (("allowed", True), ("forbidden", False)):
        hand = pat(play(deal(THREE, check_raise=way), "A open 4; B call; C fold"))
        play(hand, "A check; B bet 5")
        assert ("raise" in legal(hand, "A")) == may
        assert {"fold", "call"} <= legal(hand, "A").keys()


@pytest.mark.parametrize(
    ("way", "phase", "proofs"),
    [("showdown_only", "over", 0), ("on_request", "proof", 0), ("to_collect", "over", 1)],
)
def test_option_opener_proof_after_everybody_folded(way: str, phase: str, proofs: int) -> None:
    hand = play(deal(THREE, opener_proof=way), "A open 4; B fold; C fold")
    assert hand.phase == phase
    assert names(hand).count("openers_proved") == proofs


def test_option_proof_window_is_a_duration_for_the_table_to_keep() -> None:
    assert Rules.profile("turkish-pagat").proof_window == timedelta(seconds=5)
    assert Rules.profile("turkish-pagat", proof_window="500ms").option("proof_window") == "500ms"


def test_option_carried_pot_entry_missed_antes_pays_into_the_pot() -> None:
    with pytest.raises(RulesError, match="missed"):
        deal(THREE, carried=6, missed={"C": 4})
    hand = deal(THREE, carried=6, missed={"C": 4}, carried_pot_entry="missed_antes")
    assert hand.pot == 6 + 4 + 3
    play(hand, "A open 2; B fold; C call")
    pat(hand)
    play(hand, "A check; C check")
    assert final(hand) == {"A": 97, "B": 99, "C": 110}


@pytest.mark.parametrize(("way", "opens"), [("forbid", False), ("penalise", True)])
def test_option_false_opening_is_forbidden_or_punished(way: str, opens: bool) -> None:
    hands = {"A": QUEENS, "B": KINGS, "C": THREE["C"]}
    hand = deal(hands, false_opening=way)
    assert ("open" in legal(hand, "A")) == opens
    if opens:
        play(pat(play(hand, "A open 4; B call; C fold")), "A bet 5; B call")
        assert payouts(hand) == {"B": 21}
        assert "false_opening" in names(hand)


@pytest.mark.parametrize(
    ("way", "deck", "shares"),
    [
        ("off", 40, {"A": 11}),
        ("no_qualifier", 40, {"A": 6, "B": 5}),
        ("eight_or_lower", 40, {"A": 6, "B": 5}),
        ("eight_or_lower", 36, {"A": 11}),
    ],
)
def test_option_hi_lo_halves_the_pot(way: str, deck: int, shares: dict[str, int]) -> None:
    low = "Ac 5c 6d 7h 8s" if deck == 40 else "Ac 6c 7d 8h Ts"
    hand = deal({"A": KINGS, "B": low, "C": QUEENS}, hi_lo=way, deck=deck, minor_straight="off")
    play(pat(play(hand, "A open 4; B call; C fold")), "A check; B check")
    assert payouts(hand) == shares


def test_option_first_dealer_high_card_uses_suits_where_they_count() -> None:
    deck = parse_cards("As Ah Kc") + tuple(c for c in deck_cards(28) if c not in parse_cards("As Ah Kc"))
    rules = Rules.profile("turkish", tie_break="suits")
    assert first_dealer(rules, (0, 1, 2), deck).dealer == 1
    assert rules.option("first_dealer") == "high_card"
    assert Rules.profile("french").option("first_dealer") == "random"


def test_option_match_tournament_has_no_rebuys() -> None:
    assert Rules.profile("turkish").rebuy == "between_deals"
    assert Rules.profile("turkish", match="tournament").rebuy == "none"
    assert Rules.profile("french").rebuy == "when_bust"
    with pytest.raises(RulesError, match="rebuy"):
        Rules.profile("turkish", match="tournament", rebuy="when_bust")


def test_option_levels_change_the_stakes_of_a_tournament() -> None:
    levels = [
        {"hands": 10, "ante": 1, "blind": 2, "stake_min": 2},
        {"minutes": 5, "ante": 4, "blind": 8, "stake_min": 8},
    ]
    rules = Rules.profile("turkish", match="tournament", levels=levels)
    assert [rules.at_level(number).ante for number in (0, 1, 7)] == [1, 4, 4]
    assert rules.at_level(1).stake_min == 8
    with pytest.raises(RulesError, match="levels"):
        Rules.profile("turkish", levels=levels)


def test_option_entry_opt_in_asks_who_plays() -> None:
    hand = deal(THREE, entry="opt_in")
    assert hand.phase == "entry"
    assert hand.asked == (0, 1, 2)
    play(hand, "B enter; A enter; C stay_out")
    assert hand.phase == "round1"
    assert hand.seats == (0, 1)
    assert hand.view(None).deck_size == 24
    # The smaller deck of two has no eights, so A's dealt cards are others than with three.
    play(hand, "A check; B check")
    assert final(hand) == {"A": 99, "B": 99, "C": 100}


def test_option_fold_unopened_lets_one_fold_for_good() -> None:
    assert "fold" not in legal(deal(THREE), "A")
    hand = deal(THREE, fold_unopened="yes")
    assert legal(hand, "A")["fold"] is True
    play(hand, "A fold; B check")
    assert legal(hand, "C") == {"check": True, "fold": True, "open": (2, 99)}


def test_option_progressive_openers_climb_with_dead_hands() -> None:
    for way, dead, may in (("off", 1, True), ("on", 0, True), ("on", 1, False), ("on", 5, False)):
        hand = deal(THREE, progressive_openers=way, dead_before=dead)
        assert ("open" in legal(hand, "A")) == may
    aces = {"A": THREE["C"], "B": KINGS, "C": QUEENS}
    assert "open" in legal(deal(aces, progressive_openers="on", dead_before=5), "A")


def test_option_max_carries_stops_the_antes() -> None:
    for most, dead, pot in (("none", 3, 9), (2, 1, 9), (2, 2, 6)):
        assert deal(THREE, carried=6, dead_before=dead, max_carries=most).pot == pot


@pytest.mark.parametrize(
    ("per_mille", "cap", "rake"), [(0, "none", 0), (50, "none", 2), (500, "none", 25), (500, 10, 10)]
)
def test_option_rake_per_mille_and_rake_cap(per_mille: int, cap: Any, rake: int) -> None:
    hand = deal(THREE, rake_per_mille=per_mille, rake_cap=cap)
    play(pat(play(hand, "A open 4; B call; C fold")), "A bet 20; B call")
    assert hand.result is not None
    assert hand.result.rake == rake
    assert payouts(hand) == {"A": 51 - rake}
    assert hand.result.pots == ((51, (0, 1)),)


def test_option_rake_is_not_taken_without_a_draw() -> None:
    hand = play(deal(THREE, rake_per_mille=500), "A open 4; B fold; C fold")
    assert payouts(hand) == {"A": 3}


def test_options_of_the_buy_in_follow_the_ante() -> None:
    rules = Rules.profile("turkish", ante=3)
    assert (rules.buy_in_min, rules.buy_in_max, rules.start_stack) == (60, 1500, 300)
    rules = Rules.profile("turkish", ante=3, buy_in_min_antes=5, buy_in_max_antes=50)
    assert (rules.buy_in_min, rules.buy_in_max, rules.start_stack) == (15, 150, 150)
    rules = Rules.profile("turkish", buy_in_min=10, buy_in_max=80, start_stack=40)
    assert (rules.buy_in_min, rules.buy_in_max, rules.start_stack) == (10, 80, 40)


def test_options_of_the_clock_are_durations() -> None:
    rules = Rules.profile("turkish", action_clock="15s", time_bank="2m")
    assert (rules.action_clock, rules.time_bank) == (timedelta(seconds=15), timedelta(minutes=2))
    with pytest.raises(RulesError, match="unit"):
        Rules.profile("turkish", action_clock=15)


def test_options_with_one_value_are_accepted_and_returned() -> None:
    rules = Rules.profile("turkish", unopened="carry_and_reante", stock_exhaustion="reshuffle")
    assert rules.option("unopened") == "carry_and_reante"
    assert rules.option("stock_exhaustion") == "reshuffle"
    assert Action(0, "check")  # the values alone change nothing
