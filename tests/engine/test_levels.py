"""The levels of a tournament: how they are read, and that each of them can be played when rules are made."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from turkpoker.engine import PROFILES, Level, Rules, RulesError, rules_of_next_deal

TOURNAMENT = {"match": "tournament"}
AS_TEXT = "10 hands: 1/2, 15 min: 5/5/10, 3 hands: 8"
AS_LEVELS = [
    Level(ante=1, blind=2, stake_min=2, hands=10),
    Level(ante=5, blind=5, stake_min=10, minutes=15),
    Level(ante=8, blind=8, stake_min=8, hands=3),
]


@pytest.mark.parametrize(
    "given",
    [
        AS_TEXT,
        AS_LEVELS,
        [level.to_dict() for level in AS_LEVELS],
        "10hand:1/2,15Minutes:5/5/10,3 Hands:8",
        " 10  hands : 1 / 2 , 15 m : 5 / 5 / 10 , 3 hands : 8 ",
    ],
)
def test_levels_come_as_text_or_as_values(given: Any) -> None:
    rules = Rules.profile("turkish", **TOURNAMENT, levels=given)
    assert rules.levels == tuple(AS_LEVELS)
    assert rules.option("levels") == [
        {"hands": 10, "ante": 1, "blind": 2, "stake_min": 2},
        {"minutes": 15, "ante": 5, "blind": 5, "stake_min": 10},
        {"hands": 3, "ante": 8, "blind": 8, "stake_min": 8},
    ]
    assert Rules.profile("turkish", **rules.to_options()) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ("1/2", "level 1 must be like"),
        ("2 hands: 1/2, soon", "level 2 must be like"),
        ("2 hands: 1/2, 0 hands: 1/2", "level 2: hands must be from 1"),
        ("2 hands: 1/2, 3 hands: 1/0", "level 2: stake_min must be from 1"),
        ("2 hands: 1/0/2", "level 1: blind must be from 1"),
        ("2 hands: 999999999999999999/1", "level 1: ante must be from 0"),
        (f"2 hands: {'9' * 4000}", "level 1 must be like"),
        (["2 hands: 1/2"], "level 1 must have"),
        (",".join(["1 hand: 1"] * 201), "at most 200 levels"),
    ],
)
def test_what_is_no_level_is_refused_and_named(levels: Any, reason: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.profile("turkish", **TOURNAMENT, levels=levels)
    assert caught.value.field == "levels"
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"opening_max": 5}, "level 3 cannot be played: opening_max: is below opening_min, 10"),
        ({"opening_max": 3}, "level 2 cannot be played: opening_max: is below opening_min, 4"),
    ],
)
def test_a_later_level_that_cannot_be_played_is_refused_when_the_rules_are_made(
    options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.profile("turkish", **TOURNAMENT, **options, levels="9 hands: 1/2, 9 hands: 2/4, 9 hands: 5/10")
    assert (caught.value.field, caught.value.reason) == ("levels", reason)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"deck": 52},
        {"four_player_deck": 36},
        {"draw_max": 5},
        {"players": "2-6", "draw_max": 5},
        {"deal_mode": "blind"},
        {"deck": 40, "players": "6-6"},
    ],
)
def test_a_tournament_stays_playable_at_every_level_as_the_players_shrink_to_two(
    profile: str, options: dict[str, Any]
) -> None:
    levels = "2 hands: 1/2, 2 hands: 50/100, 2 hands: 5000/10000"
    rules = Rules.profile(profile, **TOURNAMENT, **options, levels=levels)
    for number in range(4):
        level = rules.at_level(number)
        for next_rules in (level, rules_of_next_deal(level, carried_blind=True)):
            for dealt_in in range(2, rules.players[1] + 1):
                size = next_rules.deck_size(dealt_in)
                assert size - 5 * dealt_in >= 2 * rules.draw_max
                assert next_rules.evaluator(dealt_in).deck_size == size


def test_levels_beyond_the_last_are_the_last_and_equal_stakes_are_one() -> None:
    rules = Rules.profile("turkish", **TOURNAMENT, levels="1 hand: 1/2, 1 hand: 3/6, 1 hand: 1/2")
    assert rules.at_level(9) is rules.at_level(2) is rules.at_level(0)
    assert [rules.at_level(number).opening_min for number in range(3)] == [2, 6, 2]
    assert rules.at_level(1).levels == rules.levels
    again = Rules.profile("turkish", **rules.at_level(1).to_options())
    assert again == rules.at_level(1)


def test_a_tournament_is_not_bound_to_the_buy_ins() -> None:
    rules = Rules.profile("turkish", **TOURNAMENT, start_stack=5000)
    assert (rules.start_stack, rules.buy_in_max, rules.warnings) == (5000, 500, ())
