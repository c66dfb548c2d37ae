"""The named games, and house rules built on them: what each sets, and what follows from what.

A profile is a full set of option values; a table names a profile and what it changes. Some defaults follow
from other values (the minimum bet of the Pagat game is its ante), so defaults are found from the options
given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turkpoker.engine.errors import RulesError
from turkpoker.engine.whole import MAX_CHIPS

_TURKISH: dict[str, object] = {
    "players": "2-5",
    "deck": "auto",
    "four_player_deck": 32,
    "ranking": "turkish",
    "minor_straight": "on",
    "tie_break": "split",
    "deal_mode": "ante",
    "stake_max": "none",
    "opening_max": "none",
    "opening_requirement": "K",
    "unopened": "carry_and_reante",
    "karanlik": "off",
    "over_blind": 0,
    "limit": "table",
    "min_raise": "stake_min",
    "opening_cap_on_carried_pot": "none",
    "draw_max": 4,
    "four_card_draw": "3+1",
    "draw_start": "opener",
    "stock_exhaustion": "reshuffle",
    "split_openers": "unrestricted",
    "round2_start": "opener",
    "all_check_after_draw": "showdown",
    "free_fold_round2": "yes",
    "check_raise": "allowed",
    "opener_proof": "showdown_only",
    "proof_window": "5s",
    "carried_pot_entry": "open",
    "levels": "none",
    "false_opening": "forbid",
    "hi_lo": "off",
    "first_dealer": "high_card",
    "match": "session",
    "entry": "automatic",
    "fold_unopened": "no",
    "opening_max_pots": "none",
    "buy_in_min_antes": "none",
    "buy_in_max_antes": "none",
    "suit_order": "hsdc",
    "progressive_openers": "off",
    "max_carries": "none",
    "rake_per_mille": 0,
    "rake_cap": "none",
    "action_clock": "30s",
    "time_bank": "0s",
}

_PAGAT: dict[str, object] = {
    **_TURKISH,
    "tie_break": "suits",
    "draw_start": "left_of_dealer",
    "split_openers": "declared_kept_aside",
    "free_fold_round2": "no",
    "opener_proof": "on_request",
    "first_dealer": "random",
}

_ONLINE: dict[str, object] = {
    **_PAGAT,
    "entry": "opt_in",
    "fold_unopened": "yes",
    "opening_min": "pot",
    "opening_max_pots": 8,
    "buy_in_min_antes": 20,
    "buy_in_max_antes": 500,
}

_FRENCH: dict[str, object] = {
    **_TURKISH,
    "players": "3-6",
    "deck": 52,
    "ranking": "french",
    "over_blind": 2,
    "opening_requirement": "J",
    "opening_cap_on_carried_pot": "pot",
    "draw_max": 5,
    "four_card_draw": "at_once",
    "draw_start": "left_of_dealer",
    "split_openers": "own_discard_kept",
    "all_check_after_draw": "carry",
    "opener_proof": "to_collect",
    "first_dealer": "random",
}

PROFILES: dict[str, Mapping[str, object]] = {
    "turkish": _TURKISH,
    "turkish-pagat": _PAGAT,
    "turkish-online": _ONLINE,
    "french": _FRENCH,
}

#: House rules beyond the profiles: the profile each builds on and what it changes.
PRESETS: dict[str, tuple[str, Mapping[str, object]]] = {
    # The game of Turkish homes with an unseen bet, the larger deck for four and jacks or better.
    "ev": ("turkish", {"karanlik": "on", "four_player_deck": 36, "opening_requirement": "J"}),
    # Bluffers' table: anybody may open, who is caught pays.
    "blof": ("turkish-pagat", {"false_opening": "penalise", "split_openers": "own_discard_kept"}),
    # Usual poker order, no minor straights, usual minimum raise.
    "standart": (
        "turkish",
        {"ranking": "standard", "minor_straight": "off", "min_raise": "last_raise"},
    ),
    # Jackpots: openers climb with each dead pot, bets after the opening stay below it.
    "jackpot": ("french", {"limit": "jackpot", "progressive_openers": "on"}),
    # French blind deals, pot limit.
    "blind": ("french", {"deal_mode": "blind", "limit": "pot"}),
    # Half the pot for the lowest hand, in the deck that has one.
    "yarim": ("turkish", {"deck": 52, "hi_lo": "eight_or_lower"}),
}

_DEFAULT_STAKE = 2


def default_option(profile: str, name: str, given: Mapping[str, Any]) -> object:
    """The value that an option has in a profile when it is not given, as it may be written.

    Args:
        profile: one of ``PROFILES``.
        name: the option.
        given: the values of the options that are given, as ``Rules`` fields.

    Raises:
        RulesError: there is no such profile.
    """
    table = PROFILES.get(profile)
    if table is None:
        raise RulesError("profile", f"must be one of {', '.join(PROFILES)}")
    derived = DERIVED.get(name)
    if derived is not None and name not in table:
        return derived(profile, given)
    if name == "round2_start" and profile == "french" and given.get("deal_mode") == "blind":
        return "left_of_last_blinder"
    return table[name]


def _stake_min(profile: str, given: Mapping[str, Any]) -> int:
    if "stake_min" in given:
        return int(given["stake_min"])
    if profile == "french":
        return int(given.get("ante") or given.get("blind") or _DEFAULT_STAKE)
    if profile == "turkish":
        return _DEFAULT_STAKE
    return _ante(profile, given) or _DEFAULT_STAKE


def _ante(profile: str, given: Mapping[str, Any]) -> int:
    if "ante" in given:
        return int(given["ante"])
    return _stake_min(profile, given) if profile == "french" else 1


def _chips(profile: str, given: Mapping[str, Any], antes: int) -> int:
    return min(MAX_CHIPS, antes * (_ante(profile, given) or _stake_min(profile, given)))


def _buy_in_min(profile: str, given: Mapping[str, Any]) -> int:
    return _chips(profile, given, _antes(profile, given, "buy_in_min_antes", 20))


def _buy_in_max(profile: str, given: Mapping[str, Any]) -> int:
    return _chips(profile, given, _antes(profile, given, "buy_in_max_antes", 500))


def _antes(profile: str, given: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = given[name] if name in given else PROFILES[profile][name]
    return value if isinstance(value, int) else otherwise


def _start_stack(profile: str, given: Mapping[str, Any]) -> int:
    least = given.get("buy_in_min") or _buy_in_min(profile, given)
    most = given.get("buy_in_max") or _buy_in_max(profile, given)
    return max(least, min(most, _chips(profile, given, 100)))


def _rebuy(profile: str, given: Mapping[str, Any]) -> str:
    if given.get("match") == "tournament":
        return "none"
    return "when_bust" if profile == "french" else "between_deals"


#: Options whose default follows from other options, and how.
DERIVED = {
    "stake_min": _stake_min,
    "ante": _ante,
    "blind": _stake_min,
    "karanlik_bet": _stake_min,
    "opening_min": _stake_min,
    "buy_in_min": _buy_in_min,
    "buy_in_max": _buy_in_max,
    "start_stack": _start_stack,
    "rebuy": _rebuy,
}
