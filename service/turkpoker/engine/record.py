"""Records of hands: everything needed to play a hand again, as plain JSON values, and playing it again.

A record holds the deck, so it is the house's alone. Seats are letters there, A for seat 0. The same record
gives the same hand for ever; the service keeps running hands in this form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turkpoker.engine.actions import Action
from turkpoker.engine.errors import RecordError, RulesError
from turkpoker.engine.hand import Hand
from turkpoker.engine.rules import Rules
from turkpoker.engine.state import Reshuffle
from turkpoker.evaluator import format_cards, parse_cards

_KNOWN = frozenset(
    {
        "id",
        "profile",
        "options",
        "dealer",
        "stacks",
        "deck",
        "carried",
        "dead_before",
        "reshuffles",
        "steps",
        "missed",
        "proof_asked",
        "expect",
    }
)
_OF_A_CHECK = {
    "turn": frozenset({"check", "seat"}),
    "draws": frozenset({"check", "seat"}),
    "legal": frozenset({"check", "seat", "legal"}),
}
_OF_AN_ACTION = frozenset({"seat", "action", "to", "cards"})
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Check = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A hand to be played: how it starts, what is done, and what somebody says should come of it.

    Attributes:
        id: a name, free.
        profile, options: the rules.
        dealer: the dealer's seat.
        stacks: ``(seat, chips)`` before the ante, clockwise.
        carried, dead_before: as for ``Hand``.
        deck: card ids, top first.
        reshuffles: the results of the reshuffles, top first.
        steps: actions and checks in order; a check is a mapping with ``"check"``.
        missed: ``(seat, chips)`` owed to a carried pot.
        proof_asked: whether somebody asked the opener to prove at the end.
        expect: what should come of it, as in the file; ``None`` if nothing is said.
        extra: further fields of the file, kept.
    """

    id: str
    profile: str
    options: Mapping[str, Any]
    dealer: int
    stacks: tuple[tuple[int, int], ...]
    deck: tuple[int, ...] = field(repr=False)
    carried: int = 0
    dead_before: int = 0
    reshuffles: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    steps: tuple[Action | Check, ...] = field(default=(), repr=False)
    missed: tuple[tuple[int, int], ...] = ()
    proof_asked: bool = False
    expect: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: object) -> HandRecord:
        """Read a record from JSON values.

        Raises:
            RecordError: a field is missing or cannot be what it is.
        """
        if not isinstance(data, Mapping):
            raise RecordError("record", "must be an object")
        for name in ("profile", "dealer", "stacks", "deck"):
            if name not in data:
                raise RecordError(name, "is missing")
        if not isinstance(data["profile"], str):
            raise RecordError("profile", "must be a name")
        options = data.get("options", {})
        if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
            raise RecordError("options", "must be an object")
        expect = data.get("expect")
        if expect is not None and not isinstance(expect, Mapping):
            raise RecordError("expect", "must be an object")
        if not isinstance(data.get("proof_asked", False), bool):
            raise RecordError("proof_asked", "must be true or false")
        return cls(
            id=str(data.get("id", "")),
            profile=data["profile"],
            options=dict(options),
            dealer=read_seat("dealer", data["dealer"]),
            stacks=_read_chips("stacks", data["stacks"]),
            deck=_read_cards("deck", data["deck"]),
            carried=_read_number("carried", data.get("carried", 0)),
            dead_before=_read_number("dead_before", data.get("dead_before", 0)),
            reshuffles=tuple(
                _read_cards("reshuffles", order)
                for order in _read_list("reshuffles", data.get("reshuffles") or [])
            ),
            steps=tuple(
                _read_step(number, step)
                for number, step in enumerate(_read_list("steps", data.get("steps", [])), 1)
            ),
            missed=_read_chips("missed", data.get("missed", {})),
            proof_asked=data.get("proof_asked", False),
            expect=expect,
            extra={name: content for name, content in data.items() if name not in _KNOWN},
        )

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON values; ``from_dict`` reads it back."""
        data: dict[str, Any] = {
            "id": self.id,
            **self.extra,
            "profile": self.profile,
            "options": dict(self.options),
            "dealer": seat_letter(self.dealer),
            "stacks": {seat_letter(seat): chips for seat, chips in self.stacks},
            "carried": self.carried,
            "dead_before": self.dead_before,
            "deck": format_cards(self.deck),
            "reshuffles": [format_cards(order) for order in self.reshuffles],
            "steps": [
                step.to_dict(seat_letter(step.seat)) if isinstance(step, Action) else dict(step)
                for step in self.steps
            ],
        }
        if self.missed:
            data["missed"] = {seat_letter(seat): chips for seat, chips in self.missed}
        if self.proof_asked:
            data["proof_asked"] = True
        if self.expect is not None:
            data["expect"] = self.expect
        return data

    def rules(self) -> Rules:
        """The rules of the record.

        Raises:
            RulesError: they cannot be played.
        """
        return Rules.profile(self.profile, **self.options)

    def start(self, reshuffle: Reshuffle | None = None) -> Hand:
        """The hand before its first action.

        Args:
            reshuffle: for reshuffles beyond those recorded.

        Raises:
            RulesError: the deal cannot be played.
        """
        if len({seat for seat, _ in self.stacks}) != len(self.stacks):
            raise RulesError("stacks", "names a seat twice")
        return Hand(
            self.rules(),
            dict(self.stacks),
            self.dealer,
            self.deck,
            self.carried,
            self.dead_before,
            reshuffle,
            recorded_reshuffles=self.reshuffles,
            missed=dict(self.missed),
        )

    def restore(self, reshuffle: Reshuffle | None = None) -> Hand:
        """The hand after all recorded actions; checks and expectations are not looked at.

        Raises:
            RulesError, Refused, BadAction, ReshuffleError: the record is not one of a playable hand.
        """
        hand = self.start(reshuffle)
        for step in self.steps:
            if isinstance(step, Action) and step.action != "blind":
                hand.apply(step)
        return hand


def record_of(hand: Hand, hand_id: str = "") -> HandRecord:
    """The record of a hand so far."""
    s = hand._state
    return HandRecord(
        id=hand_id,
        profile=s.rules.profile_name,
        options=s.rules.to_options(),
        dealer=s.dealer,
        stacks=s.given,
        deck=s.deck,
        carried=s.carried,
        dead_before=s.dead_before,
        reshuffles=s.reshuffles,
        missed=s.missed,
        steps=tuple(s.steps),
    )


def seat_letter(seat: int) -> str:
    """``"A"`` for seat 0."""
    return _LETTERS[seat]


def read_seat(name: str, given: object) -> int:
    """The seat of a letter.

    Raises:
        RecordError: it is none.
    """
    if not isinstance(given, str) or len(given) != 1 or given not in _LETTERS:
        raise RecordError(name, f"no seat: {str(given)[:20]!r} (a letter from A)")
    return _LETTERS.index(given)


def _read_cards(name: str, given: object) -> tuple[int, ...]:
    text = " ".join(str(card) for card in given) if isinstance(given, list | tuple) else given
    try:
        return parse_cards(text)  # type: ignore[arg-type]
    except ValueError as error:
        raise RecordError(name, str(error)) from None


def _read_number(name: str, given: object) -> int:
    if type(given) is not int:
        raise RecordError(name, "must be a whole number")
    return given


def _read_chips(name: str, given: object) -> tuple[tuple[int, int], ...]:
    if not isinstance(given, Mapping):
        raise RecordError(name, "must be an object of chips by seat")
    return tuple((read_seat(name, seat), _read_number(name, chips)) for seat, chips in given.items())


def _read_list(name: str, given: object) -> Sequence[Any]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise RecordError(name, "must be a list")
    return given


def _read_step(number: int, step: object) -> Action | Check:
    name = f"steps[{number}]"
    if not isinstance(step, Mapping):
        raise RecordError(name, "must be an object")
    if "check" in step:
        kind = step["check"]
        if not isinstance(kind, str) or kind not in _OF_A_CHECK:
            raise RecordError(name, "a check is turn, draws or legal")
        _refuse_others(name, step, _OF_A_CHECK[kind])
        read_seat(name, step.get("seat"))
        if kind == "legal" and not isinstance(step.get("legal"), Mapping):
            raise RecordError(name, "a check of legal actions needs them in legal")
        return dict(step)
    if not isinstance(step.get("action"), str):
        raise RecordError(name, "needs an action or a check")
    _refuse_others(name, step, _OF_AN_ACTION)
    return Action(
        read_seat(name, step.get("seat")),
        step["action"],
        step.get("to"),
        () if step.get("cards") is None else _read_cards(name, step["cards"]),
    )


def _refuse_others(name: str, step: Mapping[str, Any], known: frozenset[str]) -> None:
    for other in step:
        if other not in known:
            raise RecordError(name, f"has an unknown field, {str(other)[:40]!r}")
