"""How a hand ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from turkpoker.engine.events import Over
from turkpoker.engine.state import State
from turkpoker.evaluator import Category


@dataclass(frozen=True, slots=True)
class HandResult:
    """The end of a hand; amounts in chips, by seat.

    Attributes:
        over: how it ended.
        pots: ``(chips, eligible seats)`` after the uncalled part went back and before the house's part,
        lowest
            first; empty when the pot is carried.
        payouts: what each seat won; seats without a win are missing.
        returned: what went back uncalled.
        final: what each seat has now, those included who stayed out.
        carried: what lies in the pot for the next deal.
        rake: what the house took.
        next_dead: dead hands in a row after this one, to be given to the next.
        carried_blind: whether this was a blind deal that carries the pot: the next deals are then ante deals
            (``matches.carried_out_of_blind``, ``matches.rules_of_next_deal``).
        hands: the last cards of everybody dealt in: the house's view.
        categories: their categories (of whole hands only).
        shown: the seats that showed at a showdown.
    """

    over: Over
    pots: tuple[tuple[int, tuple[int, ...]], ...]
    payouts: dict[int, int]
    returned: dict[int, int]
    final: dict[int, int]
    carried: int
    rake: int
    next_dead: int
    carried_blind: bool
    hands: dict[int, tuple[int, ...]] = field(repr=False)
    categories: dict[int, Category] = field(repr=False)
    shown: tuple[int, ...]


def result_of(s: State) -> HandResult:
    """The result of a state that is over."""
    assert s.over is not None
    # Who stayed out, or had no chips to begin with, has what he had.
    final = dict(s.given) | dict(s.bystanders) | dict(zip(s.seats, s.stacks, strict=True))
    dealt = s.over is not Over.NO_DEAL
    hands = dict(zip(s.seats, s.hands, strict=True)) if dealt else {}
    return HandResult(
        over=s.over,
        pots=s.pots,
        payouts=dict(s.payouts),
        returned={s.seats[p]: chips for p, chips in s.returned},
        final={seat: final[seat] for seat, _ in s.given},
        carried=s.pot,
        rake=s.rake,
        next_dead=_next_dead(s),
        carried_blind=bool(s.blinders and s.pot),
        hands=hands,
        categories={
            seat: s.plan.evaluator.category(s.plan.evaluator.strength(hand))
            for seat, hand in hands.items()
            if len(hand) == 5
        },
        shown=tuple(s.seats[p] for p in s.shown),
    )


def _next_dead(s: State) -> int:
    """A dead hand is one that nobody opened; an opened one breaks the row, and no deal changes nothing."""
    if s.over is Over.UNOPENED:
        return s.dead_before + 1
    return s.dead_before if s.over is Over.NO_DEAL else 0
