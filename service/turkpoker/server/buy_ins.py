"""How long the answer to a buy-in waits for the bank, and what it says then."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta

from turkpoker.table.errors import FeedLost, Reason, TableError
from turkpoker.table.events import BoughtIn, BuyInConfirmed, BuyInRefused
from turkpoker.table.ports import EventFeed, LogEntry
from turkpoker.table.tables import Outcome, Tables


@dataclass(frozen=True, slots=True)
class BuyIns:
    """Waits for what the bank says about chips that a caller has bought.

    Args:
        tables: the tables.
        feed: their events; whichever server tells the table, it is seen there.
        patience: how long a caller waits at most.
    """

    tables: Tables
    feed: EventFeed
    patience: timedelta

    async def answered(self, outcome: Outcome) -> Outcome:
        """The outcome of a buy-in once the bank has answered, or as it stands when it takes too long.

        Args:
            outcome: of the command that bought; where it asked no bank it comes back as it is.

        Raises:
            TableError: BANK_REFUSED.
        """
        if not outcome.transfer_id:
            return outcome
        entry = None
        try:
            async with asyncio.timeout(self.patience.total_seconds()):
                entry = await self._entry(outcome)
        except (TimeoutError, FeedLost):
            # Too slow, or so long ago that the log does not tell any more: the table tells how it stands.
            pass
        if entry is not None and any(_refuses(event, outcome.transfer_id) for event in entry.events):
            raise TableError(
                Reason.BANK_REFUSED,
                f"the bank does not pay for {outcome.bought} chips",
                metadata={"amount": str(outcome.bought)},
            )
        now = await self.tables.get(outcome.state.table_id)
        pending = outcome.pending
        if entry is not None:
            confirmed = [event for event in entry.events if isinstance(event, BuyInConfirmed)]
            pending = any(event.pending for event in confirmed)
        return replace(outcome, state=now.state, now=now.now, deadline=now.deadline, pending=pending)

    async def _entry(self, outcome: Outcome) -> LogEntry | None:
        """The commit that told the table what the bank has said."""
        subscription = await self.feed.subscribe(outcome.state.table_id, outcome.epoch, outcome.version)
        try:
            async for entry in subscription:
                for event in entry.events:
                    bought = isinstance(event, BoughtIn) and event.transfer_id == outcome.transfer_id
                    if bought or _refuses(event, outcome.transfer_id):
                        return entry
        finally:
            await subscription.close()
        return None


def _refuses(event: object, transfer_id: str) -> bool:
    return isinstance(event, BuyInRefused) and event.transfer_id == transfer_id
