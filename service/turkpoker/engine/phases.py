"""The phases of a hand and what follows what: one table.

A phase begins, asks its questions if it has any, and ends with an outcome; ``NEXT`` says which phase that
leads to. Phases that ask nobody run through at once. ``machine.py`` names the code that carries each phase
out.
"""

from __future__ import annotations

from enum import Enum, StrEnum


class Phase(StrEnum):
    """Where a hand stands. Players meet entry, blinds, karanlik, round1, draw, round2, proof and over."""

    SEATING = "seating"
    ENTRY = "entry"
    DEAL = "deal"
    BLINDS = "blinds"
    KARANLIK = "karanlik"
    ROUND1 = "round1"
    DRAW = "draw"
    ROUND2 = "round2"
    SHOWDOWN = "showdown"
    UNCONTESTED = "uncontested"
    CARRY = "carry"
    PROOF = "proof"
    OVER = "over"


class Outcome(Enum):
    """How a phase ended."""

    # Each is there once, so where it lies will do; the hash of an enum is code in Python otherwise.
    __hash__ = object.__hash__

    DONE = "done"
    OPT_IN = "opt_in"  # players are asked whether they play this deal
    NO_DEAL = "no_deal"  # fewer than two do
    BLIND_DEAL = "blind_deal"  # a blind instead of antes
    UNSEEN_BET = "unseen_bet"  # karanlik may be bet
    CLOSED = "closed"  # the betting is over and the hand goes on
    QUIET = "quiet"  # the betting is over without a bet; the round says what that means
    LAST_LIVE = "last_live"  # one live player is left
    DEAD = "dead"  # nobody opened
    PASSED_OUT = "passed_out"  # nobody bet after the draw, where that carries the pot


NEXT: dict[Phase, dict[Outcome, Phase]] = {
    Phase.SEATING: {Outcome.OPT_IN: Phase.ENTRY, Outcome.DONE: Phase.DEAL},
    Phase.ENTRY: {Outcome.DONE: Phase.DEAL, Outcome.NO_DEAL: Phase.OVER},
    Phase.DEAL: {
        Outcome.BLIND_DEAL: Phase.BLINDS,
        Outcome.UNSEEN_BET: Phase.KARANLIK,
        Outcome.DONE: Phase.ROUND1,
    },
    Phase.BLINDS: {Outcome.DONE: Phase.ROUND1, Outcome.LAST_LIVE: Phase.UNCONTESTED},
    Phase.KARANLIK: {Outcome.DONE: Phase.ROUND1},
    Phase.ROUND1: {
        Outcome.CLOSED: Phase.DRAW,
        Outcome.LAST_LIVE: Phase.UNCONTESTED,
        Outcome.DEAD: Phase.CARRY,
    },
    Phase.DRAW: {Outcome.DONE: Phase.ROUND2, Outcome.LAST_LIVE: Phase.UNCONTESTED},
    Phase.ROUND2: {
        Outcome.CLOSED: Phase.SHOWDOWN,
        Outcome.LAST_LIVE: Phase.UNCONTESTED,
        Outcome.PASSED_OUT: Phase.CARRY,
    },
    Phase.SHOWDOWN: {Outcome.DONE: Phase.PROOF},
    Phase.UNCONTESTED: {Outcome.DONE: Phase.PROOF},
    Phase.CARRY: {Outcome.DONE: Phase.PROOF},
    Phase.PROOF: {Outcome.DONE: Phase.OVER},
    Phase.OVER: {},
}
