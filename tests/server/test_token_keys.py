"""Keys of tokens: each for its own algorithm and no other, and none that can be guessed."""

from __future__ import annotations

import json
import random
import stat
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm
from token_signing import EC, ED, NEW, OLD, OTHER_RSA, RSA, forged, jwk, jwks, oct_jwk, signed
from turkpoker.server.auth import Authenticator, TokenRules, make_token
from turkpoker.server.errors import ServiceError
from turkpoker.server.settings import AUDIENCE, SettingsError
from turkpoker.server.token_keys import (
    KeyRing,
    TokenKey,
    load_key,
    make_key_file,
    public_keys,
    read_jwks_file,
    read_key_file,
    secret_keys,
)


def public_ring(*keys: dict[str, Any]) -> Authenticator:
    return Authenticator(KeyRing(public=public_keys(jwks(*keys).encode(), strict=True)))


def is_refused(authenticator: Authenticator, token: str) -> None:
    with pytest.raises(ServiceError) as caught:
        authenticator.check(token)
    assert caught.value.reason == "NO_CREDENTIALS"


# -- which key checks which token ------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "algorithm"), [(RSA, "RS256"), (EC, "ES256"), (ED, "EdDSA")])
def test_public_keys_check_their_own_algorithm(key: Any, algorithm: str) -> None:
    authenticator = public_ring(jwk(RSA, "r"), jwk(EC, "e"), jwk(ED, "d"), jwk(OTHER_RSA))
    kid = {"RS256": "r", "ES256": "e", "EdDSA": "d"}[algorithm]
    assert authenticator.check(signed(key, algorithm, kid)).player == "ayse"
    assert authenticator.check(signed(key, algorithm)).player == "ayse"
    for other in {"r", "e", "d"} - {kid}:
        is_refused(authenticator, signed(key, algorithm, other))


def test_a_public_key_is_no_secret_one() -> None:
    """The oldest trick: sign with HS256 and the bytes of the public key, which everybody has."""
    data = jwk(RSA, "r")
    authenticator = public_ring(data)
    public = RSA.public_key()
    number = public.public_numbers().n
    guesses = [
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.PEM, PublicFormat.PKCS1),
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        json.dumps(data).encode(),
        data["n"].encode(),
        number.to_bytes(256, "big"),
    ]
    for guess in guesses:
        for kid in ("r", None):
            is_refused(authenticator, forged(guess, kid))


def test_the_token_does_not_choose_its_algorithm() -> None:
    ring = KeyRing((TokenKey.of_secret(OLD, "s"),), public_keys(jwks(jwk(RSA, "r")).encode(), strict=True))
    authenticator = Authenticator(ring)
    for kid in ("s", "r", None, "x"):
        is_refused(authenticator, signed(None, "none", kid))
    for algorithm in ("HS384", "HS512"):
        is_refused(authenticator, signed(OLD, algorithm, "s"))
        is_refused(authenticator, signed(OLD, algorithm, "s"))
    for algorithm in ("RS384", "RS512", "PS256"):
        is_refused(authenticator, signed(RSA, algorithm, "r"))
    is_refused(authenticator, signed(OLD, "HS256", "r"))
    is_refused(authenticator, signed(RSA, "RS256", "s"))
    assert authenticator.check(signed(OLD, "HS256", "s")).player == "ayse"
    assert authenticator.check(signed(RSA, "RS256", "r")).player == "ayse"


def test_a_kid_only_picks_a_key() -> None:
    authenticator = public_ring(jwk(RSA, "a"), jwk(OTHER_RSA, "b"))
    assert authenticator.check(signed(RSA, "RS256", "a")).player == "ayse"
    is_refused(authenticator, signed(RSA, "RS256", "b"))
    for kid in (
        "",
        "../../../dev/null",
        "/etc/passwd",
        "a' OR '1'='1",
        "a\x00",
        "http://127.0.0.1/",
        "A",
        "x" * 2000,
    ):
        is_refused(authenticator, signed(RSA, "RS256", kid))
    unsigned = signed(RSA, "RS256", "a").rpartition(".")[0] + "."
    is_refused(authenticator, unsigned)


def test_keys_in_the_header_are_not_looked_at() -> None:
    authenticator = public_ring(jwk(RSA, "a"))
    for headers in (
        {"jwk": jwk(OTHER_RSA, "a")},
        {"jwk": jwk(OTHER_RSA, "mine")},
        {"jku": "http://127.0.0.1:9/keys"},
        {"x5u": "http://127.0.0.1:9/keys"},
        {"x5c": ["AAAA"]},
        {"crit": ["exp"], "exp": 1},
    ):
        for kid in ("a", "mine", None):
            is_refused(authenticator, signed(OTHER_RSA, "RS256", kid, headers=headers))


def test_a_secret_key_without_a_name_checks_tokens_of_any_name() -> None:
    """Who signs with the key as it stands may name it as he likes."""
    authenticator = Authenticator(KeyRing(secret_keys(OLD)))
    assert authenticator.check(signed(OLD, "HS256", "whatever")).player == "ayse"
    is_refused(authenticator, signed(NEW, "HS256", "whatever"))


def test_issuer_audience_and_leeway_are_checked() -> None:
    rules = TokenRules(audience="cards", issuer="https://login", leeway=timedelta(minutes=1))
    ring = KeyRing(secret_keys(OLD))
    authenticator = Authenticator(ring, rules)
    good = {"aud": "cards", "iss": "https://login"}
    assert authenticator.check(signed(OLD, "HS256", **good)).player == "ayse"
    assert authenticator.check(signed(OLD, "HS256", **good | {"aud": ["x", "cards"]})).player == "ayse"
    assert authenticator.check(make_token(OLD, "ayse", rules=rules)).player == "ayse"
    for wrong in (
        {"iss": "https://login/"},
        {"iss": ""},
        {"aud": AUDIENCE},
        {"aud": ["x"]},
        {"aud": []},
    ):
        is_refused(authenticator, signed(OLD, "HS256", **good | wrong))
    is_refused(authenticator, signed(OLD, "HS256", aud="cards"))
    now = int(time.time())
    assert authenticator.check(signed(OLD, "HS256", **good, exp=now - 30)).player == "ayse"
    is_refused(authenticator, signed(OLD, "HS256", **good, exp=now - 90))
    is_refused(Authenticator(ring), signed(OLD, "HS256", exp=now - 30))


def test_a_remembered_token_does_not_outlive_its_key() -> None:
    ring = KeyRing(secret_keys(jwks(oct_jwk(NEW, "new"), oct_jwk(OLD, "old")).encode()))
    authenticator = Authenticator(ring)
    old, new = signed(OLD, "HS256", "old"), signed(NEW, "HS256", "new")
    assert authenticator.check(old) is authenticator.check(old)
    assert authenticator.check(new).player == "ayse"
    assert ring.set_secret(secret_keys(jwks(oct_jwk(NEW, "new")).encode()))
    is_refused(authenticator, old)
    assert authenticator.check(new).player == "ayse"
    assert not ring.set_secret(secret_keys(jwks(oct_jwk(NEW, "new")).encode()))


# -- files -----------------------------------------------------------------------------------------------


def test_a_made_key_is_private_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "data" / "token.key"
    assert make_key_file(path)
    key = load_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not make_key_file(path)
    assert load_key(path) == key
    assert [each.name for each in path.parent.iterdir()] == ["token.key"]


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token.key"
    make_key_file(path)
    for mode in (0o644, 0o640, 0o602):
        path.chmod(mode)
        with pytest.raises(SettingsError, match="chmod 600"):
            read_key_file(path)


def test_a_key_of_bytes_is_taken_as_it_stands() -> None:
    """Whatever chance makes of them: a brace in front, blanks at the ends."""
    for dice in range(500):
        key = bytes([b"{\n \t"[dice % 4]]) + random.Random(dice).randbytes(30) + b"\n"
        (made,) = secret_keys(key)
        assert made.key.key == key
    assert secret_keys(OLD + b"\n") == secret_keys(OLD)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "32 bytes"),
        (b"short\n", "32 bytes"),
        (b"k" * 64, "guessed"),
        (b"changeme" * 8, "guessed"),
        (bytes(range(40, 90)), "guessed"),
        (b"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA", "another kind"),
        (b"{", "no JSON"),
        (b'{"keys": []}', "no JWKS"),
        (jwks({"kty": "oct", "k": "c2hvcnQ", "kid": "a"}).encode(), "too short"),
        (jwks(oct_jwk(b"k" * 40, "a")).encode(), "guessed"),
        (jwks({"kty": "oct", "k": oct_jwk(OLD, "a")["k"]}).encode(), "needs a kid"),
        (jwks(oct_jwk(OLD, "a"), oct_jwk(NEW, "a")).encode(), "same kid"),
        (jwks(oct_jwk(OLD, "a") | {"alg": "HS512"}).encode(), "HS"),
        (jwks(jwk(RSA, "a")).encode(), "JWKS"),
    ],
)
def test_a_weak_or_wrong_key_file_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "token.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(SettingsError, match=why) as caught:
        read_key_file(path)
    assert OLD.decode() not in str(caught.value)
    assert oct_jwk(OLD, "")["k"] not in str(caught.value)


def test_a_jwks_holds_public_keys_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    private = dict(RSAAlgorithm.to_jwk(RSA, as_dict=True)) | {"kid": "p"}
    path = tmp_path / "keys.json"
    for bad in (private, oct_jwk(OLD, "s")):
        content = jwks(jwk(EC, "e"), bad)
        path.write_text(content)
        with pytest.raises(SettingsError, match="private or secret") as caught:
            read_jwks_file(path)
        assert [key.kid for key in public_keys(content.encode(), strict=False)] == ["e"]
        for part in ("d", "k", "p"):
            if part in bad:
                assert bad[part] not in str(caught.value) + caplog.text


def test_keys_of_a_jwks_that_cannot_check_tokens_are_left_out() -> None:
    weak = rsa.generate_private_key(65537, 1024)
    others = [
        jwk(RSA, "encryption", use="enc"),
        jwk(RSA, "rs512", alg="RS512"),
        jwk(weak, "weak"),
        {"kty": "RSA", "kid": "broken", "n": "?", "e": "AQAB"},
        {"kty": "unheard of", "kid": "odd"},
        jwk(ec.generate_private_key(ec.SECP384R1()), "p384"),
    ]
    found = public_keys(jwks(*others, jwk(RSA, "good", use="sig", alg="RS256")).encode(), strict=True)
    assert [key.kid for key in found] == ["good"]
    with pytest.raises(ValueError, match="no key for RS256"):
        public_keys(jwks(*others).encode(), strict=True)
