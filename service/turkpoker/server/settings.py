"""What an operator can set, from flags or from the environment.

Every setting has an environment variable ``TURKPOKER_<NAME>``, the usual ones also a flag of ``turkpoker
serve``; the flag wins. Keys come from files or the environment alone, since every user of a machine can read
a command line. ``turkpoker serve --help`` lists all of them with the words that stand here.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from turkpoker.server.limit_settings import LimitSettings
from turkpoker.server.setting import (
    SettingsError,
    declared_of,
    parse_duration,
    parse_int,
    parse_switch,
    setting,
    variable_of,
)
from turkpoker.server.token_keys import secret_keys

__all__ = ["ServerSettings", "SettingsError", "default_data_dir", "parse_duration"]

AUDIENCE = "turkpoker"


def default_data_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Where a server keeps its data when told nothing: ``$XDG_DATA_HOME/turkpoker``, else below the home."""
    environ = os.environ if environ is None else environ
    base = environ.get("XDG_DATA_HOME")
    # The XDG rules say that a relative path is to be ignored.
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".local" / "share"
    return root / "turkpoker"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings(LimitSettings):
    """Settings of one server process. Durations are typed, sizes are in bytes.

    Raises:
        SettingsError: a value is out of range, or two of them contradict each other.
    """

    listen: str = setting(
        "localhost:50051",
        str,
        "Where to serve gRPC; port 0 takes a free one",
        flag="--listen",
        metavar="HOST:PORT",
    )
    data_dir: Path = setting(
        None,
        Path,
        "Directory of keys and embedded Redis; default: $XDG_DATA_HOME/turkpoker",
        factory=default_data_dir,
        flag="--data",
        variable="DATA",
        metavar="DIRECTORY",
    )
    redis_url: str | None = setting(
        None,
        str,
        "An existing Redis or Valkey (redis://, rediss:// or unix://); default: a private one in --data",
        secret=True,
        flag="--redis",
        variable="REDIS",
        metavar="URL",
    )
    token_key: bytes | None = setting(
        None,
        str.encode,
        "What would stand in the key file; default: the key file",
        secret=True,
    )
    token_key_file: Path | None = setting(
        None,
        Path,
        "File of the secret key of tokens (HS256): 32 bytes or more, or a JWKS of oct keys of which the "
        "first signs; default: token.key in --data, made when missing, or none with --jwks",
        flag="--key-file",
        metavar="FILE",
    )
    jwks: str | None = setting(
        None,
        str,
        "File or URL of a JWKS of public keys (RS256, ES256, EdDSA) that tokens may be signed with",
        flag="--jwks",
        metavar="FILE|URL",
    )
    token_audience: str = setting(AUDIENCE, str, "The audience (aud) that a token must be made for")
    token_issuer: str | None = setting(
        None, str, "The issuer (iss) that a token must come from; default: anybody who has the key"
    )
    token_leeway: timedelta = setting(
        timedelta(seconds=5),
        parse_duration,
        "How far the clocks of who signs tokens and who checks them may differ",
        zero=True,
        most=timedelta(minutes=5),
    )
    key_check_interval: timedelta = setting(
        timedelta(seconds=5),
        parse_duration,
        "How often the files of keys and certificates are looked at; SIGHUP lets it happen at once",
    )
    jwks_refresh: timedelta = setting(timedelta(minutes=5), parse_duration, "How often a JWKS URL is fetched")
    jwks_pause: timedelta = setting(
        timedelta(seconds=10),
        parse_duration,
        "The least time between two fetches, also for tokens that name an unknown key",
    )
    seal_key_file: Path | None = setting(
        None,
        Path,
        "File of the key that seals cards in Redis; default: seal.key in --data, made when missing",
        flag="--seal-key-file",
        metavar="FILE",
    )
    seal_key: str | None = setting(
        None, str, "What would stand in the file of the seal key; default: the file", secret=True
    )
    bank_url: str | None = setting(
        None,
        str,
        "URL of your ledger of the players' accounts (http:// or https://); default: play money",
        flag="--bank-url",
        metavar="URL",
    )
    bank_key_file: Path | None = setting(
        None,
        Path,
        "File of the key that requests to the bank are signed with: 32 bytes or more",
        flag="--bank-key-file",
        metavar="FILE",
    )
    bank_timeout: timedelta = setting(
        timedelta(seconds=5), parse_duration, "How long one request to the bank may take"
    )
    bank_patience: timedelta = setting(
        timedelta(seconds=3),
        parse_duration,
        "How long JoinTable and AddChips wait for the bank before they answer without it",
        most=timedelta(minutes=1),
    )
    insecure: bool = setting(
        False,
        parse_switch,
        "Allow plain text beyond this machine, for the services, a JWKS URL and a bank",
        flag="--insecure",
    )
    tls_cert: Path | None = setting(
        None,
        Path,
        "PEM file of the server's certificate and those between it and its root; default: plain text",
        flag="--tls-cert",
        metavar="FILE",
    )
    tls_key: Path | None = setting(
        None, Path, "PEM file of the key of that certificate", flag="--tls-key", metavar="FILE"
    )
    tls_client_ca: Path | None = setting(
        None,
        Path,
        "PEM file of the roots of clients' certificates: clients must show one (mutual TLS)",
        flag="--tls-client-ca",
        metavar="FILE",
    )
    guests: str = setting(
        "loopback",
        str.lower,
        "Whether SessionService.CreateGuest gives tokens to strangers: on, off, or loopback: on when the "
        "server listens on this machine alone",
        flag="--guests",
        choices=("on", "off", "loopback"),
    )
    guest_lifetime: timedelta = setting(
        timedelta(hours=24), parse_duration, "How long a guest's token is good", most=timedelta(days=30)
    )
    stream_max_age: timedelta = setting(
        timedelta(hours=1),
        parse_duration,
        "The age at which a Play or WatchTable stream is ended, to be resumed elsewhere",
    )
    checkpoint_interval: timedelta = setting(
        timedelta(seconds=15), parse_duration, "After how much silence a stream sends a checkpoint"
    )
    watch_queue_size: int = setting(
        64,
        parse_int,
        "How many updates wait for a slow viewer before he gets a fresh snapshot instead",
        least=1,
    )
    clock_interval: timedelta = setting(
        timedelta(seconds=1),
        parse_duration,
        "The longest pause between two looks at what the clocks of other servers' tables have run out on",
    )
    keepalive_time: timedelta = setting(
        timedelta(seconds=30), parse_duration, "After how much silence a connection is pinged"
    )
    keepalive_timeout: timedelta = setting(
        timedelta(seconds=10), parse_duration, "How long the answer to such a ping may take"
    )
    drain_pause: timedelta = setting(
        timedelta(milliseconds=300),
        parse_duration,
        "How long a leaving server still answers after its health check has said so",
        zero=True,
    )
    drain_grace: timedelta = setting(
        timedelta(seconds=5),
        parse_duration,
        "How long running calls may take when the server leaves",
        zero=True,
    )
    record_life: timedelta = setting(
        timedelta(days=30),
        parse_duration,
        "How long the records of finished hands are kept",
        least=timedelta(seconds=1),
    )
    record_count: int = setting(
        10_000, parse_int, "How many of a table, and of a player in a shard, are kept at most", least=1
    )
    audit_life: timedelta = setting(
        timedelta(days=90),
        parse_duration,
        "How long the audit log is kept",
        least=timedelta(seconds=1),
    )
    audit_count: int = setting(
        100_000, parse_int, "How many entries of a table, and of a shard, are kept at most", least=1
    )
    log_level: str = setting(
        "info",
        str.lower,
        "How much is logged",
        flag="--log-level",
        choices=("debug", "info", "warning", "error"),
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            declared_of(each).check(each.name, getattr(self, each.name))
        _check_listen(self.listen)
        if self.redis_url is not None and not self.redis_url.startswith(("redis://", "rediss://", "unix://")):
            raise SettingsError("redis must be a redis://, rediss:// or unix:// URL")
        self._check_transport()
        self._check_keys()
        self._check_bank()

    def _check_transport(self) -> None:
        if (self.tls_cert is None) is not (self.tls_key is None):
            raise SettingsError("TLS needs both: --tls-cert and --tls-key")
        if self.tls_client_ca is not None and self.tls_cert is None:
            raise SettingsError("--tls-client-ca needs --tls-cert and --tls-key")
        if self.tls_cert is None and not self.on_loopback and not self.insecure:
            raise SettingsError(
                f"listen: {self.listen} is open to others, who could read tokens and cards:"
                " give --tls-cert and --tls-key, or say --insecure"
            )

    def _check_keys(self) -> None:
        if self.token_key is not None:
            try:
                secret_keys(self.token_key)
            except ValueError as error:
                raise SettingsError(f"the token key cannot be used: {error}") from None
            if self.token_key_file is not None:
                raise SettingsError("give the token key or its file, not both")
        if self.seal_key is not None and self.seal_key_file is not None:
            raise SettingsError("give the seal key or its file, not both")
        if self.jwks is not None and "://" in self.jwks:
            where = urlsplit(self.jwks)
            if where.scheme not in ("http", "https") or not where.hostname:
                raise SettingsError("jwks must be a file, or an http:// or https:// URL")
            if where.scheme == "http" and not is_loopback(where.hostname) and not self.insecure:
                raise SettingsError(
                    "jwks: keys that come over plain http can be exchanged: take https, or say --insecure"
                )
        if self.redis_url is None:
            return
        # A server that made its own keys would refuse the others' tokens and could not read their tables.
        if self.token_key is None and self.token_key_file is None and self.jwks is None:
            raise SettingsError(
                "servers that share a Redis need the same key of tokens: give --key-file or --jwks"
            )
        if self.seal_key is None and self.seal_key_file is None:
            raise SettingsError("servers that share a Redis need the same seal key: give --seal-key-file")

    def _check_bank(self) -> None:
        if (self.bank_url is None) is not (self.bank_key_file is None):
            raise SettingsError("a bank needs both: --bank-url and --bank-key-file")
        if self.bank_url is None:
            return
        try:
            where = urlsplit(self.bank_url)
            usable = where.scheme in ("http", "https") and where.hostname and where.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise SettingsError("bank_url must be an http:// or https:// URL")
        if where.username is not None or where.query or where.fragment:
            raise SettingsError("bank_url must have no user, query or fragment: requests are signed instead")
        if where.scheme == "http" and not is_loopback(where.hostname or "") and not self.insecure:
            raise SettingsError(
                "bank_url: answers that come over plain http can be forged: take https, or say --insecure"
            )

    @property
    def on_loopback(self) -> bool:
        """Whether the services are for this machine alone."""
        return is_loopback(self.listen.rpartition(":")[0])

    @property
    def guests_welcome(self) -> bool:
        """Whether strangers get tokens."""
        return self.guests == "on" or (self.guests == "loopback" and self.on_loopback)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None, **flags: Any) -> ServerSettings:
        """Settings from flags (None: not given), then ``TURKPOKER_*`` variables, then the defaults.

        Args:
            environ: the environment; that of the process when None.
            flags: values by the names of the fields, or text to be read.

        Raises:
            SettingsError: a value cannot be read; the message names flag or variable.
        """
        environ = os.environ if environ is None else environ
        given: dict[str, Any] = {}
        for each in fields(cls):
            declared = declared_of(each)
            value, source = flags.get(each.name), declared.flag or each.name
            if value is None:
                value, source = environ.get(variable_of(each)) or None, variable_of(each)
            if value is None:
                continue
            try:
                given[each.name] = declared.parse(value) if isinstance(value, str) else value
            except ValueError as error:
                raise SettingsError(f"{source}: {error}") from None
        if "data_dir" not in given:
            given["data_dir"] = default_data_dir(environ)
        return cls(**given)


def every_setting() -> list[Field[Any]]:
    """All settings, with the limits last."""
    limits = {each.name for each in fields(LimitSettings)}
    return sorted(fields(ServerSettings), key=lambda each: each.name in limits)


def is_loopback(host: str) -> bool:
    """Whether an address or name means this machine alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _check_listen(listen: str) -> None:
    host, colon, port = listen.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise SettingsError(f"listen must be host:port with a port of 0 to 65535, not {listen!r}")
