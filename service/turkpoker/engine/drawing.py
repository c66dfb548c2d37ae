"""The exchange of cards: who draws, what he throws and gets, and where new cards come from.

When the stock runs out, the cards thrown by *others* in this draw become the stock; the drawer at whose card
it ran out is safe from his own. An opener's cards that are kept aside as proof and folded hands stay out.
The size of the deck (five a player and twice the largest draw) makes sure that this always serves everybody.
"""

from __future__ import annotations

from turkpoker.engine.actions import Action
from turkpoker.engine.errors import ReshuffleError
from turkpoker.engine.events import CardsDrawn, DrawStarted, FourthCardDealt, OpenersSplit, Reshuffled
from turkpoker.engine.openers import splits
from turkpoker.engine.phases import Outcome
from turkpoker.engine.state import NOBODY, State


def begin_draw(s: State) -> Outcome | None:
    """Ask the first drawer."""
    start = s.opener if s.plan.opener_draws_first and s.opener != NOBODY else 0
    live = s.live()
    s.draw_order = tuple([p for p in live if p >= start] + [p for p in live if p < start])
    s.draw_at = 0
    s.emit(DrawStarted(s.seats[s.draw_order[0]]))
    return _next(s)


def legal_draw(s: State, p: int) -> dict[str, bool | int | tuple[int, int]]:
    """How many cards may be thrown."""
    return {"draw": (0, s.plan.draw_max)}


def answer_draw(s: State, p: int, action: Action) -> Outcome | None:
    """Serve one player and ask the next."""
    _serve(s, p, tuple(action.cards))
    s.draw_at += 1
    return _next(s)


def leave_draw(s: State, p: int) -> Outcome | None:
    """A leaver draws no more; an all-in one who stays in the hand stands pat."""
    if len(s.live()) <= 1:
        return Outcome.LAST_LIVE
    return _next(s) if s.turn == p else None


def might_run_out(s: State, thrown: int) -> bool:
    """Whether serving a draw of so many cards, and the fourth cards after it, could need a reshuffle."""
    return len(s.stock) - s.stock_at < thrown + len(s.owed)


def _next(s: State) -> Outcome | None:
    order = s.draw_order
    while s.draw_at < len(order):
        p = order[s.draw_at]
        if not s.folded[p]:
            if not s.left[p]:
                s.ask(p)
                return None
            _serve(s, p, ())
        s.draw_at += 1
    s.ask_nobody()
    for p in s.owed:
        if not s.folded[p]:
            drawn = _take(s, p, 1)
            s.hands[p] += drawn
            s.emit(FourthCardDealt(s.seats[p], drawn))
    s.owed = ()
    return Outcome.DONE


def _serve(s: State, p: int, thrown: tuple[int, ...]) -> None:
    count = len(thrown)
    seat = s.seats[p]
    s.drawn[p] = count
    if not count:
        s.emit(CardsDrawn(seat, 0, 0, (), ()))
        return
    kept = tuple([card for card in s.hands[p] if card not in thrown])
    kept_aside = False
    if p == s.opener:
        s.split = splits(kept, s.requirement)
        declared = s.split and s.plan.declares_split
        if declared:
            s.emit(OpenersSplit(seat))
        kept_aside = declared or s.plan.keeps_discards
    if kept_aside:
        s.kept = thrown
    else:
        s.discards += tuple([(p, card) for card in thrown])
    later = 1 if count == 4 and s.plan.three_and_one else 0
    if later:
        s.owed = (*s.owed, p)
    drawn = _take(s, p, count - later)
    s.hands[p] = kept + drawn
    s.emit(CardsDrawn(seat, count, later, thrown, drawn))


def _take(s: State, p: int, count: int) -> tuple[int, ...]:
    """Cards from the top of the stock for a position, reshuffling when it is empty."""
    end = s.stock_at + count
    taken = s.stock[s.stock_at : end]
    if len(taken) == count:
        s.stock_at = end
        return taken
    s.stock_at = len(s.stock)
    while len(taken) < count:
        _reshuffle(s, p)
        more = s.stock[: count - len(taken)]
        s.stock_at = len(more)
        taken += more
    return taken


def _reshuffle(s: State, drawer: int) -> None:
    pile = tuple([card for p, card in s.discards if p != drawer])
    if pile:
        s.discards = tuple([entry for entry in s.discards if entry[0] == drawer])
    else:
        # Only his own are left. The deck's size keeps it from coming to this.
        pile = tuple([card for _, card in s.discards])
        s.discards = ()
    if not pile:
        raise ReshuffleError("the stock is empty and nothing is left to reshuffle")
    done = len(s.reshuffles)
    if done < len(s.recorded_orders):
        order = s.recorded_orders[done]
    elif s.reshuffle is not None:
        order = tuple(s.reshuffle(pile))
    else:
        raise ReshuffleError("the stock ran out and no order for the reshuffle is given")
    if sorted(order) != sorted(pile):
        raise ReshuffleError("a reshuffle must hold exactly the discards, each once")
    s.reshuffles = (*s.reshuffles, order)
    s.stock = order
    s.stock_at = 0
    s.emit(Reshuffled(len(order), order))
