"""Tokens of every shape, signed and not: the answer is yes or NO_CREDENTIALS, never a fault of ours."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
from collections import Counter
from typing import Any

from token_signing import OLD, RSA, jwk, jwks, oct_jwk, signed
from turkpoker.server.auth import Authenticator, TokenRules
from turkpoker.server.errors import ServiceError
from turkpoker.server.settings import AUDIENCE
from turkpoker.server.token_keys import KeyRing, public_keys, secret_keys

SEED = 20261201
ROUNDS = 4000
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63), 10**30, 1e308, -0.5, 9999999999, 9999999999.5),
    *("", "a", "ayse", "guest-1", "9999999999", AUDIENCE, "\x00", "\ud800", "ü" * 70, "x" * 5000, "player"),
    *([], [None], [AUDIENCE], ["player", "operator"], [[]], {}, {"a": 1}, [AUDIENCE, 7], ["player", None]),
    *(float("inf"), float("-inf"), float("nan"), ["x"] * 300),
]
CLAIMS = ("sub", "name", "aud", "exp", "iat", "nbf", "iss", "jti", "roles", "guest")
HEADERS = ("alg", "kid", "typ", "crit", "b64", "jwk", "jku", "x5c", "cty", "zip")


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def by_hand(header: Any, claims: Any) -> str:
    """A token that is signed with the good key whatever stands in it."""
    text = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    return f"{text}.{encoded(hmac.new(OLD, text.encode(), hashlib.sha256).digest())}"


def mutated_claims(dice: random.Random) -> dict[str, Any]:
    claims: dict[str, Any] = {"sub": "ayse", "aud": AUDIENCE, "exp": 9999999999}
    for _ in range(dice.randint(1, 3)):
        name = dice.choice(CLAIMS)
        if dice.random() < 0.1:
            claims.pop(name, None)
        else:
            claims[name] = dice.choice(ODD)
    return claims


def answer(authenticator: Authenticator, token: str) -> str:
    """What a token gets; anything but an identity or NO_CREDENTIALS is a fault."""
    try:
        identity = authenticator.check(token)
    except ServiceError as error:
        refusal = error
    else:
        assert 0 < len(identity.player) <= 64
        assert identity.roles <= {"player", "host", "operator"}
        return "let in"
    assert refusal.reason == "NO_CREDENTIALS"
    assert token not in refusal.message
    return "refused"


def test_tokens_of_any_shape_are_answered_clearly() -> None:
    dice = random.Random(SEED)
    keys = secret_keys(jwks(oct_jwk(OLD, "s")).encode())
    ring = KeyRing(keys, public_keys(jwks(jwk(RSA, "r")).encode(), strict=True))
    authenticators = (Authenticator(ring), Authenticator(ring, TokenRules(issuer="ayse")))
    answers: Counter[str] = Counter()
    good = signed(OLD, "HS256", "s")
    for _ in range(ROUNDS):
        kind = dice.choice(("claims", "header", "both", "bytes", "payload"))
        header: Any = {"alg": "HS256", "kid": "s"}
        if kind in ("header", "both"):
            header[dice.choice(HEADERS)] = dice.choice([*ODD, "HS256", "none", "RS256", "s", "r"])
        claims: Any = mutated_claims(dice) if kind in ("claims", "both") else dice.choice(ODD)
        token = by_hand(header, claims)
        if kind == "bytes":
            characters = list(good)
            for _ in range(dice.randint(1, 4)):
                characters[dice.randrange(len(characters))] = dice.choice("aZ09-_.=+/ \n\x00é")
            token = "".join(characters)
        for authenticator in authenticators:
            answers[answer(authenticator, token)] += 1
    print(f"tokens: {dict(answers)}, seed {SEED}")
    assert answers["let in"] > 100
    assert answers["refused"] > 1000
