"""The parts of a table's view: seats, hands, and those who wait."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from turkpoker.client.decisions import Decision, moment, phase_name
from turkpoker.v1 import events_pb2, tables_pb2


@dataclass(slots=True)
class SeatView:
    """A taken seat. `stack` is chips before him, without what lies in the running hand.

    awaiting_bank: chips bought that the bank has not paid yet.
    time_bank: what his time bank held when the table last told; None: the table has none.
    leaves_time: when he is cashed out if he is still sitting out.
    auto_top_up: up to how many chips he is filled up between hands; only his own is known.
    """

    seat: int
    player: str
    display_name: str
    stack: int
    sitting_out: bool = False
    leaving: bool = False
    pending: int = 0
    awaiting_bank: int = 0
    time_bank: timedelta | None = None
    sits_out_at_next_ante: bool = False
    leaves_after_hand: bool = False
    auto_top_up: int = 0
    leaves_time: datetime | None = None

    @classmethod
    def from_wire(cls, seat: tables_pb2.Seat) -> "SeatView":
        """The seat that a message describes."""
        return cls(
            seat=seat.seat,
            player=seat.player,
            display_name=seat.display_name,
            stack=seat.stack,
            sitting_out=seat.sitting_out,
            leaving=seat.leaving,
            pending=seat.pending,
            awaiting_bank=seat.awaiting_bank,
            time_bank=seat.time_bank.ToTimedelta() if seat.HasField("time_bank") else None,
            sits_out_at_next_ante=seat.sits_out_at_next_ante,
            leaves_after_hand=seat.leaves_after_hand,
            auto_top_up=seat.auto_top_up,
            leaves_time=moment(seat.leaves_time) if seat.HasField("leaves_time") else None,
        )


@dataclass(frozen=True, slots=True)
class WaitingView:
    """Somebody who waits for a seat; `offered_seat` is kept for him until `offer_expires`."""

    player: str
    display_name: str
    offered_seat: int | None = None
    offer_expires: datetime | None = None

    @classmethod
    def from_wire(cls, waiting: events_pb2.Waiting) -> "WaitingView":
        """Who a message describes."""
        return cls(
            waiting.player,
            waiting.display_name,
            waiting.offered_seat if waiting.HasField("offered_seat") else None,
            moment(waiting.offer_expire_time) if waiting.HasField("offer_expire_time") else None,
        )


@dataclass(frozen=True, slots=True)
class PlacingView:
    """A player's place in a match, from 1, and his chips at its end."""

    player: str
    place: int
    chips: int = 0

    @classmethod
    def from_wire(cls, placing: events_pb2.Placing) -> "PlacingView":
        """The place that a message describes."""
        return cls(placing.player, placing.place, placing.chips)


@dataclass(slots=True)
class HandPlayerView:
    """A player in a deal. `bet` is his total in this round, `total` in this hand; a hidden card is 0."""

    seat: int
    player: str
    stack: int
    bet: int = 0
    total: int = 0
    folded: bool = False
    all_in: bool = False
    cards: list[int] = field(default_factory=list, repr=False)
    drawn: int | None = None
    # Until the cards are dealt to the others.
    stays_out: bool = field(default=False, compare=False)


@dataclass(slots=True)
class HandView:
    """A running or finished deal. `asked` are the open questions by seat; one's own has legal actions."""

    number: int
    phase: str
    dealer_seat: int
    deck: int
    players: dict[int, HandPlayerView]
    pot: int = 0
    carried: int = 0
    level: int = 0
    opener_seat: int | None = None
    asked: dict[int, Decision] = field(default_factory=dict)

    @property
    def live(self) -> list[HandPlayerView]:
        """Who has not folded."""
        return [player for player in self.players.values() if not player.folded]

    def enter_phase(self, phase: str) -> None:
        """Note the phase; beyond the entry only those who play are in the hand."""
        was, self.phase = self.phase, phase
        if was in ("", "entry") and phase != "entry":
            self.players = {seat: player for seat, player in self.players.items() if not player.stays_out}


def hand_from_wire(hand: tables_pb2.Hand) -> HandView:
    """The hand that a message describes."""
    players = {
        p.seat: HandPlayerView(
            p.seat,
            p.player,
            p.stack,
            p.bet,
            p.total,
            p.folded,
            p.all_in,
            list(p.cards),
            p.drawn if p.HasField("drawn") else None,
        )
        for p in hand.players
    }
    return HandView(
        number=hand.hand_number,
        phase=phase_name(hand.phase),
        dealer_seat=hand.dealer_seat,
        deck=hand.deck,
        players=players,
        pot=hand.pot,
        carried=hand.carried,
        level=hand.level,
        opener_seat=hand.opener_seat if hand.HasField("opener_seat") else None,
        asked={d.seat: Decision.from_wire(d) for d in hand.asked},
    )
