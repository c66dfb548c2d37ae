"""Whole demo runs, from the command line to the last chip."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from turkpoker.server.cli import main

COMMAND = [sys.executable, "-c", "from turkpoker.server.cli import main; main()"]
KINDS = {"check", "open", "fold", "call", "raise", "bet", *(f"draw_{count}" for count in range(5))}


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A home and a directory for temporary files of its own, and no settings from outside."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TURKPOKER_")}
    with tempfile.TemporaryDirectory(prefix="tp-") as temporary:  # short: it must hold the path of a socket
        yield {
            **kept,
            "HOME": str(tmp_path),
            "XDG_DATA_HOME": str(tmp_path / "share"),
            "TMPDIR": temporary,
        }


@dataclass(frozen=True)
class Done:
    """What a command left."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs the command `turkpoker` in this process, which has everything imported already."""

    def run_command(*arguments: str) -> Done:
        for name in [name for name in os.environ if name.startswith("TURKPOKER_")]:
            monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(tempfile, "tempdir", None)
        monkeypatch.setattr(sys, "argv", ["turkpoker", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return Done(int(left.value.code or 0), captured.out, captured.err)

    return run_command


def played(run: Run, *arguments: str) -> dict[str, Any]:
    """The JSON object of a demo that went well."""
    done = run("demo", "--json", *arguments)
    assert done.code == 0, done.err
    (line,) = done.out.splitlines()
    result: dict[str, Any] = json.loads(line)
    check_sums(result)
    return result


def check_sums(result: dict[str, Any]) -> None:
    """What holds in every match."""
    assert result["chips"]["ok"]
    assert result["chips"]["in"] == result["chips"]["out"] + result["chips"]["rake"]
    assert sum(result["net"].values()) == -result["chips"]["rake"]
    ends = ("showdowns", "won_by_folds", "dead_hands", "not_dealt")
    assert sum(result[end] for end in ends) == result["hands"]
    assert len(result["winners"]) == result["players"]
    assert sum(result["winners"].values()) >= result["showdowns"] + result["won_by_folds"]
    assert sum(result["categories"].values()) >= 2 * result["showdowns"]
    assert result["time_outs"] == 0
    actions = result["actions"]
    if "draw_0" in actions:  # a short match may see no draw
        assert actions["draw_0"]["legal"] == actions["draw_4"]["legal"]
    assert all(0 <= each["taken"] <= each["legal"] for each in actions.values())


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_sixty_hands(run: Run, players: int) -> None:
    result = played(run, "--hands", "60", "--players", str(players), "--seed", "7")
    assert result["hands"] == 60
    assert result["players"] == players
    assert result["rehearsal"] is True
    assert set(result["actions"]) == KINDS
    assert all(each["taken"] for each in result["actions"].values())
    assert result["dead_hands"] > 0
    assert (result["side_pots"] > 0) is (players > 2)
    if players < 4:  # the stock is large enough for every draw
        assert result["reshuffles"] == 0
    if players == 5:
        assert result["reshuffles"] > 0


def test_the_same_seed_gives_the_same_match(run: Run) -> None:
    first, again, other = (
        played(run, "--hands", "20", "--players", "4", "--seed", seed) for seed in ("7", "7", "8")
    )
    for result in (first, again, other):
        assert result.pop("timing")["seconds"] > 0
    assert first == again
    del other["seed"], first["seed"]
    assert first != other


def test_with_a_random_seed_nobody_knows_the_decks(run: Run) -> None:
    results = [played(run, "--hands", "8", "--players", "2", "--seed", "random") for _ in range(2)]
    for result in results:
        assert result["rehearsal"] is False
        assert result["seed"] is None
        del result["timing"]
    assert results[0] != results[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--profile", "turkish-pagat", "--players", "4"),
        ("--profile", "turkish-online", "--players", "5"),
        ("--profile", "french", "--players", "3", "--option", "deal_mode=blind", "--option", "over_blind=2"),
        ("--option", "ranking=standard", "--option", "ante=5", "--option", "action_clock=20s"),
        ("--option", "karanlik=on", "--option", "rake_per_mille=50", "--option", "hi_lo=no_qualifier"),
    ],
)
def test_other_games_and_options(run: Run, arguments: tuple[str, ...]) -> None:
    result = played(run, "--hands", "15", "--seed", "2", *arguments)
    assert result["hands"] == 15
    options = dict(text.split("=") for text in arguments if "=" in text)
    assert result["options"] == options
    assert (result["chips"]["rake"] > 0) is ("rake_per_mille" in options)


def test_a_tournament_ends_with_one_left(run: Run) -> None:
    result = played(run, "--option", "match=tournament", "--players", "3", "--hands", "400", "--seed", "4")
    assert result["hands"] < 99
    assert result["chips"]["in"] == 300
    assert sorted(result["net"].values()) == [-100, -100, 200]


def test_the_summary_is_for_people(run: Run) -> None:
    done = run("demo", "--hands", "5", "--players", "3", "--seed", "1")
    assert done.code == 0
    heads = [line.split()[0] for line in done.out.splitlines()]
    assert heads == [
        "game",
        "hands",
        "pots",
        "reshuffles",
        "winners",
        "net",
        "categories",
        "actions",
        "chips",
        "time",
    ]
    assert "decks from seed 1" in done.out
    assert " = out " in done.out


def test_what_is_odd_about_the_rules_is_told_beside_the_result(run: Run) -> None:
    done = run("demo", "--hands", "2", "--json", "--option", "karanlik_bet=6", "--option", "rake_cap=3")
    assert done.code == 0
    assert json.loads(done.out)["hands"] >= 2
    assert [line for line in done.err.splitlines() if line.startswith("! ")] == [
        "! karanlik_bet: has no effect while karanlik is off",
        "! rake_cap: has no effect while rake_per_mille is 0",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--players", "1"), "--players"),
        (("--players", "6"), "at most 5"),
        (("--hands", "0"), "--hands"),
        (("--hands", "many"), "--hands"),
        (("--seed", "lucky"), "--seed"),
        (("--profile", "klingon"), "profile"),
        (("--option", "ante"), "NAME=VALUE"),
        (("--option", "anté=1"), "no option"),
        (("--option", "ante=1", "--option", "ante=2"), "twice"),
        (("--option", "ante=2.5"), "whole number"),
        (("--option", "ante=-1"), "rules.ante"),
        (("--option", "ranking=swedish"), "ranking"),
        (("--option", "action_clock=30"), "unit"),
        (("--option", "start_stack=1"), "start_stack"),
        (("--token", "x"), "--server"),
        (("--server", "127.0.0.1:1", "--token", "x"), "4 tokens"),
        (("--server", "127.0.0.1:1"), "no key"),
        (("nonsense",), "nonsense"),
    ],
)
def test_bad_input_is_told_in_one_line(run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run("demo", "--hands", "2", *arguments)
    assert done.code == 2
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert words in line


def test_on_a_server_that_runs_already(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    data = tmp_path / "share" / "turkpoker"
    server = subprocess.Popen(
        [*COMMAND, "serve", "--listen", "127.0.0.1:0"], env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        address = next(line.split()[-1] for line in server.stdout if line.startswith("serving gRPC on "))
        # The key of the default data directory, which the server has made.
        result = played(run, "--hands", "6", "--players", "3", "--seed", "1", "--server", address)
        assert result["rehearsal"] is False
        # Tokens from elsewhere, one a bot.
        ann, bob = (run("token", name, "--data", str(data)).out.strip() for name in ("ann", "bob"))
        on_it = ("--players", "2", "--hands", "4", "--server", address)
        result = played(run, *on_it, "--token", ann, "--token", bob)
        assert set(result["winners"]) == {"ann", "bob"}
        for first, second in [("x", "y"), (ann, ann)]:
            refused = run("demo", *on_it, "--token", first, "--token", second)
            assert refused.code == 2
            assert len(refused.err.splitlines()) == 1
    finally:
        server.terminate()
        assert server.wait(20) == 0
    away = run("demo", "--hands", "2", "--server", address)
    assert away.code == 2
    assert away.err == f"turkpoker: no server answers at {address}\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_demo_that_is_stopped_leaves_nothing_behind(
    environment: dict[str, str], number: signal.Signals
) -> None:
    temporary = Path(environment["TMPDIR"])
    demo = subprocess.Popen(
        [*COMMAND, "demo", "--hands", "100000", "--players", "2"],
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # What runs in the background of a script has SIGINT ignored, and hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )
    try:
        assert demo.stderr is not None
        assert "hands/s" in demo.stderr.readline()  # it plays, and says how far it is
        assert any(temporary.iterdir())
        demo.send_signal(number)
        assert demo.wait(20) != 0
        assert "Traceback" not in demo.stderr.read()
    finally:
        demo.kill()
        demo.wait()
    assert not list(temporary.iterdir())
    assert not [line for line in command_lines() if str(temporary) in line]


def command_lines() -> list[str]:
    """What runs on this machine."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return lines


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_five_hundred_hands(run: Run, players: int) -> None:
    result = played(run, "--hands", "500", "--players", str(players), "--seed", "7")
    assert result["hands"] == 500
    assert set(result["actions"]) == KINDS
    for kind, each in result["actions"].items():
        assert each["share"] >= 0.05, kind
    assert result["dead_hands"] > 0
    assert result["splits"] > 0
    assert (result["side_pots"] > 0) is (players > 2)
    assert (result["reshuffles"] > 0) is (players > 3)
