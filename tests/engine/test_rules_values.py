"""Rules as a value: what is read, what follows, what is refused, what is odd."""

from __future__ import annotations

import pickle
import random
from datetime import timedelta
from typing import Any

import pytest
from turkpoker.engine import OPTIONS, PRESETS, PROFILES, Level, Rules, RulesError, rules_of_next_deal


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_is_equal_to_itself_with_nothing_changed(profile: str) -> None:
    rules = Rules.profile(profile)
    assert rules.to_options() == {}
    assert Rules.profile(profile) == rules
    assert hash(Rules.profile(profile)) == hash(rules)
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert rules.warnings == ()


def test_profiles_differ_as_the_rules_text_says() -> None:
    turkish, pagat = Rules.profile("turkish"), Rules.profile("turkish-pagat")
    differing = {name for name in OPTIONS if turkish.option(name) != pagat.option(name)}
    assert differing == {
        "tie_break", "draw_start", "split_openers", "free_fold_round2", "opener_proof", "first_dealer",
        "stake_min", "opening_min", "karanlik_bet", "blind",
    }  # fmt: skip
    online = Rules.profile("turkish-online")
    differing = {name for name in OPTIONS if online.option(name) != pagat.option(name)}
    assert differing == {
        "entry", "fold_unopened", "opening_min", "opening_max_pots", "buy_in_min_antes", "buy_in_max_antes",
    }  # fmt: skip


def test_the_french_amounts_are_one_unless_set_apart() -> None:
    for given in ({"stake_min": 5}, {"ante": 5}):
        rules = Rules.profile("french", **given)
        assert (rules.ante, rules.blind, rules.stake_min, rules.opening_min) == (5, 5, 5, 5)
    rules = Rules.profile("french", stake_min=5, ante=1)
    assert (rules.ante, rules.blind, rules.stake_min) == (1, 5, 5)
    assert Rules.profile("turkish-pagat", ante=4).stake_min == 4
    assert Rules.profile("turkish", ante=4).stake_min == 2


def test_round2_start_follows_the_deal_mode_of_the_french_game() -> None:
    rules = Rules.profile("french")
    assert rules.round2_start == "opener"
    blind = rules.changed(deal_mode="blind")
    assert blind.round2_start == "left_of_last_blinder"
    assert blind.changed(deal_mode="ante") == rules


def test_changing_one_amount_leaves_the_others() -> None:
    rules = Rules.profile("french", stake_min=5, deal_mode="blind", blind=10)
    after = rules_of_next_deal(rules, carried_blind=True)
    assert (after.deal_mode, after.ante, after.stake_min, after.blind) == ("ante", 10, 5, 10)
    assert rules_of_next_deal(rules, carried_blind=False) is rules


def test_equal_rules_are_judged_once() -> None:
    assert Rules.profile("turkish", ante=3) is Rules.profile("turkish", ante="3")
    assert Rules.profile("turkish", ante=3) is not Rules.profile("turkish", ante=4)


def test_options_written_and_read_give_the_same_rules() -> None:
    rng = random.Random(5)
    amounts = {"ante": (0, 1, 7), "stake_min": (1, 2, 9), "blind": (2, 5), "opening_min": (2, "pot", 11)}
    for _ in range(400):
        options: dict[str, Any] = {
            name: rng.choice(values) for name, values in amounts.items() if rng.random() < 0.5
        }
        if rng.random() < 0.5:
            options["deck"] = rng.choice(("auto", 36, 40, 52))
        if rng.random() < 0.3:
            options |= {"match": "tournament", "levels": [{"hands": 3, "stake_min": 4}]}
        rules = Rules.profile(rng.choice(list(PROFILES)), **options)
        assert Rules.profile(rules.profile_name, **rules.to_options()) == rules


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("players", ["2-4", (2, 4), [2, 4]]),
        ("minor_straight", ["off", False, "no"]),
        ("free_fold_round2", ["no", False, "off"]),
        ("stake_max", ["none", None]),
        ("deck", [36, "36"]),
        ("ante", [3, "3"]),
        ("proof_window", ["5s", "5000ms", timedelta(seconds=5)]),
        ("time_bank", ["2m", "2min", "120s", timedelta(minutes=2)]),
        ("action_clock", ["1h", "60m"]),
    ],
)
def test_a_value_may_come_as_text_or_as_itself(name: str, values: list[Any]) -> None:
    rules = {Rules.profile("turkish", **{name: value}) for value in values}
    assert len(rules) == 1


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"no_such": 1}, "no_such"),
        ({"ante": -1}, "ante"),
        ({"ante": 2.5}, "ante"),
        ({"ante": True}, "ante"),
        ({"ante": 2**60}, "ante"),
        ({"ante": "2.1"}, "ante"),
        ({"blind": 0}, "blind"),
        ({"deck": 30}, "deck"),
        ({"deck": 20}, "deck"),
        ({"players": "5-2"}, "players"),
        ({"players": "1-4"}, "players"),
        ({"players": "2-9"}, "players"),
        ({"players": [2, 3, 4]}, "players"),
        ({"ranking": "texan"}, "ranking"),
        ({"suit_order": "hhdc"}, "suit_order"),
        ({"suit_order": 4}, "suit_order"),
        ({"draw_max": 3}, "draw_max"),
        ({"over_blind": 3}, "over_blind"),
        ({"proof_window": 5}, "proof_window"),
        ({"proof_window": "5"}, "proof_window"),
        ({"action_clock": "0s"}, "action_clock"),
        ({"time_bank": "9999m"}, "time_bank"),
        ({"rake_per_mille": 1001}, "rake_per_mille"),
        ({"karanlik": "maybe"}, "karanlik"),
        ({"karanlik": "on", "deal_mode": "blind"}, "karanlik"),
        ({"players": "2-6", "deck": 32}, "players"),
        ({"players": "2-5", "deck": 32}, "players"),
        ({"players": "4-4", "deck": 24}, "players"),
        ({"opening_min": 9, "opening_max": 5}, "opening_max"),
        ({"buy_in_min": 50, "buy_in_max": 20}, "buy_in_max"),
        ({"start_stack": 5}, "start_stack"),
        ({"match": "tournament", "rebuy": "when_bust"}, "rebuy"),
        ({"levels": [{"hands": 1, "stake_min": 2}]}, "levels"),
        ({"levels": [{"stake_min": 2}], "match": "tournament"}, "levels"),
        ({"levels": [{"hands": 1, "minutes": 1, "stake_min": 2}], "match": "tournament"}, "levels"),
        ({"levels": [{"hands": 1}], "match": "tournament"}, "levels"),
        ({"levels": "soon", "match": "tournament"}, "levels"),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_field(options: dict[str, Any], field: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.profile("turkish", **options)
    assert caught.value.field == field
    assert caught.value.reason


@pytest.mark.parametrize("profile", ["texan", "", None, 3])
def test_an_unknown_profile(profile: Any) -> None:
    with pytest.raises(RulesError, match="profile: must be one of"):
        Rules.profile(profile)


def test_a_deck_that_serves_fewer_cuts_the_profiles_players() -> None:
    assert Rules.profile("french", deck=32).players == (3, 4)
    assert Rules.profile("turkish", deck=24).players == (2, 3)
    with pytest.raises(RulesError, match="players"):
        Rules.profile("french", deck=24)


@pytest.mark.parametrize(("players", "size"), [(2, 24), (3, 28), (4, 32), (5, 36)])
def test_the_deck_follows_the_players(players: int, size: int) -> None:
    assert Rules.profile("turkish").deck_size(players) == size
    assert Rules.profile("turkish").evaluator(players).deck_size == size


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_playable(name: str) -> None:
    rules = Rules.preset(name)
    assert Rules.profile(rules.profile_name, **rules.to_options()) == rules
    assert rules.to_options()


def test_levels_carry_amounts_that_follow_the_minimum_bet() -> None:
    rules = Rules.profile(
        "turkish", match="tournament", karanlik_bet=3, levels=[Level(ante=2, blind=4, stake_min=6, hands=5)]
    )
    level = rules.at_level(0)
    assert (level.ante, level.stake_min, level.opening_min, level.karanlik_bet) == (2, 6, 6, 3)
    assert level.start_stack == rules.start_stack
    assert rules.option("levels") == [{"hands": 5, "ante": 2, "blind": 4, "stake_min": 6}]


def test_every_option_says_what_it_may_be() -> None:
    rules = Rules.profile("turkish")
    for name, option in OPTIONS.items():
        assert option.values
        assert Rules.profile(
            "turkish", match=rules.match, **({name: rules.option(name)} if name != "match" else {})
        )
    with pytest.raises(RulesError):
        rules.option("no_such")
