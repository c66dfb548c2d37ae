"""Plays a record and holds it against what it expects. Pure: files are the caller's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from turkpoker.engine.actions import Action
from turkpoker.engine.errors import (
    BadAction,
    NotCarriedOut,
    Refused,
    ReshuffleError,
    RulesError,
)
from turkpoker.engine.expectations import compare, compare_legal
from turkpoker.engine.hand import Hand
from turkpoker.engine.phases import Phase
from turkpoker.engine.record import Check, HandRecord, read_seat, seat_letter
from turkpoker.evaluator import format_cards

#: Actions of who has seen his cards: before them every unseen bet has been declined.
_CARDS_SEEN = frozenset({"check", "open", "fold", "call", "raise"})


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What came of a record.

    Attributes:
        id: the record's.
        ok: whether nothing differs; ``None`` when the record asks for what is not carried out.
        refused: that option, else ``None``.
        differences: what differs, in sentences.
        hand: the hand as far as it was played; ``None`` if it could not be dealt.
    """

    id: str
    ok: bool | None
    refused: str | None
    differences: tuple[str, ...]
    hand: Hand | None = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values: seats are letters, cards text, events their names."""
        answer: dict[str, Any] = {
            "id": self.id,
            "ok": self.ok,
            "refused": self.refused,
            "differences": list(self.differences),
            "over": None,
            "pots": [],
            "payouts": {},
            "final": {},
            "carried": None,
            "hands": {},
            "categories": {},
            "events": [],
        }
        if self.hand is not None:
            answer.update(outcome_of(self.hand))
        return answer


def outcome_of(hand: Hand) -> dict[str, Any]:
    """What has come of a hand so far, as JSON values; what is only known at the end is left out before."""
    events = [event.name for event in hand.events]
    result = hand.result
    if result is None:
        return {"events": events}
    return {
        "over": str(result.over),
        "pots": [[chips, [seat_letter(seat) for seat in eligible]] for chips, eligible in result.pots],
        "payouts": {seat_letter(seat): chips for seat, chips in result.payouts.items()},
        "final": {seat_letter(seat): chips for seat, chips in result.final.items()},
        "carried": result.carried,
        "rake": result.rake,
        "hands": {seat_letter(seat): format_cards(cards) for seat, cards in result.hands.items()},
        "categories": {seat_letter(seat): str(category) for seat, category in result.categories.items()},
        "events": events,
    }


def replay(record: HandRecord) -> ReplayReport:
    """Play a record to its end and compare.

    A step that the rules refuse is a difference and ends the play. Proof that nobody asked for is passed on
    at the end, so that every record of a whole hand comes to its result.
    """
    try:
        hand = record.start()
    except NotCarriedOut as error:
        return ReplayReport(record.id, None, error.field, (), None)
    except RulesError as error:
        return ReplayReport(record.id, False, None, (f"cannot be dealt: {error}",), None)
    differences: list[str] = []
    for number, step in enumerate(record.steps, 1):
        if isinstance(step, Action):
            wrong = _play(hand, step)
            if wrong is not None:
                differences.append(f"step {number}: {seat_letter(step.seat)} {step.action}: {wrong}")
                return ReplayReport(record.id, False, None, tuple(differences), hand)
        else:
            differences += [f"step {number}: {wrong}" for wrong in _check(hand, step)]
    if record.expect is not None or hand.phase is Phase.PROOF:
        _finish_proof(hand, record)
    if record.expect is not None:
        if hand.result is None:
            differences.append(f"the hand is not over: it stands in {hand.phase}")
        else:
            seats = [seat_letter(seat) for seat, _ in record.stacks]
            differences += compare(outcome_of(hand), record.expect, seats)
    return ReplayReport(record.id, not differences, None, tuple(differences), hand)


def _play(hand: Hand, step: Action) -> str | None:
    try:
        if step.action == "blind":
            return _check_blind(hand, step)
        _answer_for_the_silent(hand, step)
        hand.apply(step)
    except (Refused, BadAction, ReshuffleError) as error:
        return str(error)
    return None


def _answer_for_the_silent(hand: Hand, step: Action) -> None:
    """Records may leave out what time-outs say: no karanlik, no over-blind, nobody else comes in.

    Where no entry at all is written, everybody seated is in.
    """
    name = step.action
    if hand.phase is Phase.ENTRY and name not in ("enter", "stay_out", "leave"):
        answer = "enter" if len(hand.asked) == len(hand.seats) else "stay_out"
        for seat in hand.asked:
            hand.apply(Action(seat, answer))
    while hand.phase in (Phase.KARANLIK, Phase.BLINDS) and name in _CARDS_SEEN:
        hand.apply(Action(hand.asked[0], "decline"))


def _check_blind(hand: Hand, step: Action) -> str | None:
    """The forced blind stands in records for the reader; it has been posted by the deal."""
    for event in hand.events:
        if event.name == "blind_posted" and event.seat == step.seat:  # type: ignore[attr-defined]
            if step.to in (None, event.level, event.amount):  # type: ignore[attr-defined]
                return None
            return f"the blind is {event.level}"  # type: ignore[attr-defined]
    return "this seat posts no blind"


def _check(hand: Hand, step: Check) -> list[str]:
    seat = read_seat("check", step["seat"])
    name = seat_letter(seat)
    if step["check"] in ("turn", "draws"):
        right = hand.to_act == seat and (step["check"] == "turn" or hand.phase is Phase.DRAW)
        asked = "nobody" if hand.to_act is None else seat_letter(hand.to_act)
        return [] if right else [f"{step['check']} {name}: it is {asked} in {hand.phase}"]
    return [f"legal {name}: {wrong}" for wrong in compare_legal(hand.legal(seat), step["legal"])]


def _finish_proof(hand: Hand, record: HandRecord) -> None:
    if record.proof_asked and hand.proof_asked_of:
        hand.apply(Action(hand.proof_asked_of[0], "ask_proof"))
    while hand.phase is Phase.PROOF:
        hand.apply(Action(hand.proof_asked_of[0], "pass"))
