"""A table as its viewer knows it: a snapshot, kept up to date by the events that follow.

Nothing is worked out here that the server has not said; events are only written down.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from turkpoker.client.decisions import Decision, action_name, phase_name
from turkpoker.v1 import actions_pb2, events_pb2, rules_pb2, tables_pb2

CARDS_OF_A_HAND = 5


@dataclass(slots=True)
class SeatView:
    """A taken seat. `stack` is chips before him, without what lies in the running hand."""

    seat: int
    player: str
    display_name: str
    stack: int
    sitting_out: bool = False
    leaving: bool = False
    pending: int = 0


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

    @classmethod
    def from_wire(cls, table: tables_pb2.Table) -> "TableView":
        """The view that a snapshot gives."""
        view = cls(
            name=table.name,
            display_name=table.display_name,
            rules=table.rules,
            seat_count=table.seat_count,
            host=table.host,
            seats={
                s.seat: SeatView(
                    s.seat, s.player, s.display_name, s.stack, s.sitting_out, s.leaving, s.pending
                )
                for s in table.seats
            },
            your_seat=table.your_seat if table.HasField("your_seat") else None,
            version=table.version,
            hand_number=table.hand_number,
            carried=table.carried,
            dealer_seat=table.dealer_seat if table.HasField("dealer_seat") else None,
            hand=_hand_from_wire(table.hand) if table.HasField("hand") else None,
            rehearsal=table.rehearsal,
            closed=table.closed,
            warnings=tuple(table.warnings),
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
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(self, getattr(event, kind))
        return kind

    def _player(self, seat: int) -> HandPlayerView | None:
        return self.hand.players.get(seat) if self.hand is not None else None

    def _put_in(self, seat: int, amount: int, *, all_in: bool) -> HandPlayerView | None:
        player = self._player(seat)
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


def _hand_from_wire(hand: tables_pb2.Hand) -> HandView:
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


def _player_joined(view: TableView, event: events_pb2.PlayerJoined) -> None:
    view.seats[event.seat] = SeatView(event.seat, event.player, event.display_name, event.stack)


def _player_left(view: TableView, event: events_pb2.PlayerLeft) -> None:
    view.seats.pop(event.seat, None)
    if view.hand is not None:
        view.hand.asked.pop(event.seat, None)
    if view.your_seat == event.seat:
        view.your_seat = None


def _chips_added(view: TableView, event: events_pb2.ChipsAdded) -> None:
    seat = view.seats.get(event.seat)
    if seat is not None:
        if event.pending:
            seat.pending += event.amount
        else:
            seat.stack += event.amount


def _sat_out(view: TableView, event: events_pb2.SatOut) -> None:
    if event.seat in view.seats:
        view.seats[event.seat].sitting_out = True


def _sat_in(view: TableView, event: events_pb2.SatIn) -> None:
    if event.seat in view.seats:
        view.seats[event.seat].sitting_out = False


def _table_closed(view: TableView, event: events_pb2.TableClosed) -> None:
    view.closed = True


def _dealer_drawn(view: TableView, event: events_pb2.DealerDrawn) -> None:
    view.dealer_seat = event.dealer_seat


def _hand_started(view: TableView, event: events_pb2.HandStarted) -> None:
    view.hand_number = event.hand_number
    view.dealer_seat = event.dealer_seat
    view.carried = 0
    view.hand = HandView(
        number=event.hand_number,
        phase="",
        dealer_seat=event.dealer_seat,
        deck=event.deck,
        players={s.seat: HandPlayerView(s.seat, s.player, s.stack) for s in event.seats},
        pot=event.carried,
        carried=event.carried,
    )
    for dealt in event.seats:
        if dealt.seat in view.seats:
            view.seats[dealt.seat].stack, view.seats[dealt.seat].pending = dealt.stack, 0


def _ante_posted(view: TableView, event: events_pb2.AntePosted) -> None:
    player = view._put_in(event.seat, event.amount, all_in=event.all_in)
    if player is not None and event.missed:  # dead money
        player.total -= event.amount


def _blind_posted(view: TableView, event: events_pb2.BlindPosted) -> None:
    player = view._player(event.seat)
    if player is not None and view.hand is not None:
        view._put_in(event.seat, event.to - player.bet, all_in=event.all_in)
        player.bet = event.to
        # Who cannot pay the whole blind does not make it smaller for the others.
        forced = event.type == actions_pb2.ACTION_TYPE_UNSPECIFIED
        view.hand.level = max(view.hand.level, event.to, view.rules.blind if forced else 0)
        view.hand.asked.pop(event.seat, None)
        if action_name(event.type) == "karanlik":
            view.hand.opener_seat = event.seat


def _cards_dealt(view: TableView, event: events_pb2.CardsDealt) -> None:
    player = view._player(event.seat)
    if player is not None:
        player.cards = list(event.cards) or [0] * event.count


def _phase_started(view: TableView, event: events_pb2.PhaseStarted) -> None:
    if view.hand is None:
        return
    view.hand.enter_phase(phase_name(event.phase))
    if view.hand.phase == "round2":
        view.hand.level = 0
        for player in view.hand.players.values():
            player.bet = 0


def _decision_asked(view: TableView, event: events_pb2.DecisionAsked) -> None:
    if view.hand is not None:
        decision = Decision.from_wire(event.decision)
        view.hand.asked[decision.seat] = decision
        if decision.phase != "proof":  # a proof may be asked for while others play on
            view.hand.enter_phase(decision.phase)


def _acted(view: TableView, event: events_pb2.Acted) -> None:
    if view.hand is None:
        return
    view.hand.asked.pop(event.seat, None)
    player = view._player(event.seat)
    if player is None:
        return
    if event.amount:
        view._put_in(event.seat, event.amount, all_in=event.all_in)
    name = action_name(event.type)
    if name == "fold":
        player.folded = True
        return
    if name == "stay_out":
        player.stays_out = True
        return
    if name == "ask_proof":  # one request is enough: nobody else is asked any more
        view.hand.asked = {seat: each for seat, each in view.hand.asked.items() if each.phase != "proof"}
    if name == "open":
        view.hand.opener_seat = event.seat
    if event.amount:
        player.bet = event.to
        view.hand.level = max(view.hand.level, event.to)


def _cards_drawn(view: TableView, event: events_pb2.CardsDrawn) -> None:
    if view.hand is None:
        return
    player = view._player(event.seat)
    view.hand.asked.pop(event.seat, None)
    if player is None:
        return
    if not event.fourth:
        player.drawn = event.count
    if event.discarded or event.received:
        thrown = set(event.discarded)
        player.cards = [card for card in player.cards if card not in thrown] + list(event.received)
    elif event.fourth:
        player.cards.append(0)
    elif event.count == 4 and view.rules.four_card_draw == rules_pb2.FOUR_CARD_DRAW_THREE_THEN_ONE:
        player.cards.pop()


def _uncalled_returned(view: TableView, event: events_pb2.UncalledReturned) -> None:
    player = view._put_in(event.seat, -event.amount, all_in=False)
    if player is not None:
        player.bet = max(0, player.bet - event.amount)


def _hand_shown(view: TableView, event: events_pb2.HandShown) -> None:
    player = view._player(event.seat)
    if player is not None:
        player.cards = list(event.cards)


def _pot_awarded(view: TableView, event: events_pb2.PotAwarded) -> None:
    for share in event.shares:
        player, seat = view._player(share.seat), view.seats.get(share.seat)
        if player is not None:
            player.stack += share.amount
        if seat is not None:
            seat.stack += share.amount
        if view.hand is not None:
            view.hand.pot -= share.amount


def _pot_carried(view: TableView, event: events_pb2.PotCarried) -> None:
    view.carried = event.amount


def _hand_ended(view: TableView, event: events_pb2.HandEnded) -> None:
    if view.hand is not None:
        view.hand.phase = "over"
        view.hand.asked.clear()
    for share in event.stacks:
        seat, player = view.seats.get(share.seat), view._player(share.seat)
        if player is not None:
            player.stack = share.amount
            if seat is not None and seat.player == player.player:
                # What was bought in mid-hand comes to the stack now.
                seat.stack, seat.pending = share.amount + seat.pending, 0


_HANDLERS: dict[str, Callable[[TableView, Any], None]] = {
    "player_joined": _player_joined,
    "player_left": _player_left,
    "chips_added": _chips_added,
    "sat_out": _sat_out,
    "sat_in": _sat_in,
    "table_closed": _table_closed,
    "dealer_drawn": _dealer_drawn,
    "hand_started": _hand_started,
    "ante_posted": _ante_posted,
    "blind_posted": _blind_posted,
    "cards_dealt": _cards_dealt,
    "phase_started": _phase_started,
    "decision_asked": _decision_asked,
    "acted": _acted,
    "cards_drawn": _cards_drawn,
    "uncalled_returned": _uncalled_returned,
    "hand_shown": _hand_shown,
    "pot_awarded": _pot_awarded,
    "pot_carried": _pot_carried,
    "hand_ended": _hand_ended,
}
