"""Chips that go between a bank and a table: what is asked of a bank, and where the orders wait for it.

A table with a bank never calls it. A command that needs the bank writes an order into the outbox, in its own
commit; a worker takes the orders from there to the bank, again and again under the same id, until the bank
has answered. So no order is lost and none is carried out twice, whatever fails meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import Protocol


class Direction(StrEnum):
    """Which way the chips go."""

    #: From the player's account to the table. The bank may refuse it.
    DEBIT = "debit"
    #: From the table to the player's account. The bank may not refuse it: the player has gone already.
    CREDIT = "credit"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One order to the bank.

    Args:
        transfer_id: its name, for ever the same; the bank carries it out at most once.
        table_id: which table.
        player: whose account.
        amount: chips, more than 0.
        direction: which way.
        version: the version of the table that ordered it.
        time: when that was committed, by the clock of the store; None until it is.
    """

    transfer_id: str
    table_id: str
    player: str
    amount: int
    direction: Direction
    version: int
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Awaiting:
    """Chips that a player has bought and the bank has not answered for yet. They are no chips of the table.

    Args:
        player: who.
        seat: where he sits or sat.
        amount: how many.
        joining: they are his first ones there: without them he has no seat.
        gone: he has left meanwhile: if the bank pays, he is paid back.
    """

    player: str
    seat: int
    amount: int
    joining: bool = False
    gone: bool = False


class BankAnswer(Enum):
    """What a bank says to an order, the same to the same order for ever."""

    DONE = "done"
    REFUSED = "refused"


class BankError(Exception):
    """It is not known whether the bank has carried the order out: it has to be sent again.

    The text is for the operator's log and holds neither a key nor what the bank wrote.
    """


class Bank(Protocol):
    """An operator's ledger of the players' accounts."""

    async def transfer(self, transfer: Transfer) -> BankAnswer:
        """Carry an order out, once however often it comes; a repeated one is answered as the first time.

        Only a debit may be refused; a refused credit is kept and told as an alarm.

        Raises:
            BankError: it is not known what became of it.
        """
        ...


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """An order that waits.

    Args:
        shard: which part of the outbox.
        entry_id: its place there, in the order of the commits.
        table_id: which table.
        transfer: the order; None where it is not what was sealed, so that nobody can know.
        dead: it lies among the dead letters: the bank refused what it may not refuse, or nobody can carry it
            out.
        why: why it lies there.
    """

    shard: int
    entry_id: str
    table_id: str
    transfer: Transfer | None
    dead: bool = False
    why: str = ""


class Outbox(Protocol):
    """The orders of all tables, in the order in which each table's shard committed them.

    Every method may raise StoreAway.
    """

    async def take(self) -> list[OutboxEntry]:
        """Orders that wait, those of one shard in order; none while another process is at work on them. Keeps
        others off for a while.
        """
        ...

    async def take_dead(self) -> list[OutboxEntry]:
        """Dead letters, in the same way."""
        ...

    async def done(self, entry: OutboxEntry) -> None:
        """It is carried out: take it off, and count a credit as paid; once however often told.

        An answered debit needs this only where it was a dead letter: else it goes with the commit that tells
        its table.
        """
        ...

    async def bury(self, entry: OutboxEntry, why: str) -> bool:
        """Lay an order among the dead letters; False where it is not in the outbox any more."""
        ...

    async def release(self) -> None:
        """Let others at them at once."""
        ...
