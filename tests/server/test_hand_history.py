"""Finished hands over the real wire: by player, for operators, as files; what of one table's records who may
see is looked at in test_projection.py.
"""

from __future__ import annotations

import asyncio
import io
import json
import tomllib
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from turkpoker.engine import HandRecord, ReplayReport, read_phhs, replay
from turkpoker.server.app import Running
from turkpoker.server.auth import make_token
from turkpoker.server.cli.replay import read_records
from turkpoker.storage.records import RedisRecordStore
from turkpoker.v1 import hand_history_service_pb2 as pb
from wire_players import KEY, Caller, easy_rules, go_on, refused, seated

Make = Callable[..., Caller]


def operator_of(player: Make, name: str = "olga") -> Caller:
    return player(name, make_token(KEY, name, roles=("operator",)))


async def play_hands(callers: list[Caller], hands: int) -> str:
    """A table at which so many hands were played to their end."""
    name = await seated(callers, easy_rules(start_stack=2000, buy_in_max=2000))
    while (await callers[0].get(name)).hand_number <= hands:
        await go_on(callers, name)
    return name


async def listed(caller: Caller, parent: str, page_size: int = 100) -> list[pb.HandRecord]:
    """All pages."""
    found: list[pb.HandRecord] = []
    request = pb.ListHandRecordsRequest(parent=parent, page_size=page_size)
    while True:
        page = await caller.history.ListHandRecords(request, metadata=caller.metadata)
        assert len(page.records) <= page_size
        found += page.records
        request.page_token = page.next_page_token
        if not page.next_page_token:
            return found


async def exported(caller: Caller, parent: str, **fields: Any) -> list[pb.ExportHandRecordsResponse]:
    request = pb.ExportHandRecordsRequest(parent=parent, **fields)
    call: Any = caller.history.ExportHandRecords(request, metadata=caller.metadata)
    return [piece async for piece in call]


async def as_file(caller: Caller, parent: str, **fields: Any) -> str:
    return b"".join(piece.data for piece in await exported(caller, parent, **fields)).decode()


def replayed(text: str) -> list[ReplayReport]:
    """What `turkpoker replay` finds in a file."""
    return [
        replay(record) if isinstance(record, HandRecord) else record
        for _, record in read_records(io.BytesIO(text.encode()))
    ]


async def test_a_player_lists_his_hands_at_all_tables_newest_first(player: Make) -> None:
    ayse, bora, cem = player("ayse"), player("bora"), player("cem")
    first = await play_hands([ayse, bora], 3)
    second = await play_hands([ayse, cem], 4)
    mine = await listed(ayse, "players/me", 2)
    names = [f"{second}/hands/{number}" for number in (4, 3, 2, 1)]
    names += [f"{first}/hands/{number}" for number in (3, 2, 1)]
    assert [record.name for record in mine] == names
    ends = [record.end_time.ToDatetime() for record in mine]
    assert ends == sorted(ends, reverse=True)
    assert [record.name for record in await listed(cem, "players/me")] == names[:4]
    assert not await listed(player("deniz"), "players/me")
    for record in mine:
        assert record.partial
        data = json.loads(record.json)
        assert {each.player for each in record.players} == set(data["players"].values())
        assert sum(each.net for each in record.players) == 0
        for each in record.players:
            letter = "ABC"[each.seat]
            assert data["players"][letter] == each.player
            assert each.final - each.net == data["stacks"][letter]
            assert each.final == data["expect"]["final"][letter]
        # His own first cards, and not the other's.
        assert len([card for card in data["deck"].split() if card != "??"]) == 5


async def test_only_operators_list_the_hands_of_others(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    name = await play_hands([ayse, bora], 2)
    request = pb.ListHandRecordsRequest(parent="players/ayse")
    for caller in (bora, ayse):
        refusal = await refused(caller.history.ListHandRecords(request, metadata=caller.metadata))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING")
    operator = operator_of(player)
    found = await listed(operator, "players/ayse")
    assert [record.name for record in found] == [f"{name}/hands/2", f"{name}/hands/1"]
    assert not await listed(operator, "players/me")


async def test_an_operator_sees_all_of_a_hand_unless_he_played_it(player: Make) -> None:
    ayse, both = player("ayse"), player("both", make_token(KEY, "both", roles=("player", "operator")))
    name = await play_hands([ayse, both], 2)
    whole = await listed(operator_of(player), name)
    own = await listed(both, name)
    assert len(whole) == len(own) == 2
    for record in whole:
        assert not record.partial
        assert "?" not in record.json
        assert [report.ok for report in replayed(record.json)] == [True]
    for record in own:
        assert record.partial
        assert len([card for card in json.loads(record.json)["deck"].split() if card != "??"]) == 5


async def test_parents_that_are_none(player: Make) -> None:
    ayse = player("ayse")
    for parent in ("", "players/", "players", "tables/", "tables/?", "hands/1", "players/" + "x" * 65):
        call = ayse.history.ListHandRecords(pb.ListHandRecordsRequest(parent=parent), metadata=ayse.metadata)
        refusal = await refused(call)
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["parent"])
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await exported(ayse, parent)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    name = await play_hands([ayse, player("bora")], 3)
    page = await ayse.history.ListHandRecords(
        pb.ListHandRecordsRequest(parent=name, page_size=1), metadata=ayse.metadata
    )
    foreign = pb.ListHandRecordsRequest(parent="players/me", page_token=page.next_page_token)
    refusal = await refused(ayse.history.ListHandRecords(foreign, metadata=ayse.metadata))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["page_token"])


async def test_an_exported_file_replays(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    name = await play_hands([ayse, bora], 4)
    text = await as_file(operator_of(player), name)
    reports = replayed(text)
    assert [report.id for report in reports] == [
        f"{name.removeprefix('tables/')}-{number}" for number in range(1, 5)
    ]
    assert all(report.ok is True for report in reports)
    assert await as_file(operator_of(player), "players/ayse") == text
    # What a player gets is partial, and says so; he gets the same by his name as by the table.
    mine = await as_file(ayse, "players/me")
    assert mine == await as_file(ayse, name)
    for line in mine.splitlines():
        data = json.loads(line)
        assert data["partial"] is True
        assert data["end_time"].endswith("Z")
        assert data["players"] == {"A": "ayse", "B": "bora"}
    assert [report.refused for report in replayed(mine)] == ["partial"] * 4
    listed_ = await listed(ayse, "players/me")
    assert [json.loads(line) for line in mine.splitlines()] == [
        json.loads(record.json) for record in reversed(listed_)
    ]


async def test_an_exported_phh_file_is_read_again(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    name = await play_hands([ayse, bora], 3)
    whole = await as_file(operator_of(player), name, format=pb.RECORD_FORMAT_PHH)
    records = read_phhs(whole)
    stored = [json.loads(record.json) for record in reversed(await listed(operator_of(player), name))]
    for record, data in zip(records, stored, strict=True):
        result = record.restore().result
        assert result is not None
        assert {"AB"[seat]: chips for seat, chips in result.final.items()} == data["expect"]["final"]
    mine = tomllib.loads(await as_file(ayse, name, format=pb.RECORD_FORMAT_PHH))
    assert list(mine) == ["1", "2", "3"]
    seen = [json.loads(record.json) for record in reversed(await listed(ayse, name))]
    for hand, full, data in zip(mine.values(), tomllib.loads(whole).values(), seen, strict=True):
        assert hand["_partial"] is True
        assert "_partial" not in full
        assert hand["_deck"] == data["deck"]
        assert sorted(hand["players"]) == ["ayse", "bora"]
        own = f"p{hand['players'].index('ayse') + 1}"
        # The same lines as in the house's file, but for the other's hidden cards.
        assert len(hand["actions"]) == len(full["actions"])
        for line, whole_line in zip(hand["actions"], full["actions"], strict=True):
            if line != whole_line:
                assert own not in line.split()[:3]
                assert set(line.split()[-1]) == {"?"}
                assert len(line) == len(whole_line)
        deals = [line for line in hand["actions"] if line.startswith("d dh")]
        assert any(f"d dh {own}" in line and "?" not in line for line in deals)
        assert any("?" * 10 in line for line in deals)


async def test_a_stretch_of_time_is_exported(player: Make) -> None:
    ayse = player("ayse")
    name = await play_hands([ayse, player("bora")], 5)
    ends = [record.end_time.ToDatetime() for record in reversed(await listed(ayse, name))]
    assert len(set(ends)) == 5
    start, end = Timestamp(), Timestamp()
    start.FromDatetime(ends[1])
    end.FromDatetime(ends[3])
    for parent in (name, "players/me"):
        ids = [
            json.loads(line)["id"].rpartition("-")[2]
            for line in (await as_file(ayse, parent, start_time=start, end_time=end)).splitlines()
        ]
        assert ids == ["2", "3"]
        rest = await as_file(ayse, parent, start_time=end)
        assert len(rest.splitlines()) == 2
        assert not await exported(ayse, parent, end_time=Timestamp(seconds=1))
        assert not await exported(ayse, parent, start_time=Timestamp(seconds=2**33))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await exported(ayse, name, start_time=Timestamp(seconds=2**60))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await exported(ayse, name, format=77)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


class Thousands:
    """Lets one recorded hand stand for thousands, and counts how often the server reads some."""

    MANY = 150

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pages = 0
        original = RedisRecordStore.list_records

        async def repeated(store: RedisRecordStore, table_id: str, size: int, _: str, **more: Any) -> Any:
            self.pages += 1
            page = await original(store, table_id, 1, "", **more)
            return type(page)(page.records * size, "more" if self.pages < self.MANY else "")

        monkeypatch.setattr(RedisRecordStore, "list_records", repeated)

    async def at_rest(self) -> int:
        """So often the server has read when it does so no more."""
        seen = -1
        while seen != self.pages:
            seen = self.pages
            await asyncio.sleep(0.3)
        return seen


#: A client that lets little come on its way before it is read.
NARROW = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65536)]


async def test_a_slow_reader_of_an_export_piles_nothing_up(
    server: Running, player: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = await play_hands([player("ayse"), player("bora")], 1)
    ayse = Caller(server.address, "ayse", options=NARROW)
    thousands = Thousands(monkeypatch)
    request = pb.ExportHandRecordsRequest(parent=name)
    call: Any = ayse.history.ExportHandRecords(request, metadata=ayse.metadata)
    piece = await call.read()
    assert piece.count == len(piece.data.splitlines())
    assert all(line.endswith(b"}") for line in piece.data.splitlines())
    assert await thousands.at_rest() < thousands.MANY / 4
    # The server has time for others meanwhile, and the rest comes when it is asked for.
    assert await listed(ayse, "players/me")
    count = piece.count
    while (piece := await call.read()) is not grpc.aio.EOF:
        assert len(piece.data) < 100_000
        count += piece.count
    assert count == thousands.MANY * 32
    await ayse.close()


async def test_a_reader_who_goes_ends_the_export_and_leaves_no_fault_behind(
    server: Running, player: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    name = await play_hands([player("ayse"), player("bora")], 1)
    thousands = Thousands(monkeypatch)
    for number in range(1, 5):
        gone = Caller(server.address, f"gone{number}", options=NARROW)
        request = pb.ExportHandRecordsRequest(parent=name)
        call: Any = gone.history.ExportHandRecords(request, metadata=gone.metadata)
        await call.read()
        await thousands.at_rest()
        await gone.close()
        await asyncio.sleep(0.1)
    assert await thousands.at_rest() < thousands.MANY
    assert not [entry for entry in caplog.records if entry.levelname in ("ERROR", "CRITICAL")]


async def test_exports_count_as_streams_of_the_player(player: Make) -> None:
    ayse = player("ayse")
    name = await play_hands([ayse, player("bora")], 1)
    watching = [ayse.watch(name) for _ in range(32)]
    for call in watching:
        await call.read()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await exported(ayse, name)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    for call in watching:
        call.cancel()
