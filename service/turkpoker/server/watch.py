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
from turkpoker.server.errors import ServiceError
from turkpoker.server.interceptors import Context
from turkpoker.server.resume import Position, ResumeTokens
from turkpoker.server.settings import ServerSettings
from turkpoker.server.streams import Mailbox, Notice, StreamAge, StreamRegister, expired
from turkpoker.server.wire.errors import STORE_RETRY
from turkpoker.server.wire.events import EntryTranslator
from turkpoker.server.wire.tables import table_to_wire
from turkpoker.table.errors import FeedLost
from turkpoker.table.events import TableClosed
from turkpoker.table.ports import EventFeed, LogEntry, Subscription, Takeovers
from turkpoker.table.tables import Outcome, Tables
from turkpoker.v1 import table_service_pb2 as pb

_SNAPSHOT_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Viewing:
    """What the streams of a process share."""

    tables: Tables
    feed: EventFeed
    takeovers: Takeovers
    tokens: ResumeTokens
    streams: StreamRegister
    settings: ServerSettings


@dataclass(slots=True)
class Viewer:
    """One viewer's place in a table's events.

    ``first`` is the update to begin with, None when he resumes without one. ``over`` is True once the table
    is closed and nothing more can come.
    """

    viewing: Viewing
    table_id: str
    player: str
    mailbox: Mailbox[pb.PlayResult, LogEntry | FeedLost]
    position: Position = field(default_factory=lambda: Position(0, 0, None))
    over: bool = False
    _subscription: Subscription | None = field(default=None, repr=False)
    _pump: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def resume_token(self) -> str:
        """Goes on after what the viewer has been sent."""
        return self.viewing.tokens.make(self.table_id, self.player, self.position)

    async def begin(self, resume_token: str) -> pb.TableUpdate | None:
        """Follow the table; gives the snapshot to begin with, or None where the resume token needs none.

        Raises:
            ServiceError, TableError: there is no such table, or the store is away.
        """
        position = self.viewing.tokens.read(self.table_id, self.player, resume_token)
        if position is not None:
            try:
                await self._follow(position)
            except FeedLost:
                pass
            else:
                return None
        return await self.snapshot()

    async def snapshot(self) -> pb.TableUpdate:
        """A fresh view, from which the events go on."""
        for _ in range(_SNAPSHOT_ATTEMPTS):
            outcome = await self.viewing.tables.get(self.table_id)
            position = position_of(outcome, self.player)
            if outcome.state.closed:
                await self.end()
                self.position, self.over = position, True
                return self._snapshot_update(outcome)
            try:
                await self._follow(position)
            except FeedLost:
                continue
            return self._snapshot_update(outcome)
        raise ServiceError("STORE_AWAY", "the events cannot be followed now", retry_after=STORE_RETRY)

    def _snapshot_update(self, outcome: Outcome) -> pb.TableUpdate:
        table = table_to_wire(outcome, self.player, self.viewing.tokens)
        return pb.TableUpdate(resume_token=table.resume_token, snapshot=table)

    async def update(self, item: LogEntry | FeedLost | Notice) -> pb.TableUpdate | None:
        """What to send for an item of the mailbox; None for nothing."""
        if item is Notice.QUIET:
            checkpoint = pb.Checkpoint(version=self.position.version)
            return pb.TableUpdate(resume_token=self.resume_token, checkpoint=checkpoint)
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
        return pb.TableUpdate(resume_token=self.resume_token, events=pb.TableEvents(events=events))

    async def _follow(self, position: Position) -> None:
        await self.end()
        self._subscription = await self.viewing.feed.subscribe(
            self.table_id, position.epoch, position.version
        )
        self.position = position
        self._pump = asyncio.create_task(self._fill(self._subscription), name="viewer")

    async def _fill(self, subscription: Subscription) -> None:
        try:
            async for entry in subscription:
                self.mailbox.put_update(entry)
        except FeedLost as lost:
            self.mailbox.put_update(lost)

    async def end(self) -> None:
        """Stop following; harmless when nothing is followed."""
        pump, self._pump = self._pump, None
        if pump is not None:
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            await subscription.close()


def position_of(outcome: Outcome, player: str) -> Position:
    """Where a viewer stands who knows the state of an outcome."""
    state = outcome.state
    return Position(state.epoch, state.version, state.viewer_seat(player))


@asynccontextmanager
async def viewer_of(
    viewing: Viewing, table_id: str, player: str, exclusive: tuple[str, str] | None = None
) -> AsyncIterator[Viewer]:
    """A viewer that is registered while the block runs, and that leaves nothing behind."""
    mailbox: Mailbox[pb.PlayResult, LogEntry | FeedLost] = Mailbox(
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
        ServiceError: STREAM_EXPIRED with a resume token, SHUTTING_DOWN, REPLACED.
    """
    settings = viewer.viewing.settings
    age = StreamAge(settings.stream_max_age, identity.expires)
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


async def watch_table(
    viewing: Viewing, identity: Identity, table_id: str, token: str, context: Context
) -> None:
    """Carry out WatchTable."""

    async def write(update: pb.TableUpdate | pb.PlayResult) -> None:
        if isinstance(update, pb.TableUpdate):
            await context.write(pb.WatchTableResponse(update=update))

    async with viewer_of(viewing, table_id, identity.player) as viewer:
        await send_updates(viewer, identity, token, write)
