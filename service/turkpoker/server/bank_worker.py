"""Takes orders from the outbox to the bank, until each is answered, and tells the tables what it has said.

Every server runs one; a lease lets one of them at a time be at work. Each order is sent again under its id
until there is an answer, and goes out of the outbox only after that: at least once, and once in effect, since
the bank knows the id. Orders of one player are sent one after the other, in the order of their commits, so
that what he has taken from one table is there for the next; those of different players side by side, so that
one of them does not hold up the rest.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from datetime import timedelta

from turkpoker.table.commands import ConfirmBuyIn, RefuseBuyIn
from turkpoker.table.errors import Reason, StoreError, TableError
from turkpoker.table.events import BuyInAsked, CashedOut
from turkpoker.table.tables import Outcome, Tables
from turkpoker.table.transfers import (
    Bank,
    BankAnswer,
    BankError,
    Direction,
    Outbox,
    OutboxEntry,
    Transfer,
)

logger = logging.getLogger(__name__)

#: The longest pause between two looks at the outbox: other servers' tables may have written there.
INTERVAL = timedelta(milliseconds=100)
#: How often dead letters are tried again.
DEAD_INTERVAL = timedelta(minutes=1)
#: The pause after the first failure, doubled by each further one, and the longest. Each is shortened by
#: chance to between half and the whole, so that not all come at once.
FIRST_PAUSE = timedelta(milliseconds=100)
LONGEST_PAUSE = timedelta(seconds=15)
#: The bank is asked about so many orders at the same time at most.
AT_ONCE = 16


class BankWorker:
    """Delivers orders from ``start`` to ``stop``.

    Args:
        bank: the operator's ledger.
        outbox: where the orders wait.
        tables: who is told.
        dead_interval: how often dead letters are tried again.
    """

    def __init__(
        self, bank: Bank, outbox: Outbox, tables: Tables, *, dead_interval: timedelta = DEAD_INTERVAL
    ) -> None:
        self._bank = bank
        self._outbox = outbox
        self._tables = tables
        self._dead_interval = dead_interval.total_seconds()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._news = asyncio.Event()
        self._stopping = asyncio.Event()
        self._deliveries: dict[str, asyncio.Task[None]] = {}
        self._task: asyncio.Task[None] | None = None
        self._bank_fails = False
        self._store_fails = False

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._run(), name="bank worker")

    def committed(self, outcome: Outcome) -> None:
        """A command of this process may have written into the outbox: look there at once."""
        if any(isinstance(event, BuyInAsked | CashedOut) for event in outcome.events):
            self._news.set()

    async def stop(self, grace: timedelta = timedelta(seconds=5)) -> None:
        """End: what the bank is asked just now may still be answered; the rest is for others, or later."""
        self._stopping.set()
        self._news.set()
        if self._task is None:
            return
        await asyncio.gather(self._task, return_exceptions=True)
        deliveries = set(self._deliveries.values())
        if deliveries:
            await asyncio.wait(deliveries, timeout=grace.total_seconds())
        for delivery in deliveries:
            delivery.cancel()
        await asyncio.gather(*deliveries, return_exceptions=True)
        try:
            await self._outbox.release()
        except StoreError:
            logger.debug("the leases of the outbox run out by themselves")

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        dead_due = loop.time()
        while not self._stopping.is_set():
            self._news.clear()
            try:
                entries = await self._outbox.take()
                if loop.time() >= dead_due:
                    entries += await self._outbox.take_dead()
                    dead_due = loop.time() + self._dead_interval
                self._store_fails = False
                self._deliver_all(entries)
            except Exception as error:
                # The store may be away for a while; the orders are still there when it is back.
                if not self._store_fails:
                    logger.warning("the outbox cannot be read: %s", type(error).__name__)
                self._store_fails = True
            await _happened(self._news, INTERVAL.total_seconds())

    def _deliver_all(self, entries: list[OutboxEntry]) -> None:
        lines: dict[str, list[OutboxEntry]] = {}
        # Sorting keeps the order of a shard where times are the same.
        for entry in sorted(entries, key=_ordered_at):
            # Those that cannot be read stand in a line of their own: nobody can know whose they are.
            player = entry.transfer.player if entry.transfer is not None else ""
            lines.setdefault(player, []).append(entry)
        for player, line in lines.items():
            if player not in self._deliveries:
                task = asyncio.create_task(self._deliver_line(line), name="bank delivery")
                self._deliveries[player] = task
                task.add_done_callback(self._end_of(player))

    def _end_of(self, player: str) -> Callable[[asyncio.Task[None]], None]:
        def forget(task: asyncio.Task[None]) -> None:
            del self._deliveries[player]
            self._news.set()

        return forget

    async def _deliver_line(self, line: list[OutboxEntry]) -> None:
        for entry in line:
            if self._stopping.is_set():
                return
            await self._deliver(entry)

    async def _deliver(self, entry: OutboxEntry) -> None:
        """One order, until it is answered and the answer written down; a dead letter is tried once."""
        failures = 0
        answer: BankAnswer | None = None
        while not self._stopping.is_set():
            try:
                if entry.transfer is None:
                    await self._bury(entry, "it is not what was sealed")
                    return
                if answer is None:
                    answer = await self._ask(entry.transfer)
                await self._carry(entry, entry.transfer, answer)
            except BankError as error:
                if not self._bank_fails:
                    logger.warning("the bank does not answer: %s", error)
                self._bank_fails = True
            except StoreError as error:
                logger.debug("an answer of the bank waits for the store: %s", type(error).__name__)
            except Exception as error:
                # A fault of a bank's adapter says no more about the order than silence does; its words may
                # hold the adapter's address or key.
                if not self._bank_fails:
                    logger.warning("an order could not be delivered: %s", type(error).__name__)
                self._bank_fails = True
            else:
                return
            if entry.dead:
                return
            pause = min(FIRST_PAUSE * 2 ** min(failures, 20), LONGEST_PAUSE).total_seconds()
            failures += 1
            await _happened(self._stopping, pause * random.uniform(0.5, 1))

    async def _ask(self, transfer: Transfer) -> BankAnswer:
        async with self._room:
            answer = await self._bank.transfer(transfer)
        if self._bank_fails:
            logger.warning("the bank answers again")
        self._bank_fails = False
        return answer

    async def _carry(self, entry: OutboxEntry, transfer: Transfer, answer: BankAnswer) -> None:
        if transfer.direction is Direction.CREDIT:
            if answer is BankAnswer.DONE:
                await self._outbox.done(entry)
            else:
                await self._bury(entry, "the bank refused a credit")
            return
        kind = ConfirmBuyIn if answer is BankAnswer.DONE else RefuseBuyIn
        try:
            outcome = await self._tables.carry_out(
                entry.table_id, kind(transfer.transfer_id, "" if entry.dead else entry.entry_id)
            )
        except TableError as error:
            if error.reason is not Reason.TABLE_NOT_FOUND:
                raise
            await self._bury(entry, f"its table is gone; the bank says {answer.value}")
            return
        if entry.dead and outcome.events:
            await self._outbox.done(entry)
        elif not outcome.events:
            # Told before, and gone from the outbox with that; if it is still there, something is wrong.
            await self._bury(entry, f"its table does not wait for it; the bank says {answer.value}")

    async def _bury(self, entry: OutboxEntry, why: str) -> None:
        if entry.dead:
            return
        if await self._outbox.bury(entry, why):
            name = entry.transfer.transfer_id if entry.transfer is not None else entry.entry_id
            logger.error("ALARM: transfer %s of table %s is a dead letter: %s", name, entry.table_id, why)


def _ordered_at(entry: OutboxEntry) -> float:
    time = entry.transfer.time if entry.transfer is not None else None
    return 0.0 if time is None else time.timestamp()


async def _happened(event: asyncio.Event, patience: float) -> None:
    """Wait for an event, so many seconds at most."""
    try:
        async with asyncio.timeout(patience):
            await event.wait()
    except TimeoutError:
        return
