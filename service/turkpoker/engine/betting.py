"""The two betting rounds: who is asked, what is legal, and how far a bet may go.

A round ends when every player with chips has acted since the last full raise and matched the level, when one
live player is left, or when only one player has chips left and he owes nothing. ``acted`` is what a full
raise undoes; a short all-in leaves it, so that who has acted must match it but may raise again only if the
level has grown by a whole raise since (``seen`` is the level at his last action).
"""

from __future__ import annotations

from turkpoker.engine.actions import Action
from turkpoker.engine.events import (
    Bet,
    Called,
    Checked,
    Folded,
    Opened,
    PlayedOn,
    Raised,
    RoundSkipped,
    RoundStarted,
)
from turkpoker.engine.openers import opens
from turkpoker.engine.phases import Outcome
from turkpoker.engine.proving import open_proof_window
from turkpoker.engine.state import NOBODY, State

Legal = dict[str, "bool | int | tuple[int, int]"]


# -- amounts ------------------------------------------------------------------------------------------


def opening_range(s: State, p: int) -> tuple[int, int, int]:
    """``(lowest, highest, full from)`` of an opening bet, in chips.

    Below ``full from`` an opening is a short all-in.
    """
    rules, pot = s.rules, s.pot
    # An empty pot (no antes, nothing carried) sets no measure; then the minimum bet is it.
    measure = pot or rules.stake_min
    least = measure if rules.opening_min == "pot" else rules.opening_min
    if not s.plan.opening_capped:
        stack = s.stacks[p]
        return min(least, stack), stack, least
    caps = []
    if s.carried and (s.plan.jackpot or rules.opening_cap_on_carried_pot == "pot"):
        caps.append(measure)
    else:
        if rules.stake_max is not None:
            caps.append(rules.stake_max)
        if s.plan.pot_limit:
            caps.append(measure)
    if rules.opening_max is not None:
        caps.append(rules.opening_max)
    if rules.opening_max_pots is not None:
        caps.append(rules.opening_max_pots * measure)
    # A cap below the minimum lowers the minimum; a stack below it does not.
    least = min(least, *caps) if caps else least
    most = min(s.stacks[p], *caps) if caps else s.stacks[p]
    return min(least, most), most, least


def _cap(s: State, p: int) -> int | None:
    """The highest total a bet or raise may reach whatever the stack; ``None`` without such a limit."""
    plan, level = s.plan, s.level
    if plan.jackpot and s.carried and s.opening:
        return level + s.opening
    cap = None if plan.stake_max is None else level + plan.stake_max
    if plan.pot_limit:
        pot_cap = level + s.pot + (level - s.bets[p])
        cap = pot_cap if cap is None else min(cap, pot_cap)
    return cap


# -- what is legal ------------------------------------------------------------------------------------


def legal_round1(s: State, p: int) -> Legal:
    """The legal actions of the asked player before the draw."""
    if s.level:
        return _legal_facing(s, p, True)
    legal: Legal = {"check": True}
    if s.plan.fold_unopened:
        legal["fold"] = True
    if s.plan.penalise or opens(s.dealt[p], s.requirement, s.plan.evaluator):
        least, most, s.full_from = opening_range(s, p)
        legal["open"] = (least, most)
    return legal


def legal_round2(s: State, p: int) -> Legal:
    """The legal actions of the asked player after the draw."""
    # ``acted`` before any bet means checked; a full bet undoes it, so the check itself is remembered in
    # ``answered``.
    may_raise = s.plan.check_raise or p not in s.answered
    return _legal_facing(s, p, may_raise)


def _legal_facing(s: State, p: int, may_raise: bool) -> Legal:
    plan, level, stacks = s.plan, s.level, s.stacks
    stack, bet = stacks[p], s.bets[p]
    owe = level - bet
    legal: Legal
    if owe > 0:
        if stack <= owe:
            return {"fold": True, "call": stack}
        legal = {"fold": True, "call": owe}
    elif level or not plan.free_fold:
        legal = {"check": True}
    else:
        legal = {"check": True, "fold": True}
    if not may_raise or not stack:
        return legal
    for q, out in enumerate(s.folded):
        if not out and q != p and stacks[q]:
            break
    else:
        return legal  # nobody else has chips to call with
    cap = _cap(s, p) if plan.capped else None
    full_from = level + (s.last_step if plan.last_raise else plan.stake_min)
    if cap is not None and cap < full_from:
        full_from = cap
    if not s.acted[p] or level - s.seen[p] >= full_from - level:
        most = bet + stack
        if cap is not None and cap < most:
            most = cap
        s.full_from = full_from
        legal["raise" if level else "bet"] = (full_from if full_from < most else most, most)
    return legal


# -- the rounds ---------------------------------------------------------------------------------------


def begin_round1(s: State) -> Outcome | None:
    """Start the betting before the draw; blinds and karanlik already lie there."""
    # Karanlik was bet by position 0, so the second seat is next.
    opener_spoke = 1 if s.opener == 0 else 0
    first = s.blinders[-1] + 1 if s.blinders else opener_spoke
    if not s.last_step:
        s.last_step = s.plan.stake_min
    outcome = _begin(s, 1, first % len(s.seats))
    if outcome is Outcome.LAST_LIVE and not s.level:
        # Leavers have left one player before anybody was asked.
        s.ask_nobody()
        return _lone(s)
    return outcome


def begin_round2(s: State) -> Outcome | None:
    """Start the betting after the draw."""
    count = len(s.seats)
    s.bets = [0] * count
    s.acted = [False] * count
    s.seen = [0] * count
    s.answered = {}
    s.level = 0
    s.last_step = s.plan.stake_min
    s.last_bettor = NOBODY
    if s.rules.round2_start == "left_of_last_blinder" and s.blinders:
        first = s.blinders[-1] + 1
    else:
        first = s.opener if s.opener != NOBODY else 0
    return _begin(s, 2, first % count)


def _begin(s: State, number: int, first: int) -> Outcome | None:
    s.round_first = first
    s.turn = first - 1
    outcome = advance(s)
    if outcome is None:
        s.round_first = s.turn
        s.emit(RoundStarted(number, s.seats[s.turn]))
    elif outcome is Outcome.CLOSED or outcome is Outcome.QUIET:
        s.emit(RoundSkipped(number))
        if outcome is Outcome.QUIET and number == 1:
            return _close_unopened(s)
        return Outcome.CLOSED
    return outcome


def advance(s: State) -> Outcome | None:
    """Ask the next player, or say how the round has ended."""
    folded, stacks, bets, acted, level = s.folded, s.stacks, s.bets, s.acted, s.level
    count = len(folded)
    live = able = 0
    pending = last_able = NOBODY
    start = s.turn + 1
    for step in range(count):
        p = start + step
        if p >= count:
            p -= count
        if folded[p]:
            continue
        live += 1
        if stacks[p]:
            able += 1
            last_able = p
            if pending < 0 and (not acted[p] or bets[p] < level):
                pending = p
            if pending >= 0 and able > 1:
                # The usual case, ahead of the count of all: somebody is asked (as by ``s.ask``).
                s.turn = pending
                s.legal = None
                s.questions += 1
                s.question[pending] = s.questions
                return None
    if live <= 1:
        return Outcome.LAST_LIVE
    if pending < 0 or (able == 1 and bets[last_able] >= level):
        s.ask_nobody()
        return Outcome.CLOSED if level else Outcome.QUIET
    s.ask(pending)
    return None


def _next_round1(s: State) -> Outcome | None:
    outcome = advance(s)
    if outcome is Outcome.QUIET:
        return _close_unopened(s)
    if outcome is Outcome.LAST_LIVE and not s.level:
        return _lone(s)
    return outcome


def _close_unopened(s: State) -> Outcome:
    """All have passed: the hand is dead, unless killing it would strand a player who is all-in."""
    for p in s.live():
        if not s.stacks[p]:
            s.emit(PlayedOn())
            return Outcome.CLOSED
    return Outcome.DEAD


def _lone(s: State) -> Outcome | None:
    """One live player in an unopened pot has not won it: he is asked once more whether he opens."""
    p = s.next_live(0)
    if p == NOBODY:
        s.ask_nobody()
        return Outcome.DEAD
    if not s.stacks[p]:
        return Outcome.LAST_LIVE
    if s.turn == p and not s.acted[p]:
        # He is being asked already; the question stands.
        s.lone_asked = True
        s.legal = None
        return None
    if s.lone_asked:
        s.ask_nobody()
        return Outcome.DEAD
    s.lone_asked = True
    s.ask(p)
    return None


def answer_round1(s: State, p: int, action: Action) -> Outcome | None:
    """Carry out a legal action before the draw."""
    if action.action == "open":
        to = int(action.to or 0)
        # Who passed before is free again, whatever the opening: a short one binds nobody.
        s.acted = [False] * len(s.seats)
        s.opener = p
        s.opening = to
        _bet_to(s, p, to)
        s.emit(Opened(s.seats[p], to, to, not s.stacks[p]))
        return _next_round1(s)
    _plain(s, p, action)
    return _next_round1(s)


def answer_round2(s: State, p: int, action: Action) -> Outcome | None:
    """Carry out a legal action after the draw."""
    name = action.action
    if name == "bet":
        to = int(action.to or 0)
        _bet_to(s, p, to)
        s.emit(Bet(s.seats[p], to, to, not s.stacks[p]))
        return _next_round2(s)
    if name == "check":
        s.answered[p] = True
    _plain(s, p, action)
    return _next_round2(s)


def _next_round2(s: State) -> Outcome | None:
    outcome = advance(s)
    if outcome is Outcome.QUIET:
        # Nobody bet. Somebody all-in must be shown down, not stranded.
        all_in = any(not s.stacks[p] for p in s.live())
        return Outcome.PASSED_OUT if s.plan.all_check_carries and not all_in else Outcome.CLOSED
    return outcome


def _plain(s: State, p: int, action: Action) -> None:
    name, seat = action.action, s.seats[p]
    if name == "check":
        s.acted[p] = True
        s.seen[p] = s.level
        s.emit(Checked(seat))
    elif name == "fold":
        s.folded[p] = True
        s.emit(Folded(seat))
        if p == s.opener:
            open_proof_window(s)
    elif name == "call":
        amount = s.level - s.bets[p]
        amount = min(amount, s.stacks[p])
        s.put_in(p, amount)
        s.acted[p] = True
        s.seen[p] = s.level
        s.emit(Called(seat, s.bets[p], amount, not s.stacks[p]))
    else:
        to = int(action.to or 0)
        amount = to - s.bets[p]
        full = _bet_to(s, p, to)
        s.emit(Raised(seat, to, amount, not s.stacks[p], full))


def _bet_to(s: State, p: int, to: int) -> bool:
    """Lift the level; whether by a full bet or raise."""
    full = to >= s.full_from
    if full:
        s.last_step = to - s.level
        s.acted = [False] * len(s.seats)
    s.put_in(p, to - s.bets[p])
    s.level = to
    s.acted[p] = True
    s.seen[p] = to
    s.last_bettor = p
    return full


def leave_round1(s: State, p: int) -> Outcome | None:
    """A live player with chips has left before the draw."""
    return _next_round1(s) if _moves_on(s, p) else None


def leave_round2(s: State, p: int) -> Outcome | None:
    """A live player with chips has left after the draw."""
    return _next_round2(s) if _moves_on(s, p) else None


def _moves_on(s: State, leaver: int) -> bool:
    """Whether a leaver ends the question that is open."""
    live = s.live()
    able = [p for p in live if s.stacks[p]]
    if s.turn == leaver or len(live) <= 1 or (len(able) == 1 and s.bets[able[0]] >= s.level):
        return True
    # The question stands, but what is legal may have changed (nobody left to raise against).
    s.legal = None
    return False
