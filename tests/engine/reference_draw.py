"""The draw of a reference hand, and the start of round two after it."""

from __future__ import annotations

from collections.abc import Sequence

from engine import reference_evaluator as cards
from engine.reference_betting import BettingHand
from engine.reference_state import IllegalError, Seat


class DrawingHand(BettingHand):
    def _start_draw(self) -> None:
        self.phase = "draw"
        self.drawn = True
        if self.rules["draw_start"] == "opener" and self.opener is not None:
            order = self.clockwise_from(self.opener)
        else:
            order = self.clockwise_after(self.dealer)
        self.to_draw = [seat for seat in order if seat not in self.folded]
        self.draw_order = list(self.to_draw)
        self.owed_fourth: list[Seat] = []
        self.log.append(("draw_starts", self.to_draw[0]))
        self._ask_draw()

    def _ask_draw(self) -> None:
        while self.to_draw and self.to_draw[0] in self.left:
            self.log.append(("drew", self.to_draw.pop(0), 0, ()))
        if self.to_draw:
            self.asked = [self.to_draw[0]]
            return
        self.asked = []
        for seat in self.owed_fourth:
            if seat not in self.folded:
                got = self._next_card(seat)
                self.hands[seat].append(got)
                self.log.append(("fourth", seat, got))
        self._start_round2()

    def _left_in_draw(self, seat: Seat, asked: Seat | None) -> None:
        if seat in self.to_draw:
            self.to_draw.remove(seat)
        live = self.live()
        if len(live) == 1:
            self.asked = []
            self._uncontested(live[0])
        elif seat == asked:
            self._ask_draw()

    def _draw(self, seat: Seat, thrown: Sequence[int]) -> None:
        hand = self.hands[seat]
        if len(set(thrown)) != len(thrown) or not set(thrown) <= set(hand):
            raise IllegalError("discards must be different own cards")
        if len(thrown) > self.rules["draw_max"]:
            raise IllegalError("too many discards")
        kept = [card for card in hand if card not in thrown]
        if seat == self.opener:
            self._note_openers_discard(kept, thrown)
        self.discards += [(seat, card) for card in thrown if card not in self.kept_aside]
        self.hands[seat] = kept
        now = len(thrown)
        if now == 4 and self.rules["four_card_draw"] == "3+1":
            now = 3
            self.owed_fourth.append(seat)
        got = []
        for _ in range(now):
            got.append(self._next_card(seat))
        self.hands[seat] = kept + got
        self.log.append(("drew", seat, len(thrown), tuple(got)))
        self.to_draw.pop(0)
        self._ask_draw()

    def _note_openers_discard(self, kept: Sequence[int], thrown: Sequence[int]) -> None:
        mode = self.rules["split_openers"]
        if mode == "own_discard_kept":
            self.kept_aside = list(thrown)
        if not self._provable() or self.requirement is None or cards.kept_qualify(kept, self.requirement):
            return
        self.split = True
        if mode == "declared_kept_aside":
            self.kept_aside = list(thrown)
            self.log.append(("split", self.opener))

    def _next_card(self, seat: Seat) -> int:
        if not self.stock:
            pile = [card for thrower, card in self.discards if thrower != seat]
            if not pile:
                pile = [card for _, card in self.discards]
            self.discards = [entry for entry in self.discards if entry[1] not in pile]
            assert self.reshuffle is not None
            self.stock = list(self.reshuffle(tuple(pile)))
            assert sorted(self.stock) == sorted(pile)
            self.log.append(("reshuffled", len(pile)))
        return self.stock.pop(0)

    def _start_round2(self) -> None:
        self.bets = dict.fromkeys(self.seats, 0)
        self.level = 0
        self.last_step = self.rules["stake_min"]
        if len(self.able()) < 2:
            self.phase = "round2"
            self.bettor = self.first_actor = None
            self._showdown()
            return
        by_blind = self.rules["round2_start"] == "left_of_last_blinder" and self.last_blinder is not None
        if by_blind:
            assert self.last_blinder is not None
            order = self.clockwise_after(self.last_blinder)
        elif self.opener is not None:
            order = self.clockwise_from(self.opener)
        else:
            order = self.clockwise_after(self.dealer)
        self._start_betting("round2", order[0])
