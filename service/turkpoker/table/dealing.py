"""From one hand to the next: who deals, who plays, what is shuffled, and what a finished hand leaves
behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from turkpoker.engine import Hand
from turkpoker.evaluator import card_rank, card_suit, deck_cards
from turkpoker.table.events import DealerDrawn, DealStarted, DealtSeat
from turkpoker.table.ports import Dealer, ShuffleContext
from turkpoker.table.state import TableState


@dataclass(slots=True)
class Reshuffler:
    """The reshuffle of one hand: asks the dealer, and counts from what the hand has seen.

    A hand keeps this from its first deal, also through the store, which knows no dealer: so the dealer, and
    the copy of the hand that is worked on, are bound to it before every command.
    """

    table_id: str
    hand_number: int
    dealer: Dealer | None = field(default=None, repr=False)
    hand: Hand | None = field(default=None, repr=False)

    def bind(self, dealer: Dealer, hand: Hand | None) -> None:
        """Say who shuffles, and for which copy of the hand."""
        self.dealer = dealer
        self.hand = hand

    def __call__(self, cards: tuple[int, ...]) -> tuple[int, ...]:
        """The discards in their new order."""
        if self.dealer is None or self.hand is None:
            raise RuntimeError("no dealer is bound to this hand")
        before = sum(1 for event in self.hand.events if event.name == "reshuffled")
        context = ShuffleContext(self.table_id, self.hand_number, before + 2, "reshuffle")
        return self.dealer.shuffle(cards, context)


def players_needed(state: TableState) -> int:
    """How many must be ready for a deal: what the rules say, but two are enough where others are out
    of chips.
    """
    least = state.config.rules.players[0]
    return 2 if len(state.seats) >= least else least


def can_deal(state: TableState) -> bool:
    """Whether a hand can begin."""
    return not state.closed and not state.hand_running and len(state.ready()) >= players_needed(state)


def clockwise(state: TableState, seats: list[int], after: int) -> list[int]:
    """Seats in clockwise order from the left of a seat."""
    count = state.config.seat_count
    return sorted(seats, key=lambda seat: (seat - after - 1) % count)


def choose_dealer(state: TableState, dealer: Dealer, seats: list[int]) -> DealerDrawn | None:
    """Set who deals the next hand; an event when he had to be drawn.

    The deal passes clockwise to the next who plays, after every hand. The first dealer is the one with the
    highest card; equal ranks draw again among themselves, or suits decide where they do so in the game. Where
    the rules want chance alone, the highest card of a shuffled deck is just that, and nobody sees it.
    """
    if state.dealer is not None:
        state.dealer = clockwise(state, seats, state.dealer)[0]
        return None
    rules = state.config.rules
    deck = deck_cards(rules.deck_size(len(seats)))
    by_rank = rules.first_dealer == "high_card"
    suits_decide = not by_rank or rules.tie_break == "suits"
    draws: list[tuple[int, int]] = []
    drawing, shuffles = seats, 0
    while len(drawing) > 1:
        shuffles += 1
        context = ShuffleContext(state.table_id, state.hand_number + 1, shuffles, "first_dealer")
        order = dealer.shuffle(deck, context)
        drawn = dict(zip(drawing, order, strict=False))
        draws += drawn.items()
        heights = {seat: _height(card, rules.suit_order if suits_decide else None) for seat, card in draws}
        best = max(heights[seat] for seat in drawing)
        drawing = [seat for seat in drawing if heights[seat] == best]
    state.dealer = drawing[0]
    return DealerDrawn(tuple(draws) if by_rank else (), state.dealer)


def _height(card: int, suit_order: str | None) -> tuple[int, int]:
    suit = 0 if suit_order is None else -suit_order.index("cdsh"[card_suit(card)])
    return card_rank(card), suit


def deal(state: TableState, dealer: Dealer) -> list[DealerDrawn | DealStarted]:
    """Begin the next hand with everybody who is ready; the table's own events of it.

    The engine's events are in ``state.hand.events``.
    """
    seats = state.ready()
    events: list[DealerDrawn | DealStarted] = []
    for number in seats:
        seat = state.seats[number]
        seat.stack, seat.pending = seat.stack + seat.pending, 0
    drawn = choose_dealer(state, dealer, seats)
    if drawn is not None:
        events.append(drawn)
    assert state.dealer is not None
    state.hand_number += 1
    state.hand_start_version = state.version
    order = clockwise(state, seats, state.dealer)
    state.hand_players = {number: state.seats[number].player for number in order}
    dealt = tuple(
        DealtSeat(number, state.seats[number].player, state.seats[number].stack) for number in order
    )
    events.append(DealStarted(state.hand_number, state.dealer, dealt, state.carried))
    deck = deck_cards(state.config.rules.deck_size(len(seats)))
    context = ShuffleContext(state.table_id, state.hand_number, 1, "deal")
    state.reshuffler = Reshuffler(state.table_id, state.hand_number)
    state.hand = Hand(
        state.config.rules,
        {number: state.seats[number].stack for number in seats},
        state.dealer,
        dealer.shuffle(deck, context),
        state.carried,
        state.dead_before,
        state.reshuffler,
    )
    state.reshuffler.bind(dealer, state.hand)
    state.carried = 0
    take_stacks(state)
    return events


def take_stacks(state: TableState) -> None:
    """Let the seats show what the hand says; a leaver's chips are those that he has not been paid yet."""
    assert state.hand is not None
    for number, chips in state.hand.stacks.items():
        seat = state.seats[number]
        seat.stack = chips - seat.paid
