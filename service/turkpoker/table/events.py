"""What happens at a table, in one list with the events of the hand, which stand there as the engine made
them.

``project`` is the only way to a viewer: it hands the engine's events to the engine's own projection, and
keeps the legal actions of a question (they tell of cards) for the seat that is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import ClassVar, TypeAlias

from turkpoker.engine import Event, project_event
from turkpoker.table.alarms import Alarm

#: What ``Hand.legal`` gives: ``True``, the chips to add, or (lowest, highest).
Legal = Mapping[str, "bool | int | tuple[int, int]"]


@dataclass(frozen=True, slots=True)
class PlayerJoined:
    """Somebody took a seat with ``stack`` chips; ``awaiting_bank`` more are his if the bank pays for them."""

    name: ClassVar[str] = "player_joined"
    seat: int
    player: str
    display_name: str
    stack: int
    awaiting_bank: int = 0


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
    """A rebuy or top-up; with ``pending`` the chips wait until the hand is over, with ``awaiting_bank`` for
    the bank; with ``automatic`` the player's standing order bought them.
    """

    name: ClassVar[str] = "chips_added"
    seat: int
    player: str
    amount: int
    pending: bool
    automatic: bool = False
    awaiting_bank: bool = False


@dataclass(frozen=True, slots=True)
class BuyInAsked:
    """Chips were asked for at the bank. They come with a ``BoughtIn`` of this id, or not at all."""

    name: ClassVar[str] = "buy_in_asked"
    seat: int
    player: str
    amount: int
    transfer_id: str


@dataclass(frozen=True, slots=True)
class BuyInConfirmed:
    """The bank has paid: the chips lie on the table; with ``pending`` they wait until the hand is over."""

    name: ClassVar[str] = "buy_in_confirmed"
    seat: int
    player: str
    amount: int
    pending: bool


@dataclass(frozen=True, slots=True)
class BuyInRefused:
    """The bank does not pay: the seat, or the chips, are not taken."""

    name: ClassVar[str] = "buy_in_refused"
    seat: int
    player: str
    amount: int
    transfer_id: str


@dataclass(frozen=True, slots=True)
class SatOut:
    """Somebody is not dealt in any more; ``timed_out`` when the table decided so because he did not
    answer, ``at_next_ante`` when he still is until an ante or a blind falls due to him. ``leaves`` says when
    he is paid out if he is not back; None: never.
    """

    name: ClassVar[str] = "sat_out"
    seat: int
    player: str
    timed_out: bool = False
    at_next_ante: bool = False
    leaves: Alarm | None = None


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

    ``legal`` is None for everybody but the asked. ``alarm`` says when the table answers for him, or when his
    time bank begins to run. ``time_bank`` is what that holds (while it runs: held when it began); None where
    none belongs to the question. ``proof_alarm`` closes a window for the proof that stands beside the turn.
    """

    name: ClassVar[str] = "decision_asked"
    seat: int
    decision_id: str
    phase: str
    legal: Legal | None = field(repr=False)
    alarm: Alarm | None = None
    time_bank: timedelta | None = None
    bank_running: bool = False
    proof_alarm: Alarm | None = None


@dataclass(frozen=True, slots=True)
class TimeBankStarted:
    """The clock of a question has run out, and the time bank of who is asked runs: it holds ``time_bank``."""

    name: ClassVar[str] = "time_bank_started"
    seat: int
    decision_id: str
    time_bank: timedelta
    alarm: Alarm


@dataclass(frozen=True, slots=True)
class DeadlineChanged:
    """A question that was asked before has another deadline now."""

    name: ClassVar[str] = "deadline_changed"
    seat: int
    decision_id: str
    alarm: Alarm
    proof_alarm: Alarm | None = None


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
        next_hand: when the next one is dealt, where that is known and not at once.
    """

    name: ClassVar[str] = "hand_settled"
    hand_number: int
    stacks: tuple[tuple[int, int], ...]
    carried: int
    rake: int
    next_hand: Alarm | None = None


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
    """The table is no more; ``reason`` is an operator's, for people."""

    name: ClassVar[str] = "table_closed"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HandStopped:
    """An operator stopped the hand; it counts as never dealt.

    Args:
        hand_number: which.
        refunds: (seat, chips) that everybody got back.
        carried: chips that lie in the carried pot again.
        reason: why, for people.
    """

    name: ClassVar[str] = "hand_stopped"
    hand_number: int
    refunds: tuple[tuple[int, int], ...]
    carried: int
    reason: str


@dataclass(frozen=True, slots=True)
class TablePaused:
    """No new hand begins; a running one goes on."""

    name: ClassVar[str] = "table_paused"
    by_operator: bool
    reason: str


@dataclass(frozen=True, slots=True)
class TableResumed:
    """Hands begin again."""

    name: ClassVar[str] = "table_resumed"


@dataclass(frozen=True, slots=True)
class PlayerRemoved:
    """Somebody was sent away; ``player_left`` follows when he is paid out."""

    name: ClassVar[str] = "player_removed"
    seat: int
    player: str
    by_operator: bool


@dataclass(frozen=True, slots=True)
class LeaveAnnounced:
    """Somebody leaves after the running hand; with ``cancelled`` he stays after all."""

    name: ClassVar[str] = "leave_announced"
    seat: int
    player: str
    cancelled: bool


@dataclass(frozen=True, slots=True)
class AutoTopUpSet:
    """Somebody is filled up to ``target`` chips between hands; 0: not any more. Only he himself is told."""

    name: ClassVar[str] = "auto_top_up_set"
    seat: int
    player: str
    target: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody who waits for a seat.

    Args:
        player: who.
        display_name: how he wants to be called.
        offered_seat: the free seat that is kept for him; None: there is none yet.
        offer: until when, where that is told; None in the state, which has it among its alarms.
    """

    player: str
    display_name: str
    offered_seat: int | None = None
    offer: Alarm | None = None


@dataclass(frozen=True, slots=True)
class WaitingListChanged:
    """Who waits for a seat now, first come first."""

    name: ClassVar[str] = "waiting_list_changed"
    waiting: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class RulesChanged:
    """From the next hand on ante or blind deals are played."""

    name: ClassVar[str] = "rules_changed"
    deal_mode: str


@dataclass(frozen=True, slots=True)
class SessionEnding:
    """The table ends after the running hand, or at once between hands."""

    name: ClassVar[str] = "session_ending"
    by_operator: bool


TableOwnEvent: TypeAlias = (
    PlayerJoined
    | PlayerLeft
    | BoughtIn
    | CashedOut
    | ChipsAdded
    | BuyInAsked
    | BuyInConfirmed
    | BuyInRefused
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
    | HandStopped
    | TablePaused
    | TableResumed
    | PlayerRemoved
    | LeaveAnnounced
    | AutoTopUpSet
    | WaitingListChanged
    | RulesChanged
    | SessionEnding
    | TimeBankStarted
    | DeadlineChanged
)
TableEvent: TypeAlias = TableOwnEvent | Event


def project(event: TableEvent, viewer_seat: int | None, player: str | None = None) -> TableEvent | None:
    """The event as the viewer may see it, or None when he may not know of it.

    Args:
        event: as it was committed.
        viewer_seat: the seat that the viewer held when it happened; None for a spectator.
        player: who the viewer is; None for nobody in particular.
    """
    if isinstance(event, AutoTopUpSet):
        return event if event.player == player else None
    if isinstance(event, DecisionAsked):
        return event if event.seat == viewer_seat else replace(event, legal=None)
    if isinstance(event, TableOwnEvent):
        return event
    return project_event(event, viewer_seat)
