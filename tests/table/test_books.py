"""Books that add up are found to, at every moment of random evenings; each way of cooking them is found."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from table.desks import Desk, SeededDealer
from table.test_table_random import SEED, TABLES, random_command
from turkpoker.table.books import check_books, check_orders
from turkpoker.table.commands import ForceClose, Join
from turkpoker.table.decide import decide
from turkpoker.table.errors import NotDue, TableError
from turkpoker.table.events import BoughtIn, DealStarted, HandSettled
from turkpoker.table.ports import LogEntry
from turkpoker.table.state import Ledger, TableState
from turkpoker.table.transfers import Awaiting, Direction, Transfer

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def entry(version: int, events: Any = ()) -> LogEntry:
    return LogEntry("t1", 0, version, NOW, None, tuple(events))


def evening(profile: str, options: dict[str, Any], steps: int) -> tuple[TableState, list[LogEntry]]:
    """A table after a random evening, and its whole log; looked at on the way."""
    rng = random.Random(f"{SEED} books {profile} {options}")
    desk = Desk(SeededDealer(SEED), profile=profile, **options)
    log = [entry(1)]
    for step in range(steps):
        try:
            decision = desk.do(random_command(rng, desk.state))
        except (TableError, NotDue):
            continue
        if not decision.changed:
            continue
        log.append(entry(desk.state.version, decision.events))
        if step % 7 == 0:
            first = rng.randrange(len(log))
            assert check_books(desk.state, log) == []
            assert check_books(desk.state, log[first:]) == []
    return desk.state, log


@pytest.mark.parametrize(("profile", "options"), TABLES)
def test_random_evenings_add_up_from_wherever_the_log_begins(profile: str, options: dict[str, Any]) -> None:
    state, log = evening(profile, options, 600)
    assert any(isinstance(event, HandSettled) for each in log for event in each.events)
    for first in range(0, len(log), 5):
        assert check_books(state, log[first:]) == []
    # Also where an operator stops what is going on.
    stopped = decide(state, ForceClose("operator", operator=True), SeededDealer(SEED))
    log.append(entry(stopped.state.version, stopped.events))
    assert check_books(stopped.state, log) == []
    assert check_books(stopped.state, log[-30:]) == []


@pytest.fixture(scope="module")
def books() -> tuple[TableState, list[LogEntry]]:
    """A table between two hands, at which two players sit who have played one."""
    desk = Desk(SeededDealer(2), players="2-5", opening_requirement="none")
    log = [entry(1)]
    for player in ("ayse", "bora"):
        log.append(entry(desk.state.version + 1, desk.do(Join(player, player)).events))
    desk.state.config = replace(desk.state.config, hand_pause=desk.state.config.action_clock)
    while desk.state.hand_running:
        log.append(entry(desk.state.version + 1, desk.time_out().events))
    assert check_books(desk.state, log) == []
    return desk.state, log


def cooked(log: list[LogEntry], kind: type, **fields: Any) -> list[LogEntry]:
    """The log with the last event of a kind changed."""
    place, event = [
        (place, event) for place, each in enumerate(log) for event in each.events if isinstance(event, kind)
    ][-1]
    events = tuple(replace(each, **fields) if each is event else each for each in log[place].events)
    return [*log[:place], replace(log[place], events=events), *log[place + 1 :]]


def test_each_way_of_cooking_the_books_is_found(books: tuple[TableState, list[LogEntry]]) -> None:
    state, log = books

    def state_with(**changes: Any) -> TableState:
        copy = state.copy()
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy

    richer = state.copy()
    richer.seats[0].stack += 7
    assert any("in the ledger" in each for each in check_books(richer, log))
    # The same with a ledger that agrees.
    agreeing = richer.copy()
    agreeing.ledger = replace(state.ledger, bought_in=state.ledger.bought_in + 7)
    agreeing.check_chips()
    assert any("the ledger says" in each for each in check_books(agreeing, log))
    assert any("by the events" in each for each in check_books(agreeing, log[2:]))
    # From one to the other.
    moved = state.copy()
    moved.seats[0].stack += 7
    moved.seats[1].stack -= 7
    moved.check_chips()
    assert len(check_books(moved, log)) == 2
    assert any("by the events" in each for each in check_books(state_with(carried=9), log))
    assert check_books(state_with(ledger=Ledger(5, 5, 0)), log)
    assert any("lacks" in each for each in check_books(state, [*log[:2], *log[3:]]))
    assert any("ends with version" in each for each in check_books(state, log[:-1]))
    assert any("epoch" in each for each in check_books(state, [replace(log[0], epoch=1), *log[1:]]))
    assert check_books(state, []) == ["the event log is empty"]
    assert any("the ledger says" in each for each in check_books(state, cooked(log, BoughtIn, amount=3)))
    assert any("ends with" in each for each in check_books(state, cooked(log, HandSettled, rake=5)))
    assert any("carried" in each for each in check_books(state, cooked(log, DealStarted, carried=5)))
    twice = cooked(log, BoughtIn, transfer_id=_first_transfer(log))
    assert any("twice" in each for each in check_books(state, twice))
    seats = next(event for each in log for event in each.events if isinstance(event, DealStarted)).seats
    swapped = tuple(
        replace(each, stack=each.stack + change) for each, change in zip(seats, (3, -3), strict=True)
    )
    assert any(
        "is dealt in with" in each for each in check_books(state, cooked(log, DealStarted, seats=swapped))
    )
    before_it_all = [
        entry(5, [BoughtIn(0, "ayse", 500, "x")]),
        *(replace(each, version=each.version + 5) for each in log),
    ]
    later = state_with(version=state.version + 5)
    assert any("version 4 has -500 bought in" in each for each in check_books(later, before_it_all))


def _first_transfer(log: list[LogEntry]) -> str:
    return next(event.transfer_id for each in log for event in each.events if isinstance(event, BoughtIn))


def test_orders_are_held_against_the_ledger(books: tuple[TableState, list[LogEntry]]) -> None:
    state = books[0].copy()
    assert check_orders(state, 0, [], []) == []
    credit = Transfer("c", "t1", "ayse", 30, Direction.CREDIT, 9)
    debit = Transfer("d", "t1", "bora", 20, Direction.DEBIT, 9)
    assert check_orders(state, 0, [credit], []) != []
    assert check_orders(state, 3, [], []) != []
    state.config = replace(state.config, bank=True)
    state.ledger = replace(state.ledger, cashed_out=100)
    state.transfers = {"d": Awaiting("bora", 1, 20)}
    assert check_orders(state, 70, [credit, debit], []) == []
    assert check_orders(state, 70, [debit], [credit]) == []
    assert any("cashed out" in each for each in check_orders(state, 69, [credit, debit], []))
    assert any("cashed out" in each for each in check_orders(state, 70, [debit], []))
    assert any("not in the outbox" in each for each in check_orders(state, 70, [credit], []))
    other = replace(debit, amount=21)
    assert any("not the one" in each for each in check_orders(state, 70, [credit, other], []))
    stranger = replace(debit, transfer_id="e")
    assert any("nobody waits" in each for each in check_orders(state, 70, [credit, debit, stranger], []))
    assert any("twice" in each for each in check_orders(state, 70, [credit, debit, debit], []))
