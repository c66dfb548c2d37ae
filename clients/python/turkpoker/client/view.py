"""A table as its viewer knows it: a snapshot, kept up to date by the events that follow.

Nothing is worked out here that the server has not said; events are only written down.
"""

from dataclasses import dataclass, field
from datetime import timedelta

from turkpoker.client.decisions import Decision
from turkpoker.client.following import HANDLERS
from turkpoker.client.view_parts import (
    HandPlayerView,
    HandView,
    PlacingView,
    SeatView,
    WaitingView,
    hand_from_wire,
)
from turkpoker.v1 import events_pb2, rules_pb2, tables_pb2

CARDS_OF_A_HAND = 5


@dataclass(slots=True)
class TableView:
    """A table as one viewer knows it at `version`; `hand` is the running or the last deal."""

    name: str
    display_name: str
    rules: rules_pb2.Rules
    seat_count: int
    host: str
    seats: dict[int, SeatView]
    your_seat: int | None
    version: int
    hand_number: int
    carried: int
    dealer_seat: int | None
    hand: HandView | None
    rehearsal: bool
    closed: bool
    warnings: tuple[str, ...] = ()
    private: bool = False
    #: Opens a private table; only its host is told.
    invitation: str = field(default="", repr=False)
    paused: bool = False
    ending: bool = False
    waiting: tuple[WaitingView, ...] = ()
    spectator_delay: timedelta = timedelta(0)
    #: A spectator's view of a table whose spectators see everything later: without the running hand.
    delayed: bool = False
    away_limit: timedelta | None = None
    placings: tuple[PlacingView, ...] = ()

    @classmethod
    def from_wire(cls, table: tables_pb2.Table) -> "TableView":
        """The view that a snapshot gives."""
        view = cls(
            name=table.name,
            display_name=table.display_name,
            rules=table.rules,
            seat_count=table.seat_count,
            host=table.host,
            seats={seat.seat: SeatView.from_wire(seat) for seat in table.seats},
            your_seat=table.your_seat if table.HasField("your_seat") else None,
            version=table.version,
            hand_number=table.hand_number,
            carried=table.carried,
            dealer_seat=table.dealer_seat if table.HasField("dealer_seat") else None,
            hand=hand_from_wire(table.hand) if table.HasField("hand") else None,
            rehearsal=table.rehearsal,
            closed=table.closed,
            warnings=tuple(table.warnings),
            private=table.private,
            invitation=table.invitation,
            paused=table.paused,
            ending=table.ending,
            waiting=tuple(WaitingView.from_wire(each) for each in table.waiting),
            spectator_delay=table.spectator_delay.ToTimedelta(),
            delayed=table.delayed,
            away_limit=table.away_limit.ToTimedelta() if table.HasField("away_limit") else None,
            placings=tuple(PlacingView.from_wire(each) for each in table.placings),
        )
        if view.hand is not None and table.HasField("decision"):
            view.hand.asked[table.decision.seat] = Decision.from_wire(table.decision)
        return view

    @property
    def decision(self) -> Decision | None:
        """The viewer's own open question."""
        if self.hand is None or self.your_seat is None:
            return None
        return self.hand.asked.get(self.your_seat)

    @property
    def me(self) -> HandPlayerView | None:
        """The viewer in the running or last deal."""
        if self.hand is None or self.your_seat is None:
            return None
        return self.hand.players.get(self.your_seat)

    def apply(self, event: events_pb2.TableEvent) -> str:
        """Write one event down and tell its name; one that this client does not know changes nothing else."""
        self.version = event.version
        kind = event.WhichOneof("event")
        if kind is None:
            return ""
        handler = HANDLERS.get(kind)
        if handler is not None:
            handler(self, getattr(event, kind))
        return kind

    def player_in_hand(self, seat: int) -> HandPlayerView | None:
        """Who holds cards on that seat in the running or last deal."""
        return self.hand.players.get(seat) if self.hand is not None else None

    def put_in(self, seat: int, amount: int, *, all_in: bool) -> HandPlayerView | None:
        """Move chips from a stack to the pot (back with a negative amount)."""
        player = self.player_in_hand(seat)
        if player is None or self.hand is None:
            return None
        player.stack -= amount
        player.total += amount
        player.all_in = all_in
        self.hand.pot += amount
        holder = self.seats.get(seat)
        if holder is not None:
            holder.stack -= amount
        return player
