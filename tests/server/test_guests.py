"""SessionService: who one is, and guests: where they are let in, for how long, and what they may do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import jwt
import pytest
from token_signing import OLD, RSA, jwk, jwks, signed, written
from turkpoker.server.app import Running, running_server
from turkpoker.server.auth import make_token
from turkpoker.server.buckets import Limit
from turkpoker.server.settings import ServerSettings
from turkpoker.v1 import session_service_pb2 as pb
from wire_players import KEY, Caller, refused

Make = Callable[..., Caller]


async def guest(stranger: Caller, name: str = "") -> pb.CreateGuestResponse:
    return await stranger.sessions.CreateGuest(pb.CreateGuestRequest(display_name=name))


async def session(caller: Caller) -> pb.Session:
    return (await caller.sessions.GetSession(pb.GetSessionRequest(), metadata=caller.metadata)).session


async def test_a_guest_gets_a_token_and_plays(player: Make) -> None:
    before = datetime.now(UTC)
    made = await guest(player(None), " Ayşe ")
    assert made.session.player.startswith("guest-")
    assert (made.session.display_name, made.session.guest) == ("Ayşe", True)
    assert list(made.session.roles) == ["player", "host"]
    lasts = made.session.expire_time.ToDatetime(UTC) - before
    assert timedelta(hours=23, minutes=59) < lasts <= timedelta(hours=24)
    ayse = player(None, made.token)
    assert await session(ayse) == made.session
    table = await ayse.create()
    assert table.host == made.session.player
    joined = await ayse.join(table.name)
    assert [(seat.player, seat.display_name) for seat in joined.seats] == [(made.session.player, "Ayşe")]


async def test_every_guest_is_somebody_else(player: Make) -> None:
    made = [await guest(player(None)) for _ in range(5)]
    assert len({each.session.player for each in made}) == 5
    assert len({each.token for each in made}) == 5
    assert all(each.session.display_name.startswith("Guest ") for each in made)


@pytest.mark.parametrize("name", ["x" * 65, "a\nb", "\x00"])
async def test_a_guest_needs_a_proper_name(player: Make, name: str) -> None:
    refusal = await refused(guest(player(None), name))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["display_name"])


async def test_get_session_tells_what_the_token_says(player: Make) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    token = make_token(
        KEY, "bora", display_name="Bora", roles=["operator"], lifetime=timedelta(hours=1), now=now
    )
    found = await session(player(None, token))
    assert (found.player, found.display_name, list(found.roles)) == ("bora", "Bora", ["operator"])
    assert not found.guest
    assert found.expire_time.ToDatetime(UTC) == now + timedelta(hours=1)
    refusal = await refused(session(player(None)))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "NO_CREDENTIALS")


async def test_a_guests_token_ends(settings: ServerSettings) -> None:
    brief = replace(settings, guest_lifetime=timedelta(seconds=1), token_leeway=timedelta(0))
    async with running_server(brief) as server:
        stranger = Caller(server.address, None)
        made = await guest(stranger)
        caller = Caller(server.address, None, made.token)
        assert (await session(caller)).guest
        async with asyncio.timeout(20):
            while True:
                try:
                    await session(caller)
                except grpc.aio.AioRpcError as error:
                    assert error.code() is grpc.StatusCode.UNAUTHENTICATED  # noqa: PT017
                    break
                await asyncio.sleep(0.05)
        assert datetime.now(UTC) >= made.session.expire_time.ToDatetime(UTC)
        for each in (stranger, caller):
            await each.close()


async def off(settings: ServerSettings) -> bool:
    async with running_server(settings) as server:
        stranger = Caller(server.address, None)
        try:
            if settings.guests_welcome and settings.jwks is None:
                await guest(stranger)
                return False
            refusal = await refused(guest(stranger))
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "GUESTS_OFF")
            return True
        finally:
            await stranger.close()


async def test_guests_are_let_in_as_set(settings: ServerSettings, tmp_path: Path) -> None:
    assert not await off(settings)
    assert await off(replace(settings, guests="off"))
    # A server that only checks public keys has nothing to sign with.
    path = written(tmp_path / "keys.json", jwks(jwk(RSA, "r")))
    assert await off(replace(settings, token_key=None, jwks=str(path), guests="on"))


@pytest.mark.parametrize(
    ("listen", "guests", "welcome"),
    [
        ("localhost:0", "loopback", True),
        ("127.0.0.1:0", "loopback", True),
        ("127.8.8.8:0", "loopback", True),
        ("[::1]:0", "loopback", True),
        ("0.0.0.0:0", "loopback", False),
        ("[::]:0", "loopback", False),
        ("192.0.2.1:0", "loopback", False),
        ("poker.example:0", "loopback", False),
        ("localhost.example:0", "loopback", False),
        ("0.0.0.0:0", "on", True),
        ("localhost:0", "off", False),
    ],
)
def test_strangers_are_welcome_on_loopback_only_unless_said(listen: str, guests: str, welcome: bool) -> None:
    assert ServerSettings(listen=listen, guests=guests, insecure=True).guests_welcome is welcome


async def test_guests_cannot_be_made_without_bound(settings: ServerSettings) -> None:
    async with running_server(replace(settings, guest_limit=Limit.parse("1/h,3"))) as server:
        strangers = [Caller(server.address, None) for _ in range(4)]
        for each in strangers[:3]:
            await guest(each)
        refusal = await refused(guest(strangers[3]))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS")
        assert refusal.retry_seconds is not None
        for each in strangers:
            await each.close()


async def test_no_other_token_has_a_guests_name(
    server: Running, settings: ServerSettings, tmp_path: Path
) -> None:
    """An account that calls itself as a guest is called would be that guest."""
    with pytest.raises(ValueError, match="guest"):
        make_token(KEY, "guest-ayse")
    with pytest.raises(ValueError, match="guest"):
        make_token(KEY, "ayse", guest=True)
    path = written(tmp_path / "keys.json", jwks(jwk(RSA, "r")))
    elsewhere = replace(settings, jwks=str(path), data_dir=tmp_path / "elsewhere")
    async with running_server(elsewhere) as other:
        for token in (
            signed(RSA, "RS256", "r", sub="guest-ayse"),
            signed(RSA, "RS256", "r", sub="guest-ayse", guest=True),
            signed(KEY, "HS256", sub="guest-ayse"),
            signed(KEY, "HS256", sub="ayse", guest=True),
            signed(OLD, "HS256", sub="guest-ayse", guest=True),
        ):
            caller = Caller(other.address, None, token)
            assert (await refused(session(caller))).reason == "NO_CREDENTIALS"
            await caller.close()
        made = Caller(other.address, None, signed(KEY, "HS256", sub="guest-ayse", guest=True))
        assert (await session(made)).guest
        await made.close()


async def test_a_guests_token_names_the_key_and_the_issuer(settings: ServerSettings) -> None:
    strict = replace(settings, token_issuer="https://here", token_audience="cards")
    async with running_server(strict) as server:
        stranger = Caller(server.address, None)
        made = await guest(stranger)
        claims = jwt.decode(made.token, KEY, ["HS256"], audience="cards", issuer="https://here")
        assert claims["sub"] == made.session.player
        caller = Caller(server.address, None, made.token)
        assert (await session(caller)).guest
        for each in (stranger, caller):
            await each.close()
