"""Play and WatchTable over the real wire: results in order, resuming without a gap, limits, and how
streams end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import pytest
from turkpoker.engine import Rules
from turkpoker.server import play
from turkpoker.server.app import Running, running_server
from turkpoker.server.auth import make_token
from turkpoker.server.bootstrap import Adapters, open_adapters
from turkpoker.server.buy_ins import BuyIns
from turkpoker.server.delay import DelayedTables
from turkpoker.server.limits import Limits
from turkpoker.server.resume import ResumeTokens
from turkpoker.server.settings import ServerSettings
from turkpoker.server.streams import StreamRegister
from turkpoker.server.watch import Viewing, viewer_of
from turkpoker.table.allowance import Allowance
from turkpoker.table.commands import Join, Remove
from turkpoker.table.errors import FeedLost, Reason, TableError
from turkpoker.table.ports import LogEntry
from turkpoker.table.tables import Tables
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import (
    KEY,
    Caller,
    act,
    easy_action,
    go_on,
    refusal_of,
    refusal_of_error,
    refused,
    seated,
    whose_turn,
    without_clock,
)

Make = Callable[..., Caller]


def action_message(decision_id: str, action: Any, request_id: str) -> pb.PlayRequest:
    play = pb.PlayAction(request_id=request_id, decision_id=decision_id, action=action)
    return pb.PlayRequest(action=play)


async def next_result(call: Any) -> pb.PlayResult:
    while True:
        message = await call.read()
        assert message is not grpc.aio.EOF
        if message.HasField("result"):
            return message.result


async def ended(call: Any) -> grpc.aio.AioRpcError | None:
    """Read a stream to its end; the error it ends with, or None for OK."""
    try:
        while await call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return error
    return None


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not reached():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


async def test_play_takes_actions_and_answers_each_in_order(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    caller, decision = await whose_turn(callers, name)
    call = await caller.play(name)
    first = await call.read()
    assert first.update.snapshot.decision.decision_id == decision.decision_id
    await call.write(action_message(decision.decision_id, act("fold"), "refused"))
    await call.write(action_message(decision.decision_id, act("open", to=5), "taken"))
    await call.write(action_message(decision.decision_id, act("open", to=5), "taken"))
    await call.write(action_message(decision.decision_id, act("check"), "stale"))
    results = [await next_result(call) for _ in range(4)]
    assert [each.request_id for each in results] == ["refused", "taken", "taken", "stale"]
    refusal = refusal_of(results[0].refused)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ACTION_NOT_LEGAL")
    assert refusal.action is not None
    assert refusal.action.decision.legal_actions
    assert results[1].accepted.version == results[2].accepted.version > 0
    refusal = refusal_of(results[3].refused)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "STALE_DECISION")
    # The very same refusal comes from SubmitAction.
    unary = await refused(caller.submit(name, decision.decision_id, act("check")))
    assert replace(unary, retry_seconds=None) == replace(refusal, retry_seconds=None)
    await call.done_writing()
    assert await ended(call) is None


async def test_closing_the_sending_side_lets_the_rest_finish(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    caller, decision = await whose_turn(callers, name)
    call = await caller.play(name)
    for number in range(10):
        await call.write(action_message(decision.decision_id, act("check"), f"n{number}"))
    await call.done_writing()
    answered = [message.result.request_id async for message in call if message.HasField("result")]
    assert answered == [f"n{number}" for number in range(10)]
    assert await call.code() is grpc.StatusCode.OK


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [pb.PlayRequest()],
        [action_message("h1.round1.s0.d1", act("check"), "a")],
        [pb.PlayRequest(start=pb.PlayStart(name="nonsense"))],
    ],
    ids=["nothing", "empty", "no start", "no name"],
)
async def test_play_begins_with_start(player: Make, messages: list[pb.PlayRequest]) -> None:
    ayse = player("ayse")
    call = ayse.tables.Play(metadata=ayse.metadata)
    for message in messages:
        await call.write(message)
    await call.done_writing()
    refusal = await refused(call.read())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")


async def test_a_stream_that_never_starts_is_ended(player: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "START_PATIENCE", timedelta(milliseconds=50))
    ayse = player("ayse")
    refusal = await asyncio.wait_for(refused(ayse.tables.Play(metadata=ayse.metadata).read()), 10)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")


async def test_a_second_start_ends_the_stream(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    call = await callers[0].play(name)
    await call.write(pb.PlayRequest(start=pb.PlayStart(name=name)))
    error = await ended(call)
    assert error is not None
    assert refusal_of_error(error).fields == ["action"]


async def test_a_newer_stream_of_the_same_seat_replaces_the_older(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    older = await callers[0].play(name)
    await older.read()
    newer = await callers[0].play(name)
    await newer.read()
    error = await ended(older)
    assert error is not None
    refusal = refusal_of_error(error)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "REPLACED")
    caller, decision = await whose_turn(callers, name)
    if caller is callers[0]:
        await newer.write(action_message(decision.decision_id, easy_action(decision), "still here"))
        assert (await next_result(newer)).HasField("accepted")
    await newer.done_writing()
    assert await ended(newer) is None


async def collect(call: Any, until: int) -> tuple[list[int], list[bytes], str]:
    """Versions and events of a stream up to a version, and the last resume token."""
    versions: list[int] = []
    events: list[bytes] = []
    token = ""
    while not versions or versions[-1] < until:
        message = await call.read()
        update = message.update
        token = update.resume_token
        if update.HasField("snapshot"):
            versions.append(update.snapshot.version)
        elif update.HasField("events"):
            versions.append(update.events.events[0].version if update.events.events else versions[-1] + 1)
            events += [each.SerializeToString(deterministic=True) for each in update.events.events]
    return versions, events, token


async def test_x12_a_watcher_resumes_at_any_place_without_a_gap(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    whole = callers[0].watch(name)
    await whole.read()
    start = (await callers[0].get(name)).version
    tokens = {}
    for _ in range(40):
        table = await callers[0].get(name)
        tokens[table.version] = table.resume_token
        await go_on(callers, name)
    end = (await callers[0].get(name)).version
    versions, events, _ = await collect(whole, end)
    assert versions == list(range(start + 1, end + 1))
    assert (await callers[0].get(name)).hand_number > 2
    for version in (start, start + 7, start + 20, end - 1):
        resumed = callers[0].watch(name, tokens[version])
        later, again, _ = await collect(resumed, end)
        assert later == list(range(version + 1, end + 1))
        assert again == events[len(events) - len(again) :]
        resumed.cancel()


async def test_a_token_of_another_viewer_table_or_making_gets_a_snapshot(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    token = (await callers[0].get(name)).resume_token
    for caller, other in (
        (callers[1], token),
        (player("spectator"), token),
        (callers[0], token[:-4] + "AAAA"),
        (callers[0], "nonsense"),
        (callers[0], "é" * 20),
        (callers[0], "x" * 5000),
    ):
        call = caller.watch(name, other)
        message = await call.read()
        assert message.update.HasField("snapshot")
        if caller is not callers[0]:
            assert message.update.resume_token != token
        call.cancel()


async def test_a_snapshot_is_what_get_table_gives(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    for caller in (*callers, player("spectator")):
        snapshot = (await caller.watch(name).read()).update.snapshot
        assert without_clock(snapshot) == without_clock(await caller.get(name))


async def test_a_closed_table_ends_its_streams(player: Make) -> None:
    host = player("host")
    name = (await host.create()).name
    call = host.watch(name)
    await call.read()
    request = pb.CloseTableRequest(name=name)
    await host.tables.CloseTable(request, metadata=host.metadata)
    last = await call.read()
    assert [event.WhichOneof("event") for event in last.update.events.events][-1] == "table_closed"
    assert await call.read() is grpc.aio.EOF
    late = host.watch(name)
    assert (await late.read()).update.snapshot.closed
    assert await late.read() is grpc.aio.EOF


async def test_quiet_streams_send_checkpoints(settings: ServerSettings) -> None:
    quiet = replace(settings, checkpoint_interval=timedelta(milliseconds=100))
    async with running_server(quiet) as server:
        host = Caller(server.address, "host")
        name = (await host.create()).name
        call = host.watch(name)
        snapshot = (await call.read()).update.snapshot
        update = (await call.read()).update
        assert update.checkpoint.version == snapshot.version
        assert update.resume_token == snapshot.resume_token
        await host.close()


async def test_streams_end_at_their_greatest_age_and_when_the_token_expires(settings: ServerSettings) -> None:
    short = replace(settings, stream_max_age=timedelta(milliseconds=300))
    async with running_server(short) as server:
        host = Caller(server.address, "host")
        name = (await host.create()).name
        error = await ended(host.watch(name))
        assert error is not None
        refusal = refusal_of_error(error)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STREAM_EXPIRED")
        resumed = host.watch(name, refusal.metadata["resume_token"])
        await host.join(name)
        assert (await resumed.read()).update.HasField("events")
        await host.close()
    async with running_server(settings) as server:
        # Of the five seconds of leeway for clocks that differ most have passed.
        now = datetime.now(UTC) - timedelta(seconds=5)
        token = make_token(KEY, "host", lifetime=timedelta(seconds=1.9), now=now)
        brief = Caller(server.address, None, token)
        name = (await brief.create()).name
        error = await asyncio.wait_for(ended(brief.watch(name)), 10)
        assert error is not None
        assert refusal_of_error(error).reason == "STREAM_EXPIRED"
        assert (await refused(brief.get(name))).reason == "NO_CREDENTIALS"
        await brief.close()


async def test_too_many_streams_of_one_player_are_refused(settings: ServerSettings) -> None:
    async with running_server(replace(settings, max_streams_per_player=3)) as server:
        host, other = Caller(server.address, "host"), Caller(server.address, "other")
        name = (await host.create()).name
        calls = [host.watch(name) for _ in range(3)]
        for call in calls:
            await call.read()
        refusal = await refused(host.watch(name).read())
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_STREAMS")
        assert refusal.retry_seconds
        assert (await other.watch(name).read()).update.HasField("snapshot")
        calls[0].cancel()
        await until(lambda: len(server.streams) == 3)
        assert (await host.watch(name).read()).update.HasField("snapshot")
        await host.close()
        await other.close()


async def test_a_slow_watcher_gets_a_fresh_snapshot_and_holds_nobody_up(settings: ServerSettings) -> None:
    async with running_server(replace(settings, watch_queue_size=4)) as server:
        callers = [Caller(server.address, "ayse"), Caller(server.address, "bora")]
        name = await seated(callers)
        # A small window, so that not much has to happen until his connection is full.
        window = [("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0)]
        slow = Caller(server.address, "slow", options=window)
        call = slow.watch(name)
        await call.read()
        # He reads nothing while more happens than his connection and his queue hold together.
        for _ in range(300):
            await go_on(callers, name)
        now = (await callers[0].get(name)).version
        seen, snapshots = 0, 0
        while seen < now:
            update = (await call.read()).update
            if update.HasField("snapshot"):
                snapshots += 1
                assert update.snapshot.version > seen
                seen = update.snapshot.version
            elif update.HasField("events"):
                seen = max([seen, *(event.version for event in update.events.events)])
        assert snapshots >= 1
        for each in (*callers, slow):
            await each.close()


async def test_nothing_is_left_of_streams_that_are_gone(server: Running, player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    before = len(asyncio.all_tasks())
    calls = [callers[0].watch(name) for _ in range(10)] + [await callers[0].play(name)]
    for call in calls:
        await call.read()
    assert len(server.streams) == 11
    for call in calls:
        call.cancel()
    await until(lambda: not len(server.streams) and len(asyncio.all_tasks()) <= before)


async def test_a_killed_client_loses_his_stream_and_nothing_else(server: Running, player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers)
    caller, decision = await whose_turn(callers, name)
    gone = Caller(server.address, caller.player)
    call = await gone.play(name)
    await call.read()
    before = await caller.get(name)
    await gone.channel.close(grace=None)
    await until(lambda: not len(server.streams))
    assert without_clock(await caller.get(name)) == without_clock(before)
    again = await caller.play(name)
    assert (await again.read()).update.snapshot.decision == decision
    await again.write(action_message(decision.decision_id, easy_action(decision), "back"))
    assert (await next_result(again)).HasField("accepted")
    again.cancel()


def viewing_of(adapters: Adapters, tables: Tables, settings: ServerSettings) -> Viewing:
    return Viewing(
        tables,
        adapters.feed,
        DelayedTables(adapters.feed),
        adapters.takeovers,
        ResumeTokens(adapters.resume_key),
        StreamRegister(3),
        settings,
        BuyIns(tables, adapters.feed, settings.bank_patience),
        Limits(settings),
        Allowance(adapters.player_tables, 0, 0),
    )


async def test_an_entry_that_does_not_follow_gives_a_snapshot(settings: ServerSettings) -> None:
    async with open_adapters(settings) as adapters:
        tables = Tables(adapters.store, adapters.dealer)
        made = await tables.create("host", Rules.profile("turkish"))
        viewing = viewing_of(adapters, tables, settings)
        async with viewer_of(viewing, made.state.table_id, "host") as viewer:
            await viewer.begin("")
            known = viewer.position

            def entry(epoch: int, version: int) -> LogEntry:
                return LogEntry(made.state.table_id, epoch, version, made.now, None, ())

            assert await viewer.update(entry(known.epoch, known.version)) is None
            for strange in (entry(known.epoch, known.version + 2), entry(known.epoch + 1, known.version + 1)):
                update = await viewer.update(strange)
                assert update is not None
                assert update.HasField("snapshot")
            update = await viewer.update(entry(known.epoch, known.version + 1))
            assert update is not None
            assert update.HasField("events")


async def test_who_was_sent_away_from_a_private_table_gets_no_fresh_snapshot(
    settings: ServerSettings,
) -> None:
    """His stream may have lost its way just then, and would go on from a new view."""
    async with open_adapters(settings) as adapters:
        tables = Tables(adapters.store, adapters.dealer)
        for private in (True, False):
            made = await tables.create("host", Rules.profile("turkish"), private=private)
            table_id = made.state.table_id
            await tables.carry_out(table_id, Join("a", "A", invitation=made.state.invitation))
            async with viewer_of(viewing_of(adapters, tables, settings), table_id, "a") as viewer:
                await viewer.begin("")
                await tables.carry_out(table_id, Remove("host", 0, "a"))
                if private:
                    with pytest.raises(TableError) as caught:
                        await viewer.update(FeedLost("lagged"))
                    assert caught.value.reason is Reason.REMOVED
                else:
                    assert await viewer.update(FeedLost("lagged")) is not None
