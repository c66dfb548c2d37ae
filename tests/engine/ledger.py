"""Keeps books over a hand's events: chips and cards move only as events say, and never appear or vanish.

It knows nothing of the rules; it only adds up.  ``Ledger.take`` fails at the first event after which a chip
or a card is in two places or in none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from turkpoker.engine import Event, Hand

PAID_IN = {
    "ante_posted",
    "blind_posted",
    "over_blind_posted",
    "karanlik_bet",
    "opened",
    "bet",
    "called",
    "raised",
}
PAID_BACK = {"ante_returned", "uncalled_returned"}


class Ledger:
    """Chips by seat, the pot, the stock, hands and discards, from events alone."""

    def __init__(self, stacks: Mapping[int, int], carried: int, deck: Sequence[int]) -> None:
        self.stacks = dict(stacks)
        self.pot = carried
        self.rake = 0
        self.carried_out = 0
        self.whole = sum(stacks.values()) + carried
        self.deck = list(deck)
        self.stock: list[int] = []
        self.hands: dict[int, list[int]] = {}
        self.discards: list[int] = []
        self.waiting_for_fourth: set[int] = set()
        self.seen = 0

    @property
    def chips(self) -> int:
        return sum(self.stacks.values()) + self.pot + self.rake + self.carried_out

    def follow(self, hand: Hand) -> None:
        """Take the events that are new, then compare with what the hand says of itself."""
        for event in hand.events[self.seen :]:
            self.take(event)
            self.seen += 1
        assert {seat: self.stacks[seat] for seat in hand.stacks} == dict(hand.stacks)
        if hand.result is None:
            assert self.pot + self.carried_out == hand.pot
        else:
            assert self.pot == 0
            assert self.carried_out == hand.result.carried
            assert self.rake == hand.result.rake
            assert self.stacks == dict(hand.result.final)
            assert {s: sorted(h) for s, h in self.hands.items()} == {
                s: sorted(h) for s, h in hand.result.hands.items()
            }

    def take(self, event: Event) -> None:
        name = event.name
        if name in PAID_IN:
            self._move(event.seat, -event.amount)
        elif name in PAID_BACK:
            self._move(event.seat, event.amount)
        elif name == "pot_awarded":
            assert sum(chips for _, chips in event.shares) == event.amount
            for seat, chips in event.shares:
                assert seat in event.eligible
                self._move(seat, chips)
        elif name == "rake_taken":
            self.pot -= event.amount
            self.rake += event.amount
        elif name == "pot_carried":
            self.pot -= event.amount
            self.carried_out += event.amount
        else:
            self._cards(event)
        assert self.pot >= 0
        assert min(self.stacks.values()) >= 0
        assert self.chips == self.whole

    def _move(self, seat: int, chips: int) -> None:
        self.stacks[seat] += chips
        self.pot -= chips

    def _cards(self, event: Event) -> None:
        name = event.name
        if name == "dealt_in":
            self.stock = [card for card in self.deck if card >= 52 - event.deck_size]
            assert len(self.stock) == event.deck_size
        elif name == "cards_dealt":
            assert event.count == len(event.cards) == 5
            for card in event.cards:
                self.stock.remove(card)
            self.hands[event.seat] = list(event.cards)
        elif name == "reshuffled":
            left_over = Counter(self.discards)
            left_over.subtract(event.order)
            assert min(left_over.values(), default=0) >= 0, "a reshuffle holds more than discards"
            assert event.count == len(event.order)
            self.discards = list(left_over.elements())
            self.stock += event.order
        elif name == "cards_drawn":
            assert event.count == len(event.discarded) == len(event.drawn) + event.later
            self._replace(event.seat, event.discarded, event.drawn)
            if event.later:
                self.waiting_for_fourth.add(event.seat)
        elif name == "fourth_card_dealt":
            self._replace(event.seat, (), event.drawn)
            self.waiting_for_fourth.remove(event.seat)
        self._each_card_once()

    def _replace(self, seat: int, discarded: Sequence[int], drawn: Sequence[int]) -> None:
        hand = self.hands[seat]
        for card in discarded:
            hand.remove(card)
        self.discards += discarded
        assert self.stock[: len(drawn)] == list(drawn), "cards come from the top of the stock, in order"
        del self.stock[: len(drawn)]
        hand += drawn

    def _each_card_once(self) -> None:
        if not self.stock and not self.hands:
            return
        dealt = [card for hand in self.hands.values() for card in hand]
        everywhere = self.stock + self.discards + dealt
        assert len(set(everywhere)) == len(everywhere)
        for seat, hand in self.hands.items():
            assert len(hand) == (4 if seat in self.waiting_for_fourth else 5)
