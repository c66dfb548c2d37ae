"""State and seats of a reference hand; see ``reference_hand`` for what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.reference_rules import requirement

Seat = int
Legal = dict[str, Any]
Reshuffle = Callable[[tuple[int, ...]], Sequence[int]]


class IllegalError(Exception):
    """The action is not legal now."""


class ReferenceState:
    """One hand.  ``stacks`` maps seats to chips in clockwise order, ``rules`` comes from ``resolve``."""

    def __init__(
        self,
        rules: dict[str, Any],
        stacks: dict[Seat, int],
        dealer: Seat,
        deck: Sequence[int],
        carried: int = 0,
        dead_before: int = 0,
        reshuffle: Reshuffle | None = None,
    ) -> None:
        self.rules = rules
        self.circle = list(stacks)
        self.dealer = dealer
        self.full_deck = list(deck)
        self.carried_in = carried
        self.dead_before = dead_before
        self.reshuffle = reshuffle
        self.requirement = requirement(rules, dead_before)
        self.stack = dict(stacks)
        self.seats = [seat for seat in self.circle if stacks[seat] > 0]
        if len(self.seats) < 2:
            raise IllegalError("two players with chips are needed")
        self.total = dict.fromkeys(self.seats, 0)
        self.bets = dict.fromkeys(self.seats, 0)
        self.level = 0
        self.last_step = rules["stake_min"]
        self.hands: dict[Seat, list[int]] = {}
        self.dealt: dict[Seat, list[int]] = {}
        self.folded: set[Seat] = set()
        self.left: set[Seat] = set()
        self.asked: list[Seat] = []
        self.phase = "entry"
        self.opened = False
        self.opener: Seat | None = None
        self.opened_by_hand = False
        self.opening_amount: int | None = None
        self.last_blinder: Seat | None = None
        self.doublings = 0
        self.alone_unopened = False
        self.drawn = False
        self.split = False
        self.bettor: Seat | None = None
        self.first_actor: Seat | None = None
        self.discards: list[tuple[Seat, int]] = []
        self.kept_aside: list[int] = []
        self.log: list[tuple[Any, ...]] = []
        self.over: str | None = None
        self.pots: list[tuple[int, frozenset[Seat]]] = []
        self.payouts: dict[Seat, int] = {}
        self.carried_out = 0
        self.rake = 0
        self.entered: set[Seat] = set()
        self.size = 0
        self.stock: list[int] = []
        self.winner: Seat | None = None
        self.unpaid = False
        self.found_false = False
        self.window: list[Seat] = []

    def clockwise_after(self, seat: Seat) -> list[Seat]:
        """All dealt-in seats clockwise, beginning after ``seat`` and ending with it."""
        at = self.circle.index(seat) + 1
        return [s for s in self.circle[at:] + self.circle[:at] if s in self.seats]

    def clockwise_from(self, seat: Seat) -> list[Seat]:
        at = self.circle.index(seat)
        return [s for s in self.circle[at:] + self.circle[:at] if s in self.seats]

    def all_asked(self) -> list[Seat]:
        """Who may answer something now: the seat with the turn, and who may ask the opener to prove."""
        return self.asked + [seat for seat in self.window if seat not in self.asked]

    def live(self) -> list[Seat]:
        return [seat for seat in self.seats if seat not in self.folded]

    def able(self) -> list[Seat]:
        return [seat for seat in self.live() if self.stack[seat] > 0]

    @property
    def pot(self) -> int:
        return self.carried_in + sum(self.total.values())

    def _pay(self, seat: Seat, amount: int) -> int:
        amount = min(amount, self.stack[seat])
        self.stack[seat] -= amount
        self.total[seat] += amount
        return amount

    def _bet_to(self, seat: Seat, to: int) -> None:
        self.bets[seat] += self._pay(seat, to - self.bets[seat])
