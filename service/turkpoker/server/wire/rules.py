"""The rules of a table on the wire: a profile, and every option as a field.

One table pairs each field with the option of the rules text it stands for, and the way its value is written.
A request carries what differs from the profile; an answer carries every field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

from google.protobuf.duration_pb2 import Duration
from turkpoker.engine import Rules
from turkpoker.engine.errors import NotCarriedOut, RulesError
from turkpoker.engine.options import read_option
from turkpoker.server.errors import ServiceError, invalid
from turkpoker.v1 import rules_pb2 as pb

DEFAULT_PROFILE = "turkish"


@dataclass(frozen=True, slots=True)
class Writing:
    """How the values of an option are written: ``read`` from the wire, ``write`` to it."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


def _words(enum: str, prefix: str, **renamed: str) -> Writing:
    """An enum whose values are the words of the rules text, but for those renamed."""
    word_of = {
        value.number: renamed.get(value.name.removeprefix(prefix), value.name.removeprefix(prefix).lower())
        for value in pb.DESCRIPTOR.enum_types_by_name[enum].values
        if value.number
    }
    number_of = {word: number for number, word in word_of.items()}

    def read(number: int) -> str:
        if number not in word_of:
            raise ValueError(f"no such value: {number}")
        return word_of[number]

    return Writing(read, lambda word: number_of[str(word)])


def _switch(on: str, off: str) -> Writing:
    return Writing(lambda value: on if value else off, lambda word: str(word) == on)


def _or_word(word: str) -> Writing:
    """A whole number for which 0 stands for a word."""
    return Writing(
        lambda number: number if number else word,
        lambda value: 0 if value == word or value is None else value,
    )


_PLAIN = Writing(lambda value: value, lambda value: value)
_NONE_IS_ZERO = _or_word("none")
_ON_OFF = _switch("on", "off")
_YES_NO = _switch("yes", "no")

#: field = option -> how it is written.
FIELDS: dict[str, Writing] = {
    "deck": _or_word("auto"),
    "four_player_deck": _PLAIN,
    "ranking": _words("Ranking", "RANKING_"),
    "minor_straight": _ON_OFF,
    "tie_break": _words("TieBreak", "TIE_BREAK_"),
    "suit_order": _PLAIN,
    "deal_mode": _words("DealMode", "DEAL_MODE_"),
    "ante": _PLAIN,
    "blind": _PLAIN,
    "stake_min": _PLAIN,
    "buy_in_min": _PLAIN,
    "buy_in_max": _PLAIN,
    "start_stack": _PLAIN,
    "stake_max": _NONE_IS_ZERO,
    "opening_max": _NONE_IS_ZERO,
    "opening_max_pots": _NONE_IS_ZERO,
    "opening_requirement": _words(
        "OpeningRequirement", "OPENING_REQUIREMENT_", JACKS="J", QUEENS="Q", KINGS="K", ACES="A"
    ),
    "unopened": _words("Unopened", "UNOPENED_"),
    "karanlik": _ON_OFF,
    "karanlik_bet": _PLAIN,
    "over_blind": _PLAIN,
    "limit": _words("BettingLimit", "BETTING_LIMIT_"),
    "min_raise": _words("MinRaise", "MIN_RAISE_"),
    "opening_cap_on_carried_pot": _words("OpeningCapOnCarriedPot", "OPENING_CAP_ON_CARRIED_POT_"),
    "draw_max": _PLAIN,
    "four_card_draw": _words("FourCardDraw", "FOUR_CARD_DRAW_", THREE_THEN_ONE="3+1"),
    "draw_start": _words("DrawStart", "DRAW_START_"),
    "stock_exhaustion": _words("StockExhaustion", "STOCK_EXHAUSTION_"),
    "split_openers": _words("SplitOpeners", "SPLIT_OPENERS_"),
    "round2_start": _words("Round2Start", "ROUND2_START_"),
    "all_check_after_draw": _words("AllCheckAfterDraw", "ALL_CHECK_AFTER_DRAW_"),
    "free_fold_round2": _YES_NO,
    "check_raise": _words("CheckRaise", "CHECK_RAISE_"),
    "opener_proof": _words("OpenerProof", "OPENER_PROOF_"),
    "carried_pot_entry": _words("CarriedPotEntry", "CARRIED_POT_ENTRY_"),
    "false_opening": _words("FalseOpeningRule", "FALSE_OPENING_RULE_"),
    "hi_lo": _words("HiLo", "HI_LO_"),
    "first_dealer": _words("FirstDealer", "FIRST_DEALER_"),
    "match": _words("Match", "MATCH_"),
    "rebuy": _words("Rebuy", "REBUY_"),
    "entry": _words("Entry", "ENTRY_"),
    "fold_unopened": _YES_NO,
    "buy_in_min_antes": _NONE_IS_ZERO,
    "buy_in_max_antes": _NONE_IS_ZERO,
    "progressive_openers": _ON_OFF,
    "max_carries": _NONE_IS_ZERO,
    "rake_per_mille": _PLAIN,
    "rake_cap": _NONE_IS_ZERO,
}
DURATIONS = ("proof_window", "action_clock", "time_bank")
_MINUTE = timedelta(minutes=1)


def rules_from_wire(message: pb.Rules) -> Rules:
    """The rules that a request asks for.

    Raises:
        ServiceError: INVALID_FIELD for a field with no such value, RULES_NOT_PLAYABLE where fields do not go
            together, NOT_CARRIED_OUT for what this version does not play.
    """
    options = _options_from_wire(message)
    for name, value in options.items():
        try:
            read_option(name, value)
        except RulesError as error:
            raise invalid(field_of(error.field), error.reason) from None
    profile = message.profile or DEFAULT_PROFILE
    try:
        return Rules.profile(profile, **options)
    except NotCarriedOut as error:
        field = field_of(error.field)
        raise ServiceError("NOT_CARRIED_OUT", str(error), metadata={"field": field}) from None
    except RulesError as error:
        if error.field == "profile":
            raise invalid("rules.profile", error.reason) from None
        raise ServiceError("RULES_NOT_PLAYABLE", error.reason, field=field_of(error.field)) from None


def field_of(option: str) -> str:
    """The field of a request that carries an option."""
    return "rules.players_min" if option == "players" else f"rules.{option}"


def _options_from_wire(message: pb.Rules) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, writing in FIELDS.items():
        if message.HasField(name):  # type: ignore[arg-type]
            value = getattr(message, name)
            if _is_enum(name) and not value:
                continue
            try:
                options[name] = writing.read(value)
            except ValueError as error:
                raise invalid(f"rules.{name}", str(error)) from None
    for name in DURATIONS:
        if message.HasField(name):  # type: ignore[arg-type]
            options[name] = duration_from_wire(getattr(message, name), f"rules.{name}")
    if message.HasField("players_min") != message.HasField("players_max"):
        raise invalid("rules.players_min", "give players_min and players_max together")
    if message.HasField("players_min"):
        options["players"] = (message.players_min, message.players_max)
    if message.opening_min_is_pot:
        options["opening_min"] = "pot"
    elif message.HasField("opening_min"):
        options["opening_min"] = message.opening_min
    if message.levels:
        options["levels"] = [_level_from_wire(number, each) for number, each in enumerate(message.levels)]
    return options


@lru_cache(maxsize=512)
def rules_to_wire(rules: Rules) -> pb.Rules:
    """Rules with every field set; kept, because every view of a table holds them: do not change the
    message.
    """
    message = pb.Rules(profile=rules.profile_name)
    for name, writing in FIELDS.items():
        setattr(message, name, writing.write(rules.option(name)))
    for name in DURATIONS:
        getattr(message, name).FromTimedelta(getattr(rules, name))
    message.players_min, message.players_max = rules.players
    opening_min = rules.option("opening_min")
    message.opening_min_is_pot = opening_min == "pot"
    if not message.opening_min_is_pot:
        message.opening_min = opening_min
    for level in rules.levels:
        wire = message.levels.add(ante=level.ante, blind=level.blind, stake_min=level.stake_min)
        if level.hands is not None:
            wire.hands = level.hands
        elif level.minutes is not None:
            wire.time.FromTimedelta(level.minutes * _MINUTE)
    return message


def duration_from_wire(duration: Duration, field: str) -> timedelta:
    """A duration.

    Raises:
        ServiceError: INVALID_FIELD; seconds and nanos that are no duration, or one beyond all measure.
    """
    same_sign = duration.seconds * duration.nanos >= 0
    if not same_sign or abs(duration.nanos) > 999_999_999 or abs(duration.seconds) > 315_576_000_000:
        raise invalid(field, "no duration")
    return timedelta(seconds=duration.seconds, microseconds=duration.nanos // 1000)


def _level_from_wire(number: int, level: pb.Level) -> dict[str, int]:
    field = f"rules.levels[{number}]"
    options = {"ante": level.ante, "blind": level.blind, "stake_min": level.stake_min}
    match level.WhichOneof("length"):
        case "hands":
            return options | {"hands": level.hands}
        case "time":
            time = duration_from_wire(level.time, f"{field}.time")
            if time % _MINUTE:
                raise invalid(f"{field}.time", "a level lasts whole minutes")
            return options | {"minutes": time // _MINUTE}
        case _:
            raise invalid(field, "a level has hands or time")


def _is_enum(name: str) -> bool:
    return pb.Rules.DESCRIPTOR.fields_by_name[name].enum_type is not None
