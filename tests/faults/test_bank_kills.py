"""Servers and banks that are killed in the middle of a transfer: in the end the bank's ledger and the chips
at the tables are what they were, and every transfer was applied once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from operator_bank import KEY as BANK_KEY
from operator_bank import Ledger
from serving import Served
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import SEAL_KEY, Caller, easy_rules, new_id

START = 1000
PLAYERS = ("ayse", "bora", "can")


class BankProcess:
    """The operator's bank as a process of its own, on one port and one ledger for ever."""

    def __init__(self, directory: Path) -> None:
        self.ledger = Ledger(directory / "ledger.db")
        for player in PLAYERS:
            self.ledger.give(player, START)
        self.key_file = directory / "bank.key"
        self.key_file.write_bytes(BANK_KEY)
        self.key_file.chmod(0o600)
        self._file = directory / "ledger.db"
        self.port = 0
        self.process: subprocess.Popen[str] | None = None

    def start(self, chance: float = 0.0) -> None:
        program = Path(__file__).parent.parent / "operator_bank.py"
        self.process = subprocess.Popen(
            [sys.executable, str(program), str(self._file), str(self.port), str(chance)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().rpartition(" ")[2])

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        self.process = None

    @property
    def settings(self) -> dict[str, str]:
        return {
            "BANK_URL": f"http://127.0.0.1:{self.port}/turkpoker/transfers",
            "BANK_KEY_FILE": str(self.key_file),
            "BANK_TIMEOUT": "1s",
            "BANK_PATIENCE": "100ms",
        }


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[BankProcess]:
    opened = BankProcess(tmp_path)
    opened.start()
    yield opened
    opened.kill()


Serve = Callable[..., Served]


@pytest.fixture
def serve(bank: BankProcess) -> Iterator[Serve]:
    """Starts servers with the bank, and ends them all."""
    started: list[Served] = []

    def start(data: Path, *flags: str, **settings: str) -> Served:
        started.append(Served(data, *flags, **bank.settings | settings))
        return started[-1]

    yield start
    for served in started:
        served.end()


def audit(*flags: str) -> dict[str, object]:
    """What ``turkpoker audit`` says; it must find nothing wrong."""
    environ = {name: text for name, text in os.environ.items() if not name.startswith("TURKPOKER_")}
    result = subprocess.run(
        [sys.executable, "-m", "turkpoker.server.cli", "audit", "--json", *flags],
        env=environ | {"TURKPOKER_SEAL_KEY": SEAL_KEY} if "--redis" in flags else environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    report = json.loads(result.stdout)
    assert (result.returncode, report["findings"], report["dead"]) == (0, [], []), result
    return report


async def all_is_delivered(bank: BankProcess, *flags: str) -> dict[str, object]:
    """Wait until no order waits any more; the last audit."""
    report = await asyncio.to_thread(audit, *flags)
    while report["waiting"]:
        await asyncio.sleep(0.1)
        report = await asyncio.to_thread(audit, *flags)
    assert bank.ledger.total() + int(str(report["chips"])) == START * len(PLAYERS)
    return report


async def test_a_server_killed_between_commit_and_delivery(
    bank: BankProcess, serve: Serve, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    served = serve(data)
    callers = [Caller(served.address, each) for each in PLAYERS]
    name = (await callers[0].create(easy_rules())).name
    await callers[0].join(name, seat=0, buy_in=100)
    table = await callers[0].get(name)
    while table.seats[0].awaiting_bank:
        await asyncio.sleep(0.02)
        table = await callers[0].get(name)
    # Nothing can be delivered now: a buy-in, one whose player leaves again, and a cash-out.
    bank.kill()
    table = await callers[1].join(name, seat=1, buy_in=100)
    assert table.seats[1].awaiting_bank == 100
    await callers[2].join(name, seat=2, buy_in=100)
    assert (await callers[2].leave(name)).pending
    assert (await callers[0].leave(name)).cashed_out == 100
    served.stop(signal.SIGKILL)
    for caller in callers:
        await caller.close()
    # The audit reads what the killed one has left behind.
    report = await asyncio.to_thread(audit, "--data", str(data))
    assert len(report["waiting"]) == 3  # type: ignore[arg-type]
    assert (report["chips"], report["awaiting_bank"]) == (0, 200)
    bank.start()
    again = serve(data)
    report = await all_is_delivered(bank, "--data", str(data))
    assert report["chips"] == 100
    assert [bank.ledger.balance(each) for each in PLAYERS] == [START, START - 100, START]
    assert sorted(bank.ledger.transfers().values()) == ["done"] * 5
    bora = Caller(again.address, "bora")
    assert (await bora.get(name)).seats[0].stack == 100
    await bora.close()
    assert again.stop() == 0
    # And the store of a server that is not running.
    assert (await asyncio.to_thread(audit, "--data", str(data)))["chips"] == 100


async def test_a_bank_killed_again_and_again_and_servers_too(
    bank: BankProcess, serve: Serve, tmp_path: Path
) -> None:
    async with EmbeddedRedis(tmp_path / "store") as store:
        flags = ("--redis", store.url)
        servers = [
            serve(tmp_path / "a", *flags, SEAL_KEY=SEAL_KEY),
            serve(tmp_path / "b", *flags, SEAL_KEY=SEAL_KEY),
        ]
        bank.kill()
        bank.start(chance=0.3)
        first = Caller(servers[0].address, PLAYERS[0])
        # A table each, so that no hand keeps them there.
        names = {player: (await first.create(easy_rules())).name for player in PLAYERS}
        await first.close()
        stopping = asyncio.Event()
        done: dict[str, int] = {}

        async def come_and_go(number: int, player: str) -> None:
            while not stopping.is_set():
                caller = Caller(servers[number % 2].address, player)
                try:
                    await caller.join(names[player])
                    request = pb.AddChipsRequest(name=names[player], amount=7, request_id=new_id())
                    with contextlib.suppress(grpc.aio.AioRpcError):  # there may be enough by now
                        await caller.tables.AddChips(request, metadata=caller.metadata)
                    await caller.leave(names[player])
                    done[player] = done.get(player, 0) + 1
                except grpc.aio.AioRpcError:
                    await asyncio.sleep(0.05)
                finally:
                    await caller.close()

        players = [asyncio.create_task(come_and_go(*each)) for each in enumerate(PLAYERS)]
        for round_number in range(3):
            await asyncio.sleep(1)
            bank.kill()
            servers[round_number % 2].stop(signal.SIGKILL)
            await asyncio.sleep(0.3)
            servers[round_number % 2] = serve(tmp_path / "ab"[round_number % 2], *flags, SEAL_KEY=SEAL_KEY)
            bank.start(chance=0.3)
        stopping.set()
        await asyncio.gather(*players)
        bank.kill()
        bank.start()
        for player in PLAYERS:
            caller = Caller(servers[0].address, player)
            with contextlib.suppress(grpc.aio.AioRpcError):  # he may have left already
                await caller.leave(names[player])
            await caller.close()
        report = await all_is_delivered(bank, *flags)
        assert report["chips"] == 0
        assert bank.ledger.total() == START * len(PLAYERS)
        transfers = len(bank.ledger.transfers())
        print(f"{done} rounds, {transfers} transfers")
        assert transfers > 10


async def test_a_server_leaves_at_once_while_the_bank_is_away(
    bank: BankProcess, serve: Serve, tmp_path: Path
) -> None:
    served = serve(tmp_path / "data")
    caller = Caller(served.address, "ayse")
    name = (await caller.create(easy_rules())).name
    bank.kill()
    await caller.join(name)
    await caller.leave(name)
    await caller.close()
    assert served.stop() == 0
    assert "Traceback" not in served.errors
    assert BANK_KEY.decode() not in served.errors
    bank.start()
    serve(tmp_path / "data")
    await all_is_delivered(bank, "--data", str(tmp_path / "data"))
    assert sorted(bank.ledger.transfers().values()) == ["done", "done"]
