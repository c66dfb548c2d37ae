"""A plain, slow reference of one whole hand, written from the rules text alone.

Nothing here comes from the engine: the two are played side by side with the same deck and actions, and
whatever differs is a fault of one of them.  State is in plain attributes; nothing is hidden or undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine import reference_evaluator as cards
from engine.reference_draw import DrawingHand
from engine.reference_rules import deck_size
from engine.reference_state import IllegalError, Reshuffle, Seat


class ReferenceHand(DrawingHand):
    """One hand from the entries to the payout; ``apply`` takes one action after the other."""

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
        super().__init__(rules, stacks, dealer, deck, carried, dead_before, reshuffle)
        if rules["entry"] == "opt_in":
            self.asked = list(self.seats)
            return
        for seat in self.seats:
            self._ante(seat)
        self._deal()

    def _ante(self, seat: Seat) -> None:
        if self.rules["deal_mode"] == "blind":
            return
        most = self.rules["max_carries"]
        if most is not None and self.dead_before >= most:
            return
        self._pay(seat, self.rules["ante"])

    def _enter(self, seat: Seat, action: str) -> None:
        self.asked.remove(seat)
        if action == "enter":
            self._ante(seat)
            self.entered.add(seat)
        self._deal_when_all_answered()

    def _withdraw(self, seat: Seat) -> None:
        """Who leaves before the deal stays out of it; an ante he has paid goes with him."""
        self.asked = [s for s in self.asked if s != seat]
        self.entered.discard(seat)
        self.stack[seat] += self.total[seat]
        self.total[seat] = 0
        self._deal_when_all_answered()

    def _deal_when_all_answered(self) -> None:
        if self.asked:
            return
        if len(self.entered) < 2:
            for entrant in self.entered:
                self.stack[entrant] += self.total[entrant]
            self.total = dict.fromkeys(self.seats, 0)
            self.seats = []
            self._finish("no_deal", carried=self.carried_in)
            return
        self.seats = [s for s in self.seats if s in self.entered]
        self._deal()

    def _deal(self) -> None:
        size = deck_size(self.rules, len(self.seats))
        lowest = cards.lowest_rank(size) * 4
        self.size = size
        self.stock = [card for card in self.full_deck if card >= lowest]
        order = self.clockwise_after(self.dealer)
        self.hands = {seat: [] for seat in order}
        for _ in range(5):
            for seat in order:
                self.hands[seat].append(self.stock.pop(0))
        self.dealt = {seat: list(hand) for seat, hand in self.hands.items()}
        self.total = {seat: self.total[seat] for seat in self.seats}
        self.bets = dict.fromkeys(self.seats, 0)
        if self.rules["deal_mode"] == "blind":
            self._post_blind(order[0])
        elif self.rules["karanlik"] == "on" and self.stack[order[0]] > 0 and len(self.able()) > 1:
            self.phase = "karanlik"
            self.asked = [order[0]]
        else:
            self._start_round1(order[0])

    def _post_blind(self, seat: Seat) -> None:
        blind = self.rules["blind"]
        self._bet_to(seat, blind)
        self.opened = True
        self.level = blind
        self.last_step = max(blind, self.rules["stake_min"])
        self.last_blinder = seat
        self._ask_over_blind()

    def _ask_over_blind(self) -> None:
        assert self.last_blinder is not None
        candidate = self.clockwise_after(self.last_blinder)[0]
        chain_open = self.doublings < self.rules["over_blind"]
        fresh = self.bets[candidate] == 0 and candidate not in self.folded
        # Nobody left to bet against: an over-blind would be a raise against all-in players only.
        contested = any(seat != candidate for seat in self.able())
        if chain_open and fresh and contested and self.stack[candidate] >= 2 * self.level:
            self.phase = "blinds"
            self.asked = [candidate]
        else:
            self._start_round1(self.clockwise_after(self.last_blinder)[0])

    def apply(self, seat: Seat, action: str, to: int | None = None, thrown: Sequence[int] = ()) -> None:
        if action == "leave":
            self._leave(seat)
            return
        legal = self.legal(seat)
        if action not in legal:
            raise IllegalError(f"{action} is not legal now")
        allowed = legal[action]
        if action in {"open", "bet", "raise"} and (to is None or not allowed[0] <= to <= allowed[1]):
            raise IllegalError("amount out of range")
        if action in {"ask_proof", "pass"}:
            self._answer_proof(seat, action)
        elif self.phase == "entry":
            self._enter(seat, action)
        elif self.phase == "blinds":
            self._over_blind(seat, action)
        elif self.phase == "karanlik":
            self._karanlik(seat, action)
        elif self.phase == "draw":
            self._draw(seat, thrown)
        else:
            self._act(seat, action, to)

    def _over_blind(self, seat: Seat, action: str) -> None:
        if action == "decline":
            assert self.last_blinder is not None
            self._start_round1(self.clockwise_after(self.last_blinder)[0])
            return
        self.last_step = max(self.level, self.rules["stake_min"])
        self.level *= 2
        self._bet_to(seat, self.level)
        self.last_blinder = seat
        self.doublings += 1
        self._ask_over_blind()

    def _karanlik(self, seat: Seat, action: str) -> None:
        if action == "decline":
            self._start_round1(seat)
            return
        self._bet_to(seat, self.rules["karanlik_bet"])
        self.level = self.bets[seat]
        self.last_step = max(self.level, self.rules["stake_min"])
        self.opened = True
        self.opener = seat
        self.opening_amount = self.level
        self._start_round1(self.clockwise_after(seat)[0])

    def _leave(self, seat: Seat) -> None:
        if seat in self.left or self.over is not None or seat not in self.seats:
            raise IllegalError("has left already or was not dealt in")
        self.left.add(seat)
        if self.phase == "entry":
            self._withdraw(seat)
            return
        if seat in self.window:
            self._answer_proof(seat, "pass")
        if self.phase in {"proof", "over"}:
            return
        asked = self.asked[0] if self.asked else None
        if seat in self.folded:
            return
        if self.stack[seat] == 0:
            if self.phase == "draw" and seat == asked:
                self._draw(seat, [])
            return
        self._fold(seat)
        if self.phase == "draw":
            self._left_in_draw(seat, asked)
        elif self.phase in {"blinds", "karanlik"}:
            self._left_before_round1(seat, asked)
        elif seat == asked:
            self._ask_from(self.clockwise_after(seat))
        else:
            assert asked is not None
            self._ask_from(self.clockwise_from(asked))

    def _left_before_round1(self, seat: Seat, asked: Seat | None) -> None:
        live = self.live()
        if seat == asked or len(live) == 1:
            start = self.clockwise_after(self.last_blinder if self.last_blinder is not None else self.dealer)[
                0
            ]
            self._start_round1(start)
