"""The commands that call a running server: `export` and `operator`."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from turkpoker.engine import read_phhs
from turkpoker.server.app import Running
from turkpoker.server.auth import make_token
from wire_players import KEY, Caller, easy_rules, go_on, seated

Make = Callable[..., Caller]


async def turkpoker(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, while the server of the test goes on."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "turkpoker.server.cli", *arguments),
        env={"PATH": "/usr/bin:/bin", **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode is not None
    return subprocess.CompletedProcess(arguments, process.returncode, out.decode(), err.decode())


def files_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_file()]


@pytest.fixture
def token() -> str:
    return make_token(KEY, "olga", roles=("operator",))


async def test_finished_hands_become_files(server: Running, player: Make, token: str, tmp_path: Path) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers, easy_rules(start_stack=500))
    while (await callers[0].get(name)).hand_number < 4:
        await go_on(callers, name)
    at = ("--server", server.address)
    file = tmp_path / "hands.jsonl"
    done = await turkpoker("export", name, *at, "-o", str(file), TURKPOKER_TOKEN=token)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert files_in(tmp_path) == ["hands.jsonl"]
    replayed = await turkpoker("replay", str(file))
    assert replayed.returncode == 0
    assert replayed.stdout.endswith("3 hands: 3 ok, 0 differ, 0 refused\n")
    phh = await turkpoker("export", name, *at, "--format", "phh", "--token", token)
    assert len(read_phhs(phh.stdout)) == 3
    mine = await turkpoker("export", *at, TURKPOKER_TOKEN=make_token(KEY, "ayse"))
    lines = [json.loads(line) for line in mine.stdout.splitlines()]
    assert len(lines) == 3
    assert all(line["partial"] for line in lines)
    rest = await turkpoker(
        "export", *at, "--start", lines[1]["end_time"], TURKPOKER_TOKEN=make_token(KEY, "ayse")
    )
    assert [json.loads(line)["id"] for line in rest.stdout.splitlines()] == [line["id"] for line in lines[1:]]


async def test_what_export_cannot_do(server: Running, player: Make, tmp_path: Path) -> None:
    ayse = make_token(KEY, "ayse")
    file = tmp_path / "kept.jsonl"
    file.write_text("kept")
    for arguments, why in (
        (("export", "players/bora", "--server", server.address, "-o", str(file)), "ROLE_MISSING"),
        (("export", "nonsense", "--server", server.address, "-o", str(file)), "INVALID_FIELD"),
        (("export", "--server", "127.0.0.1:1"), "does not answer"),
        (("export", "--server", server.address, "-o", str(tmp_path / "no" / "file")), "cannot write"),
        (("export", "--server", server.address, "--format", "pgn"), "pgn"),
    ):
        done = await turkpoker(*arguments, TURKPOKER_TOKEN=ayse)
        assert done.returncode == 2, arguments
        assert len(done.stderr.splitlines()) == 1
        assert why in done.stderr
        assert ayse not in done.stderr
    assert file.read_text() == "kept"
    assert files_in(tmp_path) == ["kept.jsonl"]


async def test_operators_work_from_the_command_line(server: Running, player: Make, token: str) -> None:
    ayse, bora = player("ayse"), player("bora")
    name = await seated([ayse, bora], easy_rules(start_stack=200))
    private = (await ayse.create(private=True, display_name="Salon")).name

    async def operator(*arguments: str) -> str:
        done = await turkpoker("operator", *arguments, "--server", server.address, TURKPOKER_TOKEN=token)
        assert done.returncode == 0, done.stderr
        return done.stdout

    listed = (await operator("tables")).splitlines()
    assert [line.split()[0] for line in listed] == [private, name]
    assert "Salon" in listed[0]
    assert "private" in listed[0]
    assert "hand_running" in listed[1]
    assert await operator("drain", "--reason", "new servers") == "nothing begins; 2 tables, hands on at 1\n"
    closed = await operator("close", name, "--reason", "the cable is cut")
    assert closed == f"{name} is closed, 400 chips were paid out\n"
    assert (await operator("drain", "--end")).startswith("tables are made and hands begin; 1 tables")
    log = (await operator("log", name)).splitlines()
    assert any("operator olga: force_close" in line and "reason=the cable is cut" in line for line in log)
    newest = json.loads((await operator("log", "--json", "--count", "3")).splitlines()[0])
    assert (newest["actor"], newest["role"], newest["action"]) == ("olga", "operator", "read_audit_log")
    refused = await turkpoker(
        "operator", "tables", "--server", server.address, TURKPOKER_TOKEN=make_token(KEY, "x")
    )
    assert refused.returncode == 2
    assert "ROLE_MISSING" in refused.stderr
