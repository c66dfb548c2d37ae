"""A server that is stopped or killed in the middle of a hand, and started again on the same data."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from serving import Served
from turkpoker.v1 import table_service_pb2 as pb
from turkpoker.v1 import tables_pb2
from wire_players import (
    Caller,
    easy_action,
    easy_rules,
    go_on,
    refusal_of_error,
    seated,
    whose_turn,
    without_deadlines,
)

Serve = Callable[..., Served]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers, and ends them all."""
    started: list[Served] = []

    def start(data: Path, *flags: str) -> Served:
        started.append(Served(data, *flags))
        return started[-1]

    yield start
    for served in started:
        served.end()


def runs(pid: int) -> bool:
    """Whether a process runs; one that has ended but was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def the_same(before: tables_pb2.Table, after: tables_pb2.Table) -> None:
    """The same view, but for deadlines: clocks start anew when an own store was down, which is a version."""
    assert after.version - before.version in (0, 1)
    assert without_deadlines(after) == without_deadlines(before)


async def in_mid_hand(served: Served) -> tuple[list[Caller], str, list[tables_pb2.Table]]:
    """Two players in the draw of a hand: the table's name and both views."""
    callers = [Caller(served.address, each) for each in ("ayse", "bora")]
    name = await seated(callers)
    for _ in range(3):
        await go_on(callers, name)
    return callers, name, [await each.get(name) for each in callers]


async def goes_on(served: Served, name: str, before: list[tables_pb2.Table]) -> None:
    """The same hand, with the same cards, is played to its end."""
    callers = [Caller(served.address, each) for each in ("ayse", "bora")]
    for caller, view in zip(callers, before, strict=True):
        the_same(view, await caller.get(name))
        own = next(each for each in view.hand.players if each.seat == view.your_seat)
        assert 0 not in own.cards
        assert len(own.cards) == 5
    number = before[0].hand_number
    while (await callers[0].get(name)).hand_number == number:
        await go_on(callers, name)
    table = await callers[0].get(name)
    chips = sum(seat.stack for seat in table.seats) + table.hand.pot + table.carried
    assert chips == 200
    for caller in callers:
        await caller.close()


async def test_no_clock_runs_while_an_own_store_is_down(serve: Serve, tmp_path: Path) -> None:
    rules = easy_rules()
    rules.action_clock.FromSeconds(4)
    served = serve(tmp_path)
    callers = [Caller(served.address, each) for each in ("ayse", "bora")]
    name = await seated(callers, rules)
    _, asked = await whose_turn(callers, name)
    for caller in callers:
        await caller.close()
    served.stop(signal.SIGKILL)
    served.end()
    await asyncio.sleep(5)
    again = serve(tmp_path)
    callers = [Caller(again.address, each) for each in ("ayse", "bora")]
    _, still_asked = await whose_turn(callers, name)
    assert still_asked.decision_id == asked.decision_id
    assert still_asked.deadline.ToMilliseconds() > asked.deadline.ToMilliseconds()
    for caller in callers:
        await caller.close()


async def test_x10_sigterm_in_mid_hand(serve: Serve, tmp_path: Path) -> None:
    served = serve(tmp_path)
    callers, name, before = await in_mid_hand(served)
    watch = callers[0].watch(name)
    play = await callers[1].play(name)
    await watch.read()
    await play.read()
    store = served.valkey_pid()
    served.process.send_signal(signal.SIGTERM)
    served.process.send_signal(signal.SIGTERM)  # as make and timeout do, to the group and once more
    for call in (watch, play):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await asyncio.wait_for(call.read(), 10)
        refusal = refusal_of_error(caught.value)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")
        assert refusal.retry_seconds
    for caller in callers:
        await caller.close()
    assert await asyncio.to_thread(served.process.wait, 20) == 0
    assert not runs(store)
    again = serve(tmp_path)
    # X10: the token of before is still good, nothing has to be set up anew.
    await goes_on(again, name, before)
    assert again.stop() == 0


async def test_sigkill_in_mid_hand(serve: Serve, tmp_path: Path) -> None:
    served = serve(tmp_path)
    callers, name, before = await in_mid_hand(served)
    orphan = served.valkey_pid()
    served.stop(signal.SIGKILL)
    assert runs(orphan)
    again = serve(tmp_path)
    assert again.valkey_pid() != orphan
    assert not runs(orphan)
    await goes_on(again, name, before)
    for caller in callers:
        await caller.close()


async def test_sigkill_of_server_and_store_in_mid_hand(serve: Serve, tmp_path: Path) -> None:
    served = serve(tmp_path)
    callers, name, views = await in_mid_hand(served)
    caller, decision = await whose_turn(callers, name)
    action = easy_action(decision)
    answer = await caller.submit(name, decision.decision_id, action, "kept")
    before = [await each.get(name) for each in callers]
    served.stop(signal.SIGKILL)
    os.kill(served.valkey_pid(), signal.SIGKILL)
    again = serve(tmp_path)
    back = Caller(again.address, caller.player)
    # The request id outlives the server: the same answer, no second effect.
    repeated = await back.submit(name, decision.decision_id, action, "kept")
    assert repeated.version == answer.version == before[0].version
    # A watcher goes on where he was, without a gap.
    token = views[callers.index(caller)].resume_token
    message: pb.WatchTableResponse = await back.watch(name, token).read()
    assert message.update.events.events[0].version == views[0].version + 1
    await goes_on(again, name, before)
    for each in (*callers, back):
        await each.close()


def one_line(*arguments: str) -> str:
    """What a start that cannot be says: one line, exit code 2."""
    result = subprocess.run(
        [sys.executable, "-m", "turkpoker.server.cli", "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert result.returncode == 2, result
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("turkpoker: ")
    return lines[0]


async def test_starts_that_cannot_be_are_one_line(serve: Serve, tmp_path: Path) -> None:
    served = serve(tmp_path / "data")
    assert "in use" in one_line("--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"))
    line = one_line("--listen", served.address, "--data", str(tmp_path / "other"))
    assert served.address in line
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        free = taken.getsockname()[1]
    url = f"redis://user:secret@127.0.0.1:{free}/0"
    line = one_line("--listen", "127.0.0.1:0", "--data", str(tmp_path / "third"), "--redis", url)
    assert "secret" not in line
    assert served.stop(signal.SIGINT) == 0
    assert "Traceback" not in served.errors


def test_a_first_start_makes_keys_and_says_so(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "turkpoker.server.cli", "serve"),
            *("--listen", "127.0.0.1:0", "--data", str(tmp_path / "data")),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = [process.stdout.readline().strip() for _ in range(3)]
    finally:
        process.terminate()
        process.communicate(timeout=30)
    key = tmp_path / "data" / "token.key"
    assert any(str(key) in line for line in said)
    assert any("embedded" in line and str(tmp_path / "data") in line for line in said)
    assert all(key.read_text().strip() not in line for line in said)
    assert key.stat().st_mode & 0o077 == 0
