"""Rules by the names of the rules text: `rules("turkish", ante=2, ranking="standard", action_clock="30s")`.

Values may be Python values or the text a person types (`"2"`, `"on"`, `"none"`, `"30s"`), so that a command
line can pass on what it was given. Only names and forms are checked; the server decides what is playable.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from google.protobuf import duration_pb2
from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from turkpoker.v1 import rules_pb2

_FIELDS = rules_pb2.Rules.DESCRIPTOR.fields_by_name
_INT64_MAX = 2**63 - 1
_INT32_MAX = 2**31 - 1
_YES = {"on", "yes", "true"}
_NO = {"off", "no", "false"}
# Options whose 0 stands for a word of the rules text.
_ZERO_WORDS = {
    "deck": "auto",
    "stake_max": "none",
    "opening_max": "none",
    "opening_max_pots": "none",
    "buy_in_min_antes": "none",
    "buy_in_max_antes": "none",
    "max_carries": "none",
    "rake_cap": "none",
}
# Values whose name on the wire is longer than in the rules text.
_ENUM_WORDS = {
    "opening_requirement": {"j": "jacks", "q": "queens", "k": "kings", "a": "aces"},
    "four_card_draw": {"3+1": "three_then_one"},
}
# A level as text: its length, then ante/minimum bet or ante/blind/minimum bet; one number is all three.
_LEVEL = re.compile(r"(\d{1,9})\s*(hands?|min|minutes?|m)\s*:\s*(\d{1,18}(?:\s*/\s*\d{1,18}){0,2})", re.ASCII)
_LEVEL_FORM = "10 hands: 1/2 or 15 min: 1/2/2 (ante/minimum bet or ante/blind/minimum bet)"
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")

Value = str | int | bool | timedelta


def rules(profile: str = "turkish", /, **options: Value) -> rules_pb2.Rules:
    """The rules of a profile with some options changed.

    Option names and values are those of the rules text: amounts are whole chips, `on`/`off` and `yes`/`no`
    may be bools, durations are timedeltas or text with a unit (`"30s"`, `"2m"`), `players` is `"2-5"`, the
    `levels` of a tournament are `"10 hands: 1/2, 15 min: 2/4/4"`: length and ante/minimum bet or
    ante/blind/minimum bet.
    ValueError names the option and says why.
    """
    message = rules_pb2.Rules(profile=profile)
    for name, value in options.items():
        _set_option(message, name, value)
    return message


def option_names() -> list[str]:
    """Every option that `rules` understands, sorted."""
    own = set(_FIELDS) - {"profile", "players_min", "players_max", "opening_min_is_pot"}
    return sorted(own | {"players"})


def _set_option(message: rules_pb2.Rules, name: str, value: Value) -> None:
    if name == "players":
        low, high = _players(value)
        message.players_min, message.players_max = low, high
    elif name == "opening_min" and isinstance(value, str) and value.lower() == "pot":
        message.opening_min_is_pot = True
    elif name == "levels":
        message.levels.extend(_levels(value))
    elif name in option_names():
        field = _FIELDS[name]
        if field.message_type is not None:
            getattr(message, name).CopyFrom(_duration(name, value))
        else:
            setattr(message, name, _scalar(field, value))
    else:
        raise ValueError(f"there is no option {name!r}; the options are {', '.join(option_names())}")


def _scalar(field: FieldDescriptor, value: Value) -> Any:
    name = field.name
    if field.enum_type is not None:
        return _enum(name, field.enum_type, value)
    readers: dict[int, Callable[[], Any]] = {
        FieldDescriptor.TYPE_BOOL: lambda: _bool(name, value),
        FieldDescriptor.TYPE_STRING: lambda: str(value),
        FieldDescriptor.TYPE_INT32: lambda: _whole(name, value, _INT32_MAX),
        FieldDescriptor.TYPE_INT64: lambda: _whole(name, value, _INT64_MAX),
    }
    return readers[field.type]()


def _enum(name: str, type_: EnumDescriptor, value: Value) -> int:
    unspecified, *others = type_.values
    prefix = unspecified.name.removesuffix("UNSPECIFIED")
    known = {v.name.removeprefix(prefix).lower(): v.number for v in others}
    words = _ENUM_WORDS.get(name, {})
    word = str(value).lower()
    if isinstance(value, bool):  # hi_lo=False is "off"
        word = "on" if value else "off"
    found = known.get(words.get(word, word))
    if found is None:
        shown = list(words) + [long for long in known if long not in words.values()]
        raise ValueError(f"{name}: {str(value)!r} is none of {', '.join(shown)}")
    return int(found)


def _bool(name: str, value: Value) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word in _YES | _NO:
        return word in _YES
    raise ValueError(f"{name}: {str(value)!r} is neither on nor off")


def _whole(name: str, value: Value, most: int) -> int:
    zero = _ZERO_WORDS.get(name)
    if isinstance(value, str) and zero is not None and value.lower() == zero:
        return 0
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,20}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        also = f" (or {zero})" if zero else ""
        raise ValueError(f"{name}: {str(value)!r} is not a whole number{also}")
    if not -most - 1 <= value <= most:
        raise ValueError(f"{name}: {value} is too large")
    return value


def _players(value: Value) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", str(value))
    if not found:
        raise ValueError(f"players: {str(value)!r} is not of the form 2-5")
    low = int(found[1])
    return low, int(found[2]) if found[2] else low


def _levels(value: Value) -> list[rules_pb2.Level]:
    texts = [] if str(value).strip().lower() == "none" else str(value).split(",")
    return [_level(number, text.strip().lower()) for number, text in enumerate(texts, 1)]


def _level(number: int, text: str) -> rules_pb2.Level:
    found = _LEVEL.fullmatch(text)
    if not found:
        raise ValueError(f"levels: level {number}, {text!r}, is not of the form {_LEVEL_FORM}")
    length, stakes = int(found[1]), [int(stake) for stake in found[3].split("/")]
    blind = stakes[1] if len(stakes) == 3 else stakes[-1]
    level = rules_pb2.Level(ante=stakes[0], blind=blind, stake_min=stakes[-1])
    if not found[2].startswith("hand"):
        level.time.FromTimedelta(timedelta(minutes=length))
    else:
        level.hands = length
    return level


def duration(text: str) -> timedelta:
    """A duration with its unit: `500ms`, `30s`, `2m`, `1h`; ValueError without one."""
    found = _DURATION.fullmatch(text.strip().lower())
    if not found or found[2] not in _UNITS:
        raise ValueError(f"{text!r} is not a duration with a unit, such as 500ms, 30s or 2m")
    try:
        return timedelta(seconds=float(found[1]) * _UNITS[found[2]])
    except OverflowError as error:
        raise ValueError(f"{text!r} is too long") from error


def _duration(name: str, value: Value) -> duration_pb2.Duration:
    if isinstance(value, str):
        try:
            value = timedelta(0) if value.strip() == "0" else duration(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    if not isinstance(value, timedelta):
        # A bare number has been taken for the wrong unit too often.
        raise ValueError(f"{name}: {value!r} is not a duration; write it with its unit, such as 30s")
    message = duration_pb2.Duration()
    message.FromTimedelta(value)
    return message
