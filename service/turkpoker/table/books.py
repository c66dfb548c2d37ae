"""Whether the books of a table add up: its state, and every commit that its event log still holds.

The law at every version: chips at the table are those bought in less those cashed out. The log tells each of
them, what every hand began and ended with, and the rake; so each stack can be followed from hand to hand and
held against the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from turkpoker.table.events import (
    BoughtIn,
    CarriedPotShared,
    CashedOut,
    DealStarted,
    HandSettled,
    HandStopped,
    PlayerJoined,
    TableEvent,
)
from turkpoker.table.ports import LogEntry
from turkpoker.table.state import TableState
from turkpoker.table.transfers import Direction, Transfer


def check_books(state: TableState, log: Sequence[LogEntry]) -> list[str]:
    """What does not add up at a table; empty where everything does.

    Args:
        state: as it stands.
        log: the commits that are kept, oldest first, up to the state's version.
    """
    try:
        state.check_chips()
    except AssertionError as error:
        wrong = [str(error).partition(": ")[2]]
    else:
        wrong = []
    wrong += _check_versions(state, log)
    wrong += _check_ledger(state, log)
    replay = _Replay(carried=0 if log and log[0].version == 1 else None)
    for entry in log:
        for event in entry.events:
            replay.follow(entry.version, event)
    return wrong + replay.wrong + replay.compare(state)


def _check_versions(state: TableState, log: Sequence[LogEntry]) -> list[str]:
    if not log:
        return ["the event log is empty"]
    wrong = []
    for before, after in pairwise(log):
        if after.version != before.version + 1:
            wrong.append(f"the log lacks the versions between {before.version} and {after.version}")
        if after.epoch < before.epoch:
            wrong.append(f"the epoch goes back at version {after.version}")
    if log[-1].version != state.version:
        wrong.append(f"the log ends with version {log[-1].version}, the state has {state.version}")
    return wrong


def _check_ledger(state: TableState, log: Sequence[LogEntry]) -> list[str]:
    """Count back from the state to the first version that is held, then see every version on the way."""
    changes = [_change(entry.events) for entry in log]
    ledger = state.ledger
    bought = ledger.bought_in - sum(change[0] for change in changes)
    cashed = ledger.cashed_out - sum(change[1] for change in changes)
    raked = ledger.raked - sum(change[2] for change in changes)
    if log and log[0].version == 1 and (bought, cashed, raked) != (0, 0, 0):
        said = (ledger.bought_in, ledger.cashed_out, ledger.raked)
        told = (ledger.bought_in - bought, ledger.cashed_out - cashed, ledger.raked - raked)
        return [f"bought in, cashed out, raked: the ledger says {said}, the events say {told}"]
    wrong = []
    first = log[0].version - 1 if log else state.version
    for version, change in enumerate([(0, 0, 0), *changes], first):
        bought, cashed, raked = bought + change[0], cashed + change[1], raked + change[2]
        if min(bought, cashed, raked) < 0 or raked > bought - cashed:
            wrong.append(f"version {version} has {bought} bought in, {cashed} cashed out and {raked} raked")
    return wrong


def _change(events: Sequence[TableEvent]) -> tuple[int, int, int]:
    """Bought in, cashed out, raked by one commit."""
    return (
        sum(event.amount for event in events if isinstance(event, BoughtIn)),
        sum(event.amount for event in events if isinstance(event, CashedOut)),
        sum(event.rake for event in events if isinstance(event, HandSettled)),
    )


@dataclass
class _Replay:
    """Stacks (with pending chips) as the log tells them; a seat that it has not told of yet is not in it."""

    held: dict[int, int] = field(default_factory=dict)
    carried: int | None = None
    #: In a hand: chips that came to a seat less those that went.
    came: dict[int, int] = field(default_factory=dict)
    #: Chips in the hand when it began; None between hands, or where its beginning is not in the log.
    dealt: int | None = None
    transfers: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def follow(self, version: int, event: TableEvent) -> None:
        """Take one event in."""
        match event:
            case PlayerJoined():
                self.held[event.seat] = 0
            case BoughtIn() | CashedOut():
                if event.transfer_id in self.transfers:
                    self.wrong.append(f"transfer {event.transfer_id} stands twice in the log")
                self.transfers.add(event.transfer_id)
                self._move(event.seat, event.amount if isinstance(event, BoughtIn) else -event.amount)
            case CarriedPotShared():
                for seat, amount in event.shares:
                    self._move(seat, amount)
                self.carried = 0
            case DealStarted():
                self._deal(version, event)
            case HandSettled():
                self._settle(version, event)
            case HandStopped():
                # As if it had never been dealt.
                for seat, amount in self.came.items():
                    self.held[seat] += amount
                self.carried, self.came, self.dealt = event.carried, {}, None
            case _:
                pass

    def _move(self, seat: int, amount: int) -> None:
        if seat in self.came:
            self.came[seat] += amount
        elif seat in self.held:
            self.held[seat] += amount

    def _deal(self, version: int, event: DealStarted) -> None:
        for dealt in event.seats:
            held = self.held.get(dealt.seat, dealt.stack)
            if held != dealt.stack:
                self.wrong.append(
                    f"version {version}: seat {dealt.seat} is dealt in with {dealt.stack} chips, had {held}"
                )
        if self.carried not in (None, event.carried):
            self.wrong.append(f"{event.carried} chips are carried at version {version}, not {self.carried}")
        self.held |= {dealt.seat: dealt.stack for dealt in event.seats}
        self.dealt = event.carried + sum(dealt.stack for dealt in event.seats)
        self.came = {dealt.seat: 0 for dealt in event.seats}

    def _settle(self, version: int, event: HandSettled) -> None:
        after = sum(chips for _, chips in event.stacks) + event.carried + event.rake
        if self.dealt not in (None, after):
            self.wrong.append(
                f"version {version}: hand {event.hand_number} ends with {after} chips, not {self.dealt}"
            )
        for seat, chips in event.stacks:
            if self.dealt is not None:
                self.held[seat] = chips + self.came.get(seat, 0)
            else:
                # Who came and went in this hand before the log begins is not known.
                self.held.pop(seat, None)
        self.carried, self.came, self.dealt = event.carried, {}, None

    def compare(self, state: TableState) -> list[str]:
        """What the state says otherwise than the log."""
        wrong = []
        for number, seat in state.seats.items():
            held = self.held.get(number)
            if number not in self.came and held not in (None, seat.stack + seat.pending):
                wrong.append(
                    f"seat {number} has {seat.stack + seat.pending} chips, by the events it has {held}"
                )
        if not state.hand_running and self.carried not in (None, state.carried):
            wrong.append(f"{state.carried} chips are carried, by the events {self.carried}")
        return wrong


def check_orders(
    state: TableState, paid: int, waiting: Sequence[Transfer], dead: Sequence[Transfer]
) -> list[str]:
    """What does not add up between a table and its orders to the bank.

    Args:
        state: as it stands.
        paid: chips that the bank has paid out for the table.
        waiting: its orders in the outbox.
        dead: its dead letters.
    """
    orders = [*waiting, *dead]
    if not state.config.bank:
        if paid or orders:
            return [f"it has play money, and {len(orders)} orders to the bank and {paid} chips paid by it"]
        return []
    wrong = []
    names = [order.transfer_id for order in orders]
    wrong += [
        f"transfer {name} is ordered twice"
        for name in sorted({each for each in names if names.count(each) > 1})
    ]
    ordered = sum(order.amount for order in orders if order.direction is Direction.CREDIT)
    if paid + ordered != state.ledger.cashed_out:
        wrong.append(
            f"{state.ledger.cashed_out} chips were cashed out, but the bank has paid {paid} and"
            f" {ordered} are ordered"
        )
    asked = {order.transfer_id: order for order in orders if order.direction is Direction.DEBIT}
    for name, awaiting in state.transfers.items():
        order = asked.get(name)
        if order is None:
            wrong.append(f"transfer {name} is waited for, but not in the outbox")
        elif (order.player, order.amount) != (awaiting.player, awaiting.amount):
            wrong.append(f"transfer {name} is not the one that is waited for")
    for order in waiting:
        if order.direction is Direction.DEBIT and order.transfer_id not in state.transfers:
            wrong.append(f"transfer {order.transfer_id} is in the outbox, but nobody waits for it")
    return wrong
