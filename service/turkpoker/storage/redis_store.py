"""Tables in Redis: every method is one script or one pipeline, and nothing is kept between two calls
but settings.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from redis.asyncio import Redis
from turkpoker.storage import encoding
from turkpoker.storage.connection import ask, check_server, connect
from turkpoker.storage.keys import (
    ANSWER_LIFE,
    ANSWERS,
    CLOSED_LIFE,
    LOG_LENGTH,
    LOG_LIFE,
    SHARDS,
    Keys,
    player_mark,
    shard_of,
)
from turkpoker.storage.lobby import list_page
from turkpoker.storage.scripts import Scripts
from turkpoker.storage.seal import Seal
from turkpoker.table import clocks
from turkpoker.table.alarms import earliest
from turkpoker.table.audit import audit_of_creation
from turkpoker.table.errors import Conflict, Draining, NotDue, Reason, StoreRefused, TableError, TooLate
from turkpoker.table.lobby import LobbyEntry, TableFilter
from turkpoker.table.ports import (
    Answer,
    Commit,
    Committed,
    LogEntry,
    Page,
    Request,
    Stored,
)
from turkpoker.table.state import TableState

_log = logging.getLogger(__name__)
_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DUE_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """What an operator may set.

    Args:
        prefix: of all keys, so that several installations can share one server.
        grace: how long after a deadline an answer still counts.
        record_life: how long finished hands are kept.
        record_count: how many of a table, and of a player in a shard, at most.
        audit_life: how long the audit log is kept.
        audit_count: how many entries of a table, and of a shard, at most.
        log_life: how long the event log is kept.
        log_length: how many entries of it at most.
    """

    prefix: str = "tp"
    grace: timedelta = timedelta(milliseconds=500)
    record_life: timedelta = timedelta(days=30)
    record_count: int = 10_000
    audit_life: timedelta = timedelta(days=90)
    audit_count: int = 100_000
    log_life: timedelta = LOG_LIFE
    log_length: int = LOG_LENGTH


class RedisTableStore:
    """Implements ``turkpoker.table.ports.TableStore``.

    Args:
        client: see ``connection.connect``.
        seal: what states, events and records are sealed with.
        settings: see there.
    """

    def __init__(self, client: Redis, seal: Seal, settings: StoreSettings | None = None) -> None:
        self.settings = settings or StoreSettings()
        self.keys = Keys(self.settings.prefix)
        self.client = client
        self.codec = encoding.Codec(seal)
        self._scripts = Scripts(client)

    @classmethod
    async def connect(cls, url: str, seal: Seal, settings: StoreSettings | None = None) -> Self:
        """Connect and see that the server may be used.

        Args:
            url: redis://, rediss:// or unix://.
            seal: as above.
            settings: as above.

        Raises:
            StoreRefused, StoreAway: it may not, or it cannot be reached.
        """
        client = connect(url)
        try:
            await check_server(client)
        except BaseException:
            await client.aclose()
            raise
        return cls(client, seal, settings)

    async def close(self) -> None:
        """Close all connections."""
        await self._scripts.close()
        await self.client.aclose()

    async def ping(self) -> None:
        """A sign of life.

        Raises:
            StoreAway: there is none.
        """
        await ask(self.client.ping())

    # -- tables ----------------------------------------------------------------------------------------------

    async def create(self, state: TableState, lobby: LobbyEntry, request: Request | None) -> Stored:
        table_id = state.table_id
        if request is not None:
            # Two steps, since player and table live in different shards: first the request names its table,
            # for ever the same; then the table is made if it is not there. A retry after either step ends
            # the same.
            key = self.keys.made(request.player, request.request_id)
            value = request.payload_hash + table_id.encode()
            held = await ask(
                self.client.set(key, value, nx=True, get=True, px=ANSWER_LIFE // _MILLISECOND),
            )
            if held is not None:
                size = len(request.payload_hash)
                if held[:size] != request.payload_hash:
                    raise _reused(request)
                table_id = held[size:].decode()
                state = replace(state, table_id=table_id)
                lobby = replace(lobby, table_id=table_id)
        shard = shard_of(table_id)
        state = replace(state, version=1, epoch=0)
        after, _ = earliest(state.alarms)
        answer = await ask(
            self._scripts.create(
                keys=[
                    self.keys.table(table_id),
                    self.keys.log(table_id),
                    self.keys.lobby(shard),
                    self.keys.lobby_entries(shard),
                    self.keys.table_audit(table_id),
                    self.keys.shard_audit(shard),
                    self.keys.draining(shard),
                    self.keys.lobby_players(shard),
                    self.keys.due(shard),
                ],
                args=[
                    table_id,
                    self.codec.seal_state(state),
                    self.codec.seal_events((), table_id, 1),
                    encoding.encode_lobby(lobby),
                    self.codec.seal_audit(audit_of_creation(state.config), table_id, 1),
                    self.settings.audit_count,
                    self.settings.audit_life // _MILLISECOND,
                    player_mark(state.config.host),
                    "" if after is None else after // _MILLISECOND,
                ],
            )
        )
        if answer[0] == b"damaged":
            raise StoreRefused(f"table {table_id}: {answer[1].decode(errors='replace')}")
        if answer[0] == b"draining":
            raise TableError(Reason.DRAINING, "no table can be made for now")
        if answer[0] == b"there" and request is None:
            raise Conflict(f"table {table_id} exists")
        stored = await self.load(table_id)
        if stored is None:
            raise StoreRefused(f"table {table_id} has vanished")
        return stored

    async def load(self, table_id: str, known: Stored | None = None) -> Stored | None:
        stored, _ = await self._load(table_id, known, None)
        return stored

    async def check(
        self, table_id: str, known: Stored | None, request: Request
    ) -> tuple[Stored | None, Answer | None]:
        return await self._load(table_id, known, request)

    async def _load(
        self, table_id: str, known: Stored | None, request: Request | None
    ) -> tuple[Stored | None, Answer | None]:
        keys = [self.keys.table(table_id)]
        if request is not None:
            keys.append(self.keys.answers(table_id, request.player))
        held = (known.state.version, known.state.epoch, known.state.mark) if known else ("", "", "")
        reply = await ask(self._scripts.load(keys=keys, args=[*held, request.request_id if request else ""]))
        if not reply:
            return None, None
        version, epoch, deadline, now, made, sealed, kept, mark, time = reply
        if known is not None and int(epoch) == known.state.epoch and version < known.state.version:
            await self.raise_epoch(table_id, known.state.epoch, known.state.version)
            return await self._load(table_id, None, request)
        answer = _kept_answer(kept, request) if request is not None and kept else None
        if not sealed and known is not None:
            return Stored(known.state, _moment(deadline), _at(now)), answer
        state = self.codec.open_state(sealed, table_id, version, _moment(deadline))
        state = replace(state, version=version, epoch=int(epoch), create_time=_at(made), mark=mark)
        state.stamp(_at(time))
        return Stored(state, _moment(deadline), _at(now)), answer

    async def standing(self, table_id: str) -> tuple[int, int] | None:
        """(epoch, version) of a table, or None when there is none."""
        version, epoch = await ask(self.client.hmget(self.keys.table(table_id), "v", "e"))
        return None if version is None else (int(epoch), int(version))

    async def raise_epoch(self, table_id: str, epoch: int, seen_version: int) -> None:
        """Count the table in a new epoch if the store really holds less than was seen of the old one."""
        await ask(self._scripts.raise_epoch(keys=[self.keys.table(table_id)], args=[epoch, seen_version]))

    async def commit(self, change: Commit) -> Committed:
        table_id = change.state.table_id
        shard = shard_of(table_id)
        keys = [
            self.keys.table(table_id),
            self.keys.log(table_id),
            self.keys.due(shard),
            self.keys.lobby(shard),
            self.keys.lobby_entries(shard),
            self.keys.hands(table_id),
            self.keys.outbox(shard),
            self.keys.table_audit(table_id),
            self.keys.shard_audit(shard),
            self.keys.draining(shard),
            self.keys.lobby_players(shard),
        ]
        if change.request is not None:
            keys.append(self.keys.answers(table_id, change.request.player))
        keys += [
            self.keys.player_hands(player, shard)
            for hand in change.finished
            for player in hand.players.values()
        ]
        mark = secrets.token_hex(8).encode()
        reply = await ask(self._scripts.commit(keys=keys, args=self._commit_arguments(change, mark)))
        return _committed(reply, change, mark)

    def _commit_arguments(self, change: Commit, mark: bytes) -> list[Any]:
        settings, base, state, request = self.settings, change.base, change.state, change.request
        version = base.version + 1
        table_id = state.table_id
        after, at = earliest(state.alarms)
        if state.closed:
            lobby: bytes | str = ""
        else:
            lobby = "=" if change.lobby is None else encoding.encode_lobby(change.lobby)
        arguments: list[Any] = [
            base.version,
            base.epoch,
            base.mark + b" " + mark,
            self.codec.seal_state(state),
            self.codec.seal_events(change.events, table_id, version),
            f"{'' if after is None else max(0, after // _MILLISECOND)} {_milliseconds(at)}",
            f"{change.timing.value} {_milliseconds(change.moment)}",
            settings.grace // _MILLISECOND,
            table_id,
            lobby,
            int(state.hand_start_version == version or not state.hand_running),
            settings.log_life // _MILLISECOND,
            settings.log_length,
            request.request_id if request else "",
            request.payload_hash if request else "",
            encoding.encode_answer(change.answer),
            ANSWERS,
            ANSWER_LIFE // _MILLISECOND,
            CLOSED_LIFE // _MILLISECOND if state.closed and not state.transfers else 0,
            settings.record_count,
            settings.record_life // _MILLISECOND,
            self.codec.outbox_part(change),
            self.codec.seal_audit(change.audit, table_id, version) if change.audit else "",
            settings.audit_count,
            settings.audit_life // _MILLISECOND,
            int(change.begins_hand),
            " ".join(f"{player_mark(player)}:{table_id}" for player in change.came),
            " ".join(f"{player_mark(player)}:{table_id}" for player in change.went),
        ]
        for hand in change.finished:
            arguments += [hand.hand_number, self.codec.seal_record(hand), len(hand.players)]
        return arguments

    # -- clocks ----------------------------------------------------------------------------------------------

    async def due(self, leave_out: Collection[str] = ()) -> tuple[list[str], timedelta | None]:
        # Whoever is left out must not take the places of those behind him.
        places = [_DUE_AT_ONCE] * SHARDS
        for table_id in leave_out:
            places[shard_of(table_id)] += 1
        pipeline = self.client.pipeline(transaction=False)
        pipeline.time()
        for shard in range(SHARDS):
            pipeline.zrange(self.keys.due(shard), 0, places[shard] - 1, withscores=True)
        (seconds, micros), *shards = await ask(pipeline.execute())
        limit = seconds * 1000 + micros // 1000 - self.settings.grace // _MILLISECOND
        waiting = sorted(
            (deadline, name)
            for entries in shards
            for table_id, deadline in entries
            if (name := table_id.decode()) not in leave_out
        )
        ready = [table_id for deadline, table_id in waiting if deadline <= limit]
        later = next((deadline - limit for deadline, _ in waiting if deadline > limit), None)
        return ready, None if later is None else max(_MILLISECOND, later * _MILLISECOND)

    async def restart_clocks(self) -> None:
        """Give everybody who has to do something his whole time again (``clocks.restart``).

        For the start of a server that owns its store: while it was down nobody could act, so nobody may be
        timed out for that. With a store that others share it would be wrong, and their clocks go on.
        """
        pipeline = self.client.pipeline(transaction=False)
        for shard in range(SHARDS):
            pipeline.zrange(self.keys.due(shard), 0, -1)
        for table_id in [identity.decode() for shard in await ask(pipeline.execute()) for identity in shard]:
            try:
                while not await self._restart_clocks_of(table_id):
                    continue
            except StoreRefused as error:
                # One that cannot be read (damaged, sealed with another key) keeps no other from going on.
                _log.error("the clocks of table %s stand still: %s", table_id, error)

    async def _restart_clocks_of(self, table_id: str) -> bool:
        """``restart_clocks`` of one table; False where somebody has changed it meanwhile."""
        stored = await self.load(table_id)
        restarted = None if stored is None else clocks.restart(stored.state)
        if stored is None or restarted is None:
            return True
        state, events = restarted
        try:
            await self.commit(Commit(stored.state, state, events, Answer(state.version, state.epoch)))
        except Conflict:
            return False
        return True

    # -- lists and logs --------------------------------------------------------------------------------------

    async def list_tables(self, page_size: int, page_token: str, wanted: TableFilter) -> Page:
        return await list_page(self.client, self.keys, page_size, page_token, wanted)

    async def read_events(self, table_id: str, after_version: int, limit: int) -> list[LogEntry]:
        entries = await ask(
            self.client.xrange(self.keys.log(table_id), min=f"{after_version + 1}-0", count=limit)
        )
        return [self.log_entry(table_id, identity, fields) for identity, fields in entries]

    def log_entry(self, table_id: str, identity: bytes, fields: dict[bytes, bytes]) -> LogEntry:
        """An entry of the log as it was committed."""
        version = int(identity.partition(b"-")[0])
        return LogEntry(
            table_id=table_id,
            epoch=int(fields[b"e"]),
            version=version,
            time=_at(int(fields[b"t"])),
            deadline=_moment(fields[b"d"]),
            events=self.codec.open_events(fields[b"b"], table_id, version),
        )


def _committed(reply: list[Any], change: Commit, mark: bytes) -> Committed:
    code = reply[0]
    if code in (b"ok", b"same"):
        _, _, _, deadline, now = reply
        change.state.mark = mark
        change.state.stamp(_at(now))
        return Committed(change.state, _moment(deadline), _at(now), change.answer)
    if code == b"kept":
        return Committed(None, None, _at(reply[2]), encoding.decode_answer(reply[1]), repeated=True)
    table_id = change.state.table_id
    if code == b"reused" and change.request is not None:
        raise _reused(change.request)
    if code in (b"conflict", b"gone"):
        raise Conflict(f"table {table_id} has changed")
    if code == b"draining":
        raise Draining(f"no hand may begin at table {table_id}")
    if code == b"early":
        raise NotDue(f"nothing is due at table {table_id}")
    if code == b"late":
        raise TooLate(f"the time at table {table_id} is over")
    raise StoreRefused(f"table {table_id} is damaged: {reply[1].decode(errors='replace')}")


def _kept_answer(kept: bytes, request: Request) -> Answer:
    size = len(request.payload_hash)
    if kept[:size] != request.payload_hash:
        raise _reused(request)
    return encoding.decode_answer(kept[size:])


def _reused(request: Request) -> TableError:
    return TableError(
        Reason.REQUEST_ID_REUSED,
        "this request_id stands for another request",
        field="request_id",
        metadata={"request_id": request.request_id},
    )


def _milliseconds(moment: datetime | None) -> int | str:
    return "" if moment is None else (moment - _EPOCH) // _MILLISECOND


def _at(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _moment(milliseconds: bytes) -> datetime | None:
    return _at(int(milliseconds)) if milliseconds else None
