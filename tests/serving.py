"""``turkpoker serve`` as a process of its own, to be stopped, killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from wire_players import KEY, SEAL_KEY


class Served:
    """A server process on a data directory; started by making it, gone after ``stop``."""

    def __init__(self, data: Path, *flags: str, **settings: str) -> None:
        self.data = data
        environ = {name: value for name, value in os.environ.items() if not name.startswith("TURKPOKER_")}
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "turkpoker.server.cli", "serve"),
                *("--listen", "127.0.0.1:0", "--data", str(data), *flags),
            ],
            env=environ
            | {"TURKPOKER_TOKEN_KEY": KEY.decode(), "TURKPOKER_DRAIN_PAUSE": "50ms"}
            | {f"TURKPOKER_{name}": text for name, text in settings.items()},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        for line in self._out:
            self.said.append(line.strip())
            if line.startswith("serving gRPC on "):
                self.address = line.removeprefix("serving gRPC on ").strip()
                break
        else:
            raise AssertionError(f"did not serve: {self.process.communicate()[1]}")

    @property
    def _out(self) -> IO[str]:
        assert self.process.stdout is not None
        return self.process.stdout

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; gives the exit code."""
        self.process.send_signal(number)
        self.errors = self.process.communicate(timeout=30)[1]
        return self.process.returncode

    def valkey_pid(self) -> int:
        """The process of the embedded server."""
        return int((self.data / "redis" / "pid").read_text())

    def end(self) -> None:
        """End whatever still runs, the embedded server included."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        end_valkey(self.data)


@contextmanager
def two_processes(redis_url: str, data: Path, **settings: str) -> Iterator[list[Served]]:
    """Two server processes on one store, with the same keys; all gone afterwards."""
    served: list[Served] = []
    try:
        for number in range(2):
            served.append(
                Served(data / f"server{number}", "--redis", redis_url, SEAL_KEY=SEAL_KEY, **settings)
            )
        yield served
    finally:
        for each in served:
            each.end()


def end_valkey(data: Path) -> None:
    """End an embedded server that lost its program, if it is really the one of these data."""
    try:
        pid = int((data / "redis" / "pid").read_text())
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return
    if os.fsencode(data) in arguments:
        os.kill(pid, signal.SIGKILL)
