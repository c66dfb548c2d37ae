"""The betting rounds of a reference hand."""

from __future__ import annotations

from collections.abc import Sequence

from engine import reference_evaluator as cards
from engine.reference_ending import EndingHand
from engine.reference_state import Legal, Seat


class BettingHand(EndingHand):
    def _start_draw(self) -> None:
        raise NotImplementedError

    def _start_round1(self, first: Seat) -> None:
        self._start_betting("round1", first)

    def _start_betting(self, phase: str, first: Seat) -> None:
        self.phase = phase
        self.asked = []
        self.acted: set[Seat] = set()
        self.checked: set[Seat] = set()
        #: Level at a player's own last action; who has not acted is free to raise.
        self.seen: dict[Seat, int] = {}
        self.bettor = None
        self.first_actor = None
        self._ask_from(self.clockwise_from(first))
        if self.asked:
            self.first_actor = self.asked[0]

    def _ask_from(self, order: Sequence[Seat]) -> None:
        """Ask the next seat that still has to act, or end the round."""
        self.asked = []
        live = self.live()
        unopened = self.phase == "round1" and not self.opened
        if len(live) <= 1:
            if not unopened:
                self._uncontested(live[0])
            else:
                self._alone(live)
            return
        able = self.able()
        owing = [seat for seat in able if self.bets[seat] < self.level]
        if len(able) <= 1 and not owing:
            self._end_round()
            return
        for seat in order:
            if seat in able and (seat in owing or seat not in self.acted):
                self.asked = [seat]
                return
        self._end_round()

    def _alone(self, live: list[Seat]) -> None:
        """One player is left in an unopened pot."""
        if not live:
            self._dead_hand("unopened")
        elif self.stack[live[0]] == 0:
            self._uncontested(live[0])
        elif self.alone_unopened:
            self._dead_hand("unopened")
        else:
            self.alone_unopened = True
            self.asked = [live[0]]

    def opening_cap(self) -> int | None:
        """The highest opening, the stack aside; None for no cap."""
        rules = self.rules
        caps = []
        # An empty middle (no antes) would allow no opening at all: the minimum bet stands in for it.
        middle = self.pot or rules["stake_min"]
        if rules["limit"] == "pot":
            caps.append(middle)
        if self.carried_in > 0 and (
            rules["limit"] == "jackpot" or rules["opening_cap_on_carried_pot"] == "pot"
        ):
            caps.append(self.pot)
        elif rules["stake_max"] is not None:
            caps.append(rules["stake_max"])
        if rules["opening_max"] is not None:
            caps.append(rules["opening_max"])
        if rules["opening_max_pots"] is not None:
            caps.append(rules["opening_max_pots"] * middle)
        return min(caps) if caps else None

    def betting_cap(self, seat: Seat) -> int | None:
        rules = self.rules
        if rules["limit"] == "jackpot" and self.carried_in > 0 and self.opening_amount is not None:
            return self.level + self.opening_amount
        caps = []
        if rules["stake_max"] is not None:
            caps.append(self.level + rules["stake_max"])
        if rules["limit"] == "pot":
            owed = self.level - self.bets[seat]
            caps.append(self.level + self.pot + owed)
        return min(caps) if caps else None

    def _range(self, seat: Seat, least: int, cap: int | None) -> tuple[int, int]:
        if cap is not None and cap < least:
            least = cap
        most = self.bets[seat] + self.stack[seat]
        if cap is not None:
            most = min(most, cap)
        return min(least, most), most

    def _opening_least(self) -> int:
        least = self.rules["opening_min"]
        return (self.pot or self.rules["stake_min"]) if least == "pot" else int(least)

    def full_raise_to(self, seat: Seat) -> int:
        """The lowest total that counts as a full raise."""
        step = self.last_step if self.rules["min_raise"] == "last_raise" else self.rules["stake_min"]
        least = self.level + step
        cap = self.betting_cap(seat)
        return least if cap is None else min(least, cap)

    def _may_raise(self, seat: Seat) -> bool:
        others = [s for s in self.able() if s != seat]
        if not others or self.stack[seat] <= self.level - self.bets[seat]:
            return False
        if self.phase == "round2" and seat in self.checked and self.rules["check_raise"] == "forbidden":
            return False
        if seat not in self.seen:
            return True
        return self.level - self.seen[seat] >= self.full_raise_to(seat) - self.level

    def may_open(self, seat: Seat) -> bool:
        if self.rules["false_opening"] == "penalise":
            return True
        return cards.qualifies(
            self.dealt[seat], self.requirement, self.size, self.rules["minor_straight"] == "on"
        )

    def legal(self, seat: Seat) -> Legal:
        legal: Legal = getattr(self, "_legal_" + self.phase)(seat) if seat in self.asked else {}
        return legal | {"ask_proof": True, "pass": True} if seat in self.window else legal

    def _legal_entry(self, seat: Seat) -> Legal:
        return {"enter": True, "stay_out": True}

    def _legal_blinds(self, seat: Seat) -> Legal:
        return {"over_blind": True, "decline": True}

    def _legal_karanlik(self, seat: Seat) -> Legal:
        return {"karanlik": True, "decline": True}

    def _legal_draw(self, seat: Seat) -> Legal:
        return {"draw": (0, self.rules["draw_max"])}

    def _legal_round1(self, seat: Seat) -> Legal:
        if self.opened:
            return self._legal_opened(seat)
        legal: Legal = {"check": True}
        if self.rules["fold_unopened"] == "yes":
            legal["fold"] = True
        if self.may_open(seat):
            low, high = self._range(seat, self._opening_least(), self.opening_cap())
            legal["open"] = (low, high)
        return legal

    def _legal_round2(self, seat: Seat) -> Legal:
        if self.level > 0:
            return self._legal_opened(seat)
        legal: Legal = {"check": True}
        if self.rules["free_fold_round2"] == "yes":
            legal["fold"] = True
        legal["bet"] = self._range(seat, self.rules["stake_min"], self.betting_cap(seat))
        return legal

    def _legal_opened(self, seat: Seat) -> Legal:
        owed = self.level - self.bets[seat]
        legal: Legal = {"fold": True, "call": min(owed, self.stack[seat])} if owed > 0 else {"check": True}
        if self._may_raise(seat):
            legal["raise"] = self._range(seat, self.full_raise_to(seat), self.betting_cap(seat))
        return legal

    def _act(self, seat: Seat, action: str, to: int | None) -> None:
        self.acted.add(seat)
        if action == "fold":
            self._fold(seat)
        elif action == "check":
            self.checked.add(seat)
            # Passing before the opening never binds.
            if self.phase == "round2" or self.opened:
                self.seen[seat] = self.level
        elif action == "call":
            self._bet_to(seat, self.level)
            self.seen[seat] = self.level
        else:
            assert to is not None
            self._raise(seat, action, to)
        self._ask_from(self.clockwise_after(seat))

    def _fold(self, seat: Seat) -> None:
        self.folded.add(seat)
        if seat == self.opener and self._window_wanted():
            self._open_window()

    def _raise(self, seat: Seat, action: str, to: int) -> None:
        if action == "open":
            cap = self.opening_cap()
            full = to >= (self._opening_least() if cap is None else min(self._opening_least(), cap))
            self.opened = True
            self.opener = seat
            self.opened_by_hand = True
            self.opening_amount = to
        else:
            full = to >= self.full_raise_to(seat)
        if full:
            self.last_step = to - self.level
            self.seen = {}
        self._bet_to(seat, to)
        self.level = to
        self.seen[seat] = to
        self.bettor = seat

    def _end_round(self) -> None:
        self.asked = []
        if self.phase == "round1":
            if not self.opened and all(self.stack[seat] > 0 for seat in self.live()):
                self._dead_hand("unopened")
            else:
                self._start_draw()
            return
        all_in = any(self.stack[seat] == 0 for seat in self.live())
        if self.level == 0 and self.rules["all_check_after_draw"] == "carry" and not all_in:
            self._dead_hand("passed_out")
        else:
            self._showdown()
