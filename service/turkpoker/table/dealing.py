"""From one hand to the next: who deals, who plays, what is shuffled, and what a finished hand leaves
behind.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

from turkpoker.engine import Hand
from turkpoker.engine.events import AntePosted
from turkpoker.engine.matches import first_dealer, next_dealer
from turkpoker.evaluator import deck_cards
from turkpoker.table.events import DealerDrawn, DealStarted, DealtSeat, LevelStarted
from turkpoker.table.matches import rules_of_deal
from turkpoker.table.ports import Dealer, ShuffleContext
from turkpoker.table.state import TableState

#: So often the first dealer is drawn for, if need be; an honest shuffle settles it the first time.
_DRAWS = 3


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
    """How many must be ready for a deal: what the rules say, but two are enough where others are out of
    chips. A tournament begins when all its seats are taken.
    """
    if state.tournament:
        return 2 if state.hand_number else state.config.seat_count
    least = state.config.rules.players[0]
    # Who waits for his first chips from the bank is not there yet.
    there = sum(1 for seat in state.seats.values() if seat.stack + seat.pending or not seat.awaiting_bank)
    return 2 if there >= least else least


def can_deal(state: TableState) -> bool:
    """Whether a hand can begin."""
    over = state.closed or state.match_over or state.hand_running or state.paused
    ready = state.ready()
    return not over and len(ready) >= players_needed(state) and not _goes_round_in_circles(state, ready)


def _goes_round_in_circles(state: TableState, ready: list[int]) -> bool:
    """Whether nobody is there and the last hand cost nobody a chip: the next ones would go the same way for
    ever. Only a tournament deals to the absent; as long as antes or blinds eat their stacks, it comes to its
    end.
    """
    if state.hand is None or not all(state.seats[number].sitting_out for number in ready):
        return False
    return dict(state.hand.record().stacks) == state.hand.stacks


def choose_dealer(state: TableState, dealer: Dealer, seats: list[int]) -> DealerDrawn | None:
    """Set who deals the next hand; an event when he had to be found.

    The first dealer is drawn by the rules; where they want chance alone, everybody gets a card of a shuffled
    deck that nobody sees, and the highest one deals.
    """
    if state.dealer is not None:
        state.dealer = next_dealer(state.dealer, seats)
        return None
    rules = state.config.rules
    deck = deck_cards(rules.deck_size(len(seats)))
    for number in range(1, _DRAWS + 1):
        context = ShuffleContext(state.table_id, state.hand_number + 1, number, "first_dealer")
        order = dealer.shuffle(deck, context)
        if rules.first_dealer == "random":
            break
        with contextlib.suppress(ValueError):  # so many equal cards that the deck has run out: once more
            found = first_dealer(rules, seats, order)
            state.dealer = found.dealer
            return DealerDrawn(found.draws, found.dealer)
    state.dealer = max(zip(order, seats, strict=False))[1]
    return DealerDrawn((), state.dealer)


def deal(state: TableState, dealer: Dealer) -> list[DealerDrawn | DealStarted | LevelStarted]:
    """Begin the next hand with everybody who is ready; the table's own events of it.

    The engine's events are in ``state.hand.events``.
    """
    seats = state.ready()
    events: list[DealerDrawn | DealStarted | LevelStarted] = []
    for number in seats:
        seat = state.seats[number]
        seat.stack, seat.pending = seat.stack + seat.pending, 0
    drawn = choose_dealer(state, dealer, seats)
    if drawn is not None:
        events.append(drawn)
    assert state.dealer is not None
    rules, level_started = rules_of_deal(state)
    if level_started is not None:
        events.append(level_started)
    state.hand_number += 1
    state.hand_start_version = state.version
    first = seats.index(state.dealer) + 1
    order = seats[first:] + seats[:first]
    state.hand_players = {number: state.seats[number].player for number in order}
    dealt = tuple(
        DealtSeat(number, state.seats[number].player, state.seats[number].stack) for number in order
    )
    events.append(DealStarted(state.hand_number, state.dealer, dealt, state.carried))
    deck = deck_cards(rules.deck_size(len(seats)))
    context = ShuffleContext(state.table_id, state.hand_number, 1, "deal")
    state.reshuffler = Reshuffler(state.table_id, state.hand_number)
    state.hand = Hand(
        rules,
        {number: state.seats[number].stack for number in seats},
        state.dealer,
        dealer.shuffle(deck, context),
        state.carried,
        state.dead_before,
        state.reshuffler,
        missed={number: owed for number in seats if (owed := state.seats[number].owed)},
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


def note_missed_antes(state: TableState) -> None:
    """After a hand: remember what those who did not play it will owe its pot if it is carried.

    Who comes to the table later owes what he would have paid, so that nobody saves antes by leaving and
    coming back.
    """
    hand = state.hand
    assert hand is not None
    if not state.carried or state.config.rules.carried_pot_entry != "missed_antes":
        forget_missed_antes(state)
        return
    ante = max((event.amount for event in hand.events if isinstance(event, AntePosted)), default=0)
    state.carried_antes += ante
    for number, seat in state.seats.items():
        seat.owed = 0 if number in hand.seats else seat.owed + ante


def forget_missed_antes(state: TableState) -> None:
    """No pot is carried any more: nobody owes it anything."""
    state.carried_antes = 0
    for seat in state.seats.values():
        seat.owed = 0
