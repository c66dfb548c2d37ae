"""Faults of other engines in comparing hands, each played to a showdown (cases H1 to H3)."""

from __future__ import annotations

from typing import Any

import pytest
from engine.playing import categories, named, play, start


def showdown(first: str, second: str, **options: Any) -> tuple[dict[str, int], list[str]]:
    """Payouts by letter and categories of two hands that meet without a draw, in a pot of 10."""
    hand = start([50, 50], (first, second), ante=1, stake_min=2, opening_requirement="none", **options)
    play(hand, "A open 4", "B call", "A draw", "B draw", "A check", "B check")
    assert hand.result.over == "showdown"
    return named(hand.result.payouts), categories(hand)


def test_h1_qq88a_beats_jj99a_pairs_are_compared_in_order_never_summed() -> None:
    assert showdown("Qs Qh 8s 8h Ad", "Js Jh 9s 9h Ah", deck=32) == (
        {"A": 10},
        ["two_pair", "two_pair"],
    )


def test_h2_kkk77_beats_qqqaa() -> None:
    assert showdown("Ks Kh Kd 7s 7h", "Qs Qh Qd As Ah", deck=32) == (
        {"A": 10},
        ["full_house", "full_house"],
    )


def test_h2_turkish_777ak_beats_the_ace_high_straight() -> None:
    paid, kinds = showdown("7s 7h 7d Ac Kc", "As Kh Qd Jc Ts", deck=32)
    assert (paid, kinds) == ({"A": 10}, ["three_of_a_kind", "straight"])


def test_h2_turkish_a_queen_high_flush_beats_aaakk() -> None:
    paid, kinds = showdown("Qs Js 9s 8s 7s", "Ah Ad Ac Kh Kd", deck=32)
    assert (paid, kinds) == ({"A": 10}, ["flush", "full_house"])


@pytest.mark.parametrize(("tie_break", "paid"), [("split", {"A": 5, "B": 5}), ("suits", {"A": 10})])
def test_h3_equal_kings_tie_and_with_suits_the_pair_with_the_heart_wins(
    tie_break: str, paid: dict[str, int]
) -> None:
    found, kinds = showdown("Kh Kd Ac Qs 9c", "Ks Kc Ad Qh 9d", tie_break=tie_break)
    assert (found, kinds) == (paid, ["pair", "pair"])
