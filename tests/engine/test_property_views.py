"""A viewer never learns what he may not see: from projected events, from views, from texts of objects.

What somebody may see is worked out here once more from the house's events and the rules text: his own cards
once he may look, what he threw and drew, shown hands and proof cards.  Nothing else, ever.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any

import pytest
from engine.random_hands import PROFILES
from engine.test_property_hands import deal, playing, seeded
from turkpoker.engine import Event, Hand, project_event
from turkpoker.evaluator import parse_cards

CARD_TEXT = re.compile(r"(?<![A-Za-z0-9_])(?:10|[2-9TJQKA])[cdsh](?![A-Za-z0-9_])")
Viewer = int | None


class Entitled:
    """Which cards each viewer may know so far."""

    def __init__(self, seats: tuple[int, ...]) -> None:
        self.public: set[int] = set()
        self.own: dict[Viewer, set[int]] = {None: set(), **{seat: set() for seat in seats}}
        self.unseen: dict[int, set[int]] = {}

    def take(self, event: Event) -> None:
        name = event.name
        if name == "cards_dealt":
            (self.unseen if event.unseen else self.own)[event.seat] = set(event.cards)
        elif name == "cards_seen":
            self.own[event.seat] |= self.unseen.pop(event.seat)
        elif name in {"cards_drawn", "fourth_card_dealt"}:
            self.own[event.seat] |= set(event.drawn)
        elif name in {"hand_shown", "openers_proved"}:
            self.public |= set(event.cards)

    def cards(self, viewer: Viewer) -> set[int]:
        return self.public | self.own[viewer]


def cards_in(data: Any) -> set[int]:
    """Every card named anywhere in JSON values, as ids."""
    return {card for text in CARD_TEXT.findall(json.dumps(data)) for card in parse_cards(text)}


def viewers(hand: Hand) -> list[Viewer]:
    return [None, *hand.stacks]


@pytest.mark.parametrize("profile", PROFILES)
def test_projected_events_never_hold_what_the_viewer_may_not_see(profile: str) -> None:
    for rng, setup, leaving in seeded(80, profile):
        hand = deal(setup)
        for _ in playing(hand, rng, leaving):
            pass
        entitled = Entitled(tuple(setup.stacks))
        for event in hand.events:
            entitled.take(event)
            for viewer in viewers(hand):
                seen = project_event(event, viewer)
                if seen is None:
                    continue
                assert type(seen) is type(event)
                found = cards_in(seen.to_dict())
                for field in event.card_fields:
                    found |= set(getattr(seen, field) or ())
                assert found <= entitled.cards(viewer), (event.name, viewer)
                if event.name == "reshuffled":
                    assert seen.order is None


@pytest.mark.parametrize("profile", PROFILES)
def test_views_never_hold_what_the_viewer_may_not_see(profile: str) -> None:
    for rng, setup, leaving in seeded(80, profile):
        hand = deal(setup)
        entitled = Entitled(tuple(setup.stacks))
        taken = 0
        for _ in playing(hand, rng, leaving):
            for event in hand.events[taken:]:
                entitled.take(event)
                taken += 1
            for viewer in viewers(hand):
                check_view(hand, viewer, entitled)


def check_view(hand: Hand, viewer: Viewer, entitled: Entitled) -> None:
    view = hand.view(viewer)
    assert view.viewer == viewer
    assert set(view.proof_cards) <= entitled.public
    for player in view.seats:
        known = {card for card in player.cards if card is not None}
        assert known <= (entitled.cards(viewer) if player.seat == viewer else entitled.public)
    # What is legal, and the question, are the viewer's own; nobody sees another's.
    assert view.legal == ({} if viewer is None else dict(hand.legal(viewer)))
    assert view.question == (0 if viewer is None else hand.question(viewer))
    plain = {field.name: str(getattr(view, field.name)) for field in fields(view)}
    assert not cards_in(plain), "no text of a view shows a card"


def test_who_must_decide_unseen_cannot_look_and_everybody_can_from_round_one() -> None:
    """Karanlik and over-blinds: by the phase and the seats asked, not by what the engine says was unseen."""
    decided = 0
    for profile in ("turkish", "french"):
        for rng, setup, _ in seeded(100, profile):
            setup.options |= {"karanlik": "on", "deal_mode": "ante"} if profile == "turkish" else {}
            setup.options |= {"deal_mode": "blind", "karanlik": "off"} if profile == "french" else {}
            hand = deal(setup)
            for _ in playing(hand, rng):
                decided += hand.phase in {"karanlik", "blinds"}
                look(hand)
    assert decided > 20


def look(hand: Hand) -> None:
    for seat in hand.seats:
        own = next((view.cards for view in hand.view(seat).seats if view.seat == seat), ())
        projected = [project_event(event, seat) for event in hand.events]
        told = {
            card
            for event in projected
            if event is not None and event.name in {"cards_dealt", "cards_seen"} and event.seat == seat
            for card in event.cards or ()
        }
        if hand.phase in {"karanlik", "blinds"} and seat in hand.asked:
            assert set(own) <= {None}
            assert told == set()
        elif hand.phase in {"round1", "draw", "round2", "proof"}:
            assert None not in own
            assert len(told) == 5


@pytest.mark.parametrize("profile", PROFILES)
def test_an_uncontested_winner_shows_no_card_beyond_his_proof(profile: str) -> None:
    uncontested = 0
    for rng, setup, leaving in seeded(120, profile):
        hand = deal(setup)
        for _ in playing(hand, rng, leaving):
            pass
        if hand.result is None or hand.result.over == "showdown":
            continue
        uncontested += 1
        proved = {card for event in hand.events if event.name == "openers_proved" for card in event.cards}
        public = [project_event(event, None) for event in hand.events]
        assert cards_in([event.to_dict() for event in public if event is not None]) == proved
        shown = {card for player in hand.view(None).seats for card in player.cards} - {None}
        assert shown <= proved
    assert uncontested > 20


def test_texts_of_hands_results_and_events_name_no_hidden_card() -> None:
    for rng, setup, leaving in seeded(40):
        hand = deal(setup)
        for action in playing(hand, rng, leaving):
            assert not CARD_TEXT.search(repr(action))
        for text in (repr(hand), str(hand), repr(hand.result), repr(hand.record()), repr(hand.view(None))):
            assert not CARD_TEXT.search(text)
            assert "deck=" not in text
        for event in hand.events:
            for field in (*event.hidden, *event.house_only):
                assert f"{field}=" not in repr(event)
