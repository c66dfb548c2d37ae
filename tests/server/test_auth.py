"""Tokens and keys: what is let in, what is not, and that nothing of a token comes back in a refusal."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jwt
import pytest
from turkpoker.server.auth import AUDIENCE, Authenticator, load_key, load_or_make_key, make_token
from turkpoker.server.errors import ServiceError
from turkpoker.server.settings import SettingsError

KEY = b"k" * 64


def refused(authenticator: Authenticator, token: str) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        authenticator.check(token)
    assert caught.value.reason == "NO_CREDENTIALS"
    assert token not in caught.value.message
    return caught.value


def claims(**changed: object) -> dict[str, object]:
    now = int(datetime.now(UTC).timestamp())
    return {"sub": "ayse", "aud": AUDIENCE, "exp": now + 60} | changed


def test_a_token_names_its_player() -> None:
    identity = Authenticator(KEY).check(make_token(KEY, " ayse ", display_name="Ayşe"))
    assert (identity.player, identity.display_name) == ("ayse", "Ayşe")


@pytest.mark.parametrize(
    "token",
    [
        jwt.encode(claims(), b"x" * 32, algorithm="HS256"),
        jwt.encode(claims(), KEY, algorithm="HS512"),
        jwt.encode(claims(), None, algorithm="none"),
        jwt.encode(claims(aud="another"), KEY, algorithm="HS256"),
        jwt.encode(claims(exp=1), KEY, algorithm="HS256"),
        jwt.encode({"aud": AUDIENCE, "exp": 9999999999}, KEY, algorithm="HS256"),
        jwt.encode({"sub": "ayse", "aud": AUDIENCE}, KEY, algorithm="HS256"),
        jwt.encode({"sub": "ayse", "exp": 9999999999}, KEY, algorithm="HS256"),
        jwt.encode(claims(sub=""), KEY, algorithm="HS256"),
        jwt.encode(claims(sub="a" * 65), KEY, algorithm="HS256"),
        jwt.encode(claims(sub="a\nb"), KEY, algorithm="HS256"),
        jwt.encode(claims(name=7), KEY, algorithm="HS256"),
        jwt.encode(claims(exp=10**30), KEY, algorithm="HS256"),
        "abc",
        "a.b.c",
        make_token(KEY, "ayse")[:-3],
    ],
    ids=[
        *("key", "algorithm", "unsigned", "audience", "expired", "no player", "no expiry", "no audience"),
        *("empty player", "long player", "control characters", "name of no text", "endless"),
        *("no token", "no claims", "cut"),
    ],
)
def test_a_wrong_token_is_refused(token: str) -> None:
    refused(Authenticator(KEY), token)


def test_a_remembered_token_still_expires() -> None:
    authenticator = Authenticator(KEY)
    token = make_token(KEY, "ayse", lifetime=timedelta(minutes=1))
    identity = authenticator.check(token)
    assert authenticator.check(token) is identity
    made_long_ago = make_token(
        KEY, "ayse", lifetime=timedelta(hours=1), now=datetime.now(UTC) - timedelta(hours=2)
    )
    authenticator._known[made_long_ago] = type(identity)("ayse", "ayse", datetime.now(UTC))
    refused(authenticator, made_long_ago)
    assert made_long_ago not in authenticator._known


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (("authorization", "Basic abc"),),
        (("authorization", "Bearer "),),
        (("authorization", ""),),
        (("authorization", "Bearer " + make_token(KEY, "a")), ("authorization", "Bearer x")),
    ],
)
def test_metadata_without_one_bearer_token_is_refused(metadata: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(ServiceError) as caught:
        Authenticator(KEY).identify(metadata)
    assert caught.value.reason == "NO_CREDENTIALS"


@pytest.mark.parametrize("name", ["", "   ", "a" * 65, "a\x00b", "a\ud800b"])
def test_a_token_needs_a_proper_name(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        make_token(KEY, name)


def test_a_made_key_is_private_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "data" / "token.key"
    key, made = load_or_make_key(path)
    assert made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_or_make_key(path) == (key, False)
    assert [each.name for each in path.parent.iterdir()] == ["token.key"]


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token.key"
    load_or_make_key(path)
    path.chmod(0o644)
    with pytest.raises(SettingsError, match="chmod 600"):
        load_key(path)


def test_a_short_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token.key"
    path.write_bytes(b"short\n")
    path.chmod(0o600)
    with pytest.raises(SettingsError, match="32 bytes"):
        load_key(path)
