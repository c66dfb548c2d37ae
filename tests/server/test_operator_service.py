"""What operators see and do over the real wire, and the audit log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from turkpoker.server.auth import make_token
from turkpoker.table import clocks
from turkpoker.v1 import hand_history_service_pb2 as history_pb
from turkpoker.v1 import operator_service_pb2 as pb
from turkpoker.v1 import table_service_pb2 as table_pb
from wire_players import KEY, Caller, act, easy_rules, go_on, legal_of, new_id, refused, seated, whose_turn

Make = Callable[..., Caller]
NOBODY = "tables/0123456789abcdef"


@pytest.fixture
def olga(player: Make) -> Caller:
    return player("olga", make_token(KEY, "olga", roles=("operator",)))


async def close(
    caller: Caller, name: str, reason: str = "", request_id: str = ""
) -> pb.ForceCloseTableResponse:
    request = pb.ForceCloseTableRequest(request_id=request_id or new_id(), name=name, reason=reason)
    return await caller.operator.ForceCloseTable(request, metadata=caller.metadata)


async def drain(caller: Caller, *, end: bool = False, reason: str = "") -> pb.DrainResponse:
    return await caller.operator.Drain(pb.DrainRequest(end=end, reason=reason), metadata=caller.metadata)


async def log_of(caller: Caller, parent: str, page_size: int = 200) -> list[pb.AuditEntry]:
    found: list[pb.AuditEntry] = []
    request = pb.ListAuditEntriesRequest(parent=parent, page_size=page_size)
    while True:
        page = await caller.operator.ListAuditEntries(request, metadata=caller.metadata)
        assert len(page.entries) <= page_size
        found += page.entries
        request.page_token = page.next_page_token
        if not page.next_page_token:
            return found


def told(entries: list[pb.AuditEntry]) -> list[str]:
    return [f"{entry.actor}:{entry.role}:{entry.action}" for entry in entries]


async def test_every_call_needs_the_role(player: Make) -> None:
    ayse = player("ayse")
    name = (await ayse.create()).name
    for call in (
        ayse.operator.ListAllTables(pb.ListAllTablesRequest(), metadata=ayse.metadata),
        close(ayse, name),
        drain(ayse),
        ayse.operator.ListAuditEntries(pb.ListAuditEntriesRequest(parent="tables/-"), metadata=ayse.metadata),
    ):
        refusal = await refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING")
        assert refusal.metadata == {"role": "operator"}
    assert not (await ayse.get(name)).closed
    assert await ayse.create()


async def test_operators_list_private_tables_too(player: Make, olga: Caller) -> None:
    ayse, bora = player("ayse"), player("bora")
    names = [
        (await (ayse if number % 2 else bora).create(easy_rules(ante=number + 1), private=number == 3)).name
        for number in range(5)
    ]
    found: list[str] = []
    request = pb.ListAllTablesRequest(page_size=2)
    while True:
        page = await olga.operator.ListAllTables(request, metadata=olga.metadata)
        found += [each.name for each in page.tables]
        assert all(each.private == (each.name == names[3]) for each in page.tables)
        request.page_token = page.next_page_token
        if not request.page_token:
            break
    assert sorted(found) == sorted(names)
    wanted = table_pb.TableFilter(min_ante=3, max_ante=4)
    page = await olga.operator.ListAllTables(pb.ListAllTablesRequest(filter=wanted), metadata=olga.metadata)
    assert {each.name for each in page.tables} == set(names[2:4])
    for bad, field in (
        (pb.ListAllTablesRequest(page_size=-1), "page_size"),
        (pb.ListAllTablesRequest(page_token="x" * 300), "page_token"),
        (pb.ListAllTablesRequest(filter=table_pb.TableFilter(match="poker")), "filter.match"),
    ):
        refusal = await refused(olga.operator.ListAllTables(bad, metadata=olga.metadata))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, [field])


async def test_a_table_is_ended_in_the_middle_of_a_hand(player: Make, olga: Caller) -> None:
    callers = [player("ayse"), player("bora"), player("cem")]
    name = await seated(callers, easy_rules(start_stack=300))
    caller, decision = await whose_turn(callers, name)
    await caller.submit(name, decision.decision_id, act("open", to=legal_of(decision)["open"].min_to))
    watching = callers[1].watch(name)
    await watching.read()
    before = await callers[0].get(name)
    put_in = {each.seat: each.total for each in before.hand.players}
    assert sum(put_in.values()) == before.hand.pot
    answer = await close(olga, name, "the cable is cut", "end-1")
    assert answer.cashed_out == 900
    assert answer.table.closed
    assert not answer.table.seats
    events = (await watching.read()).update.events.events
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds[0] == "hand_stopped"
    assert kinds[-1] == "table_closed"
    stopped = events[0].hand_stopped
    assert {share.seat: share.amount for share in stopped.refunds} == put_in
    assert (stopped.hand_number, stopped.reason) == (before.hand_number, "the cable is cut")
    assert events[-1].table_closed.reason == "the cable is cut"
    left = {
        each.player_left.player: each.player_left.cashed_out
        for each in events
        if each.HasField("player_left")
    }
    assert left == {"ayse": 300, "bora": 300, "cem": 300}
    # Once, however often it is asked for; another request finds the table closed.
    again = await close(olga, name, "the cable is cut", "end-1")
    assert again.cashed_out == 900
    assert again.table.version == answer.table.version
    refusal = await refused(close(olga, name, "the cable is cut"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TABLE_CLOSED")
    refusal = await refused(close(olga, name, "something else", "end-1"))
    assert refusal.reason == "REQUEST_ID_REUSED"
    # A stopped hand leaves no record but an entry in the log.
    record = history_pb.GetHandRecordRequest(name=f"{name}/hands/{before.hand_number}")
    refusal = await refused(olga.history.GetHandRecord(record, metadata=olga.metadata))
    assert refusal.reason == "HAND_NOT_FOUND"
    entries = await log_of(olga, name)
    ending = [entry for entry in entries if entry.version == answer.table.version]
    assert {(entry.actor, entry.role) for entry in ending} == {("olga", "operator")}
    (closing,) = [entry for entry in ending if entry.action == "force_close"]
    assert closing.details["reason"] == "the cable is cut"
    assert closing.details["hand"] == str(before.hand_number)
    paid = [entry.details for entry in ending if entry.action == "cashed_out"]
    assert {each["player"]: each["cashed_out"] for each in paid} == dict.fromkeys(
        ("ayse", "bora", "cem"), "300"
    )
    assert len({each["transfer_id"] for each in paid}) == 3


async def test_what_cannot_be_ended(player: Make, olga: Caller) -> None:
    name = (await player("ayse").create()).name
    for call, code in (
        (close(olga, NOBODY), grpc.StatusCode.NOT_FOUND),
        (close(olga, "tables/"), grpc.StatusCode.INVALID_ARGUMENT),
        (close(olga, name, "x" * 201), grpc.StatusCode.INVALID_ARGUMENT),
        (close(olga, name, "two\nlines"), grpc.StatusCode.INVALID_ARGUMENT),
        (close(olga, name, request_id="x" * 65), grpc.StatusCode.INVALID_ARGUMENT),
    ):
        assert (await refused(call)).code is code
    assert not (await olga.get(name)).closed


async def test_while_servers_are_drained_nothing_begins(
    player: Make, olga: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "HELD_PAUSE", clocks.timedelta(seconds=1))
    callers = [player("ayse"), player("bora")]
    name = await seated(callers, easy_rules(start_stack=500))
    other = (await callers[0].create(private=True)).name
    rest = await drain(olga, reason="new servers")
    assert (rest.draining, rest.tables, rest.hands_running) == (True, 2, 1)
    refusal = await refused(callers[0].create())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
    assert refusal.retry_seconds
    # The hand that is on goes on to its end, and no other begins.
    number = (await callers[0].get(name)).hand_number
    while (await callers[0].get(name)).HasField("hand") and (await drain(olga)).hands_running:
        await go_on(callers, name)
    assert (await drain(olga)).hands_running == 0
    await asyncio.sleep(1.5)
    assert (await callers[0].get(name)).hand_number == number
    assert (await callers[0].join(other)).your_seat is not None
    rest = await drain(olga, end=True, reason="all new")
    assert not rest.draining
    assert await callers[0].create()
    for _ in range(100):
        if (await callers[0].get(name)).hand_number > number:
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError("no hand begins again")
    everything = await log_of(olga, "tables/-")
    drains = [entry for entry in everything if entry.action in ("drain", "end_drain")]
    assert told(drains)[0] == "olga:operator:end_drain"
    assert (drains[0].details["reason"], drains[-1].details["reason"]) == ("all new", "new servers")
    assert not drains[0].table
    refusal = await refused(drain(olga, reason="x" * 201))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["reason"])


async def test_a_request_for_a_table_that_was_held_back_makes_it_afterwards(
    player: Make, olga: Caller
) -> None:
    ayse = player("ayse")
    made = await ayse.create(request_id="before")
    await drain(olga)
    assert (await ayse.create(request_id="before")).name == made.name
    assert (await refused(ayse.create(request_id="during"))).reason == "DRAINING"
    await drain(olga, end=True)
    first = await ayse.create(request_id="during")
    assert (await ayse.create(request_id="during")).name == first.name != made.name


async def test_the_log_tells_who_did_what_at_a_table(player: Make, olga: Caller) -> None:
    ayse, bora, cem = player("ayse"), player("bora"), player("cem")
    rules = easy_rules(start_stack=100)
    rules.players_min, rules.players_max = 3, 3
    made = await ayse.create(rules, pause=60, private=True, display_name="Salon")
    name, metadata = made.name, ayse.metadata
    await ayse.join(name)
    for guest in (bora, cem):
        request = table_pb.JoinTableRequest(
            request_id=new_id(), name=name, buy_in=80, invitation=made.invitation
        )
        await guest.tables.JoinTable(request, metadata=guest.metadata)
    await bora.tables.SitOut(table_pb.SitOutRequest(request_id=new_id(), name=name), metadata=bora.metadata)
    await bora.tables.SitIn(table_pb.SitInRequest(request_id=new_id(), name=name), metadata=bora.metadata)
    await ayse.tables.PauseTable(
        table_pb.PauseTableRequest(request_id=new_id(), name=name, reason="tea"), metadata=metadata
    )
    await ayse.tables.ResumeTable(
        table_pb.ResumeTableRequest(request_id=new_id(), name=name), metadata=metadata
    )
    renewed = await ayse.tables.RenewInvitation(
        table_pb.RenewInvitationRequest(request_id=new_id(), name=name), metadata=metadata
    )
    await ayse.tables.RemovePlayer(
        table_pb.RemovePlayerRequest(request_id=new_id(), name=name, seat=2, player="cem"), metadata=metadata
    )
    await bora.leave(name)
    await olga.tables.PauseTable(
        table_pb.PauseTableRequest(request_id=new_id(), name=name, reason="broken"), metadata=olga.metadata
    )
    await ayse.tables.CloseTable(
        table_pb.CloseTableRequest(request_id=new_id(), name=name), metadata=metadata
    )
    for reader in (ayse, olga):
        entries = await log_of(reader, name, 3)
        assert list(reversed(told(entries))) == [
            "ayse:host:create",
            "ayse:player:join",
            "bora:player:join",
            "cem:player:join",
            "bora:player:sit_out",
            "bora:player:sit_in",
            "ayse:host:pause",
            "ayse:host:resume",
            "ayse:host:renew_invitation",
            "ayse:host:remove_player",
            "bora:player:leave",
            "olga:operator:pause",
            "ayse:host:close",
            "ayse:host:cashed_out",
            "ayse:host:leave",
        ]
    by_action = {entry.action: entry for entry in entries}
    assert by_action["pause"].details["reason"] == "broken" or by_action["pause"].details["reason"] == "tea"
    assert by_action["remove_player"].details["player"] == "cem"
    assert by_action["remove_player"].details["cashed_out"] == "80"
    assert {entry.table for entry in entries} == {name}
    times = [entry.create_time.ToNanoseconds() for entry in entries]
    assert times == sorted(times, reverse=True)
    text = str(entries)
    for secret in (made.invitation, renewed.table.invitation, ayse.metadata[0][1]):
        assert secret
        assert secret not in text


async def test_who_may_read_the_log(player: Make, olga: Caller) -> None:
    ayse, bora = player("ayse"), player("bora")
    name = (await ayse.create()).name
    await bora.join(name)
    refusal = await refused(
        bora.operator.ListAuditEntries(pb.ListAuditEntriesRequest(parent=name), metadata=bora.metadata)
    )
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_THE_HOST")
    assert told(await log_of(ayse, name)) == ["bora:player:join", "ayse:host:create"]
    refusal = await refused(
        bora.operator.ListAuditEntries(pb.ListAuditEntriesRequest(parent=NOBODY), metadata=bora.metadata)
    )
    assert refusal.reason == "TABLE_NOT_FOUND"
    assert not await log_of(olga, NOBODY)
    for bad, field in (
        (pb.ListAuditEntriesRequest(parent="x"), "parent"),
        (pb.ListAuditEntriesRequest(parent=name, page_size=-1), "page_size"),
        (pb.ListAuditEntriesRequest(parent=name, page_token="nonsense"), "page_token"),
        (pb.ListAuditEntriesRequest(parent=name, page_token="x" * 300), "page_token"),
    ):
        refusal = await refused(olga.operator.ListAuditEntries(bad, metadata=olga.metadata))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, [field])


async def test_what_operators_look_at_is_written_down(player: Make, olga: Caller) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers, easy_rules(start_stack=500))
    while (await callers[0].get(name)).hand_number < 2:
        await go_on(callers, name)
    await olga.operator.ListAllTables(pb.ListAllTablesRequest(), metadata=olga.metadata)
    await log_of(olga, name)
    one = history_pb.GetHandRecordRequest(name=f"{name}/hands/1")
    await olga.history.GetHandRecord(one, metadata=olga.metadata)
    await callers[0].history.GetHandRecord(one, metadata=callers[0].metadata)
    listed = history_pb.ListHandRecordsRequest(parent="players/ayse")
    await olga.history.ListHandRecords(listed, metadata=olga.metadata)
    call: Any = olga.history.ExportHandRecords(
        history_pb.ExportHandRecordsRequest(parent=name), metadata=olga.metadata
    )
    assert [piece async for piece in call]
    everything = await log_of(olga, "tables/-")
    looks = [
        (entry.actor, entry.action, entry.details.get("parent", ""))
        for entry in everything
        if not entry.table
    ]
    assert looks == [
        ("olga", "read_hands", name),
        ("olga", "read_hands", "players/ayse"),
        ("olga", "read_hands", f"{name}/hands/1"),
        ("olga", "read_audit_log", name),
        ("olga", "list_tables", ""),
    ]


async def test_hands_of_a_private_table_are_for_who_belongs_there(player: Make, olga: Caller) -> None:
    ayse, bora, cem = player("ayse"), player("bora"), player("cem")
    rules = easy_rules(start_stack=500)
    rules.players_min, rules.players_max = 2, 5
    made = await ayse.create(rules, private=True)
    name = made.name
    for guest in (bora, cem):
        request = table_pb.JoinTableRequest(request_id=new_id(), name=name, invitation=made.invitation)
        await guest.tables.JoinTable(request, metadata=guest.metadata)
    while (await bora.get(name)).hand_number < 2:
        await go_on([bora, cem], name)
    one = history_pb.GetHandRecordRequest(name=f"{name}/hands/1")
    listed = history_pb.ListHandRecordsRequest(parent=name)
    await cem.leave(name)
    for reader in (ayse, bora, cem, olga):  # host, player, one who played it and left, operator
        record = (await reader.history.GetHandRecord(one, metadata=reader.metadata)).record
        assert record.name == one.name
        page = await reader.history.ListHandRecords(listed, metadata=reader.metadata)
        assert page.records[-1].name == one.name
    stranger = player("stranger")
    export: Any = stranger.history.ExportHandRecords(
        history_pb.ExportHandRecordsRequest(parent=name), metadata=stranger.metadata
    )
    for call in (
        stranger.history.GetHandRecord(one, metadata=stranger.metadata),
        stranger.history.ListHandRecords(listed, metadata=stranger.metadata),
        export.read(),
    ):
        refusal = await refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_INVITED")


async def test_spectators_read_a_hand_when_they_have_seen_its_end(player: Make, olga: Caller) -> None:
    callers = [player("ayse"), player("bora")]
    rules = easy_rules(start_stack=500)
    rules.players_min, rules.players_max = 2, 5
    made = await callers[0].create(rules, spectator_delay=Duration(seconds=2))
    name = made.name
    for each in callers:
        await each.join(name)
    while (await callers[0].get(name)).hand_number < 2:
        await go_on(callers, name)
    one = history_pb.GetHandRecordRequest(name=f"{name}/hands/1")
    listed = history_pb.ListHandRecordsRequest(parent=name)
    spectator, late = player("spectator"), player("late")
    await late.join(name)  # who sits there sees things as they happen
    for reader in (*callers, late, olga):
        assert (await reader.history.GetHandRecord(one, metadata=reader.metadata)).record.name == one.name
    refusal = await refused(spectator.history.GetHandRecord(one, metadata=spectator.metadata))
    assert refusal.reason == "HAND_NOT_FOUND"
    page = await spectator.history.ListHandRecords(listed, metadata=spectator.metadata)
    assert not page.records
    export: Any = spectator.history.ExportHandRecords(
        history_pb.ExportHandRecordsRequest(parent=name, end_time=Timestamp(seconds=2**33)),
        metadata=spectator.metadata,
    )
    assert [piece async for piece in export] == []
    await asyncio.sleep(2.1)
    assert (await spectator.history.GetHandRecord(one, metadata=spectator.metadata)).record.name == one.name
    page = await spectator.history.ListHandRecords(listed, metadata=spectator.metadata)
    assert page.records[-1].name == one.name
