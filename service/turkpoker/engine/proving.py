"""Proof of openers: when it may be asked or must be given, and what a failed one costs.

``on_request`` opens a window when the opener folds or wins because all others folded. It stands beside the
hand: everybody else dealt in may ask or pass, out of turn, until one has asked or all have passed; at the
latest the next deal closes it. A window that decides whether the opener is paid (false openings penalised)
is waited for.
"""

from __future__ import annotations

from turkpoker.engine.actions import Action
from turkpoker.engine.events import FalseOpening, OpenersProved, ProofAsked, ProofPassed, ProofWindowOpened
from turkpoker.engine.openers import opens, proof
from turkpoker.engine.state import NOBODY, State


def must_prove(s: State) -> bool:
    """Whether there is an opener whose hand had to satisfy a requirement."""
    return s.opener != NOBODY and s.requirement is not None


def open_proof_window(s: State) -> None:
    """Let the others ask the opener, where the table plays so."""
    if s.rules.opener_proof != "on_request" or not must_prove(s) or s.proof_question:
        return
    asking = tuple(p for p in range(len(s.seats)) if p != s.opener and not s.left[p])
    if asking:
        s.questions += 1
        s.proof_question = s.questions
        s.proof_asking = asking
        s.emit(ProofWindowOpened(s.seats[s.opener]))


def answer_proof(s: State, p: int, action: Action) -> None:
    """Ask for the openers, or not."""
    if action.action == "ask_proof":
        s.emit(ProofAsked(s.seats[p]))
        s.proof_asking = ()
        prove(s)
    else:
        s.emit(ProofPassed(s.seats[p]))
        drop_from_window(s, p)


def drop_from_window(s: State, p: int) -> None:
    """A player asks no more."""
    s.proof_asking = tuple(q for q in s.proof_asking if q != p)


def prove(s: State) -> bool:
    """Show the openers, or find that there were none; whether there were."""
    if s.false_opener or s.proof_cards:
        return not s.false_opener
    hand = s.dealt[s.opener]
    if s.requirement is not None and opens(hand, s.requirement, s.plan.evaluator):
        s.proof_cards = proof(hand, s.requirement)
        s.emit(OpenersProved(s.seats[s.opener], s.proof_cards))
        return True
    s.false_opener = True
    s.emit(FalseOpening(s.seats[s.opener]))
    return False
