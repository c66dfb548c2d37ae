"""What happens at a table, in one list with the events of the hand, which stand there as the engine made
them.

``project`` is the only way to a viewer: it hands the engine's events to the engine's own projection, and
keeps the legal actions of a question (they tell of cards) for the seat that is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias

from turkpoker.engine import Event, project_event

#: What ``Hand.legal`` gives: ``True``, the chips to add, or (lowest, highest).
Legal = Mapping[str, "bool | int | tuple[int, int]"]


@dataclass(frozen=True, slots=True)
class PlayerJoined:
    """Somebody took a seat with ``stack`` chips."""

    name: ClassVar[str] = "player_joined"
    seat: int
    player: str
    display_name: str
    stack: int


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """Somebody gave his seat up and has been paid ``cashed_out`` chips in all."""

    name: ClassVar[str] = "player_left"
    seat: int
    player: str
    cashed_out: int


@dataclass(frozen=True, slots=True)
class BoughtIn:
    """Chips came to the table. ``transfer_id`` is unique and the same however often the command is tried."""

    name: ClassVar[str] = "bought_in"
    seat: int
    player: str
    amount: int
    transfer_id: str


@dataclass(frozen=True, slots=True)
class CashedOut:
    """Chips left the table. ``transfer_id`` is unique and the same however often the command is tried."""

    name: ClassVar[str] = "cashed_out"
    seat: int
    player: str
    amount: int
    transfer_id: str


@dataclass(frozen=True, slots=True)
class ChipsAdded:
    """A rebuy or top-up; with ``pending`` the chips wait until the hand is over."""

    name: ClassVar[str] = "chips_added"
    seat: int
    player: str
    amount: int
    pending: bool


@dataclass(frozen=True, slots=True)
class SatOut:
    """Somebody is not dealt in any more; ``timed_out`` when the table decided so because he did not
    answer.
    """

    name: ClassVar[str] = "sat_out"
    seat: int
    player: str
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class SatIn:
    """Somebody is dealt in again."""

    name: ClassVar[str] = "sat_in"
    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class DealerDrawn:
    """The first dealer was found; ``draws`` are (seat, card id) in order, empty when he was drawn by lot."""

    name: ClassVar[str] = "dealer_drawn"
    draws: tuple[tuple[int, int], ...]
    dealer_seat: int


@dataclass(frozen=True, slots=True)
class DealtSeat:
    """A player dealt in, with his chips before the ante."""

    seat: int
    player: str
    stack: int


@dataclass(frozen=True, slots=True)
class DealStarted:
    """A new deal with its players; comes before the engine's ``hand_started``, which knows seats only.

    Args:
        hand_number: counts the deals of the table from 1.
        dealer_seat: who deals.
        seats: who plays, clockwise from the dealer's left.
        carried: chips in the pot from dead hands.
    """

    name: ClassVar[str] = "deal_started"
    hand_number: int
    dealer_seat: int
    seats: tuple[DealtSeat, ...]
    carried: int


@dataclass(frozen=True, slots=True)
class DecisionAsked:
    """A question to a seat.

    ``legal`` is None for everybody but the asked. The deadline is that of the commit.
    """

    name: ClassVar[str] = "decision_asked"
    seat: int
    decision_id: str
    phase: str
    legal: Legal | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The table answered for a seat that ran out of time."""

    name: ClassVar[str] = "timed_out"
    seat: int
    player: str
    decision_id: str


@dataclass(frozen=True, slots=True)
class CarriedPotShared:
    """A carried pot was given to those who still sat there: ``shares`` are (seat, chips)."""

    name: ClassVar[str] = "carried_pot_shared"
    amount: int
    shares: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class HandSettled:
    """A deal is over and the table has taken its result: follows the engine's ``hand_ended``.

    Args:
        hand_number: which.
        stacks: (seat, chips) of everybody dealt in.
        carried: chips that stay for the next deal.
        rake: chips that the house took; it may have taken them commits ago, before a window for the proof.
    """

    name: ClassVar[str] = "hand_settled"
    hand_number: int
    stacks: tuple[tuple[int, int], ...]
    carried: int
    rake: int


@dataclass(frozen=True, slots=True)
class LevelStarted:
    """A tournament has reached a level, counted from 1; amounts in chips."""

    name: ClassVar[str] = "level_started"
    level: int
    ante: int
    blind: int
    stake_min: int


@dataclass(frozen=True, slots=True)
class PlayerEliminated:
    """A tournament goes on without somebody; equal ones share the better place."""

    name: ClassVar[str] = "player_eliminated"
    seat: int
    player: str
    place: int


@dataclass(frozen=True, slots=True)
class Placing:
    """A player's place in a match, from 1, and his chips at its end."""

    player: str
    place: int
    chips: int


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over; ``placings`` are the players, best first."""

    name: ClassVar[str] = "match_ended"
    placings: tuple[Placing, ...]


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is no more."""

    name: ClassVar[str] = "table_closed"


TableOwnEvent: TypeAlias = (
    PlayerJoined
    | PlayerLeft
    | BoughtIn
    | CashedOut
    | ChipsAdded
    | SatOut
    | SatIn
    | DealerDrawn
    | DealStarted
    | DecisionAsked
    | TimedOut
    | CarriedPotShared
    | HandSettled
    | LevelStarted
    | PlayerEliminated
    | MatchEnded
    | TableClosed
)
TableEvent: TypeAlias = TableOwnEvent | Event


def project(event: TableEvent, viewer_seat: int | None) -> TableEvent | None:
    """The event as the viewer may see it, or None when he may not know of it.

    Args:
        event: as it was committed.
        viewer_seat: the seat that the viewer held when it happened; None for a spectator.
    """
    if isinstance(event, DecisionAsked):
        return event if event.seat == viewer_seat else replace(event, legal=None)
    if isinstance(event, TableOwnEvent):
        return event
    return project_event(event, viewer_seat)
