"""Settings: flags before environment before defaults, and no value that cannot be meant."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from turkpoker.server.settings import ServerSettings, SettingsError, default_data_dir, parse_duration

KEY = "a key of the tests, which is long enough"
SEAL = "5eb63bbbe01eeed093cb22bb8f5acdc3" * 2


def test_the_flag_wins_over_the_environment() -> None:
    environ = {
        "TURKPOKER_LISTEN": "127.0.0.1:1",
        "TURKPOKER_DATA": "/somewhere",
        "TURKPOKER_DRAIN_GRACE": "2m",
    }
    settings = ServerSettings.from_environment(environ, listen="127.0.0.1:2", redis_url=None)
    assert settings.listen == "127.0.0.1:2"
    assert settings.data_dir == Path("/somewhere")
    assert settings.drain_grace == timedelta(minutes=2)


def test_the_data_directory_follows_xdg() -> None:
    assert default_data_dir({"XDG_DATA_HOME": "/x"}) == Path("/x/turkpoker")
    assert default_data_dir({"XDG_DATA_HOME": "relative"}) == Path.home() / ".local/share/turkpoker"
    assert default_data_dir({}) == Path.home() / ".local/share/turkpoker"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LISTEN", "50051"),
        ("LISTEN", "localhost:70000"),
        ("LISTEN", "localhost:x"),
        ("REDIS", "http://localhost"),
        ("TOKEN_KEY", "short"),
        ("TOKEN_KEY", "k" * 64),
        ("TOKEN_KEY", "0123456789abcdefghijklmnopqrstuvwxyz"[:10] * 4),
        ("TOKEN_KEY", "".join(map(chr, range(40, 90)))),
        ("JWKS", "ftp://example.com/keys"),
        ("JWKS", "http://example.com/keys"),
        ("TOKEN_LEEWAY", "6m"),
        ("KEY_CHECK_INTERVAL", "0s"),
        ("INSECURE", "perhaps"),
        ("MAX_MESSAGE_BYTES", "1"),
        ("MAX_MESSAGE_BYTES", "many"),
        ("WATCH_QUEUE_SIZE", "0"),
        ("STREAM_MAX_AGE", "0s"),
        ("STREAM_MAX_AGE", "60"),
        ("LOG_LEVEL", "loud"),
    ],
)
def test_bad_values_are_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        ServerSettings.from_environment({f"TURKPOKER_{name}": value})
    assert name.lower().replace("_", " ") in str(caught.value).lower().replace("_", " ")


def test_a_key_is_not_in_the_repr() -> None:
    settings = ServerSettings(
        token_key=b"very secret indeed, and long enough", redis_url="redis://u:password@h", seal_key=SEAL
    )
    assert "secret" not in repr(settings)
    assert SEAL not in repr(settings)
    assert "password" not in repr(settings)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "--key-file or --jwks"),
        ({"SEAL_KEY": SEAL}, "--key-file or --jwks"),
        ({"TOKEN_KEY": KEY}, "--seal-key-file"),
        ({"JWKS": "keys.json"}, "--seal-key-file"),
        ({"TOKEN_KEY_FILE": "token.key"}, "--seal-key-file"),
    ],
)
def test_servers_that_share_a_redis_need_the_same_keys(given: dict[str, str], missing: str) -> None:
    environ = {"TURKPOKER_REDIS": "redis://h"} | {f"TURKPOKER_{name}": text for name, text in given.items()}
    with pytest.raises(SettingsError, match=missing):
        ServerSettings.from_environment(environ)
    complete = environ | {"TURKPOKER_SEAL_KEY": SEAL}
    if "JWKS" not in given and "TOKEN_KEY_FILE" not in given:
        complete["TURKPOKER_TOKEN_KEY"] = KEY
    assert ServerSettings.from_environment(complete).redis_url == "redis://h"


def test_keys_over_plain_http_need_to_be_asked_for() -> None:
    assert ServerSettings(jwks="http://127.0.0.1:1/keys").jwks
    assert ServerSettings(jwks="http://example.com/keys", insecure=True).jwks
    assert ServerSettings(jwks="https://example.com/keys").jwks


def test_x13_durations_need_their_unit() -> None:
    assert parse_duration("1.5s") == timedelta(seconds=1.5)
    assert parse_duration("250ms") == timedelta(milliseconds=250)
    for text in ("30", "", "s", "-1s", "1e3s", "9" * 400 + "h"):
        with pytest.raises(ValueError, match="no duration"):
            parse_duration(text)
