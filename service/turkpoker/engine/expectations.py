"""What a record says should come of a hand, held against what came of it.

Everything is compared by value and by type: ``true`` is no 1, and 2.0 no 2. What nobody can compare, an
unknown name or a value of another form, is a difference like any other, so that no expectation is passed
over in silence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from turkpoker.engine.actions import ACTIONS
from turkpoker.engine.events import EVENTS
from turkpoker.evaluator import format_cards, parse_cards

#: Words of a ``never`` list that stand for an event; any other word is looked for in the events' names.
_NEVER = {"proof": "openers_proved", "false": "false_opening"}
_SHOWN = 80

Outcome = Mapping[str, Any]


class _NotComparable(ValueError):
    """An expectation of another form; the message says which form it has to have."""


def compare(found: Outcome, expect: Mapping[str, Any], seats: Sequence[str]) -> list[str]:
    """The differences between what came of a finished hand and what was expected, in sentences.

    Args:
        found: ``replay.outcome_of`` the hand.
        expect: as in a record.
        seats: the letters of the seats of the hand.
    """
    differences: list[str] = []
    for name, wanted in expect.items():
        compared = _COMPARED.get(name)
        if compared is None:
            differences.append(f"expect has no {_said(name)}: it may hold {', '.join(_COMPARED)}")
            continue
        try:
            differences += compared(found, wanted, seats)
        except _NotComparable as error:
            differences.append(f"expect.{name} must be {error}, not {_said(wanted)}")
    return differences


def compare_legal(legal: Mapping[str, Any], expected: Mapping[str, Any]) -> list[str]:
    """The differences between the legal actions and those that a check lists; others are not judged."""
    differences = []
    for action, wanted in expected.items():
        found = legal.get(action, False)
        if action not in ACTIONS:
            differences.append(f"there is no action {_said(action)}")
        elif not _same_legal(found, wanted):
            differences.append(f"{action} is {_said(found)}, not {_said(wanted)}")
    return differences


def _same_legal(found: object, wanted: object) -> bool:
    if isinstance(wanted, bool):
        return (found is not False) == wanted
    if isinstance(wanted, list):
        return isinstance(found, tuple) and list(map(type, wanted)) == [int, int] and list(found) == wanted
    return type(wanted) is int and type(found) is int and found == wanted


def _said(value: object) -> str:
    """A JSON value as it stands in the file, cut short."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


# -- forms --------------------------------------------------------------------------------------------


def _chips(value: object) -> int:
    if type(value) is not int:
        raise _NotComparable("a whole number")
    return value


def _word(value: object) -> str:
    if not isinstance(value, str):
        raise _NotComparable("a word")
    return value


def _by_seat(value: object, read: Callable[[object], Any], seats: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _NotComparable("an object by seat")
    for seat in value:
        if seat not in seats:
            raise _NotComparable(f"an object by seat of {', '.join(seats)}")
    try:
        return {seat: read(each) for seat, each in value.items()}
    except _NotComparable as error:
        raise _NotComparable(f"{error} for each seat") from None


def _cards(value: object) -> str:
    """The cards of a hand as text, the highest first: hands are sets."""
    text = " ".join(value) if isinstance(value, list) and all(isinstance(c, str) for c in value) else value
    try:
        return format_cards(sorted(parse_cards(text), reverse=True))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        raise _NotComparable("cards as text") from None


def _pots(value: object) -> list[tuple[int, list[str]]]:
    """Pots in any order, their seats in any order, what nobody can win left out."""
    form = "a list of [chips, [seats]]"
    if not isinstance(value, list):
        raise _NotComparable(form)
    pots = []
    for pot in value:
        if (
            not isinstance(pot, list)
            or len(pot) != 2
            or type(pot[0]) is not int
            or not isinstance(pot[1], list)
        ):
            raise _NotComparable(form)
        if not all(isinstance(seat, str) for seat in pot[1]):
            raise _NotComparable(form)
        if pot[1]:
            pots.append((pot[0], sorted(pot[1])))
    return sorted(pots)


# -- expectations -------------------------------------------------------------------------------------


def _plain(name: str, read: Callable[[object], Any]) -> Callable[[Outcome, object, Sequence[str]], list[str]]:
    def compared(found: Outcome, wanted: object, seats: Sequence[str]) -> list[str]:
        value = read(wanted)
        return [] if found[name] == value else [f"{name} is {_said(found[name])}, not {_said(value)}"]

    return compared


def _compare_pots(found: Outcome, wanted: object, seats: Sequence[str]) -> list[str]:
    same = _pots(found["pots"]) == _pots(wanted)
    return [] if same else [f"pots are {_said(found['pots'])}, not {_said(wanted)}"]


def _compare_payouts(found: Outcome, wanted: object, seats: Sequence[str]) -> list[str]:
    """Who is paid nothing may be missing."""
    payouts = _by_seat(wanted, _chips, seats)
    return [
        f"payout of {seat} is {found['payouts'].get(seat, 0)}, not {payouts.get(seat, 0)}"
        for seat in sorted({*found["payouts"], *payouts})
        if found["payouts"].get(seat, 0) != payouts.get(seat, 0)
    ]


def _seat_by_seat(
    name: str, what: str, read: Callable[[object], Any], show: Callable[[Any], Any] = lambda found: found
) -> Callable[[Outcome, object, Sequence[str]], list[str]]:
    """Only the seats that are named are compared."""

    def compared(found: Outcome, wanted: object, seats: Sequence[str]) -> list[str]:
        values = _by_seat(wanted, read, seats)
        return [
            f"{what} of {seat} is {show(found[name].get(seat))}, not {value}"
            for seat, value in sorted(values.items())
            if show(found[name].get(seat)) != value
        ]

    return compared


def _compare_never(found: Outcome, wanted: object, seats: Sequence[str]) -> list[str]:
    if not isinstance(wanted, list):
        raise _NotComparable("a list of words")
    differences = []
    for word in map(_word, wanted):
        name = _NEVER.get(word, word)
        if not word or not any(name in event for event in EVENTS):
            differences.append(f"no event's name has {_said(word)} in it")
        elif any(name in event for event in found["events"]):
            differences.append(f"there is an event {name}")
    return differences


def _for_people(found: Outcome, wanted: object, seats: Sequence[str]) -> list[str]:
    return []


#: What ``expect`` may hold, and how each is compared.
_COMPARED: dict[str, Callable[[Outcome, object, Sequence[str]], list[str]]] = {
    "over": _plain("over", _word),
    "pots": _compare_pots,
    "payouts": _compare_payouts,
    "final": _seat_by_seat("final", "final", _chips),
    "carried": _plain("carried", _chips),
    "rake": _plain("rake", _chips),
    "hands": _seat_by_seat("hands", "hand", _cards, lambda found: _cards(found or "")),
    "categories": _seat_by_seat("categories", "categories", _word),
    "never": _compare_never,
    "log": _for_people,
}
