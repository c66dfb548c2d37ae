"""Carries a hand from phase to phase: which code begins a phase, judges and takes answers, and hears of
leavers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from turkpoker.engine import betting, dealing, drawing, settlement
from turkpoker.engine.actions import Action
from turkpoker.engine.errors import LegalActions
from turkpoker.engine.phases import NEXT, Outcome, Phase
from turkpoker.engine.state import State


def _nothing(s: State, p: int) -> LegalActions:
    return {}


def _no_answer(s: State, p: int, action: Action) -> Outcome | None:
    raise AssertionError(f"nobody is asked in {s.phase}")


def _no_effect(s: State, p: int) -> Outcome | None:
    return None


@dataclass(frozen=True, slots=True)
class Handler:
    """The code of one phase. Phases that ask nobody only begin."""

    begin: Callable[[State], Outcome | None]
    legal: Callable[[State, int], LegalActions] = _nothing
    answer: Callable[[State, int, Action], Outcome | None] = _no_answer
    leave: Callable[[State, int], Outcome | None] = _no_effect


def _stop(s: State) -> None:
    s.ask_nobody()


HANDLERS: dict[Phase, Handler] = {
    Phase.SEATING: Handler(dealing.begin_seating),
    Phase.ENTRY: Handler(dealing.begin_entry, dealing.legal_entry, dealing.answer_entry, dealing.leave_entry),
    Phase.DEAL: Handler(dealing.begin_deal),
    Phase.BLINDS: Handler(
        dealing.begin_blinds, dealing.legal_blinds, dealing.answer_blinds, dealing.leave_blinds
    ),
    Phase.KARANLIK: Handler(
        dealing.begin_karanlik, dealing.legal_karanlik, dealing.answer_karanlik, dealing.leave_karanlik
    ),
    Phase.ROUND1: Handler(
        betting.begin_round1, betting.legal_round1, betting.answer_round1, betting.leave_round1
    ),
    Phase.DRAW: Handler(drawing.begin_draw, drawing.legal_draw, drawing.answer_draw, drawing.leave_draw),
    Phase.ROUND2: Handler(
        betting.begin_round2, betting.legal_round2, betting.answer_round2, betting.leave_round2
    ),
    Phase.SHOWDOWN: Handler(settlement.begin_showdown),
    Phase.UNCONTESTED: Handler(settlement.begin_uncontested),
    Phase.CARRY: Handler(settlement.begin_carry),
    Phase.PROOF: Handler(settlement.begin_proof),
    Phase.OVER: Handler(_stop),
}


#: ``NEXT`` with the code of the phase that follows.
_AFTER = {
    phase: {outcome: (after, HANDLERS[after]) for outcome, after in outcomes.items()}
    for phase, outcomes in NEXT.items()
}


def start(s: State) -> None:
    """Begin the hand and run it to its first question."""
    s.phase = Phase.SEATING
    s.handler = HANDLERS[Phase.SEATING]
    go_on(s, s.handler.begin(s))


def go_on(s: State, outcome: Outcome | None) -> None:
    """Follow the outcome of an answer to the next question, or to the end."""
    while outcome is not None:
        s.phase, s.handler = _AFTER[s.phase][outcome]
        outcome = s.handler.begin(s)
