"""Every option with every value, as it is typed after ``--option`` and as it goes over the wire."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from turkpoker.client import rules as rules_message
from turkpoker.engine import OPTIONS, PRESETS, Rules
from turkpoker.server.cli import main
from turkpoker.server.wire.rules import rules_from_wire, rules_to_wire
from wire_players import Caller

#: What has too many values to try them all: the ends, a middle, and every way of writing one.
SOME_VALUES: dict[str, tuple[str, ...]] = {
    "players": ("2-5", "2-2", "3", "5-5", "2-4"),
    "deck": ("auto", "24", "28", "32", "36", "40", "44", "48", "52"),
    "ante": ("0", "1", "7", "9007199254740992"),
    "blind": ("1", "9", "9007199254740992"),
    "stake_min": ("1", "5", "9007199254740992"),
    "buy_in_min": ("1", "40"),
    "buy_in_max": ("100", "9007199254740992"),
    "start_stack": ("20", "500"),
    "stake_max": ("none", "1", "30"),
    "opening_min": ("1", "6", "pot"),
    "opening_max": ("none", "2", "30"),
    "karanlik_bet": ("1", "9"),
    "proof_window": ("0s", "5s", "500ms", "2m"),
    "levels": (
        "none",
        "5 hands: 2",
        "10 hands: 1/2, 15 min: 2/4/4",
        "1hand:0/1/2,2minutes:3/3/3",
        "1 m : 1 / 2 / 3",
    ),
    "opening_max_pots": ("none", "1", "8"),
    "buy_in_min_antes": ("none", "1", "20"),
    "buy_in_max_antes": ("none", "100", "500"),
    "suit_order": ("hsdc", "hdcs", "cdsh"),
    "max_carries": ("none", "1", "3"),
    "rake_per_mille": ("0", "25", "1000"),
    "rake_cap": ("none", "1", "3"),
    "action_clock": ("1ms", "30s", "2m"),
    "time_bank": ("0s", "60s", "1m"),
}
#: Options that a value needs beside it.
NEEDS = {
    ("deck", "24"): {"players": "2-3"},
    ("deck", "28"): {"players": "2-4"},
    ("deck", "32"): {"players": "2-4"},
    ("levels", None): {"match": "tournament"},
    ("match", "tournament"): {"rebuy": "none"},
    ("buy_in_max", "100"): {"start_stack": "100"},
    ("opening_min", "1"): {"stake_min": "1"},
}


def _every_value() -> list[tuple[str, str]]:
    found = []
    for name, option in OPTIONS.items():
        values = SOME_VALUES.get(name)
        if values is None:
            # A list of words: the option itself says which.
            assert re.fullmatch(r"[\w+]+(, [\w+]+)*", option.values), name
            values = tuple(option.values.split(", "))
        found += [(name, value) for value in values]
    return found


EVERY_VALUE = _every_value()


def _all(name: str, value: str) -> dict[str, str]:
    beside = NEEDS.get((name, value)) or (NEEDS.get((name, None)) if value != "none" else None)
    if name == "karanlik_bet":
        beside = {"karanlik": "on"}
    return {name: value} | (beside or {})


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    def command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["turkpoker", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        return int(caught.value.code or 0), said.out, said.err

    return command


def _words(options: dict[str, str]) -> list[str]:
    return [word for name, value in options.items() for word in ("--option", f"{name}={value}")]


def test_every_option_is_tried() -> None:
    assert {name for name, _ in EVERY_VALUE} == set(OPTIONS)
    assert len(EVERY_VALUE) > 140


@pytest.mark.parametrize(("name", "value"), EVERY_VALUE)
def test_every_value_of_every_option_can_be_typed(
    run: Callable[..., tuple[int, str, str]], name: str, value: str
) -> None:
    options = _all(name, value)
    code, out, err = run("rules", "--list", "--json", *_words(options))
    assert (code, err) == (0, "")
    listed = json.loads(out)["options"]
    wanted = Rules.profile("turkish", **options)
    assert listed[name] == wanted.option(name)
    # What ``demo`` sends for the same words is the same game, and so is the answer of the server.
    received = rules_from_wire(rules_message("turkish", **options))
    assert received == wanted
    assert rules_from_wire(rules_to_wire(received)) == wanted


async def test_every_value_of_every_option_is_accepted_and_returned_by_the_service(
    player: Callable[..., Caller],
) -> None:
    for number, (name, value) in enumerate(EVERY_VALUE):
        if number % 10 == 0:
            host = player(f"host-{number}")  # nobody may host as many tables as there are values
        options = _all(name, value)
        made = await host.create(rules_message("turkish", **options))
        assert rules_from_wire(made.rules) == Rules.profile("turkish", **options), (name, value)


def test_levels_are_given_to_the_real_command_and_played(tmp_path: Path) -> None:
    def turkpoker(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "turkpoker.server.cli", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)

    levels = (
        "--option",
        "match=tournament",
        "--option",
        "levels=2 hands: 1/2, 3 hands: 5/10, 9 min: 10/20/20",
    )
    told = turkpoker("rules", *levels)
    assert told.returncode == 0
    assert "Level 2, for 3 hands: ante 5 chips, smallest bet 10 chips." in told.stdout
    assert "levels" in turkpoker("demo", "--help").stdout
    played = turkpoker("demo", "--json", "--hands", "6", "--players", "3", "--seed", "2", *levels)
    assert played.returncode == 0, played.stderr
    result = json.loads(played.stdout)
    assert result["options"]["levels"] == "2 hands: 1/2, 3 hands: 5/10, 9 min: 10/20/20"
    assert result["chips"]["ok"]


BAD_OPTIONS = [
    ("levels=soon", "level 1"),
    ("levels=10: 1/2", "level 1"),
    ("levels=10 hands", "level 1"),
    ("levels=10 hands: 1/2,", "level 2"),
    ("levels=10 hands: 1/2/3/4", "level 1"),
    ("levels=10 hands: 1/2, 5 days: 1/2", "level 2"),
    ("levels=10 hands: 1/2, 5 hands: 1/0", "level 2"),
    ("levels=0 hands: 1/2", "level 1"),
    ("levels=" + ",".join(["1 hand: 1"] * 201), "200"),
    ("levels=" + "9" * 5000 + " hands: 1", "level 1"),
    ("levels=5 hands: -1/2", "level 1"),
    ("levels=٣ hands: 1", "level 1"),
    ("levels", "NAME=VALUE"),
    ("levels=", "NAME=VALUE"),
    ("=5", "NAME=VALUE"),
]


@pytest.mark.parametrize(("word", "says"), BAD_OPTIONS)
@pytest.mark.parametrize("command", ["rules", "demo"])
def test_what_is_no_option_is_refused_in_one_line(
    run: Callable[..., tuple[int, str, str]], command: str, word: str, says: str
) -> None:
    code, out, err = run(command, "--option", "match=tournament", "--option", word)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert says in err


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_named_in_the_help_and_played(
    run: Callable[..., tuple[int, str, str]], name: str
) -> None:
    shown = " ".join(run("rules", "--help")[1].split())
    assert f"{name} ({PRESETS[name][0]} with " in shown
    code, out, _ = run("rules", "--preset", name, "--json", "--option", "ante=3")
    answer: dict[str, Any] = json.loads(out)
    assert code == 0
    wanted = Rules.preset(name, ante=3)
    assert (answer["profile"], answer["options"]) == (wanted.profile_name, wanted.to_options())


def test_a_preset_brings_its_own_profile(run: Callable[..., tuple[int, str, str]]) -> None:
    for words, says in ((("--profile", "french"), "profile"), ((), "texas")):
        code, out, err = run("rules", "--preset", "texas" if not words else "ev", *words)
        assert (code, out) == (2, "")
        assert says in err
        assert len(err.splitlines()) == 1
