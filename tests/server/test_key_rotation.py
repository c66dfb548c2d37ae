"""Keys that change while the server runs: in files, behind a URL, at a signal."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import grpc
import pytest
from serving import Served
from token_signing import EC, ED, NEW, OLD, OTHER_RSA, RSA, jwk, jwks, oct_jwk, signed, written
from turkpoker.server.app import running_server
from turkpoker.server.auth import make_token
from turkpoker.server.settings import ServerSettings, SettingsError
from turkpoker.server.token_keys import TokenKey
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import (
    Caller,
    easy_action,
    easy_rules,
    new_id,
    refusal_of_error,
    seated,
    unchanged,
    whose_turn,
)

SOON = timedelta(milliseconds=20)
NEVER = timedelta(hours=1)


@asynccontextmanager
async def caller_maker(address: str) -> AsyncIterator[Callable[[str], Caller]]:
    callers: list[Caller] = []

    def make(token: str) -> Caller:
        callers.append(Caller(address, None, token))
        return callers[-1]

    yield make
    for caller in callers:
        await caller.close()


async def lists(caller: Caller) -> None:
    await caller.tables.ListTables(pb.ListTablesRequest(), metadata=caller.metadata)


async def is_locked_out(caller: Caller) -> bool:
    try:
        await lists(caller)
    except grpc.aio.AioRpcError as error:
        if refusal_of_error(error).reason != "NO_CREDENTIALS":
            raise
        return True
    return False


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(20):
        while not await condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


async def test_secret_keys_rotate_while_the_server_runs(settings: ServerSettings, tmp_path: Path) -> None:
    path = written(tmp_path / "token.key", jwks(oct_jwk(OLD, "old")))
    changed = replace(settings, token_key=None, token_key_file=path, key_check_interval=SOON)
    async with running_server(changed) as server, caller_maker(server.address) as make:
        old = make(make_token(TokenKey.of_secret(OLD, "old"), "ayse"))
        new = make(make_token(TokenKey.of_secret(NEW, "new"), "bora"))
        await lists(old)
        assert await is_locked_out(new)
        written(path, jwks(oct_jwk(NEW, "new"), oct_jwk(OLD, "old")))
        await until(lambda: _not(is_locked_out(new)))
        await lists(old)
        # What cannot be used leaves the keys as they are, and is looked at again.
        for bad in ('{"keys": [{"kty": "oct", "kid": "n', "", "k" * 64):
            written(path, bad)
            await asyncio.sleep(0.1)
            await lists(old)
            await lists(new)
        # Nor is a file that others may read, until that is mended.
        draft = path.with_name("draft")
        draft.write_text(jwks(oct_jwk(NEW, "new")))
        draft.chmod(0o644)
        draft.replace(path)
        await asyncio.sleep(0.1)
        await lists(old)
        path.chmod(0o600)
        await until(lambda: is_locked_out(old))
        await lists(new)


async def _not(answer: Awaitable[bool]) -> bool:
    return not await answer


async def test_streams_end_when_the_key_of_their_token_is_taken_out(
    settings: ServerSettings, tmp_path: Path
) -> None:
    path = written(tmp_path / "token.key", jwks(oct_jwk(OLD, "old"), oct_jwk(NEW, "new")))
    changed = replace(
        settings, token_key=None, token_key_file=path, key_check_interval=SOON, checkpoint_interval=4 * SOON
    )
    async with running_server(changed) as server, caller_maker(server.address) as make:
        ayse = make(signed(OLD, "HS256", "old", sub="ayse"))
        bora = make(signed(NEW, "HS256", "new", sub="bora"))
        name = (await ayse.create(easy_rules(players_min=5, players_max=5))).name
        await ayse.join(name)
        old, new, play = ayse.watch(name), bora.watch(name), await ayse.play(name)
        for stream in (old, new, play):
            await stream.read()
        written(path, jwks(oct_jwk(NEW, "new")))
        for stream in (old, play):
            error = await asyncio.wait_for(ended(stream), 20)
            assert refusal_of_error(error).reason == "STREAM_EXPIRED"
        assert await is_locked_out(ayse)
        assert (await new.read()).update.HasField("checkpoint")
        new.cancel()


async def test_no_action_is_carried_out_for_a_token_whose_key_is_gone(
    settings: ServerSettings, tmp_path: Path
) -> None:
    path = written(tmp_path / "token.key", jwks(oct_jwk(OLD, "old"), oct_jwk(NEW, "new")))
    changed = replace(settings, token_key=None, token_key_file=path, key_check_interval=SOON)
    async with running_server(changed) as server, caller_maker(server.address) as make:
        callers = [
            make(signed(OLD, "HS256", "old", sub="ayse")),
            make(signed(NEW, "HS256", "new", sub="bora")),
        ]
        name = await seated(callers)
        caller, decision = await whose_turn(callers, name)
        if caller is callers[1]:
            await caller.submit(name, decision.decision_id, easy_action(decision))
            caller, decision = await whose_turn(callers, name)
        play = await callers[0].play(name)
        await play.read()
        written(path, jwks(oct_jwk(NEW, "new")))
        await until(lambda: is_locked_out(callers[0]))
        action = pb.PlayAction(
            request_id=new_id(), decision_id=decision.decision_id, action=easy_action(decision)
        )
        before = await callers[1].get(name)
        await play.write(pb.PlayRequest(action=action))
        error = await asyncio.wait_for(ended(play), 20)
        assert refusal_of_error(error).reason == "STREAM_EXPIRED"
        await unchanged(callers[1], name, before)


async def ended(stream: Any) -> grpc.aio.AioRpcError:
    """The error with which a stream ends."""
    try:
        while await stream.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return error
    raise AssertionError("the stream ended without an error")


async def test_a_jwks_file_rotates_and_guards_its_tables(settings: ServerSettings, tmp_path: Path) -> None:
    path = written(tmp_path / "keys.json", jwks(jwk(RSA, "r"), jwk(EC, "e"), jwk(ED, "d")))
    changed = replace(settings, token_key=None, jwks=str(path), key_check_interval=SOON)
    async with running_server(changed) as server, caller_maker(server.address) as make:
        assert server.key_file is None
        assert not (settings.data_dir / "token.key").exists()
        for key, algorithm, kid in ((RSA, "RS256", "r"), (EC, "ES256", "e"), (ED, "EdDSA", "d")):
            await lists(make(signed(key, algorithm, kid)))
        assert await is_locked_out(make(make_token(OLD, "ayse")))
        gone = make(signed(RSA, "RS256", "r"))
        written(path, jwks(jwk(EC, "e")))
        await until(lambda: is_locked_out(gone))
        await lists(make(signed(EC, "ES256", "e")))


def test_sighup_lets_a_server_look_at_its_keys(tmp_path: Path) -> None:
    path = written(tmp_path / "token.key", jwks(oct_jwk(OLD, "old")))
    served = Served(
        tmp_path / "data", "--key-file", str(path), TOKEN_KEY="", KEY_CHECK_INTERVAL="1h", LOG_LEVEL="info"
    )

    async def check() -> None:
        async with caller_maker(served.address) as make:
            old, new = make(signed(OLD, "HS256", "old")), make(signed(NEW, "HS256", "new"))
            await lists(old)
            written(path, jwks(oct_jwk(NEW, "new")))
            await asyncio.sleep(0.1)
            assert await is_locked_out(new)
            served.process.send_signal(signal.SIGHUP)
            await until(lambda: is_locked_out(old))
            await lists(new)

    try:
        asyncio.run(check())
        assert served.stop() == 0
    finally:
        served.end()
    assert OLD.decode() not in served.errors


class Endpoint:
    """A JWKS behind a URL, which can change, fail, and counts how often it was asked."""

    def __init__(self) -> None:
        self.body = b""
        self.status = 200
        self.asked = 0
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                endpoint.asked += 1
                self.send_response(endpoint.status)
                if endpoint.status == 302:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(endpoint.body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/keys"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def serve(self, *keys: dict[str, Any]) -> None:
        self.body, self.status = jwks(*keys).encode(), 200


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.server.shutdown()
    made.server.server_close()


async def test_a_new_key_behind_a_url_is_fetched_when_a_token_names_it(
    settings: ServerSettings, endpoint: Endpoint
) -> None:
    endpoint.serve(jwk(RSA, "one"))
    changed = replace(
        settings,
        token_key=None,
        jwks=endpoint.url,
        jwks_refresh=NEVER,
        jwks_pause=SOON,
        key_check_interval=NEVER,
    )
    async with running_server(changed) as server, caller_maker(server.address) as make:
        await lists(make(signed(RSA, "RS256", "one")))
        endpoint.serve(jwk(OTHER_RSA, "two"), jwk(RSA, "one"))
        await asyncio.sleep(2 * SOON.total_seconds())
        # All who come with the new key at once are let in by one fetch.
        before = endpoint.asked
        await asyncio.gather(*(lists(make(signed(OTHER_RSA, "RS256", "two", sub=f"p{n}"))) for n in range(8)))
        assert endpoint.asked == before + 1
        # Down, or answering nonsense: those whose keys are known stay in.
        for status, body in (
            (500, b""),
            (200, b"nonsense"),
            (200, b"[]"),
            (200, b'{"keys": []}'),
            (200, b"[" * 100_000),
            (200, b'{"keys": [[7], {"kty": 7}, {"kty": "RSA", "kid": []}]}'),
            (302, b""),
        ):
            endpoint.status, endpoint.body = status, body
            await asyncio.sleep(2 * SOON.total_seconds())
            assert await is_locked_out(make(signed(RSA, "RS256", f"unknown{status}{len(body)}")))
            await lists(make(signed(RSA, "RS256", "one", sub=f"s{status}{len(body)}")))


async def test_unknown_kids_do_not_hammer_the_url(settings: ServerSettings, endpoint: Endpoint) -> None:
    endpoint.serve(jwk(RSA, "one"))
    changed = replace(settings, token_key=None, jwks=endpoint.url, jwks_pause=NEVER)
    async with running_server(changed) as server, caller_maker(server.address) as make:
        await asyncio.gather(*(is_locked_out(make(signed(OTHER_RSA, "RS256", f"k{n}"))) for n in range(30)))
        await lists(make(signed(RSA, "RS256", "one")))
        assert endpoint.asked == 1


async def test_a_key_that_is_gone_behind_the_url_is_refused_after_the_refresh(
    settings: ServerSettings, endpoint: Endpoint
) -> None:
    endpoint.serve(jwk(RSA, "one"), jwk(EC, "e"))
    changed = replace(
        settings, jwks=endpoint.url, jwks_refresh=SOON, jwks_pause=SOON, key_check_interval=SOON
    )
    async with running_server(changed) as server, caller_maker(server.address) as make:
        caller = make(signed(RSA, "RS256", "one"))
        await lists(caller)
        endpoint.serve(jwk(EC, "e"))
        await until(lambda: is_locked_out(caller))
        endpoint.server.shutdown()
        endpoint.server.server_close()
        await asyncio.sleep(0.1)
        await lists(make(signed(EC, "ES256", "e")))


async def test_a_url_without_keys_is_refused_at_the_start(
    settings: ServerSettings, endpoint: Endpoint
) -> None:
    endpoint.status = 503
    with pytest.raises(SettingsError, match="cannot be fetched"):
        async with running_server(replace(settings, jwks=endpoint.url)):
            pass
    endpoint.body, endpoint.status = jwks({"kty": "oct", "k": "AAAA"}).encode(), 200
    with pytest.raises(SettingsError, match="no key for RS256"):
        async with running_server(replace(settings, jwks=endpoint.url)):
            pass
