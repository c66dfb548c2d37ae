"""What one may do before and beside any token: connections, their calls, their metadata and messages."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import grpc
from certificates import Authority, put
from turkpoker.server.app import running_server
from turkpoker.server.settings import ServerSettings
from turkpoker.v1 import evaluator_service_pb2 as evaluator_pb
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import Caller, refused

#: Connections that share nothing.
ALONE = [("grpc.use_local_subchannel_pool", 1)]
BRIEF = timedelta(milliseconds=300)


async def closed_by_server(address: str, first: bytes = b"") -> bytes:
    """What a server says to who connects and says nothing more, until it closes the connection."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(first)
    async with asyncio.timeout(20):
        try:
            said = await reader.read(-1)
        except ConnectionError:
            said = b""
    writer.close()
    return said


async def test_who_connects_and_says_nothing_is_cut_off(settings: ServerSettings, tmp_path: Path) -> None:
    brief = replace(settings, handshake_timeout=BRIEF)
    async with running_server(brief) as server:
        await closed_by_server(server.address)
    certificate, key = Authority("home").issue("server")
    secure = replace(brief, tls_cert=put(tmp_path / "crt", certificate), tls_key=put(tmp_path / "key", key))
    async with running_server(secure) as server:
        assert await closed_by_server(server.address) == b""
        assert await closed_by_server(server.address, b"\x16\x03\x01") == b""


async def test_a_connection_without_calls_is_closed_and_made_again(settings: ServerSettings) -> None:
    async with running_server(replace(settings, connection_idle=BRIEF)) as server:
        ayse = Caller(server.address, "ayse", options=ALONE)
        name = (await ayse.create()).name
        stream = ayse.watch(name)
        await stream.read()
        await asyncio.sleep(3 * BRIEF.total_seconds())
        # With a stream on it, it stays.
        assert ayse.channel.get_state() is grpc.ChannelConnectivity.READY
        stream.cancel()
        async with asyncio.timeout(20):
            while ayse.channel.get_state() is grpc.ChannelConnectivity.READY:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert (await ayse.get(name)).name == name
        await ayse.close()


async def test_no_more_connections_than_allowed(settings: ServerSettings) -> None:
    async with running_server(replace(settings, max_connections=2)) as server:
        first, second, third = (Caller(server.address, "ayse", options=ALONE) for _ in range(3))
        name = (await first.create()).name
        await second.get(name)
        assert (await refused(third.get(name))).code is grpc.StatusCode.UNAVAILABLE
        await first.close()
        async with asyncio.timeout(20):
            while True:
                try:
                    await third.get(name)
                    break
                except grpc.aio.AioRpcError:
                    await asyncio.sleep(0.05)
        for each in (second, third):
            await each.close()


async def test_calls_beyond_what_a_connection_carries_wait(settings: ServerSettings) -> None:
    async with running_server(replace(settings, max_calls_per_connection=3)) as server:
        ayse, other = (Caller(server.address, name, options=ALONE) for name in ("ayse", "other"))
        name = (await ayse.create()).name
        streams = [ayse.watch(name) for _ in range(3)]
        for stream in streams:
            await stream.read()
        waiting = asyncio.ensure_future(ayse.get(name))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        await other.get(name)
        streams[0].cancel()
        async with asyncio.timeout(20):
            await waiting
        for each in (ayse, other):
            await each.close()


async def test_metadata_have_a_limit(settings: ServerSettings) -> None:
    async with running_server(replace(settings, max_metadata_bytes=8192)) as server:
        ayse = Caller(server.address, "ayse")
        name = (await ayse.create()).name
        for extra, refusal in ((4000, None), (9000, grpc.StatusCode.RESOURCE_EXHAUSTED)):
            call = ayse.tables.GetTable(
                pb.GetTableRequest(name=name), metadata=(*ayse.metadata, ("padding", "x" * extra))
            )
            if refusal is None:
                assert (await call).table.name == name
            else:
                assert (await refused(call)).code is refusal
        await ayse.close()


async def test_messages_and_batches_have_a_limit_that_is_told(settings: ServerSettings) -> None:
    async with running_server(replace(settings, max_message_bytes=65536, max_batch_hands=100)) as server:
        caller = Caller(server.address, "ayse")
        hands = bytes([51, 50, 49, 48, 47])
        request = evaluator_pb.BatchEvaluateHandsRequest(hands=hands * 101)
        refusal = await refused(caller.evaluator.BatchEvaluateHands(request))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
        assert (refusal.fields, refusal.metadata["max"]) == (["hands"], "100")
        request = evaluator_pb.BatchEvaluateHandsRequest(hands=hands * 20_000)
        refusal = await refused(caller.evaluator.BatchEvaluateHands(request))
        assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "65536" in refusal.message
        await caller.close()
