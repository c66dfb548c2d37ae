"""The end of a hand: showdown, a pot nobody contests, a pot that is carried."""

from __future__ import annotations

from collections.abc import Sequence

from turkpoker.engine.actions import Action
from turkpoker.engine.events import (
    HandEnded,
    HandShown,
    Over,
    PotAwarded,
    PotCarried,
    RakeTaken,
    UncalledReturned,
)
from turkpoker.engine.openers import opens
from turkpoker.engine.phases import Outcome
from turkpoker.engine.pots import rake_of, shares, side_pots, uncalled
from turkpoker.engine.proving import must_prove, open_proof_window, prove
from turkpoker.engine.state import State


def _return_uncalled(s: State) -> None:
    p, excess = uncalled(s.totals)
    if excess:
        s.totals[p] -= excess
        s.bets[p] -= min(excess, s.bets[p])
        s.take_out(p, excess)
        s.returned = ((p, excess),)
        s.emit(UncalledReturned(s.seats[p], excess))


# -- showdown -----------------------------------------------------------------------------------------


def begin_showdown(s: State) -> Outcome:
    """All live players show; each pot goes to the best of its own."""
    s.over = Over.SHOWDOWN
    s.ask_nobody()
    _return_uncalled(s)
    live = s.live()
    first = s.last_bettor if s.last_bettor >= 0 else s.round_first
    evaluator = s.plan.evaluator
    strengths: dict[int, int] = {}
    lows: dict[int, int] = {}
    hi_lo, seats, hands = s.rules.hi_lo, s.seats, s.hands
    order = [q for q in live if q >= first] + [q for q in live if q < first]
    s.shown = tuple(order)
    for p in order:
        hand = hands[p]
        strengths[p] = strength = evaluator.strength(hand)
        low = None if hi_lo == "off" else evaluator.low_strength(hand, hi_lo)
        if low is not None:
            lows[p] = low
        s.emit(HandShown(seats[p], hand, evaluator.category(strength), low is not None))
    dead_hands: tuple[int, ...] = ()
    if must_prove(s) and s.opener in strengths:
        if s.rules.opener_proof == "on_request" and s.split:
            prove(s)
        if s.plan.penalise and not _had_openers(s):
            dead_hands = (s.opener,)
    pots = side_pots(s.totals, live, dead_hands, s.dead_money)
    s.pots = tuple([(chips, tuple([seats[p] for p in eligible])) for chips, eligible in pots])
    halves = [
        (number, chips, eligible, half, winners)
        for number, (chips, eligible) in enumerate(pots)
        for half, winners in _winners(eligible, strengths, lows)
    ]
    if (
        s.rules.opener_proof == "to_collect"
        and must_prove(s)
        and any(s.opener in winners for *_, winners in halves)
    ):
        prove(s)
    _award(s, pots, halves)
    return Outcome.DONE


def _had_openers(s: State) -> bool:
    """The house's look at the dealt hand; it is shown only where a proof is due, but a false one is
    announced."""
    return opens(s.dealt[s.opener], s.requirement, s.plan.evaluator) or prove(s)


def _winners(
    eligible: Sequence[int], strengths: dict[int, int], lows: dict[int, int]
) -> list[tuple[str, tuple[int, ...]]]:
    best = max([strengths[p] for p in eligible])
    high = tuple([p for p in eligible if strengths[p] == best])
    qualified = [p for p in eligible if p in lows] if lows else ()
    if not qualified:
        return [("all", high)]
    best = max([lows[p] for p in qualified])
    return [("high", high), ("low", tuple([p for p in qualified if lows[p] == best]))]


def _award(
    s: State,
    pots: Sequence[tuple[int, tuple[int, ...]]],
    halves: Sequence[tuple[int, int, tuple[int, ...], str, tuple[int, ...]]],
) -> None:
    seats = s.seats
    taken = _take_rake(s, [chips for chips, _ in pots])
    for number, chips, eligible, half, winners in halves:
        net = chips - taken[number]
        amount = net if half == "all" else net - net // 2 if half == "high" else net // 2
        paid = []
        for p, share in shares(amount, winners):
            s.take_out(p, share)
            seat = seats[p]
            s.payouts[seat] = s.payouts.get(seat, 0) + share
            paid.append((seat, share))
        s.emit(PotAwarded(number, half, amount, tuple([seats[p] for p in eligible]), tuple(paid)))


def _take_rake(s: State, pots: Sequence[int]) -> list[int]:
    rules = s.rules
    if not rules.rake_per_mille or not s.draw_order:
        return [0] * len(pots)
    parts = rake_of(pots, rules.rake_per_mille, rules.rake_cap)
    rake = sum(parts)
    if rake:
        s.pot -= rake
        s.rake = rake
        s.emit(RakeTaken(rake))
    return parts


# -- one player left ----------------------------------------------------------------------------------


def begin_uncontested(s: State) -> Outcome:
    """The last live player takes the pot without showing, subject to the proof of openers."""
    s.over = Over.FOLDS
    s.ask_nobody()
    winner = s.next_live(0)
    if winner == s.opener and must_prove(s):
        if s.rules.opener_proof == "to_collect":
            if not prove(s) and s.plan.penalise:
                _carry(s)
                return Outcome.DONE
        elif s.rules.opener_proof == "on_request":
            open_proof_window(s)
            s.unpaid = s.plan.penalise and bool(s.proof_asking)
    if not s.unpaid:
        _pay_uncontested(s)
    return Outcome.DONE


def _pay_uncontested(s: State) -> None:
    winner = s.next_live(0)
    _return_uncalled(s)
    seat = s.seats[winner]
    s.pots = ((s.pot, (seat,)),)
    _award(s, [(s.pot, (winner,))], [(0, s.pot, (winner,), "all", (winner,))])


# -- nobody gets it -----------------------------------------------------------------------------------


def begin_carry(s: State) -> Outcome:
    """The pot stays for the next deal."""
    s.over = Over.PASSED_OUT if s.draw_order else Over.UNOPENED
    s.ask_nobody()
    _carry(s)
    return Outcome.DONE


def _carry(s: State) -> None:
    s.emit(PotCarried(s.pot))


# -- proof, end ---------------------------------------------------------------------------------------


def begin_proof(s: State) -> Outcome | None:
    """Wait for those who may still ask the opener."""
    return None if s.proof_asking else end_proof(s)


def end_proof(s: State) -> Outcome:
    """Nobody may ask any more: pay what waited for it, and end the hand."""
    if s.unpaid:
        s.unpaid = False
        if s.false_opener:
            _carry(s)
        else:
            _pay_uncontested(s)
    assert s.over is not None
    s.emit(HandEnded(s.over))
    return Outcome.DONE


def no_answer(s: State, p: int, action: Action) -> Outcome | None:
    """The answers to a proof window are taken beside the phases; nothing else is asked here."""
    return None
