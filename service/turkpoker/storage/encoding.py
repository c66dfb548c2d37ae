"""How a table lies in the store: a private format of msgpack, versioned, sealed.

A hand lies there as its record (start, reshuffles, actions) and is restored by playing it again, so that its
state has one definition only, the engine's. Everything with cards in it leaves this module sealed.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeAlias, get_args, get_type_hints

import msgspec
from turkpoker.engine import EVENTS, Action, Hand, HandRecord, Rules
from turkpoker.storage.seal import Seal
from turkpoker.storage.table_clocks import (
    TableClocks,
    alarms_of_old,
    clock_fields,
    empty_limit,
    pack_clocks,
    restore_away,
)
from turkpoker.storage.table_life import TableLife, config_fields, pack_life, restore_orders, state_fields
from turkpoker.table.audit import AuditRecord
from turkpoker.table.config import TableConfig
from turkpoker.table.dealing import Reshuffler
from turkpoker.table.errors import StoreRefused
from turkpoker.table.events import TableEvent, TableOwnEvent
from turkpoker.table.lobby import LobbyEntry
from turkpoker.table.ports import Answer, Commit, FinishedHand
from turkpoker.table.state import Ledger, Seat, TableState
from turkpoker.table.transfers import Awaiting, Direction, Transfer

#: Raised when the layout below changes; the reader knows every earlier one.
FORMAT = 1
_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_Step: TypeAlias = tuple[int, str, int | None, bytes]


class _Rules(msgspec.Struct, array_like=True, frozen=True):
    profile: str
    options: bytes


class _Hand(msgspec.Struct, array_like=True):
    rules: _Rules | None  # None: the table's
    dealer: int
    stacks: tuple[tuple[int, int], ...]
    deck: bytes
    carried: int
    dead_before: int
    missed: tuple[tuple[int, int], ...]
    reshuffles: list[bytes]
    steps: list[_Step]


class _Seat(msgspec.Struct, array_like=True):
    seat: int
    player: str
    display_name: str
    stack: int
    sitting_out: bool
    leaving: bool
    pending: int
    timeouts: int
    paid: int
    paid_out: bool
    owed: int
    awaiting_bank: int = 0


#: Transfer id, player, seat, amount, joining, gone.
_Transfer: TypeAlias = tuple[str, str, int, int, bool, bool]


class _State(msgspec.Struct, array_like=True):
    format: int
    rules: _Rules
    display_name: str
    seat_count: int
    host: str
    hand_pause: int  # ms
    rehearsal: bool
    seats: list[_Seat]
    dealer: int | None
    hand_number: int
    carried: int
    dead_before: int
    carried_antes: int
    carried_blind: bool
    level: int
    level_hands: int
    level_start: int | None  # ms since 1970
    placings: tuple[tuple[str, int], ...]
    match_over: bool
    hand: _Hand | None
    hand_players: dict[int, str]
    hand_start_version: int
    window_rest: int | None  # ms; None but in states older than alarms
    bought_in: int
    cashed_out: int
    raked: int
    closed: bool
    life: TableLife = msgspec.field(default_factory=TableLife)
    clocks: TableClocks | None = None  # None in states older than alarms
    bank: bool = False
    transfers: tuple[_Transfer, ...] = ()


class _Record(msgspec.Struct, array_like=True):
    format: int
    players: dict[int, str]
    record: dict[str, Any]
    host: str = ""
    private: bool = False
    spectator_delay: int = 0  # ms


class PackedLobby(msgspec.Struct, array_like=True):
    """What the list of tables shows of one, as it lies in the store."""

    table_id: str
    display_name: str
    profile: str
    seat_count: int
    seats_taken: int
    ante: int
    stake_min: int
    hand_number: int
    rehearsal: bool
    host: str = ""
    private: bool = False
    match: str = "session"
    paused: bool = False
    hand_running: bool = False
    waiting_count: int = 0
    seats_kept: int = 0


class _Answer(msgspec.Struct, array_like=True):
    version: int
    epoch: int
    cashed_out: int
    pending: bool
    bought: int
    transfer_id: str = ""


class _Order(msgspec.Struct, array_like=True):
    format: int
    transfer_id: str
    player: str
    amount: int
    direction: Direction


_encode = msgspec.msgpack.Encoder().encode
_decode_state = msgspec.msgpack.Decoder(_State).decode
_decode_record = msgspec.msgpack.Decoder(_Record).decode
_decode_lobby = msgspec.msgpack.Decoder(PackedLobby).decode
_decode_answer = msgspec.msgpack.Decoder(_Answer).decode
_decode_order = msgspec.msgpack.Decoder(_Order).decode
_decode_audit = msgspec.msgpack.Decoder(list[tuple[str, str, str, dict[str, str]]]).decode
_decode_events = msgspec.msgpack.Decoder(list[tuple[str, msgspec.Raw]]).decode


class Codec:
    """Bytes for the store and back.

    Args:
        seal: what everything with cards in it is sealed with.
    """

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def seal_state(self, state: TableState) -> bytes:
        """A state; its version is that of the commit it goes with."""
        return self._seal.seal(_encode(_pack_state(state)), state.table_id, "state", state.version)

    def open_state(
        self, sealed: bytes, table_id: str, version: int, deadline: datetime | None = None
    ) -> TableState:
        """The state of a version; epoch, time of making and time of the version are the store's to fill in.

        The deadline beside it is all that states older than alarms have of them.

        Raises:
            StoreRefused: it is not what was sealed, or was written by a newer program.
        """
        plain = self._seal.open(sealed, table_id, "state", version)
        try:
            packed = _decode_state(plain)
        except msgspec.ValidationError:
            raise StoreRefused(f"the state of table {table_id} is not in a format of this program") from None
        if packed.format != FORMAT:
            raise StoreRefused(f"the state of table {table_id} has format {packed.format}, not {FORMAT}")
        state = _unpack_state(packed, table_id, version)
        if packed.clocks is None and deadline is not None:
            state.alarms = alarms_of_old(state, deadline, packed.window_rest)
        return state

    def seal_events(self, events: tuple[TableEvent, ...], table_id: str, version: int) -> bytes:
        """The events of one commit."""
        plain = _encode([(event.name, _FIELDS[event.name](event)) for event in events])
        return self._seal.seal(plain, table_id, "events", version)

    def open_events(self, sealed: bytes, table_id: str, version: int) -> tuple[TableEvent, ...]:
        """The events of one commit.

        Raises:
            StoreRefused: they are not what was sealed.
        """
        plain = self._seal.open(sealed, table_id, "events", version)
        return tuple(_MAKERS[name](content) for name, content in _decode_events(plain))

    def seal_record(self, hand: FinishedHand) -> bytes:
        """A finished hand."""
        packed = _Record(
            FORMAT,
            dict(hand.players),
            dict(hand.record),
            hand.host,
            hand.private,
            hand.spectator_delay // _MILLISECOND,
        )
        return self._seal.seal(_encode(packed), hand.table_id, "hand", hand.hand_number)

    def seal_audit(self, records: tuple[AuditRecord, ...], table_id: str, version: int) -> bytes:
        """What the audit log says of one commit; it names players and chips, so it is sealed too."""
        packed = [(each.actor, each.role, each.action, dict(each.details)) for each in records]
        return self._seal.seal(_encode(packed), table_id, "audit", version)

    def open_audit(self, sealed: bytes, table_id: str, version: int) -> tuple[AuditRecord, ...]:
        """What the audit log says of one commit.

        Raises:
            StoreRefused: it is not what was sealed.
        """
        plain = self._seal.open(sealed, table_id, "audit", version)
        return tuple(AuditRecord(*each) for each in _decode_audit(plain))

    def open_record(self, sealed: bytes, table_id: str, hand_number: int, end_time: datetime) -> FinishedHand:
        """A finished hand.

        Raises:
            StoreRefused: it is not what was sealed.
        """
        packed = _decode_record(self._seal.open(sealed, table_id, "hand", hand_number))
        return FinishedHand(
            table_id,
            hand_number,
            packed.players,
            packed.record,
            end_time,
            packed.host,
            packed.private,
            packed.spectator_delay * _MILLISECOND,
        )

    def seal_order(self, order: Transfer) -> bytes:
        """What the bank is asked to do."""
        packed = _Order(FORMAT, order.transfer_id, order.player, order.amount, order.direction)
        return self._seal.seal(_encode(packed), order.table_id, "order", order.version)

    def outbox_part(self, change: Commit) -> bytes:
        """What a commit writes into the outbox and takes off it, for its script; empty for nothing."""
        if not change.orders and not change.answered:
            return b""
        parts = [change.answered.encode(), *(self.seal_order(order) for order in change.orders)]
        return b"".join(len(part).to_bytes(4, "big") + part for part in parts)

    def open_order(self, sealed: bytes, table_id: str, version: int, time: datetime) -> Transfer:
        """What the bank is asked to do.

        Raises:
            StoreRefused: it is not what was sealed.
        """
        packed = _decode_order(self._seal.open(sealed, table_id, "order", version))
        return Transfer(
            packed.transfer_id, table_id, packed.player, packed.amount, packed.direction, version, time
        )


# -- states
# ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _pack_rules(rules: Rules) -> _Rules:
    return _Rules(rules.profile_name, _encode(rules.to_options()))


@lru_cache(maxsize=1024)
def _unpack_rules(packed: _Rules) -> Rules:
    return Rules.profile(packed.profile, **msgspec.msgpack.decode(packed.options))


def _pack_hand(hand: Hand, rules: Rules) -> _Hand:
    record = hand.record()
    return _Hand(
        rules=None if hand.rules == rules else _pack_rules(hand.rules),
        dealer=record.dealer,
        stacks=record.stacks,
        deck=bytes(record.deck),
        carried=record.carried,
        dead_before=record.dead_before,
        missed=record.missed,
        reshuffles=[bytes(order) for order in record.reshuffles],
        steps=[
            (step.seat, step.action, step.to, bytes(step.cards))
            for step in record.steps
            if isinstance(step, Action)
        ],
    )


def _unpack_hand(packed: _Hand, rules: _Rules, reshuffler: Reshuffler) -> Hand:
    played = packed.rules or rules
    record = HandRecord(
        id="",
        profile=played.profile,
        options=msgspec.msgpack.decode(played.options),
        dealer=packed.dealer,
        stacks=packed.stacks,
        deck=tuple(packed.deck),
        carried=packed.carried,
        dead_before=packed.dead_before,
        missed=packed.missed,
        reshuffles=tuple(tuple(order) for order in packed.reshuffles),
        steps=tuple(Action(seat, action, to, tuple(cards)) for seat, action, to, cards in packed.steps),
    )
    return record.restore(reshuffler)


def _pack_state(state: TableState) -> _State:
    config, ledger = state.config, state.ledger
    return _State(
        format=FORMAT,
        rules=_pack_rules(config.rules),
        display_name=config.display_name,
        seat_count=config.seat_count,
        host=config.host,
        hand_pause=config.hand_pause // _MILLISECOND,
        rehearsal=config.rehearsal,
        seats=[
            _Seat(
                number,
                seat.player,
                seat.display_name,
                seat.stack,
                seat.sitting_out,
                seat.leaving,
                seat.pending,
                seat.timeouts,
                seat.paid,
                seat.paid_out,
                seat.owed,
                seat.awaiting_bank,
            )
            for number, seat in state.seats.items()
        ],
        dealer=state.dealer,
        hand_number=state.hand_number,
        carried=state.carried,
        dead_before=state.dead_before,
        carried_antes=state.carried_antes,
        carried_blind=state.carried_blind,
        level=state.level,
        level_hands=state.level_hands,
        level_start=None if state.level_start is None else (state.level_start - _EPOCH) // _MILLISECOND,
        placings=state.placings,
        match_over=state.match_over,
        hand=_pack_hand(state.hand, config.rules) if state.hand is not None else None,
        hand_players=state.hand_players,
        hand_start_version=state.hand_start_version,
        window_rest=None,
        bought_in=ledger.bought_in,
        cashed_out=ledger.cashed_out,
        raked=ledger.raked,
        closed=state.closed,
        life=pack_life(state),
        clocks=pack_clocks(state),
        bank=config.bank,
        transfers=tuple(
            (name, each.player, each.seat, each.amount, each.joining, each.gone)
            for name, each in state.transfers.items()
        ),
    )


def _unpack_state(packed: _State, table_id: str, version: int) -> TableState:
    config = TableConfig(
        rules=_unpack_rules(packed.rules),
        display_name=packed.display_name,
        seat_count=packed.seat_count,
        host=packed.host,
        hand_pause=packed.hand_pause * _MILLISECOND,
        rehearsal=packed.rehearsal,
        **config_fields(packed.life),
        empty_limit=empty_limit(packed.clocks),
        bank=packed.bank,
    )
    reshuffler = Reshuffler(table_id, packed.hand_number)
    state = TableState(
        table_id=table_id,
        config=config,
        version=version,
        seats={
            seat.seat: Seat(
                seat.player,
                seat.display_name,
                seat.stack,
                seat.sitting_out,
                seat.leaving,
                seat.pending,
                seat.timeouts,
                seat.paid,
                seat.paid_out,
                seat.owed,
                awaiting_bank=seat.awaiting_bank,
            )
            for seat in packed.seats
        },
        dealer=packed.dealer,
        hand_number=packed.hand_number,
        carried=packed.carried,
        dead_before=packed.dead_before,
        carried_antes=packed.carried_antes,
        carried_blind=packed.carried_blind,
        level=packed.level,
        level_hands=packed.level_hands,
        level_start=None if packed.level_start is None else _EPOCH + packed.level_start * _MILLISECOND,
        placings=packed.placings,
        match_over=packed.match_over,
        hand=_unpack_hand(packed.hand, packed.rules, reshuffler) if packed.hand is not None else None,
        reshuffler=reshuffler if packed.hand is not None else None,
        hand_players=packed.hand_players,
        hand_start_version=packed.hand_start_version,
        ledger=Ledger(packed.bought_in, packed.cashed_out, packed.raked),
        closed=packed.closed,
        **state_fields(packed.life),
        **clock_fields(packed.clocks),
        transfers={each[0]: Awaiting(*each[1:]) for each in packed.transfers},
    )
    restore_orders(packed.life, state.seats)
    restore_away(packed.clocks, state.seats)
    return state


# -- events: [name, [fields in order]]
# -----------------------------------------------------------------------------


class _Maker:
    """Makes one kind of event from its fields.

    Fields that were added later (they have defaults, and stand last) may be missing in an older log.
    """

    __slots__ = ("_decode", "_kind")

    def __init__(self, kind: type[Any]) -> None:
        hints = get_type_hints(kind)
        layout = msgspec.defstruct(
            kind.__name__,
            [
                (each.name, hints[each.name])
                if each.default is MISSING
                else (each.name, hints[each.name], each.default)
                for each in fields(kind)
            ],
            array_like=True,
        )
        self._kind = kind
        self._decode = msgspec.msgpack.Decoder(layout).decode

    def __call__(self, content: msgspec.Raw) -> TableEvent:
        event: TableEvent = self._kind(*msgspec.structs.astuple(self._decode(content)))
        return event


def _reader_of(kind: type[Any]) -> Any:
    names = [each.name for each in fields(kind)]
    if not names:
        return lambda _: ()
    if len(names) == 1:
        return lambda event: (getattr(event, names[0]),)
    return attrgetter(*names)


_KINDS: dict[str, type[Any]] = {kind.name: kind for kind in (*EVENTS.values(), *get_args(TableOwnEvent))}
_FIELDS = {name: _reader_of(kind) for name, kind in _KINDS.items()}
_MAKERS = {name: _Maker(kind) for name, kind in _KINDS.items()}


# -- what is not sealed
# --------------------------------------------------------------------------------------------


def encode_lobby(entry: LobbyEntry) -> bytes:
    """An entry of the list of tables."""
    return _encode(PackedLobby(*(getattr(entry, name) for name in PackedLobby.__struct_fields__)))


def decode_lobby(data: bytes) -> PackedLobby:
    """An entry of the list of tables, as it lies there: a filter may have to look at thousands."""
    return _decode_lobby(data)


def unpack_lobby(packed: PackedLobby, create_time: datetime) -> LobbyEntry:
    """An entry of the list of tables."""
    return LobbyEntry(**msgspec.structs.asdict(packed), create_time=create_time)


def encode_answer(answer: Answer) -> bytes:
    """A kept answer."""
    return _encode(
        _Answer(
            answer.version, answer.epoch, answer.cashed_out, answer.pending, answer.bought, answer.transfer_id
        )
    )


def decode_answer(data: bytes) -> Answer:
    """A kept answer."""
    return Answer(**msgspec.structs.asdict(_decode_answer(data)))
