"""Keys, key sets and tokens as an identity provider would make them, and as a forger would."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from turkpoker.server.settings import AUDIENCE

RSA = rsa.generate_private_key(65537, 2048)
OTHER_RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()
OLD, NEW = (
    b"the old key of these tests, which is long enough for HS512, too.",
    b"and another one that comes after it, in the year of our Lord 2027",
)


def jwk(key: Any, kid: str | None = None, **more: Any) -> dict[str, Any]:
    """The public half of a key as a JWK."""
    if isinstance(key, rsa.RSAPrivateKey):
        data = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        data = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    else:
        data = OKPAlgorithm.to_jwk(key.public_key(), as_dict=True)
    data = {name: value for name, value in data.items() if name not in ("key_ops", "alg")}
    return dict(data) | ({} if kid is None else {"kid": kid}) | more


def oct_jwk(key: bytes, kid: str) -> dict[str, str]:
    return {"kty": "oct", "kid": kid, "k": base64.urlsafe_b64encode(key).rstrip(b"=").decode()}


def jwks(*keys: dict[str, Any]) -> str:
    return json.dumps({"keys": keys})


def signed(key: Any, algorithm: str, kid: str | None = None, *, headers: Any = None, **claims: Any) -> str:
    claims = {"sub": "ayse", "aud": AUDIENCE, "exp": 9999999999} | claims
    headers = dict(headers or {}) | ({} if kid is None else {"kid": kid})
    return jwt.encode(claims, key, algorithm=algorithm, headers=headers)


def forged(secret: bytes, kid: str | None) -> str:
    """A token of HS256 with bytes for a key that no library would take."""
    header = {"alg": "HS256", "typ": "JWT"} | ({} if kid is None else {"kid": kid})
    claims = {"sub": "ayse", "aud": AUDIENCE, "exp": 9999999999}
    parts = [_encoded(json.dumps(each).encode()) for each in (header, claims)]
    return ".".join([*parts, _encoded(hmac.new(secret, ".".join(parts).encode(), hashlib.sha256).digest())])


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def written(path: Path, content: str | bytes) -> Path:
    """Put a file in place of another in one step, as one should."""
    draft = path.with_name("draft")
    draft.write_bytes(content if isinstance(content, bytes) else content.encode())
    draft.chmod(0o600)
    draft.replace(path)
    return path
