"""Legal actions are exact (case B8): each listed bound is accepted, the values just outside are refused.

Every refusal leaves the hand untouched, names what is legal instead, and tells nothing of anybody's cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from engine.playing import fingerprint
from engine.random_hands import PROFILES
from engine.test_property_hands import deal, own_cards, playing, seeded
from turkpoker.engine import ACTIONS, Action, BadAction, Hand, Refused

WITH_AMOUNT = ("open", "bet", "raise")
CARD_TEXT = re.compile(r"\b(?:10|[2-9TJQKA])[cdsh]\b")


def some_states(profile: str, hands: int, share: float) -> Iterator[tuple[Random, Hand]]:
    """States met in random play; the hand must not be changed by who looks at it."""
    for rng, setup, leaving in seeded(hands, profile):
        hand = deal(setup)
        yield rng, hand
        for _ in playing(hand, rng, leaving):
            if rng.random() < share or hand.result is not None:
                yield rng, hand


def accepted(hand: Hand, action: Action) -> None:
    twin = hand.copy()
    assert twin.apply(action)
    assert len(twin.events) > len(hand.events)


def refused(hand: Hand, action: Action, reasons: set[str]) -> None:
    """The action is refused by the rules, for one of these reasons."""
    with pytest.raises(Refused) as caught:
        hand.apply(action)
    assert caught.value.reason in reasons, action
    assert caught.value.legal == hand.legal(action.seat)
    assert not CARD_TEXT.search(str(caught.value))


def listed_actions(hand: Hand, seat: int) -> Iterator[Action]:
    """Every listed action at each of its bounds."""
    held = own_cards(hand, seat)
    for name, allowed in hand.legal(seat).items():
        if name in WITH_AMOUNT:
            low, high = allowed
            assert 0 < low <= high
            yield from (Action(seat, name, to=to) for to in {low, high, (low + high) // 2})
        elif name == "draw":
            low, high = allowed
            yield from (Action(seat, name, cards=held[:count]) for count in range(low, high + 1))
        else:
            yield Action(seat, name)


def just_outside(hand: Hand, seat: int) -> Iterator[Action]:
    """Amounts and discards one step beyond what is listed."""
    legal = hand.legal(seat)
    for name in WITH_AMOUNT:
        if name in legal:
            low, high = legal[name]
            yield from (Action(seat, name, to=to) for to in (low - 1, high + 1, high + 1000))
    if "call" in legal:
        yield from (Action(seat, "call", to=to) for to in (0, 2**40))


def bad_discards(hand: Hand, seat: int) -> Iterator[Action]:
    legal = hand.legal(seat)
    if "draw" not in legal:
        return
    held = own_cards(hand, seat)
    most = legal["draw"][1]
    foreign = next(card for card in range(52) if card not in held)
    yield Action(seat, "draw", cards=(held[0], held[0]))
    yield Action(seat, "draw", cards=(foreign,))
    if most < 5:
        yield Action(seat, "draw", cards=held[: most + 1])


@pytest.mark.parametrize("profile", PROFILES)
def test_b8_listed_bounds_are_accepted_and_values_just_outside_are_refused(profile: str) -> None:
    tried = 0
    for _, hand in some_states(profile, hands=60, share=0.5):
        before = fingerprint(hand)
        for seat in hand.asked:
            assert hand.legal(seat)
            for action in listed_actions(hand, seat):
                accepted(hand, action)
                tried += 1
            for action in just_outside(hand, seat):
                refused(hand, action, {"amount_out_of_range"})
            for action in bad_discards(hand, seat):
                refused(hand, action, {"bad_cards"})
        assert fingerprint(hand) == before
    assert tried > 500


@pytest.mark.parametrize("profile", PROFILES)
def test_b8_what_is_not_listed_is_refused_and_leaves_the_hand_untouched(profile: str) -> None:
    for rng, hand in some_states(profile, hands=40, share=0.3):
        before = fingerprint(hand)
        for seat in hand.seats:
            legal = hand.legal(seat)
            for name in sorted(ACTIONS - set(legal) - {"leave"}):
                to = rng.randint(1, 60) if name in WITH_AMOUNT else None
                reasons = {"action_not_allowed"} if legal else {"not_your_turn"}
                refused(hand, Action(seat, name, to=to), {"hand_over"} if hand.result else reasons)
        assert fingerprint(hand) == before


@pytest.mark.parametrize(
    ("action", "field"),
    [
        (Action(0, "bluff"), "action"),
        (Action(0, ""), "action"),
        (Action(17, "check"), "seat"),
        (Action(-1, "check"), "seat"),
        (Action(0, "open"), "to"),
        (Action(0, "open", to=-1), "to"),
        (Action(0, "open", to=2**63), "to"),
        (Action(0, "fold", to=3), "to"),
        (Action(0, "check", cards=(1,)), "cards"),
        (Action(0, "draw", cards=(52,)), "cards"),
        (Action(0, "draw", cards=(-1,)), "cards"),
    ],
)
def test_b7_impossible_forms_are_bad_arguments_in_every_state(action: Action, field: str) -> None:
    for _, hand in some_states("turkish", hands=6, share=0.4):
        before = fingerprint(hand)
        with pytest.raises(BadAction) as caught:
            hand.apply(action)
        assert caught.value.field == field
        assert fingerprint(hand) == before


@pytest.mark.parametrize("junk", [2.0, "7", None, True, [1], {"to": 2}])
def test_b7_junk_in_any_field_is_a_bad_argument(junk: Any) -> None:
    for _, hand in some_states("turkish-pagat", hands=3, share=0.3):
        before = fingerprint(hand)
        actions = [
            Action(junk, "check"),
            Action(0, junk),
            Action(0, "raise", to=junk),
            Action(0, "draw", cards=(junk,)),
        ]
        for action in actions:
            with pytest.raises(BadAction):
                hand.apply(action)
        assert fingerprint(hand) == before
