"""Options beside each other: what is refused, what has no effect, what is odd; and warnings do not lie."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from engine.option_pairs import LEVELS
from engine.random_hands import VALUES, Style, choose, random_deck
from turkpoker.engine import OPTIONS, PROFILES, Action, Hand, Rules, RulesError
from turkpoker.engine.combinations import IDLE, REFUSALS

BLIND = {"deal_mode": "blind"}
NO_ANTE = {"ante": 0}
TOURNAMENT = {"match": "tournament"}
ANY_OPENS = {"opening_requirement": "none"}

#: option -> (its value, the circumstances, words of theirs that the warning names); in the order of ``IDLE``.
IDLE_CASES: list[tuple[str, Any, dict[str, Any], tuple[str, ...]]] = [
    ("four_player_deck", 36, {"deck": 40}, ("deck is 40",)),
    ("four_player_deck", 36, {"players": "2-3"}, ("players is 2-3",)),
    ("suit_order", "hdcs", {}, ("tie_break is split",)),
    ("ante", 5, BLIND, ("deal_mode is blind",)),
    ("ante", 5, TOURNAMENT | {"levels": LEVELS}, ("levels is given",)),
    ("blind", 5, {}, ("deal_mode is ante",)),
    ("blind", 5, BLIND | TOURNAMENT | {"levels": LEVELS}, ("levels is given",)),
    ("stake_min", 5, TOURNAMENT | {"levels": LEVELS}, ("levels is given",)),
    ("buy_in_min", 40, TOURNAMENT, ("match is tournament",)),
    ("buy_in_max", 400, TOURNAMENT, ("match is tournament",)),
    ("buy_in_min_antes", 30, TOURNAMENT, ("match is tournament",)),
    ("buy_in_max_antes", 300, TOURNAMENT, ("match is tournament",)),
    ("opening_min", 6, BLIND, ("deal_mode is blind", "all_check_after_draw is showdown")),
    ("opening_max", 30, BLIND, ("deal_mode is blind", "all_check_after_draw is showdown")),
    ("opening_max_pots", 2, BLIND, ("deal_mode is blind", "all_check_after_draw is showdown")),
    ("opening_max_pots", 2, {"limit": "pot"}, ("limit is pot",)),
    ("opening_requirement", "A", BLIND, ("deal_mode is blind", "all_check_after_draw is showdown")),
    ("karanlik_bet", 6, {}, ("karanlik is off",)),
    ("over_blind", 1, {}, ("deal_mode is ante",)),
    ("opening_cap_on_carried_pot", "pot", BLIND, ("deal_mode is blind",)),
    ("opening_cap_on_carried_pot", "pot", {"limit": "jackpot"}, ("limit is jackpot",)),
    ("opening_cap_on_carried_pot", "pot", {"limit": "pot"}, ("limit is pot", "stake_max is none")),
    ("draw_start", "left_of_dealer", BLIND, ("deal_mode is blind",)),
    ("split_openers", "own_discard_kept", BLIND, ("deal_mode is blind",)),
    ("round2_start", "left_of_last_blinder", {}, ("deal_mode is ante",)),
    ("opener_proof", "on_request", BLIND, ("deal_mode is blind",)),
    ("opener_proof", "to_collect", ANY_OPENS, ("opening_requirement is none",)),
    ("proof_window", "9s", {}, ("opener_proof is showdown_only",)),
    ("proof_window", "9s", BLIND | {"opener_proof": "on_request"}, ("deal_mode is blind",)),
    ("proof_window", "9s", ANY_OPENS | {"opener_proof": "on_request"}, ("opening_requirement is none",)),
    ("carried_pot_entry", "missed_antes", BLIND, ("deal_mode is blind",)),
    ("carried_pot_entry", "missed_antes", NO_ANTE, ("ante is 0",)),
    ("carried_pot_entry", "missed_antes", TOURNAMENT, ("match is tournament",)),
    ("false_opening", "penalise", BLIND, ("deal_mode is blind",)),
    ("false_opening", "penalise", ANY_OPENS, ("opening_requirement is none",)),
    ("fold_unopened", "yes", BLIND, ("deal_mode is blind",)),
    ("progressive_openers", "on", BLIND, ("deal_mode is blind",)),
    ("progressive_openers", "on", ANY_OPENS, ("opening_requirement is none",)),
    ("progressive_openers", "on", {"opening_requirement": "A"}, ("opening_requirement is A",)),
    ("max_carries", 2, BLIND, ("deal_mode is blind",)),
    ("max_carries", 2, NO_ANTE, ("ante is 0",)),
    ("rake_cap", 3, {}, ("rake_per_mille is 0",)),
]  # fmt: skip
#: What the table looks at, not one hand.
OF_THE_TABLE = {
    "buy_in_min", "buy_in_max", "buy_in_min_antes", "buy_in_max_antes", "proof_window", "carried_pot_entry",
}  # fmt: skip


def about(rules: Rules, option: str) -> list[str]:
    return [text for text in rules.warnings if text.startswith(f"{option}: ")]


@pytest.mark.parametrize(("option", "value", "beside", "words"), IDLE_CASES)
def test_an_option_without_effect_is_warned_of_and_what_makes_it_idle_is_named(
    option: str, value: Any, beside: dict[str, Any], words: tuple[str, ...]
) -> None:
    idle = about(Rules.profile("turkish", **beside, **{option: value}), option)
    (text,) = [each for each in idle if "no effect" in each]
    for each in words:
        assert each in text
    assert not about(Rules.profile("turkish", **beside), option)


def test_every_way_of_being_idle_has_a_case() -> None:
    counted = {name: len(circumstances) for name, circumstances in IDLE.items()}
    cases = {name: sum(1 for case in IDLE_CASES if case[0] == name) for name in counted}
    # Of proof_window every other opener_proof is one circumstance.
    assert cases == counted
    assert set(counted) <= set(OPTIONS)


@pytest.mark.parametrize(("option", "value", "beside", "words"), IDLE_CASES)
def test_what_is_said_to_have_no_effect_has_none_in_any_hand(
    option: str, value: Any, beside: dict[str, Any], words: tuple[str, ...]
) -> None:
    if option in OF_THE_TABLE:
        return
    # Amounts that follow the option are no effect of its own.
    fixed = {"stake_min": 2, "opening_min": 2, "karanlik_bet": 2, "blind": 2, "ante": 1, "start_stack": 100}
    fixed |= {"buy_in_min": 20, "buy_in_max": 500} | beside
    fixed.pop(option, None)
    with_it = Rules.profile("turkish", **fixed, **{option: value}).at_level(0)
    without = Rules.profile("turkish", **fixed).at_level(0)
    assert with_it != without or option in ("ante", "blind", "stake_min")
    rng = Random(f"{option} {sorted(beside)}")
    for _ in range(60):
        seed = rng.random()
        assert story(seed, with_it) == story(seed, without)


def story(seed: float, rules: Rules) -> list[Any]:
    """Everything that is asked and happens in a random hand."""
    rng = Random(seed)
    players = rng.randint(2, rules.players[1])
    deck = random_deck(rng, rules.deck_size(players), players)
    # A pot that lies there comes from a deal that the circumstances know.
    carries = rules.deal_mode == "ante"
    carried, dead = rng.choice(((0, 0), (9, 1), (30, 3))) if carries else (0, 0)
    order = Random(seed + 1)

    def reshuffle(pile: tuple[int, ...]) -> list[int]:
        cards = sorted(pile)
        order.shuffle(cards)
        return cards

    hand = Hand(rules, [rng.randint(1, 80) for _ in range(players)], 0, deck, carried, dead, reshuffle)
    style = Style.random(rng)
    told: list[Any] = []
    while hand.to_act is not None:
        seat = hand.asked[rng.randrange(len(hand.asked))]
        legal = hand.legal(seat)
        name, to, cards = choose(rng, style, legal, hand.cards_of(seat))
        told.append((seat, legal))
        told += hand.apply(Action(seat, name, to, cards))
    assert hand.result is not None
    return [*told, hand.result.final, hand.result.carried]


@pytest.mark.parametrize(
    ("profile", "options", "words"),
    [
        ("turkish", {"hi_lo": "eight_or_lower"}, ("hi_lo", "40 cards")),
        ("turkish", {"stake_max": 1}, ("stake_max", "stake_min")),
        ("turkish", {"stake_max": 4, "opening_min": 6}, ("opening_min", "stake_max")),
        ("turkish", {"stake_max": 10, "opening_max": 10}, ("opening_max", "stake_max")),
        ("turkish", {"limit": "pot", "opening_min": "pot"}, ("opening_min", "limit pot")),
        ("turkish", {"limit": "none", "stake_max": 10}, ("limit", "stake_max")),
        ("turkish", BLIND | {"over_blind": 2, "players": "2-2"}, ("over_blind", "players")),
        ("turkish", BLIND | {"limit": "jackpot"}, ("limit", "deal_mode", "all_check_after_draw")),
        ("turkish", {"min_raise": "last_raise", "stake_max": 2}, ("min_raise", "stake_max")),
        (
            "turkish",
            ANY_OPENS | {"split_openers": "declared_kept_aside"},
            ("split_openers", "opening_requirement"),
        ),
        ("turkish", {"false_opening": "penalise"}, ("false_opening", "opener_proof")),
        (
            "turkish-pagat",
            {"proof_window": "0s"},
            ("proof_window", "opener_proof"),
        ),
        ("turkish-online", {"ante": 0, "stake_min": 2}, ("entry", "ante")),
        ("turkish-online", BLIND, ("entry", "deal_mode")),
        ("turkish", TOURNAMENT | {"rake_per_mille": 10}, ("rake_per_mille", "tournament")),
        ("turkish", {"rake_per_mille": 1000}, ("rake_per_mille", "rake_cap")),
        ("turkish", TOURNAMENT | {"levels": "5 hands: 1/3/2"}, ("levels", "deal_mode")),
        ("turkish", TOURNAMENT | BLIND | {"levels": "5 hands: 1/2/2"}, ("levels", "deal_mode")),
        ("turkish", {"ante": 9, "start_stack": 9, "buy_in_min": 9}, ("ante", "start_stack")),
        ("turkish", BLIND | {"blind": 90, "start_stack": 80}, ("blind", "start_stack")),
        ("turkish", {"karanlik": "on", "karanlik_bet": 100}, ("karanlik_bet", "start_stack")),
    ],
)
def test_what_is_odd_but_playable_is_accepted_with_a_warning_that_names_the_options(
    profile: str, options: dict[str, Any], words: tuple[str, ...]
) -> None:
    first, *others = words
    texts = about(Rules.profile(profile, **options), first)
    assert any(all(word in text for word in others) for text in texts), texts


@pytest.mark.parametrize(
    "options",
    [
        {"hi_lo": "eight_or_lower", "deck": 40},
        {"deck": 32, "players": "2-3"},
        {"tie_break": "suits", "suit_order": "hdcs"},
        BLIND | {"blind": 5, "over_blind": 1},
        BLIND | {"all_check_after_draw": "carry", "opening_requirement": "J", "progressive_openers": "on"},
        {"stake_max": 10, "opening_max": 20, "opening_cap_on_carried_pot": "pot"},
        {"limit": "pot", "stake_max": 10, "opening_cap_on_carried_pot": "pot"},
        {"limit": "pot", "opening_min": 3},
        {"karanlik": "on", "karanlik_bet": 6},
        {"rake_per_mille": 25, "rake_cap": 3},
        {"opener_proof": "on_request", "proof_window": "9s", "false_opening": "penalise"},
        TOURNAMENT | {"levels": "5 hands: 1/2, 5 hands: 2/4", "start_stack": 5000},
        {"carried_pot_entry": "missed_antes", "max_carries": 3},
    ],
)
def test_what_goes_together_is_not_warned_of(options: dict[str, Any]) -> None:
    assert Rules.profile("turkish", **options).warnings == ()


@pytest.mark.parametrize("profile", PROFILES)
def test_what_a_profile_brings_along_is_never_warned_of(profile: str) -> None:
    assert Rules.profile(profile).warnings == ()
    for mode in ("ante", "blind"):
        texts = Rules.profile(profile, deal_mode=mode).warnings
        assert [text for text in texts if "no effect" in text] == []


REFUSED = {
    "karanlik": BLIND | {"karanlik": "on"},
    "opening_max": {"opening_min": 9, "opening_max": 5},
    "buy_in_max": {"buy_in_min": 50, "buy_in_max": 20},
    "start_stack": {"start_stack": 5},
    "rebuy": TOURNAMENT | {"rebuy": "when_bust"},
    "levels": {"levels": "5 hands: 2"},
    "action_clock": {"action_clock": "0s"},
}


def test_every_refusal_has_a_case_and_a_reason() -> None:
    assert {field for field, *_ in REFUSALS} == set(REFUSED)
    for field, options in REFUSED.items():
        with pytest.raises(RulesError) as caught:
            Rules.profile("turkish", **options)
        assert caught.value.field == field
        assert caught.value.reason


def pairs() -> Iterator[tuple[str, Any, str, Any]]:
    names = list(VALUES)
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            for one in VALUES[first]:
                for other in VALUES[second]:
                    yield first, one, second, other


def test_every_pair_of_values_is_playable_or_refused_and_its_warnings_begin_with_an_option() -> None:
    """And nothing else: no pair ends in another error."""
    playable = 0
    refused = set()
    for first, one, second, other in pairs():
        try:
            rules = Rules.profile("turkish", **{first: one, second: other})
        except RulesError as error:
            refused.add(error.field)
            continue
        playable += 1
        for text in rules.warnings:
            name, says, _ = text.partition(": ")
            assert name in OPTIONS
            assert says
    assert playable > 4000
    assert refused == {"karanlik"}
