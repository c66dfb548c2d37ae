"""Settings: flags before environment before defaults, and no value that cannot be meant."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from turkpoker.server.settings import ServerSettings, SettingsError, default_data_dir, parse_duration


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
    settings = ServerSettings(token_key=b"very secret indeed " * 2, redis_url="redis://u:password@h")
    assert "secret" not in repr(settings)
    assert "password" not in repr(settings)


def test_x13_durations_need_their_unit() -> None:
    assert parse_duration("1.5s") == timedelta(seconds=1.5)
    assert parse_duration("250ms") == timedelta(milliseconds=250)
    for text in ("30", "", "s", "-1s", "1e3s", "9" * 400 + "h"):
        with pytest.raises(ValueError, match="no duration"):
            parse_duration(text)
