"""How a reference hand ends: dead, uncontested or at a showdown, and the opener's proof."""

from __future__ import annotations

from collections.abc import Callable

from engine import reference_evaluator as cards
from engine import reference_settle as settle
from engine.reference_state import ReferenceState, Seat


class EndingHand(ReferenceState):
    def _provable(self) -> bool:
        return self.opener is not None and self.opened_by_hand and self.requirement is not None

    def _opener_good(self) -> bool:
        assert self.opener is not None
        return cards.qualifies(
            self.dealt[self.opener], self.requirement, self.size, self.rules["minor_straight"] == "on"
        )

    def _dead_hand(self, how: str) -> None:
        carried = self.pot
        self.total = dict.fromkeys(self.total, 0)
        self.payouts = {}
        self.carried_in = 0
        self._settle_or_ask(how, carried)

    def _return_uncalled(self) -> None:
        back = settle.uncalled(self.total)
        if back is not None:
            seat, amount = back
            self.total[seat] -= amount
            self.stack[seat] += amount
            self.log.append(("uncalled", seat, amount))

    def _uncontested(self, winner: Seat) -> None:
        rules = self.rules
        self.asked = []
        self.winner = winner
        if winner == self.opener and self._provable():
            if rules["opener_proof"] == "to_collect":
                if not self._opener_good():
                    self.log.append(("false", self.opener))
                    self._carry_false_opening()
                    return
                self._prove()
            elif self._window_wanted():
                self._open_window()
                self.unpaid = rules["false_opening"] == "penalise" and bool(self.window)
        if not self.unpaid:
            self._pay_winner()
        self._settle_or_ask("folds", 0)

    def _pay_winner(self) -> None:
        assert self.winner is not None
        self._return_uncalled()
        self.pots = [(self.pot, frozenset([self.winner]))]
        winner = self.winner
        self._pay_out(lambda pots: {winner: pots[0][0]})

    def _pay_out(self, judge: Callable[[list[tuple[int, frozenset[Seat]]]], dict[Seat, int]]) -> None:
        if self.drawn:
            self.rake = settle.rake_of(self.rules, sum(amount for amount, _ in self.pots))
        self.payouts = judge(settle.take_rake(self.pots, self.rake))
        for seat, amount in self.payouts.items():
            self.stack[seat] += amount
        self.total = dict.fromkeys(self.total, 0)
        self.carried_in = 0

    def _carry_false_opening(self) -> None:
        carried = self.pot
        self.total = dict.fromkeys(self.total, 0)
        self.carried_in = 0
        self._finish("folds", carried)

    def _prove(self) -> None:
        assert self.opener is not None
        assert self.requirement is not None
        shown = cards.proof_cards(self.dealt[self.opener], self.requirement)
        self.log.append(("proved", self.opener, tuple(shown)))

    def _showdown(self) -> None:
        rules = self.rules
        self._return_uncalled()
        live = self.live()
        dead: set[Seat] = set()
        opener_in = self.opener in live and self._provable()
        if opener_in and not self._opener_good():
            assert self.opener is not None
            dead = {self.opener}
            self.log.append(("false", self.opener))
        order = self.clockwise_after(self.dealer)
        first = self.bettor if self.bettor is not None else self.first_actor
        showing = order if first is None else self.clockwise_from(first)
        self.log += [("shown", seat) for seat in showing if seat in live]
        self.pots = settle.build_pots(self.total, live, dead, self.carried_in)
        low = (
            None if rules["hi_lo"] == "off" else lambda seat: cards.low_key(self.hands[seat], rules["hi_lo"])
        )
        self._pay_out(lambda pots: settle.award(pots, self.strength, low, order))
        if opener_in and not dead:
            takes = rules["opener_proof"] == "to_collect" and self.payouts.get(self.opener, 0) > 0
            if takes or (rules["opener_proof"] == "on_request" and self.split):
                self._prove()
        self._settle_or_ask("showdown", 0)

    def strength(self, seat: Seat) -> tuple[int, ...]:
        rules = self.rules
        return cards.high_key(
            self.hands[seat],
            self.size,
            rules["ranking"],
            rules["minor_straight"] == "on",
            rules["tie_break"] == "suits",
            rules["suit_order"],
        )

    def categories(self) -> dict[Seat, str]:
        minor = self.rules["minor_straight"] == "on"
        return {
            seat: cards.category(hand, self.size, minor)
            for seat, hand in self.hands.items()
            if len(hand) == 5
        }

    def _window_wanted(self) -> bool:
        return self.rules["opener_proof"] == "on_request" and self._provable()

    def _open_window(self) -> None:
        """Everybody else dealt in, who has not left, may ask the opener or pass, out of turn."""
        self.window = [seat for seat in self.seats if seat != self.opener and seat not in self.left]

    def _settle_or_ask(self, how: str, carried: int) -> None:
        self.how = how
        self.carried_out = carried
        self.asked = []
        self.phase = "proof"
        if not self.window:
            self._close()

    def _answer_proof(self, seat: Seat, action: str) -> None:
        if action == "pass":
            self.window.remove(seat)
        else:
            self.window = []
            if self._opener_good():
                self._prove()
            else:
                self.found_false = True
                self.log.append(("false", self.opener))
        if self.phase == "proof" and not self.window:
            self._close()

    def _close(self) -> None:
        if self.unpaid and self.found_false:
            self._carry_false_opening()
            return
        if self.unpaid:
            self._pay_winner()
        self._finish(self.how, self.carried_out)

    def _finish(self, how: str, carried: int) -> None:
        self.asked = []
        self.phase = "over"
        self.over = how
        self.carried_out = carried
