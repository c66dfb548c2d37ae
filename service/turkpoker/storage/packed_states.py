"""How the state of a table is packed: msgpack of one struct, versioned.

A hand lies there as its record (start, reshuffles, actions) and is restored by playing it again, so that its
state has one definition only, the engine's.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias

import msgspec
from turkpoker.engine import Action, Hand, HandRecord, Rules
from turkpoker.storage.table_clocks import (
    TableClocks,
    alarms_of_old,
    clock_fields,
    empty_limit,
    pack_clocks,
    restore_away,
)
from turkpoker.storage.table_life import TableLife, config_fields, pack_life, restore_orders, state_fields
from turkpoker.table.config import TableConfig
from turkpoker.table.dealing import Reshuffler
from turkpoker.table.errors import StoreRefused
from turkpoker.table.state import Ledger, Seat, TableState
from turkpoker.table.transfers import Awaiting

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


class State(msgspec.Struct, array_like=True):
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


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(State).decode


def encode_state(state: TableState) -> bytes:
    """A state; not sealed yet."""
    return _encode(_pack_state(state))


def decode_state(plain: bytes, table_id: str, version: int, deadline: datetime | None) -> TableState:
    """The state of a version.

    Args:
        plain: what ``encode_state`` gave.
        table_id: whose.
        version: which.
        deadline: what lies beside it; all that states older than alarms have of them.

    Raises:
        StoreRefused: it was written by a newer program, or is no state.
    """
    try:
        packed = _decode(plain)
    except msgspec.ValidationError:
        raise StoreRefused(f"the state of table {table_id} is not in a format of this program") from None
    if packed.format != FORMAT:
        raise StoreRefused(f"the state of table {table_id} has format {packed.format}, not {FORMAT}")
    state = _unpack_state(packed, table_id, version)
    if packed.clocks is None and deadline is not None:
        state.alarms = alarms_of_old(state, deadline, packed.window_rest)
    return state


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


def _pack_state(state: TableState) -> State:
    config, ledger = state.config, state.ledger
    return State(
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


def _unpack_state(packed: State, table_id: str, version: int) -> TableState:
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
