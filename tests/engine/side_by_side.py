"""Plays the engine and the reference with the same rules, stacks, deck and actions, and compares everything.

``play_both`` is one hand.  A difference raises ``DifferenceError`` with a record that replays it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from engine.random_hands import Setup, Style, choose
from engine.reference_hand import ReferenceHand
from engine.reference_rules import resolve
from turkpoker.engine import Action, Hand, Rules

#: Actions whose amount the rules fix; only whether they are legal is compared.
WITHOUT_RANGE = {"enter", "stay_out", "over_blind", "karanlik", "decline", "ask_proof", "pass"}
#: Names in the reference's log of the public events that are compared.
EVENT_NAMES = {
    "openers_split": "split",
    "openers_proved": "proved",
    "false_opening": "false",
    "uncalled_returned": "uncalled",
    "reshuffled": "reshuffled",
    "hand_shown": "shown",
}


class DifferenceError(AssertionError):
    """Engine and reference disagree."""


class Pair:
    """The same hand twice."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.rules = Rules.profile(setup.profile, **setup.options)
        self.actions: list[Action] = []
        self.reference = ReferenceHand(
            resolve(setup.profile, setup.options),
            setup.stacks,
            setup.dealer,
            setup.deck,
            setup.carried,
            setup.dead_before,
            setup.reshuffler(),
        )
        self.hand = Hand(
            self.rules,
            setup.stacks,
            setup.dealer,
            setup.deck,
            setup.carried,
            setup.dead_before,
            setup.reshuffler(),
        )
        self.compare()

    def apply(self, seat: int, name: str, to: int | None = None, cards: tuple[int, ...] = ()) -> None:
        action = Action(seat, name, to=to, cards=cards)
        self.actions.append(action)
        self.reference.apply(seat, name, to, cards)
        self.hand.apply(action)
        self.compare()

    def fail(self, what: str, engine: object, reference: object) -> None:
        record = {
            "setup": {**self.setup.__dict__, "deck": list(self.setup.deck)},
            "actions": [[a.seat, a.action, a.to, list(a.cards)] for a in self.actions],
        }
        raise DifferenceError(f"{what}: engine {engine!r}, reference {reference!r}\n{json.dumps(record)}")

    def same(self, what: str, engine: object, reference: object) -> None:
        if engine != reference:
            self.fail(what, engine, reference)

    def compare(self) -> None:
        """Whose turn, what is legal, who has what; at the end everything about the result."""
        hand, reference = self.hand, self.reference
        self.same("phase", str(hand.phase), reference.phase)
        self.same("asked", sorted(hand.asked), sorted(reference.all_asked()))
        for seat in self.setup.stacks:
            self.same(f"legal for {seat}", plain(hand.legal(seat)), plain(reference.legal(seat)))
        if reference.over is None:
            self.same("over", hand.result, None)
            self._compare_chips()
        else:
            self._compare_result()
            self._compare_events()

    def _compare_chips(self) -> None:
        reference = self.reference
        view = self.hand.view(None)
        self.same("players", sorted(s.seat for s in view.seats), sorted(reference.seats))
        self.same(
            "stacks", {s.seat: s.stack for s in view.seats}, {s: reference.stack[s] for s in reference.seats}
        )
        self.same("pot", view.pot, reference.pot + reference.carried_out)
        if reference.phase in {"blinds", "karanlik", "round1", "round2"}:
            self.same("bets", {s.seat: s.bet for s in view.seats}, reference.bets)
            self.same("level", view.level, reference.level)
        self.same("opener", view.opener, reference.opener)

    def _compare_result(self) -> None:
        result, reference = self.hand.result, self.reference
        if result is None:
            self.fail("over", None, reference.over)
            return
        self.same("over", str(result.over), reference.over)
        self.same(
            "pots",
            sorted((amount, sorted(eligible)) for amount, eligible in result.pots),
            sorted((amount, sorted(eligible)) for amount, eligible in reference.pots),
        )
        self.same("payouts", positive(result.payouts), positive(reference.payouts))
        self.same("final", dict(result.final), reference.stack)
        self.same("carried", result.carried, reference.carried_out)
        blind = reference.last_blinder is not None and reference.carried_out > 0
        self.same("carried out of a blind deal", result.carried_blind, blind)
        self.same("rake", result.rake, reference.rake)
        self.same(
            "hands",
            {seat: sorted(held) for seat, held in result.hands.items()},
            {seat: sorted(held) for seat, held in reference.hands.items()},
        )
        self.same(
            "categories", {s: str(kind) for s, kind in result.categories.items()}, reference.categories()
        )

    def _compare_events(self) -> None:
        wanted = [_proof_sorted(entry) for entry in self.reference.log if entry[0] in EVENT_NAMES.values()]
        found: list[tuple[Any, ...]] = []
        for event in self.hand.events:
            short = EVENT_NAMES.get(event.name)
            if short == "reshuffled":
                found.append((short, event.count))
            elif short == "uncalled":
                found.append((short, event.seat, event.amount))
            elif short == "proved":
                found.append((short, event.seat, tuple(sorted(event.cards))))
            elif short is not None:
                found.append((short, event.seat))
        self.same("events", sorted(found), sorted(wanted))
        if self.reference.first_actor is not None:
            # Who shows first is said only where round two was played.
            self.same("order of showing", *([e for e in log if e[0] == "shown"] for log in (found, wanted)))


def plain(legal: Mapping[str, Any]) -> dict[str, Any]:
    """Legal actions without the amounts that the rules fix."""
    return {name: True if name in WITHOUT_RANGE else value for name, value in legal.items()}


def _proof_sorted(entry: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*entry[:2], tuple(sorted(entry[2]))) if entry[0] == "proved" else entry


def positive(chips: Mapping[int, int]) -> dict[int, int]:
    return {seat: amount for seat, amount in chips.items() if amount}


def play_both(rng: Random, setup: Setup, leaving: float = 0.0) -> Pair:
    """Plays a whole hand with random legal actions; ``leaving`` is the chance of a leaver at each step."""
    pair = Pair(setup)
    style = Style.random(rng)
    reference = pair.reference
    for _ in range(1000):
        if reference.over is not None:
            return pair
        stay = [seat for seat in reference.seats if seat not in reference.left]
        if stay and rng.random() < leaving:
            pair.apply(rng.choice(stay), "leave")
            continue
        seat = rng.choice(reference.all_asked())
        pair.apply(seat, *choose(rng, style, reference.legal(seat), reference.hands.get(seat, ())))
    raise DifferenceError("the hand does not end")


def rerun(text: str) -> Pair:
    """Plays again what ``Pair.fail`` wrote down."""
    data = json.loads(text)
    start = data["setup"]
    stacks = {int(seat): chips for seat, chips in start["stacks"].items()}
    pair = Pair(replace(Setup(**start), stacks=stacks))
    for seat, name, to, cards in data["actions"]:
        pair.apply(seat, name, to, tuple(cards))
    return pair
