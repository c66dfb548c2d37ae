"""Tables over the real wire: each refusal with its code and details and nothing changed, and what must go
well.

The numbers X1, X2 ... are those of the reported faults of other servers.
"""

from __future__ import annotations

from collections.abc import Callable

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from turkpoker.v1 import hand_history_service_pb2 as history_pb
from turkpoker.v1 import operator_service_pb2 as operator_pb
from turkpoker.v1 import rules_pb2
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import (
    Caller,
    easy_rules,
    go_on,
    new_id,
    refused,
    seated,
)

Make = Callable[..., Caller]


@pytest.mark.parametrize("token", [None, "abc", "a.b.c"])
async def test_a_wrong_token_is_unauthenticated_on_every_call(player: Make, token: str | None) -> None:
    stranger = player(None, token)
    calls = [
        stranger.tables.CreateTable(pb.CreateTableRequest(), metadata=stranger.metadata),
        stranger.tables.GetTable(pb.GetTableRequest(name="tables/a"), metadata=stranger.metadata),
        stranger.tables.ListTables(pb.ListTablesRequest(), metadata=stranger.metadata),
        stranger.tables.CloseTable(pb.CloseTableRequest(), metadata=stranger.metadata),
        stranger.tables.JoinTable(pb.JoinTableRequest(), metadata=stranger.metadata),
        stranger.tables.LeaveTable(pb.LeaveTableRequest(), metadata=stranger.metadata),
        stranger.tables.SubmitAction(pb.SubmitActionRequest(), metadata=stranger.metadata),
        stranger.tables.AddChips(pb.AddChipsRequest(), metadata=stranger.metadata),
        stranger.tables.SitOut(pb.SitOutRequest(), metadata=stranger.metadata),
        stranger.tables.SitIn(pb.SitInRequest(), metadata=stranger.metadata),
        stranger.tables.SetAutoTopUp(pb.SetAutoTopUpRequest(), metadata=stranger.metadata),
        stranger.tables.JoinWaitingList(pb.JoinWaitingListRequest(), metadata=stranger.metadata),
        stranger.tables.LeaveWaitingList(pb.LeaveWaitingListRequest(), metadata=stranger.metadata),
        stranger.tables.PauseTable(pb.PauseTableRequest(), metadata=stranger.metadata),
        stranger.tables.ResumeTable(pb.ResumeTableRequest(), metadata=stranger.metadata),
        stranger.tables.RemovePlayer(pb.RemovePlayerRequest(), metadata=stranger.metadata),
        stranger.tables.SwitchDealMode(pb.SwitchDealModeRequest(), metadata=stranger.metadata),
        stranger.tables.EndSession(pb.EndSessionRequest(), metadata=stranger.metadata),
        stranger.tables.RenewInvitation(pb.RenewInvitationRequest(), metadata=stranger.metadata),
        stranger.tables.ExplainRules(pb.ExplainRulesRequest(), metadata=stranger.metadata),
        stranger.watch("tables/a").read(),
        (await stranger.play("tables/a")).read(),
        stranger.history.GetHandRecord(history_pb.GetHandRecordRequest(), metadata=stranger.metadata),
        stranger.history.ListHandRecords(history_pb.ListHandRecordsRequest(), metadata=stranger.metadata),
        stranger.operator.ListAllTables(operator_pb.ListAllTablesRequest(), metadata=stranger.metadata),
        stranger.operator.ForceCloseTable(operator_pb.ForceCloseTableRequest(), metadata=stranger.metadata),
        stranger.operator.Drain(operator_pb.DrainRequest(), metadata=stranger.metadata),
        stranger.operator.ListAuditEntries(operator_pb.ListAuditEntriesRequest(), metadata=stranger.metadata),
        stranger.history.ExportHandRecords(
            history_pb.ExportHandRecordsRequest(), metadata=stranger.metadata
        ).read(),
    ]
    for call in calls:
        refusal = await refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "NO_CREDENTIALS")
        assert not token or token not in refusal.message


async def test_a_table_is_made_listed_joined_and_closed(player: Make) -> None:
    ayse, bora = player("ayse"), player("bora")
    made = await ayse.create(easy_rules(ante=2), pause=1.5, display_name="Salon", seat_count=4)
    assert made.name.startswith("tables/")
    assert (made.display_name, made.host, made.seat_count) == ("Salon", "ayse", 4)
    assert (made.rules.ante, made.rules.profile) == (2, "turkish")
    assert made.rules.ranking == rules_pb2.RANKING_TURKISH
    assert made.hand_pause == Duration(seconds=1, nanos=500_000_000)
    assert not made.HasField("your_seat")
    assert not made.rehearsal
    joined = await bora.join(made.name, 2, buy_in=77)
    assert joined.your_seat == 2
    assert [(seat.player, seat.stack) for seat in joined.seats] == [("bora", 77)]
    listed = await bora.tables.ListTables(pb.ListTablesRequest(), metadata=bora.metadata)
    assert [(each.name, each.seats_taken) for each in listed.tables] == [(made.name, 1)]
    request = pb.CloseTableRequest(request_id=new_id(), name=made.name)
    refusal = await refused(bora.tables.CloseTable(request, metadata=bora.metadata))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_THE_HOST")
    closed = (await ayse.tables.CloseTable(request, metadata=ayse.metadata)).table
    assert closed.closed
    assert not closed.seats
    listed = await bora.tables.ListTables(pb.ListTablesRequest(), metadata=bora.metadata)
    assert not listed.tables
    refusal = await refused(bora.join(made.name))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TABLE_CLOSED")


async def test_lists_come_in_pages_newest_first(player: Make) -> None:
    ayse = player("ayse")
    names = [(await ayse.create()).name for _ in range(5)]
    found: list[str] = []
    token = ""
    while True:
        request = pb.ListTablesRequest(page_size=2, page_token=token)
        page = await ayse.tables.ListTables(request, metadata=ayse.metadata)
        assert len(page.tables) <= 2
        found += [each.name for each in page.tables]
        token = page.next_page_token
        if not token:
            break
    assert sorted(found) == sorted(names)


async def test_rules_go_over_the_wire_and_back(player: Make) -> None:
    ayse = player("ayse")
    for profile in ("turkish", "turkish-pagat", "turkish-online", "french"):
        made = await ayse.create(rules_pb2.Rules(profile=profile))
        again = await ayse.create(made.rules)
        assert again.rules == made.rules


IMPOSSIBLE_RULES = [
    (rules_pb2.Rules(profile="belgian"), "INVALID_FIELD", "rules.profile"),
    (rules_pb2.Rules(deck=33), "INVALID_FIELD", "rules.deck"),
    (rules_pb2.Rules(ante=-1), "INVALID_FIELD", "rules.ante"),
    (rules_pb2.Rules(ante=2**62), "INVALID_FIELD", "rules.ante"),
    (rules_pb2.Rules(ranking=99), "INVALID_FIELD", "rules.ranking"),  # type: ignore[arg-type]
    (rules_pb2.Rules(draw_max=9), "INVALID_FIELD", "rules.draw_max"),
    (rules_pb2.Rules(suit_order="abcd"), "INVALID_FIELD", "rules.suit_order"),
    (rules_pb2.Rules(players_min=2), "INVALID_FIELD", "rules.players_min"),
    (rules_pb2.Rules(players_min=5, players_max=3), "INVALID_FIELD", "rules.players_min"),
    (rules_pb2.Rules(action_clock=Duration(nanos=-1)), "INVALID_FIELD", "rules.action_clock"),
    (rules_pb2.Rules(action_clock=Duration(seconds=2**60)), "INVALID_FIELD", "rules.action_clock"),
    (rules_pb2.Rules(levels=[rules_pb2.Level()]), "INVALID_FIELD", "rules.levels[0]"),
    (
        rules_pb2.Rules(deck=24, players_min=2, players_max=5),
        "RULES_NOT_PLAYABLE",
        "rules.players_min",
    ),
    (rules_pb2.Rules(buy_in_min=100, buy_in_max=50), "RULES_NOT_PLAYABLE", "rules.buy_in_max"),
    (
        rules_pb2.Rules(
            match=rules_pb2.MATCH_TOURNAMENT,
            opening_max=5,
            levels=[
                rules_pb2.Level(hands=9, ante=1, blind=2, stake_min=2),
                rules_pb2.Level(hands=9, ante=5, blind=10, stake_min=10),
            ],
        ),
        "RULES_NOT_PLAYABLE",
        "rules.levels",
    ),
]


async def test_rules_that_cannot_be_are_refused_by_field(player: Make) -> None:
    ayse = player("ayse")
    for rules, reason, field in IMPOSSIBLE_RULES:
        refusal = await refused(ayse.create(rules))
        found = (refusal.code, refusal.reason, refusal.fields)
        assert found == (grpc.StatusCode.INVALID_ARGUMENT, reason, [field])
    listed = await ayse.tables.ListTables(pb.ListTablesRequest(), metadata=ayse.metadata)
    assert not listed.tables


async def test_a_buy_in_outside_the_limits_is_refused(player: Make) -> None:
    ayse = player("ayse")
    name = (await ayse.create(easy_rules())).name
    for buy_in in (19, 501, -7, 2**63 - 1):
        refusal = await refused(ayse.join(name, 0, buy_in=buy_in))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BUY_IN_OUT_OF_RANGE")
        assert (refusal.metadata["min"], refusal.metadata["max"]) == ("20", "500")
    assert not (await ayse.get(name)).seats


async def test_a_full_table_and_seats_that_are_not_there(player: Make) -> None:
    callers = [player(f"p{number}") for number in range(3)]
    name = (await callers[0].create(easy_rules(), seat_count=2, pause=60)).name
    for seat in (-1, 2, 2**31 - 1):
        refusal = await refused(callers[0].join(name, seat))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["seat"])
    await callers[0].join(name)
    await callers[1].join(name)
    refusal = await refused(callers[2].join(name))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TABLE_FULL")


async def test_unknown_names(player: Make) -> None:
    ayse = player("ayse")
    for name in ("", "tables/", "table/x", "tables/a/b", "tables/" + "x" * 100, "tables/ü", "tables/a\n"):
        refusal = await refused(ayse.get(name))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["name"])
    for call in (ayse.get("tables/none"), ayse.join("tables/none"), ayse.leave("tables/none")):
        refusal = await refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND")
        assert refusal.metadata == {"table": "tables/none"}
    refusal = await refused(ayse.watch("tables/none").read())
    assert refusal.reason == "TABLE_NOT_FOUND"


async def test_repeated_request_ids_make_one_table_and_one_seat(player: Make) -> None:
    ayse = player("ayse")
    made = [await ayse.create(easy_rules(), request_id="once") for _ in range(3)]
    assert len({table.name for table in made}) == 1
    refusal = await refused(ayse.create(easy_rules(ante=2), request_id="once"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED")
    name = made[0].name
    joined = [await ayse.join(name, 3, request_id="join") for _ in range(3)]
    assert {table.your_seat for table in joined} == {3}
    left = [await ayse.leave(name, "leave") for _ in range(3)]
    assert [each.cashed_out for each in left] == [100, 100, 100]
    # Another player's ids are his own.
    other = await player("bora").create(easy_rules(), request_id="once")
    assert other.name != name


async def test_long_names_and_ids_are_refused(player: Make) -> None:
    ayse = player("ayse")
    for fields, field in (
        ({"request_id": "x" * 65}, "request_id"),
        ({"request_id": "a\x00b"}, "request_id"),
        ({"display_name": "x" * 81}, "display_name"),
        ({"display_name": "a\nb"}, "display_name"),
        ({"seat_count": -1}, "seat_count"),
        ({"seat_count": 99}, "seat_count"),
        ({"pause": -1}, "hand_pause"),
        ({"pause": 10**9}, "hand_pause"),
    ):
        refusal = await refused(ayse.create(easy_rules(), **fields))  # type: ignore[arg-type]
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, [field])


async def test_who_sits_out_is_not_dealt_in_until_he_is_back(player: Make) -> None:
    callers = [player("ayse"), player("bora"), player("cem")]
    name = await seated(callers)
    cem = callers[2]
    request = pb.SitOutRequest(request_id=new_id(), name=name)
    table = (await cem.tables.SitOut(request, metadata=cem.metadata)).table
    assert [seat.player for seat in table.seats if seat.sitting_out] == ["cem"]
    again = (await cem.tables.SitOut(request, metadata=cem.metadata)).table
    assert again.version == table.version
    number = table.hand_number
    while (table := await cem.get(name)).hand_number == number:
        await go_on(callers, name)
    # The rules of this table want three to begin with, but two are enough to go on.
    assert {each.player for each in table.hand.players} == {"ayse", "bora"}
    back = (await cem.tables.SitIn(pb.SitInRequest(name=name), metadata=cem.metadata)).table
    assert not any(seat.sitting_out for seat in back.seats)
    number = back.hand_number
    while (table := await cem.get(name)).hand_number == number:
        await go_on(callers, name)
    assert "cem" in {each.player for each in table.hand.players}
    stranger = player("stranger")
    refusal = await refused(stranger.tables.SitOut(pb.SitOutRequest(name=name), metadata=stranger.metadata))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT")


async def test_rules_are_explained_in_the_readers_language(player: Make) -> None:
    ayse = player("ayse")
    texts = {}
    for language in ("", "tr", "fr", "fa"):
        request = pb.ExplainRulesRequest(rules=easy_rules(), language=language)
        answer = await ayse.tables.ExplainRules(request, metadata=ayse.metadata)
        assert answer.language == language or (language, answer.language) == ("", "en")
        assert answer.text.startswith("# ")
        texts[answer.language] = answer.text
    assert len(set(texts.values())) == 4
    made = await ayse.create(easy_rules())
    of_table = pb.ExplainRulesRequest(name=made.name)
    answer = await ayse.tables.ExplainRules(of_table, metadata=ayse.metadata)
    assert answer.text == texts["en"]
    odd = pb.ExplainRulesRequest(rules=easy_rules(progressive_openers=True))
    answer = await ayse.tables.ExplainRules(odd, metadata=ayse.metadata)
    assert any("progressive_openers" in warning for warning in answer.warnings)
    for bad, field in (
        (pb.ExplainRulesRequest(language="xx"), "language"),
        (pb.ExplainRulesRequest(rules=easy_rules(), name=made.name), "rules"),
        (pb.ExplainRulesRequest(name="x"), "name"),
        (pb.ExplainRulesRequest(rules=rules_pb2.Rules(deck=1)), "rules.deck"),
    ):
        refusal = await refused(ayse.tables.ExplainRules(bad, metadata=ayse.metadata))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, [field])
