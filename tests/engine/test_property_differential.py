"""The engine against the reference: same rules, stacks, deck and actions, compared at every step."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from engine.random_hands import PROFILES, Setup, fixed_for_block, random_setup
from engine.side_by_side import Pair, play_both
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import legal_actions, setups


def run(seeds: range, profile: str | None, change: float, leaving: float = 0.0) -> Counter[str]:
    """How the hands ended and what happened in them, counted."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        rng = Random(f"{profile} {change} {leaving} {seed}")
        fixed = fixed_for_block(f"{profile} {change}", seed) if change > 0.2 else {}
        pair = play_both(rng, random_setup(rng, profile, change, fixed), leaving)
        seen[str(pair.reference.over)] += 1
        seen["side pots"] += len(pair.reference.pots) > 1
        seen.update({entry[0] for entry in pair.reference.log})
    return seen


def test_turkish_with_other_amounts_only() -> None:
    seen = run(range(1200), "turkish", 0.0)
    for what in ("showdown", "folds", "unopened", "side pots", "reshuffled", "fourth", "uncalled"):
        assert seen[what] >= 10, what


@pytest.mark.parametrize("profile", PROFILES)
def test_each_profile_with_a_few_options_changed(profile: str) -> None:
    seen = run(range(500), profile, 0.15)
    assert seen["showdown"] >= 50


def test_all_options_together() -> None:
    seen = run(range(1200), None, 0.6)
    for what in ("showdown", "folds", "unopened", "passed_out", "no_deal", "proved", "false", "split"):
        assert seen[what] >= 5, what


def test_with_players_who_leave_at_any_moment() -> None:
    seen = run(range(900), None, 0.3, leaving=0.08)
    assert seen["folds"] >= 100


@pytest.mark.slow
@pytest.mark.parametrize("leaving", [0.0, 0.05])
@pytest.mark.parametrize("change", [0.1, 0.3, 0.7])
def test_many_more_hands(change: float, leaving: float) -> None:
    run(range(10_000, 15_000), None, change, leaving)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(setups(), st.data())
def test_whatever_hypothesis_thinks_of(setup: Setup, data: st.DataObject) -> None:
    pair = Pair(setup)
    while pair.reference.over is None:
        seat = pair.reference.all_asked()[0]
        held = pair.reference.hands.get(seat, [])
        pair.apply(seat, *data.draw(legal_actions(pair.reference.legal(seat), held)))
