"""Which options go together: what cannot be played, what has no effect beside what, and what is merely odd.

Three tables, looked at in this order when rules are made. ``REFUSALS`` end it with the field and the reason.
``IDLE`` and ``ODDITIES`` become warnings, but only of an option that somebody chose: what a profile brings
along and another option makes idle (the over-blinds of a French table that plays with antes) is no mistake
of the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from turkpoker.engine.errors import RulesError

if TYPE_CHECKING:
    from turkpoker.engine.rules import Rules

Test = Callable[[Any], bool]


def check_decks(rules: Rules) -> None:
    """Hold the decks against every number of players that may be dealt in.

    Players go out or sit out, so a hand may be dealt to fewer than the table is made for; never to fewer
    than two.

    Raises:
        RulesError: a deck does not serve so many.
    """
    for dealt_in in range(rules.players[1], 1, -1):
        rules.deck_size(dealt_in)


# -- what cannot be played ----------------------------------------------------------------------------

#: (field at fault, when, the reason)
REFUSALS: tuple[tuple[str, Callable[[Rules], bool], Callable[[Rules], str]], ...] = (
    (
        "karanlik",
        lambda r: r.karanlik and r.deal_mode == "blind",
        lambda r: "does not go with blind deals, which replace it",
    ),
    (
        "opening_max",
        lambda r: r.opening_max is not None and r.opening_min != "pot" and r.opening_min > r.opening_max,
        lambda r: f"is below opening_min, {r.opening_min}",
    ),
    (
        "buy_in_max",
        lambda r: r.buy_in_min > r.buy_in_max,
        lambda r: f"is below buy_in_min, {r.buy_in_min}",
    ),
    (
        "start_stack",
        # In a tournament everybody comes with the start stack, whatever the buy-ins.
        lambda r: r.match == "session" and not r.buy_in_min <= r.start_stack <= r.buy_in_max,
        lambda r: f"is not from buy_in_min to buy_in_max, {r.buy_in_min} to {r.buy_in_max}",
    ),
    (
        "rebuy",
        lambda r: r.match == "tournament" and r.rebuy != "none",
        lambda r: "a tournament is played with fixed stacks, to elimination",
    ),
    (
        "levels",
        lambda r: bool(r.levels) and r.match != "tournament",
        lambda r: "only a tournament has levels",
    ),
    ("action_clock", lambda r: r.action_clock <= timedelta(0), lambda r: "must be above 0s"),
)


def refuse_unplayable(rules: Rules) -> None:
    """Refuse what cannot be played.

    Raises:
        RulesError: the field at fault, and the reason.
    """
    check_decks(rules)
    for option, unplayable, reason in REFUSALS:
        if unplayable(rules):
            raise RulesError(option, reason(rules))


# -- what has no effect -------------------------------------------------------------------------------


def _is(*values: object) -> Test:
    return lambda value: value in values


def _is_not(*values: object) -> Test:
    return lambda value: value not in values


#: Blind deals in which every hand is shown down: nobody ever opens, and no pot is carried into a deal with
#: antes.
_BLIND: dict[str, Test] = {"deal_mode": _is("blind"), "all_check_after_draw": _is("showdown")}
_NO_ANTE: dict[str, Test] = {"deal_mode": _is("ante"), "ante": _is(0)}
_TOURNAMENT: dict[str, Test] = {"match": _is("tournament")}
_NOTHING_REQUIRED: dict[str, Test] = {"opening_requirement": _is("none")}

#: option -> every set of circumstances in which it has no effect: other options, and what they are then.
#: Values are those of ``Rules`` fields.
IDLE: dict[str, tuple[Mapping[str, Test], ...]] = {
    "four_player_deck": ({"deck": _is_not(None)}, {"players": lambda span: span[1] < 4}),
    "suit_order": ({"tie_break": _is("split")},),
    "ante": ({"deal_mode": _is("blind")}, {"levels": bool}),
    "blind": ({"deal_mode": _is("ante")}, {"levels": bool}),
    "stake_min": ({"levels": bool},),
    "buy_in_min": (_TOURNAMENT,),
    "buy_in_max": (_TOURNAMENT,),
    "buy_in_min_antes": (_TOURNAMENT,),
    "buy_in_max_antes": (_TOURNAMENT,),
    "opening_min": (_BLIND,),
    "opening_max": (_BLIND,),
    "opening_max_pots": (_BLIND, {"limit": _is("pot")}),
    "opening_requirement": (_BLIND,),
    "karanlik_bet": ({"karanlik": _is(False)},),
    "over_blind": ({"deal_mode": _is("ante")},),
    "opening_cap_on_carried_pot": (
        _BLIND,
        {"limit": _is("jackpot")},
        {"limit": _is("pot"), "stake_max": _is(None)},
    ),
    "draw_start": (_BLIND,),
    "split_openers": (_BLIND,),
    "round2_start": ({"deal_mode": _is("ante")},),
    "opener_proof": (_BLIND, _NOTHING_REQUIRED),
    "proof_window": ({"opener_proof": _is_not("on_request")}, _BLIND, _NOTHING_REQUIRED),
    "carried_pot_entry": (_BLIND, _NO_ANTE, _TOURNAMENT),
    "false_opening": (_BLIND, _NOTHING_REQUIRED),
    "fold_unopened": (_BLIND,),
    "progressive_openers": (_BLIND, _NOTHING_REQUIRED, {"opening_requirement": _is("A")}),
    "max_carries": (_BLIND, _NO_ANTE),
    "rake_cap": ({"rake_per_mille": _is(0)},),
}


def _idle(rules: Rules) -> Iterator[str]:
    for option, circumstances in IDLE.items():
        for beside in circumstances:
            if all(test(getattr(rules, name)) for name, test in beside.items()) and rules.chosen(option):
                others = [name for name in beside if name != option]
                said = " and ".join(f"{name} is {_word(rules, name)}" for name in others)
                yield f"{option}: has no effect while {said}"
                break


def _word(rules: Rules, name: str) -> str:
    return "given" if name == "levels" else str(rules.option(name))


# -- what is odd --------------------------------------------------------------------------------------


def _largest_deck(r: Rules) -> int:
    return max(r.deck_size(dealt_in) for dealt_in in range(2, r.players[1] + 1))


def _forced_all_in(name: str, paid: Test) -> tuple[Callable[[Rules], bool], str]:
    return (
        lambda r: paid(r) and getattr(r, name) >= r.start_stack,
        f"{name}: takes the whole start_stack, so whoever pays it is all-in",
    )


#: (when, what is odd about it)
ODDITIES: tuple[tuple[Callable[[Rules], bool], str], ...] = (
    (
        lambda r: r.hi_lo == "eight_or_lower" and _largest_deck(r) < 40,
        "hi_lo: no deck below 40 cards holds five different ranks up to 8: the high hand takes every pot",
    ),
    (
        lambda r: r.stake_max is not None and r.stake_max < r.stake_min,
        "stake_max: is below stake_min, so every bet and raise is exactly stake_max",
    ),
    (
        lambda r: (
            r.chosen("opening_min")
            and r.stake_max is not None
            and r.opening_min != "pot"
            and r.opening_min > r.stake_max
        ),
        "opening_min: is above stake_max, so an opening that stake_max caps is exactly stake_max",
    ),
    (
        lambda r: (
            r.opening_max is not None
            and r.stake_max is not None
            and r.opening_max >= r.stake_max
            and r.opening_cap_on_carried_pot == "none"
            and r.limit != "jackpot"
        ),
        "opening_max: has no effect beside stake_max, which is no higher",
    ),
    (
        lambda r: r.opening_min == "pot" and r.limit == "pot",
        "opening_min: with limit pot every opening is exactly the pot",
    ),
    (
        lambda r: r.limit == "none" and r.stake_max is not None,
        "limit: none does not lift stake_max, which caps every bet and raise",
    ),
    (
        lambda r: r.limit == "jackpot" and all(test(getattr(r, name)) for name, test in _BLIND.items()),
        "limit: with deal_mode blind and all_check_after_draw showdown no pot is carried, "
        "so jackpot is the same as table",
    ),
    (
        lambda r: (
            r.min_raise == "last_raise"
            and r.stake_max is not None
            and r.stake_max <= r.stake_min
            and r.limit != "jackpot"
        ),
        "min_raise: has no effect beside stake_max, which leaves a bet one size only",
    ),
    (
        lambda r: (
            r.opening_requirement == "none"
            and r.split_openers == "declared_kept_aside"
            and r.chosen("split_openers")
        ),
        "split_openers: has no effect while opening_requirement is none: there are no openers to split",
    ),
    (
        lambda r: (
            r.false_opening == "penalise"
            and r.opener_proof == "showdown_only"
            and r.opening_requirement != "none"
        ),
        "false_opening: with opener_proof showdown_only a false opener is found at a showdown only, "
        "never when everybody folds",
    ),
    (
        lambda r: r.over_blind == 2 and r.players[1] == 2 and r.deal_mode == "blind",
        "over_blind: with players 2-2 nobody blinds twice, so 2 is the same as 1",
    ),
    (
        lambda r: r.opener_proof == "on_request" and r.proof_window == timedelta(0),
        "proof_window: at 0s nobody has the time to ask for the proof that opener_proof allows",
    ),
    (
        lambda r: r.entry == "opt_in" and (r.deal_mode == "blind" or r.ante == 0),
        "entry: with deal_mode blind or without an ante it costs nothing to enter",
    ),
    (
        lambda r: r.rake_per_mille > 0 and r.match == "tournament",
        "rake_per_mille: takes chips out of a tournament, so that they run out by themselves",
    ),
    (
        lambda r: r.rake_per_mille == 1000 and r.rake_cap is None,
        "rake_per_mille: at 1000 without a rake_cap the winners of a pot get nothing",
    ),
    (
        lambda r: bool(r.levels) and r.deal_mode == "ante" and any(x.blind != x.stake_min for x in r.levels),
        "levels: their blinds have no effect while deal_mode is ante",
    ),
    (
        lambda r: bool(r.levels) and r.deal_mode == "blind" and any(x.ante != x.stake_min for x in r.levels),
        "levels: their antes have no effect while deal_mode is blind",
    ),
    _forced_all_in("ante", lambda r: r.deal_mode == "ante" and not r.levels),
    _forced_all_in("blind", lambda r: r.deal_mode == "blind" and not r.levels),
    _forced_all_in("karanlik_bet", lambda r: r.karanlik),
)


def warnings_of(rules: Rules) -> tuple[str, ...]:
    """What is odd about rules although they can be played, a sentence each; it begins with the option."""
    return (*_idle(rules), *(text for odd, text in ODDITIES if odd(rules)))
