"""The options of a table: for each its name, how its value is read, and how it is written.

The names and values are those of the rules text, sections 3 and 8. A value may come as the type it has in
``Rules`` or as the text a person types (``"on"``, ``"5s"``, ``"none"``, ``"2-5"``), so that files, command
lines and programs share one reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from turkpoker.engine.errors import RulesError
from turkpoker.engine.levels import VALUES as LEVELS
from turkpoker.engine.levels import read_levels, write_levels
from turkpoker.engine.whole import MAX_CHIPS, whole
from turkpoker.evaluator import DECK_SIZES

MAX_PLAYERS = 6

Json = Any


@dataclass(frozen=True, slots=True)
class Option:
    """How one option is read and written.

    Attributes:
        read: makes the value of the ``Rules`` field from what was given; raises ValueError with the reason.
        write: makes the JSON value from it.
        values: what may be given, for people.
    """

    read: Callable[[object], Any]
    write: Callable[[Any], Json]
    values: str


def _choice(*values: str) -> Option:
    def read(given: object) -> str:
        if given is None and "none" in values:
            return "none"
        if given is False and "off" in values:
            return "off"
        if isinstance(given, str) and given in values:
            return given
        raise ValueError(f"must be one of {', '.join(values)}")

    return Option(read, lambda value: value, ", ".join(values))


def _switch(yes: str, no: str) -> Option:
    def read(given: object) -> bool:
        if isinstance(given, bool):
            return given
        if isinstance(given, str) and given.lower() in (yes, no, "on", "off", "yes", "no"):
            return given.lower() in (yes, "on", "yes")
        raise ValueError(f"must be {yes} or {no}")

    return Option(read, lambda value: yes if value else no, f"{yes}, {no}")


def _number(least: int, most: int = MAX_CHIPS) -> Option:
    return Option(lambda given: whole(given, least, most), lambda value: value, f"{least} to {most}")


def _number_or_none(least: int, most: int = MAX_CHIPS) -> Option:
    def read(given: object) -> int | None:
        return None if given is None or given == "none" else whole(given, least, most)

    return Option(read, lambda value: "none" if value is None else value, f"none, {least} to {most}")


def _number_of(*values: int) -> Option:
    def read(given: object) -> int:
        number = whole(given, 0, MAX_CHIPS)
        if number not in values:
            raise ValueError(f"must be one of {', '.join(map(str, values))}")
        return number

    return Option(read, lambda value: value, ", ".join(map(str, values)))


def _read_deck(given: object) -> int | None:
    if given == "auto" or given is None:
        return None
    number = whole(given, 0, 52)
    if number not in DECK_SIZES:
        raise ValueError(f"must be auto or one of {', '.join(map(str, DECK_SIZES))}")
    return number


def _read_players(given: object) -> tuple[int, int]:
    if isinstance(given, str):
        found = re.fullmatch(r"\s*([0-9]+)\s*(?:-\s*([0-9]+)\s*)?", given)
        if not found:
            raise ValueError("must be like 2-5")
        given = (int(found[1]), int(found[2] or found[1]))
    if not isinstance(given, Sequence) or len(given) != 2:
        raise ValueError("must be like 2-5")
    least, most = (whole(number, 2, MAX_PLAYERS) for number in given)
    if least > most:
        raise ValueError("the least number of players is above the greatest")
    return least, most


def _read_opening_min(given: object) -> int | str:
    return "pot" if given == "pot" else whole(given, 1, MAX_CHIPS)


def _read_suit_order(given: object) -> str:
    if not isinstance(given, str) or sorted(given) != sorted("hsdc"):
        raise ValueError("must hold each of h, s, d, c once, strongest first")
    return given


_UNITS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
}
_LONGEST = timedelta(days=1)


def _read_duration(given: object) -> timedelta:
    """A timedelta or text with its unit; a bare number is refused, since nobody knows its unit."""
    if isinstance(given, str):
        found = re.fullmatch(r"\s*([0-9]{1,9})\s*(ms|s|m|min|h)\s*", given)
        if not found:
            raise ValueError("must be a duration with its unit: 5s, 500ms or 2m")
        given = int(found[1]) * _UNITS[found[2]]
    if not isinstance(given, timedelta):
        raise ValueError("must be a duration with its unit: 5s, 500ms or 2m")
    if not timedelta(0) <= given <= _LONGEST:
        raise ValueError("must be from 0s to 1440m")
    if given % _UNITS["ms"]:
        raise ValueError("must be whole milliseconds")
    return given


def _write_duration(value: timedelta) -> str:
    milliseconds = value // _UNITS["ms"]
    return f"{milliseconds // 1000}s" if milliseconds % 1000 == 0 else f"{milliseconds}ms"


#: Every option by name, in the order of the rules text.
OPTIONS: dict[str, Option] = {
    "players": Option(_read_players, lambda value: f"{value[0]}-{value[1]}", f"2-{MAX_PLAYERS}"),
    "deck": Option(_read_deck, lambda value: "auto" if value is None else value, "auto, 24 to 52"),
    "four_player_deck": _number_of(32, 36),
    "ranking": _choice("turkish", "french", "standard"),
    "minor_straight": _switch("on", "off"),
    "tie_break": _choice("split", "suits"),
    "deal_mode": _choice("ante", "blind"),
    "ante": _number(0),
    "blind": _number(1),
    "stake_min": _number(1),
    "buy_in_min": _number(1),
    "buy_in_max": _number(1),
    "start_stack": _number(1),
    "stake_max": _number_or_none(1),
    "opening_min": Option(_read_opening_min, lambda value: value, f"1 to {MAX_CHIPS}, pot"),
    "opening_max": _number_or_none(1),
    "opening_requirement": _choice("none", "J", "Q", "K", "A"),
    "unopened": _choice("carry_and_reante"),
    "karanlik": _switch("on", "off"),
    "karanlik_bet": _number(1),
    "over_blind": _number_of(0, 1, 2),
    "limit": _choice("table", "pot", "jackpot", "none"),
    "min_raise": _choice("stake_min", "last_raise"),
    "opening_cap_on_carried_pot": _choice("none", "pot"),
    "draw_max": _number_of(4, 5),
    "four_card_draw": _choice("3+1", "at_once"),
    "draw_start": _choice("opener", "left_of_dealer"),
    "stock_exhaustion": _choice("reshuffle"),
    "split_openers": _choice("unrestricted", "declared_kept_aside", "own_discard_kept"),
    "round2_start": _choice("opener", "left_of_last_blinder"),
    "all_check_after_draw": _choice("showdown", "carry"),
    "free_fold_round2": _switch("yes", "no"),
    "check_raise": _choice("allowed", "forbidden"),
    "opener_proof": _choice("showdown_only", "on_request", "to_collect"),
    "proof_window": Option(_read_duration, _write_duration, "a duration: 5s, 500ms, 2m"),
    "carried_pot_entry": _choice("open", "missed_antes"),
    "levels": Option(read_levels, write_levels, LEVELS),
    "false_opening": _choice("forbid", "penalise"),
    "hi_lo": _choice("off", "no_qualifier", "eight_or_lower"),
    "first_dealer": _choice("high_card", "random"),
    "match": _choice("session", "tournament"),
    "rebuy": _choice("none", "when_bust", "between_deals"),
    "entry": _choice("automatic", "opt_in"),
    "fold_unopened": _switch("yes", "no"),
    "opening_max_pots": _number_or_none(1, 1_000_000),
    "buy_in_min_antes": _number_or_none(1, 1_000_000),
    "buy_in_max_antes": _number_or_none(1, 1_000_000),
    "suit_order": Option(_read_suit_order, lambda value: value, "hsdc in any order"),
    "progressive_openers": _switch("on", "off"),
    "max_carries": _number_or_none(1, 1_000_000),
    "rake_per_mille": _number(0, 1000),
    "rake_cap": _number_or_none(1),
    "action_clock": Option(_read_duration, _write_duration, "a duration: 30s"),
    "time_bank": Option(_read_duration, _write_duration, "a duration: 0s, 60s"),
}


def read_option(name: str, given: object) -> Any:
    """The value of an option for its ``Rules`` field.

    Raises:
        RulesError: there is no such option, or it has no such value.
    """
    option = OPTIONS.get(name) if isinstance(name, str) else None
    if option is None:
        raise RulesError(str(name)[:60], "no such option")
    try:
        return option.read(given)
    except ValueError as error:
        raise RulesError(name, str(error)) from None
