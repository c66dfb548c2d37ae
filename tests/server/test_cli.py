"""The command line as a user sees it: exit codes, one line of what is wrong, no traceback, lazy imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import jwt
import pytest
from turkpoker.server.auth import Authenticator
from turkpoker.server.cli import main
from turkpoker.server.setting import declared_of, help_of, variable_of
from turkpoker.server.settings import ServerSettings
from turkpoker.server.token_keys import KeyRing, TokenKey, load_key, make_key_file
from wire_players import KEY

HANDS = Path(__file__).parent.parent / "data" / "hands.jsonl"


def turkpoker(
    *arguments: str, home: Path | None = None, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith(("TURKPOKER_", "XDG_"))
    }
    if home is not None:
        environ |= {"HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "turkpoker.server.cli", *arguments],
        env=environ | environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def refused(result: subprocess.CompletedProcess[str]) -> str:
    """The one line that bad input must end with."""
    assert result.returncode == 2, result
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("turkpoker: ")
    return lines[0]


Here = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Here:
    """Runs the command in this process, where starting one would take longer than the test."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith(("TURKPOKER_", "XDG_"))]:
        monkeypatch.delenv(name)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["turkpoker", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        code = caught.value.code
        assert isinstance(code, int)
        return subprocess.CompletedProcess(list(arguments), code, said.out, said.err)

    return run


def test_a_kernel_that_is_not_there_is_refused_in_one_line() -> None:
    said = refused(turkpoker("odds", "As Kd Tc 9h 9s", TURKPOKER_KERNEL="abacus"))
    assert "no kernel 'abacus'" in said


def test_a_token_that_cannot_be_sent_ends_the_demo_in_one_line(here: Here) -> None:
    for token in ("a\nb", "anahtar-ı"):
        said = refused(
            here("demo", "--server", "127.0.0.1:1", "--players", "2", "--token", token, "--token", "x")
        )
        assert "token" in said
        assert token not in said


def test_evaluate_prints_and_speaks_json(here: Here) -> None:
    result = here("evaluate", "As", "Kd", "10c", "9h", "9s")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Pair" in result.stdout
    result = here("evaluate", "--lang", "tr", "As Kd Tc 9h 9s")
    assert "♠A ♦P ♣10 ♥9 ♠9  Per" in result.stdout
    result = here("evaluate", "--json", "--deck", "52", "AsKdTc9h9s", "Ah Kh Qh Jh Th")
    answer = json.loads(result.stdout)
    assert [each["category"] for each in answer["hands"]] == ["pair", "royal_flush"]
    assert answer["hands"][1]["strength"] == answer["levels"] == 7462


def test_frequencies_are_exact(here: Here) -> None:
    answer = json.loads(here("frequencies", "--deck", "36", "--json").stdout)
    assert answer["total"] == 376992
    assert answer["frequencies"]["full_house"] == 1728
    assert answer["frequencies"]["flush"] == 480
    told = here("frequencies", "--deck", "52").stdout
    assert "3,744" in told
    assert "FALSE  " in told
    assert "Ful" in here("frequencies", "--lang", "tr").stdout


def test_rules_are_explained(here: Here) -> None:
    english = here("rules", "--option", "opening_requirement=A").stdout
    assert "aces" in english
    assert here("rules", "--lang", "tr").stdout != english
    answer = json.loads(here("rules", "--json", "--option", "karanlik=on").stdout)
    assert answer["options"] == {"karanlik": "on"}
    assert answer["text"].startswith("# ")
    assert "ante = 1" in here("rules", "--list").stdout


def test_odds_list_the_discards_best_first(here: Here) -> None:
    answer = json.loads(here("odds", "--deck", "24", "--json", "As Kd Tc 9h 9s").stdout)
    equities = [each["equity"] for each in answer["discards"]]
    assert len(equities) == 31
    assert equities == sorted(equities, reverse=True)
    totals = {
        (each["win"] + each["tie"] + each["loss"], len(each["discard"].split()))
        for each in answer["discards"]
    }
    assert len(totals) == 5
    told = here("odds", "--top", "3", "As Kd Tc 9h 9s").stdout.splitlines()
    assert len(told) == 4
    assert told[0].split() == ["discard", "equity", "win", "tie", "loss"]


def test_replay_tells_the_story_of_a_hand(here: Here, tmp_path: Path) -> None:
    file = tmp_path / "hand.json"
    file.write_text(HANDS.read_text().splitlines()[0])
    told = here("replay", "--story", str(file)).stdout
    assert "Kh" in told
    assert told.rstrip().endswith("1 hands: 1 ok, 0 differ, 0 refused")
    assert here("replay", "--story", "--lang", "tr", str(file)).stdout != told
    assert here("replay", "--story", "--json", str(file)).returncode == 2


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_odds_draw_a_picture(here: Here, tmp_path: Path, ending: str, begins: bytes) -> None:
    file = tmp_path / f"odds.{ending}"
    assert here("odds", "As Kd Tc 9h 9s", "--plot", str(file)).returncode == 0
    assert file.read_bytes().startswith(begins)
    assert ending != "svg" or file.read_text().count("%") > 0


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["odds", "As Kd Tc 9h 9s", "--plot", "odds.gif"], "odds.gif"),
        (["odds", "As Kd Tc 9h 9s", "--plot", "/nowhere/odds.png"], "/nowhere"),
        (["evaluate", "As Kd Tc 9h 2s"], "--deck 52"),
        (["evaluate", "As Kd Tc 9h 5s"], "--deck 40"),
        (["evaluate", "As Kd Tc 9h Zz"], "Zz"),
        (["evaluate", "As Kd Tc 9h"], "5 cards"),
        (["evaluate", "As Kd Tc 9h 9h"], "9h stands twice"),
        (["evaluate"], "HAND"),
        (["evaluate", "--deck", "33", "As Kd Tc 9h 9s"], "--deck"),
        (["evaluate", "--suit-order", "hhhh", "As Kd Tc 9h 9s"], "suit_order"),
        (["odds", "As Kd Tc 9h 9s", "--dead", "As"], "As"),
        (["odds", "As Kd Tc 9h 9s", "--draw-max", "6"], "--draw-max"),
        (["frequencies", "--deck", "twelve"], "--deck"),
        (["rules", "--profile", "belgian"], "profile"),
        (["rules", "--option", "deck=33"], "deck"),
        (["rules", "--option", "deck"], "NAME=VALUE"),
        (["rules", "--option", "ante=1", "--option", "ante=2"], "twice"),
        (["replay", "/nowhere"], "/nowhere"),
        (["replay", "/"], "directory"),
        (["token", ""], "name is empty"),
        (["token", "ayse", "--expires-in", "60"], "60"),
        (["token", "ayse", "--role", "admin"], "--role"),
        (["serve", "--listen", "50051"], "listen"),
        (["serve", "--listen", "0.0.0.0:50051"], "--insecure"),
        (["serve", "--tls-cert", "a.crt"], "--tls-key"),
        (["serve", "--redis", "redis://h"], "--key-file or --jwks"),
        (["serve", "--key-file", "/nowhere"], "/nowhere"),
        (["serve", "--jwks", "/nowhere"], "/nowhere"),
        (["serve", "--guests", "perhaps"], "--guests"),
        (["demo", "--server", "h:1", "--client-cert", "a"], "go together"),
        (["demo", "--server", "h:1", "--ca", "/nowhere"], "/nowhere"),
        (["demo", "--tls"], "--server"),
        (["serve", "--redis", "http://x"], "redis"),
        (["nonsense"], "nonsense"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(here: Here, arguments: list[str], part: str) -> None:
    assert part in refused(here(*arguments))


def test_bad_input_is_one_line_and_exit_code_2_in_a_process_too(tmp_path: Path) -> None:
    assert "--deck 52" in refused(turkpoker("evaluate", "As Kd Tc 9h 2s", home=tmp_path))
    assert "listen" in refused(turkpoker("serve", "--listen", "50051", home=tmp_path))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "nonsense",
        "[]",
        "7",
        "{}",
        '{"profile": "turkish"}',
        '{"profile": "turkish", "dealer": "A", "stacks": [], "deck": ""}',
        '{"profile": "turkish", "dealer": "A", "stacks": {"A": 1}, "deck": "As", "steps": 7}',
        '{"profile": "turkish", "dealer": "A", "stacks": {"A": 1}, "deck": "As", "steps": [7]}',
        "[" * 100_000,
        "\x00\x01",
    ],
)
def test_a_bad_file_is_one_line_and_exit_code_2(here: Here, content: str, tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    path.write_text(content)
    refused(here("replay", str(path)))


def test_replay_plays_the_recorded_hands() -> None:
    result = turkpoker("replay", str(HANDS), "--json")
    reports = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(reports) == 36
    assert {report["id"] for report in reports if report["ok"] is False} == set()
    assert result.returncode == (2 if any(report["ok"] is None for report in reports) else 0)


def test_replay_ends_with_1_where_a_hand_differs(tmp_path: Path) -> None:
    record = json.loads(HANDS.read_text().splitlines()[0])
    record["expect"]["final"]["A"] += 1
    path = tmp_path / "one.json"
    path.write_text(json.dumps(record, indent=2))
    result = turkpoker("replay", str(path))
    assert result.returncode == 1
    assert "final of A" in result.stdout
    report = json.loads(turkpoker("replay", "--json", str(path)).stdout)
    assert (report["id"], report["ok"]) == (record["id"], False)


def test_replay_says_partial_of_a_players_own_record(tmp_path: Path) -> None:
    record = json.loads(HANDS.read_text().splitlines()[0]) | {"deck": "As ?? ??"}
    result = turkpoker("replay", "--json", "-", stdin=json.dumps(record))
    assert result.returncode == 0  # there is nothing wrong with it
    assert json.loads(result.stdout)["partial"] is True
    told = turkpoker("replay", "-", stdin=json.dumps(record))
    assert told.returncode == 0
    assert "0 ok, 0 differ, 0 refused, 1 partial" in told.stdout


def test_a_token_is_made_with_the_key_in_the_data_directory(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert str(tmp_path / "home/.local/share/turkpoker") in refused(here("token", "ayse"))
    data = tmp_path / "xdg" / "turkpoker"
    make_key_file(data / "token.key")
    key = load_key(data / "token.key")
    authenticator = Authenticator(KeyRing((key,)))
    made = here("token", "ayse", "--data", str(data)).stdout.strip()
    assert authenticator.check(made).player == "ayse"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    made = here("token", "ayse", "--display-name", "Ayşe").stdout.strip()
    assert authenticator.check(made).display_name == "Ayşe"
    made = here("token", "bora", "--role", "operator", "--role", "host").stdout.strip()
    assert authenticator.check(made).roles == {"operator", "host"}
    monkeypatch.setenv("TURKPOKER_TOKEN_KEY", KEY.decode())
    made = here("token", "ayse").stdout.strip()
    assert Authenticator(KeyRing((TokenKey.of_secret(KEY),))).check(made).player == "ayse"
    monkeypatch.setenv("TURKPOKER_TOKEN_ISSUER", "https://home")
    monkeypatch.setenv("TURKPOKER_TOKEN_AUDIENCE", "another")
    made = here("token", "ayse").stdout.strip()
    claims = jwt.decode(made, KEY, ["HS256"], audience="another", issuer="https://home")
    assert claims["sub"] == "ayse"


def test_help_of_serve_documents_every_setting(here: Here) -> None:
    told = " ".join(here("serve", "--help").stdout.split())
    for each in fields(ServerSettings):
        declared = declared_of(each)
        assert f"{variable_of(each)} " in told
        assert declared.flag is None or f"{declared.flag} " in told
        # Long lines are broken at hyphens too, so the words are compared without blanks.
        assert help_of(each).replace(" ", "") in told.replace(" ", "")


def test_help_lists_every_command_without_importing_one() -> None:
    result = turkpoker("--help")
    assert result.returncode == 0
    for name in ("serve", "demo", "evaluate", "odds", "frequencies", "replay", "bench", "token"):
        assert f"  {name} " in result.stdout


def test_the_commands_of_the_base_install_need_neither_grpc_nor_redis() -> None:
    program = (
        "import sys\n"
        "for name in ('grpc', 'redis', 'google.protobuf', 'jwt', 'cryptography'): sys.modules[name] = None\n"
        "from turkpoker.server.cli import main\n"
        "for name in ('evaluate', 'frequencies', 'odds', 'replay', 'bench'):\n"
        "    sys.argv = ['turkpoker', name, '--help']\n"
        "    try: main()\n"
        "    except SystemExit as end: assert end.code == 0\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stderr
    for command in ("evaluate", "frequencies", "odds", "replay", "bench"):
        assert f"turkpoker {command}" in result.stdout


@pytest.mark.parametrize(
    ("missing", "command", "extra"),
    [("grpc", "serve", "server"), ("jwt", "token", "server"), ("click", "evaluate", "cli")],
)
def test_a_missing_extra_is_named(missing: str, command: str, extra: str) -> None:
    program = (
        f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['turkpoker', {command!r}, 'x']\n"
        "from turkpoker.server.cli import main\n"
        "main()\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert f"turkpoker[{extra}]" in refused(result)
