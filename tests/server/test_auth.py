"""Tokens and keys: what is let in, what is not, and that nothing of a token comes back in a refusal."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from turkpoker.server.auth import Authenticator, make_token
from turkpoker.server.errors import ServiceError
from turkpoker.server.settings import AUDIENCE
from turkpoker.server.token_keys import KeyRing, TokenKey

KEY = b"the key of these tests, which is long enough for HS512 too, yes."
RING = KeyRing((TokenKey.of_secret(KEY),))


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
    identity = Authenticator(RING).check(make_token(KEY, " ayse ", display_name="Ayşe"))
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
        jwt.encode(claims(exp="9999999999"), KEY, algorithm="HS256"),
        jwt.encode(claims(exp=[9999999999]), KEY, algorithm="HS256"),
        jwt.encode(claims(exp=float("inf")), KEY, algorithm="HS256"),
        jwt.encode(claims(nbf=9999999999), KEY, algorithm="HS256"),
        jwt.encode(claims(sub=7), KEY, algorithm="HS256"),
        jwt.encode(claims(sub="guest-7"), KEY, algorithm="HS256"),
        jwt.encode(claims(guest=True), KEY, algorithm="HS256"),
        "abc",
        "a.b.c",
        make_token(KEY, "ayse")[:-3],
    ],
    ids=[
        *("key", "algorithm", "unsigned", "audience", "expired", "no player", "no expiry", "no audience"),
        *("empty player", "long player", "control characters", "name of no text", "endless"),
        *("expiry as text", "expiry as list", "infinite", "not yet", "number as player", "a guest's name"),
        "a guest without a guest's name",
        *("no token", "no claims", "cut"),
    ],
)
def test_a_wrong_token_is_refused(token: str) -> None:
    refused(Authenticator(RING), token)


def test_a_remembered_token_still_expires() -> None:
    authenticator = Authenticator(RING)
    token = make_token(KEY, "ayse", lifetime=timedelta(minutes=1))
    identity = authenticator.check(token)
    assert authenticator.check(token) is identity
    made_long_ago = make_token(
        KEY, "ayse", lifetime=timedelta(hours=1), now=datetime.now(UTC) - timedelta(hours=2)
    )
    digest = hashlib.blake2b(made_long_ago.encode(), digest_size=32).digest()
    authenticator._known[digest] = type(identity)("ayse", "ayse", datetime.now(UTC))
    refused(authenticator, made_long_ago)
    assert digest not in authenticator._known


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
async def test_metadata_without_one_bearer_token_is_refused(metadata: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(ServiceError) as caught:
        await Authenticator(RING).identify(metadata)
    assert caught.value.reason == "NO_CREDENTIALS"


@pytest.mark.parametrize("name", ["", "   ", "a" * 65, "a\x00b", "a\ud800b"])
def test_a_token_needs_a_proper_name(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        make_token(KEY, name)
