"""The audit log: every command has its place in it, and no secret has."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, get_args

import pytest
from table.desks import Desk, SeededDealer
from turkpoker.engine import Rules
from turkpoker.table.audit import ACTIONS, FOLLOWING, AuditRecord, audit_of, audit_of_creation
from turkpoker.table.commands import (
    Act,
    Close,
    Command,
    ForceClose,
    Join,
    JoinWaitingList,
    Leave,
    Pause,
    Remove,
    RenewInvitation,
    SetAutoTopUp,
    SitOut,
    TimeOut,
)
from turkpoker.table.config import TableConfig
from turkpoker.table.events import TableOwnEvent

SECRET = "a secret that nobody may read"


def told(records: tuple[AuditRecord, ...]) -> list[str]:
    return [f"{record.actor}:{record.role}:{record.action}" for record in records]


def test_every_command_has_its_place() -> None:
    assert set(ACTIONS) == set(get_args(Command))
    names = [name for name in ACTIONS.values() if name is not None]
    assert len(set(names)) == len(names)


def test_a_command_that_is_not_named_is_logged_all_the_same() -> None:
    @dataclass(frozen=True)
    class PaintTheTable:
        by: str
        reason: str

    command: Any = PaintTheTable("host", "green")
    (record,) = audit_of(command, "host", ())
    assert record == AuditRecord("host", "host", "paint_the_table", {"reason": "green"})


def test_facts_come_from_fields_that_are_there_and_hold_no_cards() -> None:
    for kind, (_, facts) in FOLLOWING.items():
        there = {each.name for each in fields(kind)}
        assert set(facts.values()) <= there, kind
        assert not {"draws", "legal", "cards", "deck"} & set(facts.values())
        assert kind in get_args(TableOwnEvent)


@pytest.mark.parametrize(
    "command",
    [
        Join("a", SECRET, invitation=SECRET),
        JoinWaitingList("a", SECRET, invitation=SECRET),
        RenewInvitation("host", SECRET),
        Act("a", SECRET, SECRET, cards=(1, 2)),
        SetAutoTopUp("a", 7777),
    ],
)
def test_no_secret_of_a_command_gets_in(command: Command) -> None:
    text = repr(audit_of(command, "host", ()))
    assert SECRET not in text
    assert "7777" not in text


def test_who_did_it_and_as_what() -> None:
    for command, actor, role in (
        (Leave("a"), "a", "player"),
        (Leave("host"), "host", "player"),
        (Close("host"), "host", "host"),
        (Close("host", operator=True), "host", "host"),
        (Close("olga", operator=True), "olga", "operator"),
        (Pause("olga", operator=True), "olga", "operator"),
        (ForceClose("host", operator=True), "host", "operator"),
        (Remove("host", 1, "b"), "host", "host"),
    ):
        (record,) = audit_of(command, "host", ())
        assert (record.actor, record.role) == (actor, role), command
    assert audit_of(Remove("host", 1, "b"), "host", ())[0].details == {"player": "b", "seat": "1"}


def test_what_the_table_does_by_a_clock_is_the_tables() -> None:
    desk = Desk(SeededDealer(1), players=(2, 5), opening_requirement="none")
    desk.join("a", "b")
    assert desk.last.audit[0].details["bought_in"] == str(desk.state.config.rules.start_stack)
    found: list[AuditRecord] = []
    while not found:
        found += desk.do(TimeOut()).audit
    assert set(told(tuple(found))) == {":table:sit_out"}
    assert found[0].details["timed_out"] == "true"


def test_actions_of_the_game_are_not_logged_but_what_they_bring_about_is() -> None:
    """Who leaves all-in is paid when another's answer ends the hand."""
    desk = Desk(SeededDealer(1), players=(3, 5), opening_requirement="none", seat_count=3)
    desk.join("a", "b", "c")
    first = desk.asked()[0]
    asked = desk.state.decisions()[0]
    assert asked.legal is not None
    span = asked.legal["open"]
    assert isinstance(span, tuple)
    assert desk.act(first, "open", to=span[0]).audit == ()
    second = desk.asked()[0]
    legal = desk.state.decisions()[0].legal
    assert legal is not None
    most = legal["raise"]
    assert isinstance(most, tuple)
    desk.act(second, "raise", to=most[1])
    assert desk.stacks()[second] == 0
    third = desk.asked()[0]
    assert told(desk.leave(second).audit)[0] == f"{second}:player:leave"
    records = desk.act(third, "fold").audit
    records += desk.act(first, "fold").audit if desk.state.hand_running and not records else ()
    assert told(records) == [":table:cashed_out", ":table:leave"]
    assert {record.details["player"] for record in records} == {second}


def test_a_new_table_says_that_it_is_private() -> None:
    config = TableConfig(
        rules=Rules.profile("french"), display_name="Salon", seat_count=4, host="h", private=True
    )
    (record,) = audit_of_creation(config)
    assert record == AuditRecord(
        "h", "host", "create", {"display_name": "Salon", "profile": "french", "private": "true"}
    )
    (open_one,) = audit_of_creation(dataclasses.replace(config, private=False))
    assert "private" not in open_one.details


def test_who_is_away_too_long_is_paid_out_by_the_table() -> None:
    desk = Desk(seat_count=5, players=(5, 5), away_limit=timedelta(minutes=15))
    desk.join("a", "b")
    desk.do(SitOut("b"))
    records = desk.time_out().audit
    assert told(records) == [":table:cashed_out", ":table:leave"]
    assert {record.details["player"] for record in records} == {"b"}
    assert records[0].details["cashed_out"] == str(desk.state.config.rules.start_stack)
