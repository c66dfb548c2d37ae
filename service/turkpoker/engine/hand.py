"""``Hand``: one deal, from the antes to the payout.

Actions in, events out, no clock, no randomness, no I/O. The deck comes from outside, and so does the order
of a reshuffle, so that rules, seats, stacks, deck and actions give the same hand for ever. A refused action
raises and leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from turkpoker.engine.actions import PROOF_ACTIONS, WITH_AMOUNT, Action, check_form
from turkpoker.engine.dealing import karanlik_amount, over_blind_amount
from turkpoker.engine.drawing import might_run_out
from turkpoker.engine.errors import (
    BadAction,
    LegalActions,
    RefusalReason,
    Refused,
    ReshuffleError,
)
from turkpoker.engine.events import Event, LeftAllIn, LeftFolded, LeftOut
from turkpoker.engine.machine import go_on, start
from turkpoker.engine.phases import Outcome, Phase
from turkpoker.engine.proving import answer_proof, drop_from_window, open_proof_window
from turkpoker.engine.results import HandResult, result_of
from turkpoker.engine.rules import Rules
from turkpoker.engine.seating import check_deck, check_missed, check_number, check_stacks
from turkpoker.engine.settlement import end_proof
from turkpoker.engine.state import NOBODY, Reshuffle, State

if TYPE_CHECKING:
    from turkpoker.engine.record import HandRecord
    from turkpoker.engine.views import HandView


class Hand:
    """One deal.

    Args:
        rules: what is played.
        stacks: chips before the ante by seat, clockwise: a mapping, or a sequence for the seats 0, 1, 2 ...
            With opt-in entry all who are seated; otherwise all who are dealt in. A seat with 0 chips is not.
        dealer: the dealer's seat.
        deck: the ids of the whole deck, top card first. With opt-in entry that of as many as are seated; a
        smaller
            deck is made of it when fewer come in.
        carried: chips that lie in the pot from dead hands.
        dead_before: dead hands in a row before this one.
        reshuffle: gives the new order (top first) of the discards it is given when the stock runs out.
        recorded_reshuffles: orders of the first reshuffles, used before ``reshuffle`` is asked.
        missed: chips that seats owe a carried pot for antes they missed
        (``carried_pot_entry=missed_antes``); paid
            before the ante, by opt-in entry only on entering.

    Raises:
        RulesError: this deal cannot be played; ``field`` says what is at fault.
    """

    __slots__ = ("_result", "_state")

    def __init__(  # noqa: PLR0917 - the signature others rely on
        self,
        rules: Rules,
        stacks: Sequence[int] | Mapping[int, int],
        dealer: int,
        deck: Sequence[int],
        carried: int = 0,
        dead_before: int = 0,
        reshuffle: Reshuffle | None = None,
        *,
        recorded_reshuffles: Sequence[Sequence[int]] = (),
        missed: Mapping[int, int] | None = None,
    ) -> None:
        given = check_stacks(stacks, dealer)
        # Clockwise from the dealer's left; who has no chips is not dealt in, though he may be the dealer.
        place = [seat for seat, _ in given].index(dealer) + 1
        dealt_in = [entry for entry in given[place:] + given[:place] if entry[1]]
        cards = check_deck(rules, len(dealt_in), deck)
        check_number("carried", carried)
        check_number("dead_before", dead_before)
        self._result: HandResult | None = None
        self._state = State(
            rules,
            given,
            dealt_in,
            dealer,
            cards,
            carried,
            dead_before,
            reshuffle,
            tuple([tuple(order) for order in recorded_reshuffles]),
            check_missed(rules, given, carried, missed) if missed else (),
        )
        start(self._state)

    # -- what is asked ----------------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """What is played."""
        return self._state.rules

    @property
    def dealer(self) -> int:
        """The dealer's seat."""
        return self._state.dealer

    @property
    def phase(self) -> Phase:
        """Where the hand stands."""
        return self._state.phase

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is; without a turn (entry, proof) the first seat asked; ``None`` if none
        is."""
        s = self._state
        if s.turn != NOBODY:
            return s.seats[s.turn]
        asked = self.asked
        return asked[0] if asked else None

    @property
    def asked(self) -> tuple[int, ...]:
        """Every seat that may answer something now, who has the turn first."""
        s = self._state
        places = (s.turn,) if s.turn != NOBODY else s.asking
        return tuple(s.seats[p] for p in dict.fromkeys((*places, *s.proof_asking)))

    @property
    def proof_asked_of(self) -> tuple[int, ...]:
        """The seats that may still ask the opener for his openers. It may stand beside another seat's
        turn."""
        s = self._state
        return tuple(s.seats[p] for p in s.proof_asking)

    def question(self, seat: int, action: str | None = None) -> int:
        """The running number of the question that an action of this seat would answer, from 1; 0 if there is
        none.

        Args:
            seat: the seat.
            action: an action's name. A seat may have the turn and an open proof window at once;
            ``ask_proof`` and
                ``pass`` answer the window, everything else (and no name) the turn, if the seat has it.
        """
        s = self._state
        p = s.position.get(seat, NOBODY)
        if p == NOBODY:
            return 0
        if (p == s.turn or p in s.asking) and action not in PROOF_ACTIONS:
            return s.question[p]
        if p in s.proof_asking and (action is None or action in PROOF_ACTIONS):
            return s.proof_question
        return 0

    def legal(self, seat: int) -> dict[str, bool | int | tuple[int, int]]:
        """What a seat may do now; empty when it is not asked.

        ``True`` for an action without a number; for ``call`` the chips to add; ``(lowest, highest)`` totals
        in the round for ``open``, ``bet`` and ``raise``; numbers of cards for ``draw``. ``leave`` is always
        possible and not listed.
        """
        s = self._state
        p = s.position.get(seat, NOBODY)
        if p == NOBODY:
            return {}
        if p == s.turn and s.legal is not None and not s.proof_asking:
            return {**s.legal}
        return {**self._legal(p)}

    def _legal(self, p: int) -> LegalActions:
        s = self._state
        legal: LegalActions
        if p == s.turn:
            legal = s.legal = s.legal or s.handler.legal(s, p)
        elif p in s.asking:
            legal = s.handler.legal(s, p)
        else:
            legal = {}
        if p in s.proof_asking:
            legal = {**legal, "ask_proof": True, "pass": True}
        return legal

    # -- what is done -----------------------------------------------------------------------------

    def apply(self, action: Action) -> list[Event]:
        """Carry out an action; the events it caused, in order.

        Raises:
            BadAction: no rule could allow it (unknown seat or name, impossible amount or card id).
            Refused: the rules do not allow it now.
            ReshuffleError: the stock ran out and the new order given is missing or wrong.
            In every case the hand is as it was.
        """
        s = self._state
        before = len(s.events)
        if _plainly_legal(s, action):
            s.steps.append(action)
            outcome = s.handler.answer(s, s.turn, action)
            if outcome is not None:
                go_on(s, outcome)
            return s.events[before:]
        check_form(action)
        p = s.position.get(action.seat, NOBODY) if type(action.seat) is int else NOBODY
        if p == NOBODY:
            raise BadAction("seat", "is not in this hand")
        if action.action == "leave":
            self._leave(p, action)
        else:
            self._check(p, action)
            self._carry_out(p, action)
        return self._state.events[before:]

    def leave(self, seat: int) -> list[Event]:
        """A player leaves the table: folded at once, or, when all-in, kept in and standing pat.

        Raises:
            BadAction, Refused: as for ``apply``.
        """
        return self.apply(Action(seat, "leave"))

    def _check(self, p: int, action: Action) -> None:
        s = self._state
        if s.phase is Phase.OVER:
            raise Refused(RefusalReason.HAND_OVER, {})
        legal = self._legal(p)
        if not legal:
            raise Refused(RefusalReason.NOT_YOUR_TURN, {})
        name = action.action
        allowed = legal.get(name)
        if allowed is None:
            raise Refused(RefusalReason.ACTION_NOT_ALLOWED, legal, "action", f"{name} is not allowed now")
        to = action.to
        if name in WITH_AMOUNT:
            least, most = allowed  # type: ignore[misc]
            if to is None or not least <= to <= most:
                raise Refused(
                    RefusalReason.AMOUNT_OUT_OF_RANGE, legal, "to", f"must be from {least} to {most}"
                )
        elif name == "draw":
            self._check_draw(p, action.cards, legal)
        elif to is not None:
            fixed = self._fixed_amount(p, name)
            if to != fixed:
                raise Refused(RefusalReason.AMOUNT_OUT_OF_RANGE, legal, "to", f"can only be {fixed}")

    def _fixed_amount(self, p: int, name: str) -> int:
        s = self._state
        if name == "call":
            return min(s.level, s.bets[p] + s.stacks[p])
        return karanlik_amount(s) if name == "karanlik" else over_blind_amount(s)

    def _check_draw(self, p: int, cards: Sequence[int], legal: LegalActions) -> None:
        s = self._state
        if len(cards) > s.plan.draw_max:
            raise Refused(RefusalReason.BAD_CARDS, legal, "cards", f"at most {s.plan.draw_max} may be drawn")
        hand = s.hands[p]
        for place, card in enumerate(cards):
            if card not in hand:
                raise Refused(RefusalReason.BAD_CARDS, legal, "cards", "holds a card that is not in the hand")
            if card in cards[:place]:
                raise Refused(RefusalReason.BAD_CARDS, legal, "cards", "holds a card twice")

    def _carry_out(self, p: int, action: Action) -> None:
        s = self._state
        if action.action in PROOF_ACTIONS:
            s.steps.append(action)
            answer_proof(s, p, action)
            self._end_window()
            return
        answer = s.handler.answer
        if s.phase is Phase.DRAW and might_run_out(s, len(action.cards)):
            # Only here can something outside, the new order of the discards, turn out bad half-way.
            before = s.copy()
            try:
                s.steps.append(action)
                self._follow(answer(s, p, action))
            except ReshuffleError:
                self._state = before
                raise
            return
        s.steps.append(action)
        self._follow(answer(s, p, action))

    def _follow(self, outcome: Outcome | None) -> None:
        if outcome is not None:
            go_on(self._state, outcome)

    def _leave(self, p: int, action: Action) -> None:
        s = self._state
        if s.phase is Phase.OVER:
            raise Refused(RefusalReason.HAND_OVER, {})
        if s.left[p]:
            raise Refused(RefusalReason.ACTION_NOT_ALLOWED, {}, "action", "has left already")
        before = s.copy()
        try:
            s.steps.append(action)
            s.left[p] = True
            self._take_out(p)
        except ReshuffleError:
            self._state = before
            raise

    def _take_out(self, p: int) -> None:
        s = self._state
        drop_from_window(s, p)
        if s.phase is Phase.ENTRY:
            self._follow(s.handler.leave(s, p))
            return
        if s.folded[p] or s.phase is Phase.PROOF:
            s.emit(LeftOut(s.seats[p]))
        elif s.stacks[p] == 0:
            s.emit(LeftAllIn(s.seats[p]))
            if s.phase is Phase.DRAW and s.turn == p:
                self._follow(s.handler.leave(s, p))
        else:
            s.folded[p] = True
            s.emit(LeftFolded(s.seats[p]))
            if p == s.opener:
                open_proof_window(s)
            self._follow(s.handler.leave(s, p))
        self._end_window()

    def _end_window(self) -> None:
        s = self._state
        if s.phase is Phase.PROOF and not s.proof_asking:
            go_on(s, end_proof(s))

    # -- what there is ----------------------------------------------------------------------------

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far, the house's view. ``views.project_event`` makes them fit for a player."""
        return tuple(self._state.events)

    @property
    def event_count(self) -> int:
        """The number of events so far."""
        return len(self._state.events)

    @property
    def result(self) -> HandResult | None:
        """How it ended; ``None`` until the hand is over."""
        if self._result is None and self._state.phase is Phase.OVER:
            self._result = result_of(self._state)
        return self._result

    @property
    def stacks(self) -> dict[int, int]:
        """Chips by seat now, without what lies in the pot."""
        s = self._state
        return dict(s.given) | dict(s.bystanders) | dict(zip(s.seats, s.stacks, strict=True))

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats in this deal, clockwise from the dealer's left."""
        return self._state.seats

    @property
    def pot(self) -> int:
        """Every chip in the middle, this round's bets and the carried pot included."""
        return self._state.pot

    def cards_of(self, seat: int) -> tuple[int, ...]:
        """The cards a seat holds now, the house's view; empty before the deal. For players ask ``view``."""
        s = self._state
        return s.hands[s.position[seat]] if seat in s.position else ()

    def has_left(self, seat: int) -> bool:
        """Whether a player of this hand has left the table."""
        s = self._state
        return seat in s.position and s.left[s.position[seat]]

    def is_live(self, seat: int) -> bool:
        """Whether a seat is in the deal and has not folded."""
        s = self._state
        return seat in s.position and not s.folded[s.position[seat]]

    def view(self, seat: int | None) -> HandView:
        """What a seat, or with ``None`` a spectator, may see."""
        from turkpoker.engine.views import view_of  # noqa: PLC0415 - views know hands

        return view_of(self, seat)

    def copy(self) -> Self:
        """An independent copy; what happens to one does not happen to the other."""
        twin = object.__new__(type(self))
        twin._result = self._result
        twin._state = self._state.copy()
        return twin

    def record(self, hand_id: str = "") -> HandRecord:
        """The hand so far as a record, which holds every card: the house's alone."""
        from turkpoker.engine.record import record_of  # noqa: PLC0415 - records know hands

        return record_of(self, hand_id)

    def __repr__(self) -> str:
        s = self._state
        return f"Hand({s.rules.profile_name}, {len(s.seats)} seats, {s.phase}, to_act={self.to_act})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a hand is kept as its record: hand.record()")


def _plainly_legal(s: State, action: Action) -> bool:
    """Whether an action needs no further look: it is one of those listed for the seat that has the turn.

    Most are; whatever is not, legal or not, takes the long way.
    """
    turn, legal = s.turn, s.legal
    if legal is None or turn < 0 or s.seats[turn] != action.seat or type(action.seat) is not int:
        return False
    name, to, cards = action.action, action.to, action.cards
    if type(name) is not str:
        return False
    allowed = legal.get(name)
    if name == "draw":
        return allowed is not None and to is None and type(cards) is tuple and _plain_draw(s, turn, cards)
    if type(allowed) is tuple:
        return type(to) is int and allowed[0] <= to <= allowed[1] and not cards
    return to is None and allowed is not None and not cards


def _plain_draw(s: State, p: int, cards: tuple[int, ...]) -> bool:
    """Whether these are cards of the drawer's hand, each once, which the stock replaces as it is."""
    hand = s.hands[p]
    for card in cards:
        if type(card) is not int or card not in hand:
            return False
    count = len(cards)
    return count <= s.plan.draw_max and len(set(cards)) == count and not might_run_out(s, count)
