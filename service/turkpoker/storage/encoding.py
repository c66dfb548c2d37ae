"""How a table lies in the store: a private format of msgpack, versioned, sealed.

Everything with cards in it leaves this module sealed.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
from turkpoker.storage.packed_events import decode_events, encode_events
from turkpoker.storage.packed_states import FORMAT, decode_state, encode_state
from turkpoker.storage.seal import Seal
from turkpoker.table.audit import AuditRecord
from turkpoker.table.events import TableEvent
from turkpoker.table.lobby import LobbyEntry
from turkpoker.table.ports import Answer, Commit, FinishedHand
from turkpoker.table.state import TableState
from turkpoker.table.transfers import Direction, Transfer

_MILLISECOND = timedelta(milliseconds=1)


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
_decode_record = msgspec.msgpack.Decoder(_Record).decode
_decode_lobby = msgspec.msgpack.Decoder(PackedLobby).decode
_decode_answer = msgspec.msgpack.Decoder(_Answer).decode
_decode_order = msgspec.msgpack.Decoder(_Order).decode
_decode_audit = msgspec.msgpack.Decoder(list[tuple[str, str, str, dict[str, str]]]).decode


class Codec:
    """Bytes for the store and back.

    Args:
        seal: what everything with cards in it is sealed with.
    """

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def seal_state(self, state: TableState) -> bytes:
        """A state; its version is that of the commit it goes with."""
        return self._seal.seal(encode_state(state), state.table_id, "state", state.version)

    def open_state(
        self, sealed: bytes, table_id: str, version: int, deadline: datetime | None = None
    ) -> TableState:
        """The state of a version; epoch, time of making and time of the version are the store's to fill in.

        The deadline beside it is all that states older than alarms have of them.

        Raises:
            StoreRefused: it is not what was sealed, or was written by a newer program.
        """
        return decode_state(self._seal.open(sealed, table_id, "state", version), table_id, version, deadline)

    def seal_events(self, events: tuple[TableEvent, ...], table_id: str, version: int) -> bytes:
        """The events of one commit."""
        return self._seal.seal(encode_events(events), table_id, "events", version)

    def open_events(self, sealed: bytes, table_id: str, version: int) -> tuple[TableEvent, ...]:
        """The events of one commit.

        Raises:
            StoreRefused: they are not what was sealed.
        """
        return decode_events(self._seal.open(sealed, table_id, "events", version))

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
