"""What an operator can set, from flags or from the environment.

Every setting has an environment variable ``TURKPOKER_<NAME>``, the usual ones also a flag of ``turkpoker
serve``; the flag wins. Keys come from files or the environment alone, since every user of a machine can read
a command line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from pathlib import Path
from typing import Any

ENVIRONMENT_PREFIX = "TURKPOKER_"
MIN_KEY_BYTES = 32
MIB = 1024 * 1024


class SettingsError(ValueError):
    """A setting has no such value; the message names it."""


def default_data_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Where a server keeps its data when told nothing: ``$XDG_DATA_HOME/turkpoker``, else below the home."""
    environ = os.environ if environ is None else environ
    base = environ.get("XDG_DATA_HOME")
    # The XDG rules say that a relative path is to be ignored.
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".local" / "share"
    return root / "turkpoker"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Settings of one server process. Durations are typed, sizes are in bytes.

    Raises:
        SettingsError: a value is out of range, or two of them contradict each other.
    """

    #: host:port to serve gRPC on; port 0 takes a free one. Loopback by default: traffic is not encrypted.
    listen: str = "localhost:50051"
    #: Directory of the token key and of the embedded Redis.
    data_dir: Path = field(default_factory=default_data_dir)
    #: An existing Redis or Valkey (redis://, rediss:// or unix://); None: a private one in ``data_dir``.
    redis_url: str | None = field(default=None, repr=False)
    #: The HS256 key of tokens, at least 32 bytes; None: the key file.
    token_key: bytes | None = field(default=None, repr=False)
    #: File of the token key; None: ``token.key`` in ``data_dir``, which is made when it is not there.
    token_key_file: Path | None = None
    #: File of the key that seals hands and decks in Redis; None: ``seal.key`` in ``data_dir``.
    seal_key_file: Path | None = None
    #: The longest message that is taken or sent.
    max_message_bytes: int = 4 * MIB
    #: The most hands of one BatchEvaluateHands.
    max_batch_hands: int = 500_000
    #: The most unanswered actions of one Play stream.
    max_unanswered_actions: int = 16
    #: The most streams that one player may have open at once.
    max_streams_per_player: int = 32
    #: The age at which a Play or WatchTable stream is ended, to be resumed elsewhere.
    stream_max_age: timedelta = timedelta(hours=1)
    #: After how much silence a stream sends a checkpoint.
    checkpoint_interval: timedelta = timedelta(seconds=15)
    #: How many updates wait for a slow viewer before he gets a fresh snapshot instead.
    watch_queue_size: int = 64
    #: The longest pause between two looks at what the clocks have run out on.
    clock_interval: timedelta = timedelta(milliseconds=250)
    #: After how much silence a connection is pinged, and how long the answer may take.
    keepalive_time: timedelta = timedelta(seconds=30)
    keepalive_timeout: timedelta = timedelta(seconds=10)
    #: How long a leaving server still answers after its health check has said so.
    drain_pause: timedelta = timedelta(milliseconds=300)
    #: How long running calls may take when the server leaves.
    drain_grace: timedelta = timedelta(seconds=5)
    #: debug, info, warning or error.
    log_level: str = "info"

    def __post_init__(self) -> None:
        _check_listen(self.listen)
        if self.redis_url is not None and not self.redis_url.startswith(("redis://", "rediss://", "unix://")):
            raise SettingsError("redis must be a redis://, rediss:// or unix:// URL")
        if self.token_key is not None and len(self.token_key) < MIN_KEY_BYTES:
            raise SettingsError(f"the token key must have at least {MIN_KEY_BYTES} bytes")
        if self.token_key is not None and self.token_key_file is not None:
            raise SettingsError("give the token key or its file, not both")
        if not 64 * 1024 <= self.max_message_bytes <= 256 * MIB:
            raise SettingsError("max_message_bytes must lie between 64 KiB and 256 MiB")
        for name in (
            "max_batch_hands",
            "max_unanswered_actions",
            "max_streams_per_player",
            "watch_queue_size",
        ):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} must be at least 1")
        for name in _POSITIVE:
            if getattr(self, name) <= timedelta(0):
                raise SettingsError(f"{name} must be more than nothing")
        for name in ("drain_pause", "drain_grace"):
            if getattr(self, name) < timedelta(0):
                raise SettingsError(f"{name} must not be negative")
        if self.log_level not in ("debug", "info", "warning", "error"):
            raise SettingsError("log_level must be debug, info, warning or error")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None, **flags: Any) -> ServerSettings:
        """Settings from flags (None: not given), then ``TURKPOKER_*`` variables, then the defaults.

        Raises:
            SettingsError: a value cannot be read; the message names flag or variable.
        """
        environ = os.environ if environ is None else environ
        given: dict[str, Any] = {name: value for name, value in flags.items() if value is not None}
        for name in (each.name for each in fields(cls)):
            text = environ.get(ENVIRONMENT_PREFIX + _VARIABLES.get(name, name.upper()))
            if name in given or not text:
                continue
            try:
                given[name] = _PARSERS[name](text)
            except ValueError as error:
                variable = ENVIRONMENT_PREFIX + _VARIABLES.get(name, name.upper())
                raise SettingsError(f"{variable}: {error}") from None
        if "data_dir" not in given:
            given["data_dir"] = default_data_dir(environ)
        return cls(**given)


def parse_duration(text: str) -> timedelta:
    """A duration with its unit: ``250ms``, ``15s``, ``5m``, ``1h``. A bare number is refused, not guessed at.

    Raises:
        ValueError: no number, or no unit.
    """
    for unit, seconds in (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)):
        number = text.removesuffix(unit)
        if number != text and number.replace(".", "", 1).isdecimal():
            try:
                return timedelta(seconds=float(number) * seconds)
            except OverflowError:
                break
    raise ValueError(f"no duration: {text[:20]!r} (250ms, 15s, 5m, 1h)")


def _parse_int(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"no whole number: {text!r}") from None


def _check_listen(listen: str) -> None:
    host, colon, port = listen.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise SettingsError(f"listen must be host:port with a port of 0 to 65535, not {listen!r}")


_POSITIVE = ("stream_max_age", "checkpoint_interval", "clock_interval", "keepalive_time", "keepalive_timeout")
#: Shorter names where the field's own would read oddly in a shell.
_VARIABLES = {"data_dir": "DATA", "redis_url": "REDIS"}
_PARSERS: dict[str, Callable[[str], Any]] = {
    "listen": str,
    "data_dir": Path,
    "redis_url": str,
    "token_key": str.encode,
    "token_key_file": Path,
    "seal_key_file": Path,
    "max_message_bytes": _parse_int,
    "max_batch_hands": _parse_int,
    "max_unanswered_actions": _parse_int,
    "max_streams_per_player": _parse_int,
    "stream_max_age": parse_duration,
    "checkpoint_interval": parse_duration,
    "watch_queue_size": _parse_int,
    "clock_interval": parse_duration,
    "keepalive_time": parse_duration,
    "keepalive_timeout": parse_duration,
    "drain_pause": parse_duration,
    "drain_grace": parse_duration,
    "log_level": str.lower,
}
