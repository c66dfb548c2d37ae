"""The long run in short: the command itself, and that its report can say no."""

from __future__ import annotations

import pytest
from engine import longrun
from engine.option_pairs import PairCoverage, why_not
from turkpoker.engine import Rules


def test_a_short_run_finds_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    # Two hundred hands cannot hold every pair; what they hold must agree.
    assert longrun.run(200, seed=5, least=0, every=5, progress=False) == 0
    printed = capsys.readouterr().out
    assert "hands 200, seed 5" in printed
    assert "differences: 0" in printed


def test_pairs_that_came_up_too_rarely_are_named_and_refused_ones_explained() -> None:
    coverage = PairCoverage()
    coverage.count(Rules.profile("turkish", karanlik="on", ranking="standard"))
    lines, short = coverage.report(least=1)
    assert short > 1000
    assert "  only 0 hands: ranking=french with karanlik=on" in lines
    assert not [line for line in lines if "ranking=standard with karanlik=on" in line]
    assert any("cannot stand together: deal_mode=blind with karanlik=on" in line for line in lines)


def test_a_pair_is_only_impossible_when_no_profile_takes_it() -> None:
    assert why_not({"deck": 24, "ranking": "standard"}) is None
    assert why_not({"match": "tournament", "rebuy": "when_bust"}) is not None


@pytest.mark.parametrize("arguments", [["--hands", "0"], ["--hands", "many"], ["--seed"], ["--least", "-1"]])
def test_bad_input_ends_with_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        longrun.main(arguments)
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.slow
def test_every_pair_of_option_values_that_may_stand_together_is_played_twenty_times() -> None:
    assert longrun.run(20_000, seed=2, least=20, every=50, progress=False) == 0
