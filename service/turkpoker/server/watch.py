"""What one viewer of a table is sent: a snapshot, then every commit as he may see it, then checkpoints.

The event feed reads once for all viewers of the process; each viewer has a bounded mailbox. Whoever is too
slow, or resumes from where nothing is kept, gets a fresh snapshot: memory per viewer is bounded and no gap
goes unnoticed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from turkpoker.server.auth import Identity
from turkpoker.server.buy_ins import BuyIns
from turkpoker.server.delay import Delayed, DelayedTables, Item
from turkpoker.server.errors import ServiceError
from turkpoker.server.interceptors import Context
from turkpoker.server.limits import Limits
from turkpoker.server.resume import Position, ResumeTokens
from turkpoker.server.settings import ServerSettings
from turkpoker.server.streams import Mailbox, Notice, StreamAge, StreamRegister, expired
from turkpoker.server.wire.errors import STORE_RETRY
from turkpoker.server.wire.events import EntryTranslator
from turkpoker.server.wire.tables import table_to_wire
from turkpoker.table.access import check_not_removed
from turkpoker.table.allowance import Allowance
from turkpoker.table.delay import sees_later
from turkpoker.table.errors import FeedLost
from turkpoker.table.events import PlayerLeft, PlayerRemoved, TableClosed
from turkpoker.table.ports import EventFeed, LogEntry, Subscription, Takeovers
from turkpoker.table.tables import Outcome, Tables
from turkpoker.v1 import table_service_pb2 as pb

_SNAPSHOT_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Viewing:
    """What the streams of a process share."""

    tables: Tables
    feed: EventFeed
    delayed: DelayedTables
    takeovers: Takeovers
    tokens: ResumeTokens
    streams: StreamRegister
    settings: ServerSettings
    buy_ins: BuyIns
    limits: Limits
    allowance: Allowance


@dataclass(slots=True)
class Viewer:
    """One viewer's place in a table's events.

    ``over`` is True once the table is closed and nothing more can come. ``waits`` is True while a spectator
    of a table with a delay has been shown nothing yet: then even the version is not told. ``sent_away`` is
    True once he has been removed from his seat.
    """

    viewing: Viewing
    table_id: str
    player: str
    mailbox: Mailbox[pb.PlayResult, Item]
    position: Position = field(default_factory=lambda: Position(0, 0, None))
    over: bool = False
    waits: bool = False
    sent_away: bool = False
    _delayed: Delayed | None = field(default=None, repr=False)
    _subscription: Subscription | None = field(default=None, repr=False)
    _pump: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def resume_token(self) -> str:
        """Goes on after what the viewer has been sent; empty before he has been shown anything."""
        if self.waits:
            return ""
        return self.viewing.tokens.make(self.table_id, self.player, self.position)

    async def begin(self, resume_token: str) -> pb.TableUpdate | None:
        """Follow the table; gives the update to begin with, or None where the resume token needs none.

        Raises:
            ServiceError, TableError: there is no such table, or the store is away.
        """
        position = self.viewing.tokens.read(self.table_id, self.player, resume_token)
        if position is not None:
            outcome = await self.viewing.tables.get(self.table_id)
            try:
                if sees_later(outcome.state, self.player) and not outcome.state.closed:
                    await self._follow_later(outcome, position, first=False)
                else:
                    await self._follow(position)
            except FeedLost:
                pass
            else:
                return None
        return await self.snapshot()

    async def snapshot(self) -> pb.TableUpdate:
        """A fresh view, from which the events go on; who sees the table later is told to wait for it."""
        for _ in range(_SNAPSHOT_ATTEMPTS):
            outcome = await self.viewing.tables.get(self.table_id)
            if outcome.state.config.private:
                check_not_removed(outcome.state, self.player)
            position = position_of(outcome, self.player)
            if outcome.state.closed:
                await self.end()
                self.position, self.over = position, True
                return self._snapshot_update(outcome)
            try:
                if sees_later(outcome.state, self.player):
                    await self._follow_later(outcome, position, first=True)
                    return self._checkpoint()
                await self._follow(position)
            except FeedLost:
                continue
            return self._snapshot_update(outcome)
        raise ServiceError("STORE_AWAY", "the events cannot be followed now", retry_after=STORE_RETRY)

    def _snapshot_update(self, outcome: Outcome) -> pb.TableUpdate:
        table = table_to_wire(outcome, self.player, self.viewing.tokens, whole=True)
        return pb.TableUpdate(resume_token=table.resume_token, snapshot=table)

    def _checkpoint(self) -> pb.TableUpdate:
        version = 0 if self.waits else self.position.version
        return pb.TableUpdate(resume_token=self.resume_token, checkpoint=pb.Checkpoint(version=version))

    async def update(self, item: Item | Notice) -> pb.TableUpdate | None:
        """What to send for an item of the mailbox; None for nothing."""
        if item is Notice.QUIET:
            return self._checkpoint()
        if isinstance(item, Outcome):
            self.position, self.waits = position_of(item, self.player), False
            return self._snapshot_update(item)
        if not isinstance(item, LogEntry):
            return await self.snapshot()
        if item.epoch == self.position.epoch and item.version <= self.position.version:
            return None
        if (item.epoch, item.version) != (self.position.epoch, self.position.version + 1):
            return await self.snapshot()
        translator = EntryTranslator(item, self.player, self.position.seat)
        events = translator.events()
        self.position = Position(item.epoch, item.version, translator.seat)
        self.over = any(isinstance(event, TableClosed) for event in item.events)
        self.sent_away = any(
            isinstance(event, PlayerRemoved) and event.player == self.player for event in item.events
        )
        if self._delayed is None and not self.over and _has_left(self.player, item):
            await self._see_later()
        return pb.TableUpdate(resume_token=self.resume_token, events=pb.TableEvents(events=events))

    async def _see_later(self) -> None:
        """Go on as somebody who sits there no more, where such see what happens only later."""
        outcome = await self.viewing.tables.get(self.table_id)
        if sees_later(outcome.state, self.player):
            try:
                await self._follow_later(outcome, self.position, first=False)
            except FeedLost as lost:
                self.mailbox.put_update(lost)

    async def _follow_later(self, outcome: Outcome, position: Position, *, first: bool) -> None:
        await self.end()
        self.mailbox.drop_updates()
        self._delayed = await self.viewing.delayed.watch(
            outcome, self.player, self.mailbox.put_update, position.version, first=first
        )
        self.position, self.waits = position, first

    async def _follow(self, position: Position) -> None:
        await self.end()
        self.mailbox.drop_updates()
        self._subscription = await self.viewing.feed.subscribe(
            self.table_id, position.epoch, position.version
        )
        self.position, self.waits = position, False
        self._pump = asyncio.create_task(self._fill(self._subscription), name="viewer")

    async def _fill(self, subscription: Subscription) -> None:
        try:
            async for entry in subscription:
                self.mailbox.put_update(entry)
        except FeedLost as lost:
            self.mailbox.put_update(lost)

    async def end(self) -> None:
        """Stop following; harmless when nothing is followed."""
        delayed, self._delayed = self._delayed, None
        if delayed is not None:
            await delayed.close()
        pump, self._pump = self._pump, None
        if pump is not None:
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            await subscription.close()


def _has_left(player: str, entry: LogEntry) -> bool:
    return any(isinstance(event, PlayerLeft) and event.player == player for event in entry.events)


def position_of(outcome: Outcome, player: str) -> Position:
    """Where a viewer stands who knows the state of an outcome."""
    state = outcome.state
    return Position(state.epoch, state.version, state.viewer_seat(player))


@asynccontextmanager
async def viewer_of(
    viewing: Viewing, table_id: str, player: str, exclusive: tuple[str, str] | None = None
) -> AsyncIterator[Viewer]:
    """A viewer that is registered while the block runs, and that leaves nothing behind."""
    mailbox: Mailbox[pb.PlayResult, Item] = Mailbox(
        viewing.settings.max_unanswered_actions, viewing.settings.watch_queue_size
    )
    viewer = Viewer(viewing, table_id, player, mailbox)
    with viewing.streams.entered(mailbox, player, exclusive):
        try:
            yield viewer
        finally:
            await viewer.end()


async def send_updates(
    viewer: Viewer,
    identity: Identity,
    resume_token: str,
    write: Callable[[pb.TableUpdate | pb.PlayResult], Awaitable[None]],
) -> None:
    """Write a viewer's updates and results until the stream ends in one way or another.

    Raises:
        ServiceError: STREAM_EXPIRED with a resume token, SHUTTING_DOWN, REPLACED, REMOVED.
    """
    settings = viewer.viewing.settings
    age = StreamAge(settings.stream_max_age, identity)
    first = await viewer.begin(resume_token)
    if first is not None:
        await write(first)
    while not viewer.over:
        patience = min(settings.checkpoint_interval, age.left)
        item = await viewer.mailbox.get(patience)
        if isinstance(item, pb.PlayResult):
            await write(item)
        elif item is Notice.FINISHED:
            return
        else:
            if not age.left:
                raise expired(viewer.resume_token)
            update = await viewer.update(item)
            if update is not None:
                await write(update)
            if viewer.sent_away:
                # What he sat down for is over. A public table he may watch again like everybody.
                raise ServiceError("REMOVED", "you were sent away from this table")


async def watch_table(
    viewing: Viewing, identity: Identity, table_id: str, token: str, context: Context
) -> None:
    """Carry out WatchTable."""

    async def write(update: pb.TableUpdate | pb.PlayResult) -> None:
        if isinstance(update, pb.TableUpdate):
            await context.write(pb.WatchTableResponse(update=update))

    async with viewer_of(viewing, table_id, identity.player) as viewer:
        await send_updates(viewer, identity, token, write)
