"""``turkpoker key``: keys rotate with one command, and no token is refused before its time."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from turkpoker.server.auth import Authenticator, make_token
from turkpoker.server.cli import main
from turkpoker.server.errors import ServiceError
from turkpoker.server.token_keys import KeyRing, load_key, make_key_file, read_key_file

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the command: exit code, output, errors."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith(("TURKPOKER_", "XDG_"))]:
        monkeypatch.delenv(name)

    def run_command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["turkpoker", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        assert isinstance(caught.value.code, int)
        return caught.value.code, said.out, said.err

    return run_command


def good(path: Path, token: str) -> bool:
    try:
        Authenticator(KeyRing(read_key_file(path))).check(token)
    except ServiceError:
        return False
    return True


def test_keys_rotate_and_old_tokens_stay_good_for_one_round(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "token.key"
    make_key_file(path)
    tokens = [make_token(load_key(path), "ayse")]
    for _ in range(3):
        code, said, _ = run("key", "--key-file", str(path))
        assert code == 0
        tokens.append(make_token(load_key(path), "ayse"))
        assert good(path, tokens[-2])
        assert str(load_key(path).kid) in said
        assert all(entry["k"] not in said for entry in json.loads(path.read_text())["keys"])
    assert [good(path, token) for token in tokens] == [False, False, True, True]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["token.key"]


def test_a_key_at_the_end_is_good_but_signs_nothing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "token.key"
    run("key", "--key-file", str(path), "--new")
    first = load_key(path)
    run("key", "--key-file", str(path), "--last")
    assert load_key(path) == first
    last = read_key_file(path)[1]
    assert good(path, make_token(last, "ayse"))


def test_a_leaked_key_goes_at_once(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "token.key"
    run("key", "--key-file", str(path), "--new")
    token = make_token(load_key(path), "ayse")
    run("key", "--key-file", str(path), "--keep", "0")
    assert not good(path, token)
    assert len(read_key_file(path)) == 1


def test_the_file_is_found_where_the_server_has_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("key", "--new")[0] == 0
    default = tmp_path / "home/.local/share/turkpoker/token.key"
    assert len(read_key_file(default)) == 1
    monkeypatch.setenv("TURKPOKER_DATA", str(tmp_path / "data"))
    run("key", "--new")
    assert len(read_key_file(tmp_path / "data" / "token.key")) == 1
    monkeypatch.setenv("TURKPOKER_TOKEN_KEY_FILE", str(tmp_path / "other.key"))
    run("key", "--new")
    assert len(read_key_file(tmp_path / "other.key")) == 1


def test_a_file_that_is_no_key_file_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "token.key"
    path.write_text("short")
    path.chmod(0o600)
    code, _, said = run("key", "--key-file", str(path))
    assert (code, len(said.splitlines())) == (2, 1)
    assert path.read_text() == "short"
    code, _, said = run("key", "--key-file", "/proc/token.key")
    assert (code, len(said.splitlines())) == (2, 1)


def test_a_slip_in_the_path_is_no_rotation(run: Run, tmp_path: Path) -> None:
    code, _, said = run("key", "--key-file", str(tmp_path / "tokn.key"))
    assert (code, len(said.splitlines())) == (2, 1)
    assert "tokn.key" in said
    assert list(tmp_path.glob("*.key")) == []
    assert run("key", "--data", str(tmp_path / "data"), "--new")[0] == 0
    assert len(read_key_file(tmp_path / "data" / "token.key")) == 1
