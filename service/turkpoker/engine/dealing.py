"""From the seats to the first bet: entries, antes, the deal, blinds and karanlik."""

from __future__ import annotations

from turkpoker.engine.actions import Action
from turkpoker.engine.errors import RefusalReason, Refused
from turkpoker.engine.events import (
    AntePosted,
    AnteReturned,
    BlindPosted,
    CardsDealt,
    CardsSeen,
    DealtIn,
    Declined,
    Entered,
    HandEnded,
    HandStarted,
    KaranlikBet,
    MissedAntesPosted,
    Over,
    OverBlindPosted,
    PotCarried,
    StayedOut,
)
from turkpoker.engine.phases import Outcome
from turkpoker.engine.plan import plan_for
from turkpoker.engine.state import State

# -- seating and entry --------------------------------------------------------------------------------


def begin_seating(s: State) -> Outcome:
    """Announce the deal and settle what each pays for it."""
    s.emit(HandStarted(s.dealer, s.seats, s.start_stacks, s.carried, s.dead_before))
    rules = s.rules
    if rules.max_carries is not None and s.dead_before >= rules.max_carries:
        s.ante = 0
    elif rules.deal_mode == "ante":
        s.ante = rules.ante
    return Outcome.OPT_IN if rules.entry == "opt_in" else Outcome.DONE


def begin_entry(s: State) -> None:
    """Ask everybody at once whether he plays this deal."""
    s.asking = tuple(range(len(s.seats)))
    for p in s.asking:
        s.ask(p)
    s.ask_nobody()


def legal_entry(s: State, p: int) -> dict[str, bool | int | tuple[int, int]]:
    """In or out."""
    return {"enter": True, "stay_out": True}


def answer_entry(s: State, p: int, action: Action) -> Outcome | None:
    """One player's answer; the deal begins with the last one."""
    enters = action.action == "enter"
    if enters and len(s.asking) == 1:
        _refuse_too_small_deck(s)
    s.asking = tuple(q for q in s.asking if q != p)
    s.answered[p] = enters
    if enters:
        s.emit(Entered(s.seats[p]))
        _post_missed(s, p)
        _post_ante(s, p)
    else:
        s.emit(StayedOut(s.seats[p]))
    return None if s.asking else _close_entry(s)


def leave_entry(s: State, p: int) -> Outcome | None:
    """Who leaves before the deal stays out of it; an ante already paid goes with him."""
    if s.answered.get(p):
        _return_ante(s, p)
    if p in s.asking or s.answered.get(p):
        s.asking = tuple(q for q in s.asking if q != p)
        s.answered[p] = False
        s.emit(StayedOut(s.seats[p]))
        return None if s.asking else _close_entry(s)
    return None


def _refuse_too_small_deck(s: State) -> None:
    """The host's deck must serve everybody who comes in; checked before anything changes."""
    entered = 1 + sum(s.answered.values())
    if entered >= 2 and s.rules.deck_size(entered) > len(s.deck):
        raise Refused(
            RefusalReason.ACTION_NOT_ALLOWED, {"stay_out": True}, "deck", "the deck is too small for one more"
        )


def _return_ante(s: State, p: int) -> None:
    missed = s.missed_paid.pop(s.seats[p], 0)
    amount = s.totals[p] + missed
    s.totals[p] = 0
    s.dead_money -= missed
    s.take_out(p, amount)
    s.emit(AnteReturned(s.seats[p], amount))


def _close_entry(s: State) -> Outcome:
    entered = [p for p in range(len(s.seats)) if s.answered.get(p)]
    if len(entered) < 2:
        for p in entered:
            _return_ante(s, p)
        s.over = Over.NO_DEAL
        if s.pot:
            s.emit(PotCarried(s.pot))
        s.emit(HandEnded(s.over))
        return Outcome.NO_DEAL
    s.bystanders = tuple((s.seats[p], s.stacks[p]) for p in range(len(s.seats)) if p not in entered)
    s.chips -= sum(stack for _, stack in s.bystanders)
    stacks, totals, questions = s.stacks, s.totals, s.question
    starts = s.start_stacks
    s.seat_players(tuple(s.seats[p] for p in entered), tuple(stacks[p] for p in entered))
    s.start_stacks = tuple(starts[p] for p in entered)
    s.totals = [totals[p] for p in entered]
    s.question = [questions[p] for p in entered]
    s.answered = {}
    return Outcome.DONE


# -- antes and cards ----------------------------------------------------------------------------------


def _post_ante(s: State, p: int) -> None:
    stack = s.stacks[p]
    amount = s.ante if s.ante < stack else stack
    if amount:
        s.stacks[p] = stack - amount
        s.totals[p] += amount
        s.pot += amount
        s.emit(AntePosted(s.seats[p], amount, amount == stack))


def _post_missed(s: State, p: int) -> None:
    """Who sat out while a pot was carried pays the antes he missed into it; they buy no bet of his."""
    seat = s.seats[p]
    amount = min(dict(s.missed).get(seat, 0), s.stacks[p])
    if amount:
        s.stacks[p] -= amount
        s.pot += amount
        s.dead_money += amount
        s.missed_paid[seat] = amount
        s.emit(MissedAntesPosted(seat, amount, not s.stacks[p]))


def begin_deal(s: State) -> Outcome:
    """Take the antes, or the blind, and deal five cards each, one at a time from the dealer's left."""
    rules = s.rules
    count = len(s.seats)
    if s.bystanders:
        s.plan = plan_for(rules, count)
    deck = s.deck
    if len(deck) > s.plan.deck_size:
        # The deck was made for all who sat there (opt-in entry): its lowest ranks go out.
        lowest = 52 - s.plan.deck_size
        deck = tuple(card for card in deck if card >= lowest)
    blind_deal = rules.deal_mode == "blind"
    s.requirement = None if blind_deal else rules.requirement_rank(s.dead_before)
    if blind_deal:
        amount = min(rules.blind, s.stacks[0])
        s.put_in(0, amount)
        s.level = rules.blind
        s.last_step = max(rules.stake_min, rules.blind)
        s.blinders = (0,)
        s.emit(BlindPosted(s.seats[0], amount, s.level, not s.stacks[0]))
    elif rules.entry == "automatic":
        for p in range(count):
            if s.missed:
                _post_missed(s, p)
            _post_ante(s, p)
    dealt = 5 * count
    s.emit(DealtIn(s.seats, s.plan.deck_size))
    s.hands = [deck[p:dealt:count] for p in range(count)]
    s.dealt = tuple(s.hands)
    s.stock = deck[dealt:]
    s.stock_at = 0
    if blind_deal:
        s.unseen = tuple(range(1, min(rules.over_blind, count - 1) + 1))
    elif rules.karanlik and s.stacks[0] and sum(1 for stack in s.stacks if stack) > 1:
        s.unseen = (0,)
    unseen, hands = s.unseen, s.hands
    for p, seat in enumerate(s.seats):
        s.emit(CardsDealt(seat, 5, p in unseen, hands[p]))
    if blind_deal:
        return Outcome.BLIND_DEAL
    return Outcome.UNSEEN_BET if s.unseen else Outcome.DONE


def _look(s: State) -> None:
    """Nobody can be asked unseen any more: all may look."""
    for p in s.unseen:
        s.emit(CardsSeen(s.seats[p], s.hands[p]))
    s.unseen = ()


# -- blinds -------------------------------------------------------------------------------------------


def begin_blinds(s: State) -> Outcome | None:
    """Offer the next over-blind, if there is one and the seat can pay it in full."""
    if len(s.live()) <= 1:
        _look(s)
        return Outcome.LAST_LIVE
    p = s.blinders[-1] + 1
    offered = (
        len(s.blinders) <= s.rules.over_blind
        and p < len(s.seats)
        and not s.folded[p]
        and s.stacks[p] >= 2 * s.level
        and any(s.stacks[q] for q in s.live() if q != p)
    )
    if not offered:
        s.ask_nobody()
        _look(s)
        return Outcome.DONE
    s.ask(p)
    return None


def legal_blinds(s: State, p: int) -> dict[str, bool | int | tuple[int, int]]:
    """Double the blind unseen, or not."""
    return {"over_blind": True, "decline": True}


def answer_blinds(s: State, p: int, action: Action) -> Outcome | None:
    """An over-blind, or the end of the chain."""
    if action.action == "decline":
        s.emit(Declined(s.seats[p]))
        return _end_blinds(s)
    to = over_blind_amount(s)
    s.last_step = max(s.plan.stake_min, to - s.level)
    s.put_in(p, to)
    s.level = to
    s.blinders = (*s.blinders, p)
    s.emit(OverBlindPosted(s.seats[p], to, to, not s.stacks[p]))
    s.unseen = tuple(q for q in s.unseen if q != p)
    s.emit(CardsSeen(s.seats[p], s.hands[p]))
    return begin_blinds(s)


def over_blind_amount(s: State) -> int:
    """What the asked seat would put in, in chips."""
    return 2 * s.level


def _end_blinds(s: State) -> Outcome:
    s.ask_nobody()
    _look(s)
    return Outcome.LAST_LIVE if len(s.live()) <= 1 else Outcome.DONE


def leave_blinds(s: State, p: int) -> Outcome | None:
    """A leaver who was asked ends the chain; another one leaves it as it is."""
    if s.turn == p or len(s.live()) <= 1:
        return _end_blinds(s)
    return None


# -- karanlik -----------------------------------------------------------------------------------------


def begin_karanlik(s: State) -> None:
    """Ask the seat left of the dealer, who has not seen his cards."""
    s.ask(0)


def legal_karanlik(s: State, p: int) -> dict[str, bool | int | tuple[int, int]]:
    """Bet unseen, or not."""
    return {"karanlik": True, "decline": True}


def karanlik_amount(s: State) -> int:
    """What karanlik is for the asked seat: the fixed bet, or all of a stack below it."""
    return min(s.rules.karanlik_bet, s.stacks[0])


def answer_karanlik(s: State, p: int, action: Action) -> Outcome:
    """A bet unseen opens the pot without openers; its owner speaks again last."""
    if action.action == "decline":
        s.emit(Declined(s.seats[p]))
    else:
        to = karanlik_amount(s)
        s.put_in(p, to)
        s.level = s.opening = to
        s.last_step = max(s.plan.stake_min, to)
        s.opener = p
        s.requirement = None
        s.emit(KaranlikBet(s.seats[p], to, to, not s.stacks[p]))
    s.ask_nobody()
    _look(s)
    return Outcome.DONE


def leave_karanlik(s: State, p: int) -> Outcome | None:
    """Without the asked seat, or with nobody to bet against, there is no karanlik."""
    if s.turn == p or len(s.live()) <= 1:
        s.ask_nobody()
        _look(s)
        return Outcome.DONE
    return None
