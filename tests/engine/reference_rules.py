"""The profiles and options of the rules text as plain dictionaries, for the reference hand.

Only what changes one hand is here; clocks, buy-ins and matches are not.  ``resolve`` fills in every default
and returns the values with the names of the rules text.
"""

from __future__ import annotations

from typing import Any

TURKISH: dict[str, Any] = {
    "deck": "auto",
    "four_player_deck": 32,
    "ranking": "turkish",
    "minor_straight": "on",
    "tie_break": "split",
    "suit_order": "hsdc",
    "deal_mode": "ante",
    "ante": 1,
    "blind": None,
    "stake_min": 2,
    "stake_max": None,
    "opening_min": None,
    "opening_max": None,
    "opening_max_pots": None,
    "opening_requirement": "K",
    "karanlik": "off",
    "karanlik_bet": None,
    "over_blind": 0,
    "limit": "table",
    "min_raise": "stake_min",
    "opening_cap_on_carried_pot": "none",
    "draw_max": 4,
    "four_card_draw": "3+1",
    "draw_start": "opener",
    "split_openers": "unrestricted",
    "round2_start": "opener",
    "all_check_after_draw": "showdown",
    "free_fold_round2": "yes",
    "check_raise": "allowed",
    "opener_proof": "showdown_only",
    "false_opening": "forbid",
    "hi_lo": "off",
    "entry": "automatic",
    "fold_unopened": "no",
    "progressive_openers": "off",
    "max_carries": None,
    "rake_per_mille": 0,
    "rake_cap": None,
}
PAGAT: dict[str, Any] = TURKISH | {
    "stake_min": None,
    "tie_break": "suits",
    "draw_start": "left_of_dealer",
    "split_openers": "declared_kept_aside",
    "free_fold_round2": "no",
    "opener_proof": "on_request",
}
ONLINE: dict[str, Any] = PAGAT | {
    "entry": "opt_in",
    "fold_unopened": "yes",
    "opening_min": "pot",
    "opening_max_pots": 8,
}
FRENCH: dict[str, Any] = TURKISH | {
    "deck": 52,
    "ranking": "french",
    "ante": None,
    "opening_requirement": "J",
    "over_blind": 2,
    "opening_cap_on_carried_pot": "pot",
    "draw_max": 5,
    "four_card_draw": "at_once",
    "draw_start": "left_of_dealer",
    "split_openers": "own_discard_kept",
    "round2_start": None,
    "all_check_after_draw": "carry",
    "opener_proof": "to_collect",
}
PROFILES = {"turkish": TURKISH, "turkish-pagat": PAGAT, "turkish-online": ONLINE, "french": FRENCH}

RANKS = {"J": 9, "Q": 10, "K": 11, "A": 12}


def resolve(profile: str, options: dict[str, Any]) -> dict[str, Any]:
    """Every option of one hand with its value; unknown names are kept out on purpose."""
    base = PROFILES[profile]
    rules = base | {name: value for name, value in options.items() if name in base}
    rules["profile"] = profile
    if profile == "french" and "stake_min" not in options:
        rules["stake_min"] = options.get("ante") or options.get("blind") or rules["stake_min"]
    if rules["stake_min"] is None:
        rules["stake_min"] = rules["ante"] or 2
    if rules["ante"] is None:
        rules["ante"] = rules["stake_min"]
    for name in ("blind", "opening_min", "karanlik_bet"):
        if rules[name] is None:
            rules[name] = rules["stake_min"]
    if rules["round2_start"] is None:
        rules["round2_start"] = "left_of_last_blinder" if rules["deal_mode"] == "blind" else "opener"
    return rules


def deck_size(rules: dict[str, Any], dealt_in: int) -> int:
    if rules["deck"] != "auto":
        return int(rules["deck"])
    if dealt_in == 4:
        return int(rules["four_player_deck"])
    # Six are more than the text provides for; 40 is the smallest deck that serves them.
    return {2: 24, 3: 28, 5: 36, 6: 40}[dealt_in]


def requirement(rules: dict[str, Any], dead_before: int) -> int | None:
    """Rank of the lowest pair that opens this hand."""
    if rules["opening_requirement"] == "none" or rules["deal_mode"] == "blind":
        return None
    rank = RANKS[rules["opening_requirement"]]
    if rules["progressive_openers"] == "on":
        rank = min(rank + dead_before, RANKS["A"])
    return rank
