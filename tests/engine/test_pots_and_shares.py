"""Pots, shares, rake: pure numbers."""

from __future__ import annotations

import random

import pytest
from turkpoker.engine import eliminated, first_dealer, next_dealer, share_carried
from turkpoker.engine.pots import rake_of, shares, side_pots, uncalled
from turkpoker.engine.rules import Rules
from turkpoker.evaluator import parse_cards


@pytest.mark.parametrize(
    ("totals", "expected"),
    [([100, 250, 400], (2, 150)), ([5, 5], (0, 0)), ([0, 7, 3], (1, 4)), ([200, 50], (0, 150))],
)
def test_uncalled_is_the_highest_over_the_second_highest(
    totals: list[int], expected: tuple[int, int]
) -> None:
    assert uncalled(totals) == expected


def test_layers_end_at_the_totals_of_live_players() -> None:
    # A 20 all-in, B and C 60; D folded with 35 in.
    assert side_pots([20, 60, 60, 35], [0, 1, 2], [], 0) == [(80, (0, 1, 2)), (95, (1, 2))]


def test_layers_with_the_same_eligible_players_are_one_pot() -> None:
    assert side_pots([100, 100, 100, 20, 21], [0, 1, 2], [], 0) == [(341, (0, 1, 2))]


def test_the_carried_pot_lies_in_the_lowest_layer() -> None:
    assert side_pots([10, 30, 30], [0, 1, 2], [], 12) == [(42, (0, 1, 2)), (40, (1, 2))]
    assert side_pots([0, 30, 30], [0, 1, 2], [], 12) == [(12, (0, 1, 2)), (60, (1, 2))]


def test_dead_money_above_every_live_total_joins_the_top_layer() -> None:
    assert side_pots([20, 40, 70, 70], [0, 1], [], 0) == [(80, (0, 1)), (120, (1,))]


def test_a_layer_that_only_a_dead_hand_reached_joins_the_one_below() -> None:
    assert side_pots([20, 50, 80], [0, 1, 2], [2], 0) == [(60, (0, 1)), (90, (1,))]
    assert side_pots([50, 20, 50], [0, 1, 2], [0, 2], 0) == [(120, (1,))]


def test_every_chip_is_in_some_pot() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        count = rng.randint(2, 6)
        totals = [rng.randint(0, 30) for _ in range(count)]
        live = rng.sample(range(count), rng.randint(2, count))
        dead = rng.sample(live, rng.randint(0, 1))
        carried = rng.choice((0, 9))
        pots = side_pots(totals, sorted(live), dead, carried)
        assert sum(chips for chips, _ in pots) == sum(totals) + carried
        assert all(eligible for _, eligible in pots)
        assert len({eligible for _, eligible in pots}) == len(pots)


@pytest.mark.parametrize(
    ("chips", "winners", "expected"),
    [
        (341, [0, 1, 2], [(0, 114), (1, 114), (2, 113)]),
        (15, [1, 3], [(1, 8), (3, 7)]),
        (0, [2], [(2, 0)]),
        (1, [0, 1], [(0, 1), (1, 0)]),
    ],
)
def test_odd_chips_go_from_the_dealers_left(
    chips: int, winners: list[int], expected: list[tuple[int, int]]
) -> None:
    assert shares(chips, winners) == expected


@pytest.mark.parametrize(
    ("pots", "per_mille", "cap", "expected"),
    [
        ([100], 50, None, [5]),
        ([119], 50, None, [5]),
        ([100], 50, 3, [3]),
        ([19], 50, None, [0]),
        ([30, 1000], 50, None, [2, 49]),
        ([100, 100], 25, None, [3, 2]),
        ([3, 1], 1000, None, [3, 1]),
        ([0, 40], 100, None, [0, 4]),
    ],
)
def test_rake_is_one_amount_spread_by_size(
    pots: list[int], per_mille: int, cap: int | None, expected: list[int]
) -> None:
    assert rake_of(pots, per_mille, cap) == expected


def test_first_dealer_is_the_highest_card_and_ties_draw_again() -> None:
    rules = Rules.profile("turkish")
    found = first_dealer(rules, (0, 2, 3), parse_cards("As Kd Ah 9c Tc"))
    assert found.dealer == 3
    assert found.draws == tuple(zip((0, 2, 3, 0, 3), parse_cards("As Kd Ah 9c Tc"), strict=True))
    with pytest.raises(ValueError, match="too small"):
        first_dealer(rules, (0, 1), parse_cards("As Ah"))
    with pytest.raises(ValueError, match="nobody"):
        first_dealer(rules, (), parse_cards("As"))


@pytest.mark.parametrize(
    ("dealer", "seats", "after"), [(2, (0, 1, 2), 0), (0, (0, 3), 3), (1, (0, 2), 2), (5, (0, 2), 0)]
)
def test_the_deal_passes_to_the_next_seat_dealt_in(dealer: int, seats: tuple[int, ...], after: int) -> None:
    assert next_dealer(dealer, seats) == after


def test_a_carried_pot_is_shared_from_the_dealers_left() -> None:
    assert share_carried(7, (0, 1, 2), 2) == {0: 3, 1: 2, 2: 2}
    assert share_carried(7, (0, 1, 2), 0) == {1: 3, 2: 2, 0: 2}
    assert share_carried(7, (1,), 0) == {1: 7}
    with pytest.raises(ValueError, match="nobody"):
        share_carried(7, (), 0)


def test_places_of_a_tournament_are_by_the_stacks_at_the_start_of_the_hand() -> None:
    before = {0: 30, 1: 10, 2: 20, 3: 10}
    assert eliminated(before, {0: 70, 1: 0, 2: 0, 3: 0}, 4) == {2: 2, 1: 3, 3: 3}
    assert eliminated(before, {0: 30, 1: 0, 2: 20, 3: 20}, 4) == {1: 4}
    assert eliminated(before, before, 4) == {}
