"""No secret in any log: a session with everything in it at log level debug, and all that the server wrote."""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
import signal
from pathlib import Path

import grpc
import pytest
from certificates import Authority, put
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from serving import Served
from token_signing import RSA, jwk, jwks, oct_jwk, signed, written
from turkpoker.server.auth import make_token
from turkpoker.server.settings import ServerSettings, SettingsError
from turkpoker.server.token_keys import TokenKey, public_keys, read_jwks_file, secret_keys
from turkpoker.v1 import session_service_pb2 as session_pb
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import Caller, easy_rules, go_on, new_id, refused

KEY, OTHER, NEXT = (secrets.token_urlsafe(40).encode() for _ in range(3))
SEAL = secrets.token_hex(32)


def encodings(secret: bytes) -> set[bytes]:
    """A secret as it might be written: as it is, in hex, in base64, as Python shows it."""
    bare = base64.b64encode(secret).rstrip(b"=")
    return {
        secret,
        secret.hex().encode(),
        bare,
        base64.urlsafe_b64encode(secret).rstrip(b"="),
        repr(secret)[2:-1].encode(),
    }


def pieces(token: str) -> set[bytes]:
    """A token and its parts; what it says of the player is no secret, but need not be logged either."""
    return {token.encode(), *(part.encode() for part in token.split(".") if len(part) > 8)}


def found(haystack: str, needles: set[bytes]) -> list[bytes]:
    return [needle for needle in needles if needle in haystack.encode()]


async def a_whole_session(served: Served, root: bytes, keys: Path) -> set[bytes]:
    """Plays, is refused in every way, changes keys; gives what must stand nowhere."""
    said: set[bytes] = set()
    callers: list[Caller] = []

    def caller(token: str | None) -> Caller:
        made = Caller(served.address, None, token)
        made.channel = grpc.aio.secure_channel(served.address, grpc.ssl_channel_credentials(root))
        for name in ("tables", "evaluator", "history", "sessions"):
            setattr(made, name, type(getattr(made, name))(made.channel))
        callers.append(made)
        if token is not None:
            said.update(pieces(token))
        return made

    first = TokenKey.of_secret(KEY, "first")
    ayse, bora = caller(make_token(first, "ayse")), caller(signed(RSA, "RS256", "r", sub="bora"))
    rules = easy_rules(players_min=2, players_max=5)
    table = await ayse.create(rules, private=True)
    said.add(table.invitation.encode())
    join = pb.JoinTableRequest(request_id=new_id(), name=table.name, invitation=table.invitation)
    await ayse.join(table.name, 0)
    assert (await refused(bora.join(table.name, 1))).reason == "NOT_INVITED"
    guess = secrets.token_urlsafe(16)
    said.add(guess.encode())
    wrong = pb.JoinTableRequest(request_id=new_id(), name=table.name, invitation=guess)
    assert (await refused(bora.tables.JoinTable(wrong, metadata=bora.metadata))).reason == "NOT_INVITED"
    await bora.tables.JoinTable(join, metadata=bora.metadata)
    stream, play = bora.watch(table.name), await ayse.play(table.name)
    said.add((await stream.read()).update.resume_token.encode())
    await play.read()
    while not (await ayse.get(table.name)).hand_number:  # noqa: ASYNC110 - what is waited for has no event
        await asyncio.sleep(0.02)
    for _ in range(4):
        await go_on([ayse, bora], table.name)
    guest = await caller(None).sessions.CreateGuest(session_pb.CreateGuestRequest(display_name="G"))
    stranger = caller(guest.token)
    assert (await refused(stranger.get(table.name))).reason == "NOT_INVITED"
    assert (await refused(stranger.leave(table.name))).reason
    for token in (
        signed(OTHER, "HS256", "first"),
        signed(KEY, "HS256", "first", exp=1),
        signed(KEY, "HS256", "first", aud="another"),
        signed(KEY, "HS256", "first", sub="a\nb"),
        signed(None, "none", "first"),
        signed(RSA, "RS256", "unknown"),
        f"{guest.token}x",
        "abc.def.ghi",
    ):
        refusal = await refused(caller(token).get(table.name))
        assert refusal.reason == "NO_CREDENTIALS"
        assert not found(refusal.message, pieces(token))
    assert (await refused(stranger.create(request_id="x" * 99))).fields
    half = '{"keys": [{"kty": "oct", "kid": "n", "k": "' + OTHER.decode()
    for content in (half, jwks(oct_jwk(b"k" * 40, "weak"))):
        written(keys, content)
        served.process.send_signal(signal.SIGHUP)
        await asyncio.sleep(0.2)
    written(keys, jwks(oct_jwk(NEXT, "next")))
    served.process.send_signal(signal.SIGHUP)
    async with asyncio.timeout(10):
        while True:
            try:
                await caller(signed(NEXT, "HS256", "next")).create()
                break
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0.05)
    stream.cancel()
    play.cancel()
    for each in callers:
        await each.close()
    return said


def test_no_secret_gets_into_any_log(tmp_path: Path) -> None:
    home = Authority("home")
    certificate, tls_key = home.issue("server")
    keys = written(tmp_path / "token.key", jwks(oct_jwk(KEY, "first")))
    served = Served(
        tmp_path / "data",
        *("--log-level", "debug", "--key-file", str(keys), "--guests", "on"),
        *("--jwks", str(written(tmp_path / "keys.json", jwks(jwk(RSA, "r"))))),
        *("--seal-key-file", str(put(tmp_path / "seal.key", SEAL.encode()))),
        *(
            "--tls-cert",
            str(put(tmp_path / "crt", certificate)),
            "--tls-key",
            str(put(tmp_path / "key", tls_key)),
        ),
        TOKEN_KEY="",
    )
    try:
        said = asyncio.run(a_whole_session(served, home.root, keys))
        rest, errors = "", ""
        served.process.send_signal(signal.SIGTERM)
        rest, errors = served.process.communicate(timeout=30)
    finally:
        served.end()
    written_down = "\n".join([*served.said, rest, errors])
    # It was not silent: every refusal leaves a line.
    assert errors.count("refused: NO_CREDENTIALS") >= 8
    assert "refused: NOT_INVITED" in errors
    assert "the keys before it stay" in errors
    for secret in (KEY, OTHER, NEXT, SEAL.encode(), bytes.fromhex(SEAL)):
        said |= encodings(secret)
    said |= {line.encode() for line in tls_key.decode().splitlines() if "PRIVATE" not in line}
    assert all(len(needle) > 8 for needle in said)
    assert found(written_down, said) == []


def test_no_key_stands_in_an_error_or_in_what_python_shows(tmp_path: Path) -> None:
    private = dict(RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 2048), as_dict=True))
    parts = {private[name].encode() for name in ("d", "p", "q", "dp", "dq", "qi")}
    path = written(tmp_path / "keys.json", json.dumps({"keys": [private | {"kid": "p"}]}))
    with pytest.raises(SettingsError) as caught:
        read_jwks_file(path)
    (public,) = public_keys(jwks(jwk(RSA, "r")).encode(), strict=True)
    (secret,) = secret_keys(KEY)
    settings = ServerSettings(
        token_key=KEY, seal_key=SEAL, redis_url="redis://user:a-password-for-redis@h", data_dir=tmp_path
    )
    shown = " ".join([str(caught.value), repr(public), repr(secret), repr(settings), str(settings)])
    needles = encodings(KEY) | encodings(SEAL.encode()) | parts | {b"a-password-for-redis"}
    assert found(shown, needles) == []
