"""Start a server on a free loopback port, let Locust load it for a short bounded time, stop all.

    python tests/load/run.py [--users 28] [--seconds 20] [--workers 0] [--seats 4] [--think 0]

Exit code 0 when everything measured was done without a failure, else 1 (2: nothing could be started).
"""

import argparse
import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERVE = [sys.executable, "-c", "from turkpoker.server.cli import main; main()", "serve"]
LOCUST = [sys.executable, "-m", "locust", "-f", str(HERE / "locustfile.py"), "--headless"]
START_SECONDS = 30.0
# What Locust may take beyond the time of the load: to start, to let users leave, to print.
SPARE_SECONDS = 60.0


def main() -> int:
    """Run the load; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=28, help="Locust users, six of seven of them players")
    parser.add_argument("--seconds", type=int, default=20, help="how long the load lasts")
    parser.add_argument(
        "--workers", type=int, default=0, help="Locust worker processes; 0: one process for all"
    )
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--think", type=float, default=0.0, help="seconds a player thinks")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="turkpoker-load-") as directory:
        environment = {**os.environ, "TURKPOKER_DATA": directory}
        for name in ("TURKPOKER_TOKEN_KEY", "TURKPOKER_TOKEN_KEY_FILE", "TURKPOKER_REDIS"):
            environment.pop(name, None)
        with serving(directory, environment) as address:
            print(f"server on {address}, {given.users} users for {given.seconds} s", flush=True)
            return load(address, environment, given)


@contextlib.contextmanager
def serving(directory: str, environment: dict[str, str]) -> Iterator[str]:
    """The address of a server of our own, which is gone at the end."""
    command = [*SERVE, "--listen", "127.0.0.1:0", "--data", directory, "--log-level", "warning"]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        assert server.stdout is not None
        for line in server.stdout:
            lines.put(line)
        lines.put("")

    threading.Thread(target=read, daemon=True).start()
    try:
        while not (line := next_line(lines)).startswith("serving gRPC on "):
            if not line:
                sys.exit("turkpoker: the server did not start")
        yield line.split()[-1]
    finally:
        stop(server, 15)


def next_line(lines: "queue.Queue[str]") -> str:
    """The next line of the server; nothing when it says nothing for too long."""
    try:
        return lines.get(timeout=START_SECONDS)
    except queue.Empty:
        return ""


def load(address: str, environment: dict[str, str], given: argparse.Namespace) -> int:
    """Let Locust run in one process, or in a master and workers, each a process of its own."""
    own = ["--seats", str(given.seats), "--think", str(given.think)]
    run = [
        *LOCUST,
        *own,
        "--host",
        address,
        "--users",
        str(given.users),
        "--spawn-rate",
        str(max(1, given.users // 3)),
        "--run-time",
        f"{given.seconds}s",
        "--stop-timeout",
        "10",
        "--only-summary",
        "--exit-code-on-error",
        "1",
    ]
    workers: list[subprocess.Popen[bytes]] = []
    try:
        if given.workers:
            port = str(free_port())
            run += ["--master", "--master-bind-host", "127.0.0.1", "--master-bind-port", port]
            run += ["--expect-workers", str(given.workers)]
            worker = [*LOCUST, *own, "--worker", "--master-host", "127.0.0.1", "--master-port", port]
            workers = [subprocess.Popen(worker, env=environment) for _ in range(given.workers)]
        locust = subprocess.Popen(run, env=environment)
        try:
            return 1 if locust.wait(given.seconds + SPARE_SECONDS) else 0
        except subprocess.TimeoutExpired:
            print("turkpoker: Locust did not end in time", file=sys.stderr)
            return 1
        finally:
            stop(locust, 5)
    finally:
        for process in workers:
            stop(process, 5)


def free_port() -> int:
    """A loopback port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def stop(process: "subprocess.Popen[bytes] | subprocess.Popen[str]", seconds: float) -> None:
    """End one process of ours, gently at first."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
