"""Who sees what."""

from __future__ import annotations

from typing import Any

from engine.scripted import deal, pat, play
from turkpoker.engine import EVENTS, Event, Hand, project_event
from turkpoker.evaluator import parse_cards

THREE = {"A": "Kh Kd 9s Tc Jh", "B": "Qh Qd 9d Th Jd", "C": "Ah Ad 8c 9h Ts"}


def seen_cards(hand: Hand, viewer: int | None) -> set[int]:
    """Every card id in what a viewer gets: all events and the view."""
    found: set[int] = set()
    for event in hand.events:
        shown = project_event(event, viewer)
        if shown is not None:
            for field in shown.card_fields:
                found |= set(getattr(shown, field) or ())
    for seat in hand.view(viewer).seats:
        found |= {card for card in seat.cards if card is not None}
    found |= set(hand.view(viewer).proof_cards)
    return found


def test_one_sees_ones_own_cards_and_nobody_elses() -> None:
    hand = deal(THREE)
    assert seen_cards(hand, 0) == set(parse_cards(THREE["A"]))
    assert seen_cards(hand, 2) == set(parse_cards(THREE["C"]))
    assert seen_cards(hand, None) == set()
    assert [seat.cards for seat in hand.view(0).seats][1] == (None,) * 5


def test_draws_are_seen_by_number_and_own_cards_by_face() -> None:
    hand = play(deal(THREE, stock="Qs 8h"), "A open 2; B call; C call; A draw 9s Tc")
    drawn = [event for event in hand.events if event.name == "cards_drawn"]
    assert project_event(drawn[0], 0).to_dict()["drawn"] == "Qs 8h"  # type: ignore[union-attr]
    assert project_event(drawn[0], 1).to_dict() == {  # type: ignore[union-attr]
        "event": "cards_drawn", "seat": 0, "count": 2, "later": 0, "discarded": None, "drawn": None,
    }  # fmt: skip
    assert hand.view(1).seats[0].drawn == 2
    assert seen_cards(hand, 1) == set(parse_cards(THREE["B"]))
    assert set(parse_cards("Qs 8h 9s Tc")) <= seen_cards(hand, 0)


def test_the_order_of_a_reshuffle_is_the_houses() -> None:
    hands = {**THREE, "D": "8h 8d 7c 7d Jc", "E": "6c 6d 6h 7h Qs"}
    hand = deal(hands, reshuffle=lambda cards: cards)
    play(
        hand,
        "A open 2; B call; C call; D call; E call;"
        "A draw 9s Tc Jh; B draw 9d Th Jd; C draw 8c 9h Ts; D draw 7c 7d Jc",
    )
    (event,) = [one for one in hand.events if one.name == "reshuffled"]
    assert event.order  # type: ignore[attr-defined]
    for viewer in (None, 0, 1, 3):
        assert project_event(event, viewer).order is None  # type: ignore[union-attr]


def test_a_showdown_opens_the_live_hands_only() -> None:
    hand = play(pat(play(deal(THREE), "A open 4; B call; C fold")), "A check; B check")
    assert seen_cards(hand, None) == set(parse_cards(THREE["A"] + THREE["B"]))


def test_an_uncontested_winner_shows_nothing_without_a_proof() -> None:
    hand = play(deal(THREE), "A open 4; B fold; C fold")
    assert seen_cards(hand, None) == set()


def test_a_proof_shows_the_openers_alone() -> None:
    hand = play(deal(THREE, opener_proof="to_collect"), "A open 4; B fold; C fold")
    assert seen_cards(hand, None) == set(parse_cards("Kh Kd"))


def test_karanlik_hides_ones_own_cards_until_the_decision() -> None:
    hand = deal(THREE, karanlik="on")
    assert seen_cards(hand, 0) == set()
    assert seen_cards(hand, 1) == set(parse_cards(THREE["B"]))
    play(hand, "A decline")
    assert seen_cards(hand, 0) == set(parse_cards(THREE["A"]))


def test_over_blinds_hide_cards_until_one_can_no_longer_be_asked() -> None:
    hands = {**THREE, "D": "8h 8d Kc Qc 7s"}
    hand = deal(hands, deal_mode="blind", over_blind=2)
    assert [bool(seen_cards(hand, seat)) for seat in range(4)] == [True, False, False, True]
    play(hand, "B over_blind")
    assert [bool(seen_cards(hand, seat)) for seat in range(4)] == [True, True, False, True]
    play(hand, "C decline")
    assert [bool(seen_cards(hand, seat)) for seat in range(4)] == [True, True, True, True]


def test_legal_actions_are_for_the_asked_alone() -> None:
    hand = deal(THREE)
    assert hand.view(0).legal == {"check": True, "open": (2, 99)}
    assert hand.view(1).legal == {}
    assert hand.view(None).legal == {}
    assert (hand.view(0).question, hand.view(1).question) == (1, 0)


def test_hidden_fields_are_all_declared() -> None:
    """Every field of an event that may hold cards is either public on purpose or hidden from somebody."""
    public = {"openers_proved": {"cards"}, "hand_shown": {"cards"}}
    for name, event in EVENTS.items():
        card_fields = set(event.card_fields)
        assert card_fields - set(event.hidden) - set(event.house_only) == public.get(name, set())
        slots: Any = event.__slots__
        assert {"cards", "drawn", "discarded", "order"} & set(slots) == card_fields
    assert issubclass(EVENTS["hand_shown"], Event)
