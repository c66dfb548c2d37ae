"""What holds in every hand, whatever the rules, the cards and the players: chips, cards, an end, a record."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random

import pytest
from engine.ledger import Ledger
from engine.random_hands import PROFILES, Setup, Style, choose, random_setup
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import legal_actions, options, profiles, setups
from turkpoker.engine import Action, Hand, HandRecord, Rules

#: No hand asks more often than this: six players, and raises that are bounded by the chips.
LONGEST = 1500


def deal(setup: Setup) -> Hand:
    rules = Rules.profile(setup.profile, **setup.options)
    return Hand(
        rules,
        setup.stacks,
        setup.dealer,
        setup.deck,
        setup.carried,
        setup.dead_before,
        setup.reshuffler(),
    )


def own_cards(hand: Hand, seat: int) -> tuple[int, ...]:
    """The cards a seat may throw; none before they are dealt."""
    held = next((view.cards for view in hand.view(seat).seats if view.seat == seat), ())
    return tuple(card for card in held if card is not None)


def playing(hand: Hand, rng: Random, leaving: float = 0.0) -> Iterator[Action]:
    """Plays to the end with random legal actions; yields each action after it was carried out."""
    style = Style.random(rng)
    for _ in range(LONGEST):
        if hand.result is not None:
            return
        seat = rng.choice(hand.asked)
        stay = [s for s in hand.seats if not hand.has_left(s)]
        if stay and rng.random() < leaving:
            action = Action(rng.choice(stay), "leave")
        else:
            name, to, cards = choose(rng, style, dict(hand.legal(seat)), own_cards(hand, seat))
            action = Action(seat, name, to=to, cards=cards)
        hand.apply(action)
        yield action
    pytest.fail("the hand does not end")


def seeded(count: int, profile: str | None = None) -> Iterator[tuple[Random, Setup, float]]:
    """Random set-ups, each with its generator and the chance of a leaver."""
    for seed in range(count):
        rng = Random(f"hands {profile} {seed}")
        setup = random_setup(rng, profile, rng.choice((0.0, 0.2, 0.6)))
        yield rng, setup, rng.choice((0.0, 0.0, 0.08))


@pytest.mark.parametrize("profile", PROFILES)
def test_chips_and_cards_are_conserved_after_every_event_and_every_hand_ends(profile: str) -> None:
    for rng, setup, leaving in seeded(150, profile):
        hand = deal(setup)
        ledger = Ledger(setup.stacks, setup.carried, setup.deck)
        ledger.follow(hand)
        for _ in playing(hand, rng, leaving):
            ledger.follow(hand)
        assert hand.asked == ()
        assert hand.events[-1].name == "hand_ended"


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(setups(), st.data())
def test_books_balance_in_whatever_hypothesis_plays(setup: Setup, data: st.DataObject) -> None:
    hand = deal(setup)
    ledger = Ledger(setup.stacks, setup.carried, setup.deck)
    ledger.follow(hand)
    while hand.result is None:
        seat = data.draw(st.sampled_from(hand.asked))
        name, to, cards = data.draw(legal_actions(hand.legal(seat), own_cards(hand, seat)))
        hand.apply(Action(seat, name, to=to, cards=cards))
        ledger.follow(hand)


def test_the_record_replays_to_the_same_events_at_every_point() -> None:
    for rng, setup, leaving in seeded(150):
        hand = deal(setup)
        stop = rng.randrange(12)
        for number, _ in enumerate(playing(hand, rng, leaving)):
            if number == stop:
                same_again(hand)
        same_again(hand)


def same_again(hand: Hand) -> None:
    """The record, through JSON text, gives the same hand: events, questions, legal actions, record."""
    text = json.dumps(hand.record("again").to_dict())
    again = HandRecord.from_dict(json.loads(text)).restore()
    assert [event.to_dict() for event in again.events] == [event.to_dict() for event in hand.events]
    assert again.asked == hand.asked
    assert again.phase == hand.phase
    for seat in hand.seats:
        assert again.legal(seat) == hand.legal(seat)
        assert again.question(seat) == hand.question(seat)
    assert again.result == hand.result
    assert json.dumps(again.record("again").to_dict()) == text


def test_a_restored_hand_goes_on_like_the_original() -> None:
    for rng, setup, leaving in seeded(120):
        hand = deal(setup)
        stop = rng.randrange(10)
        other: Hand | None = None
        for number, action in enumerate(playing(hand, rng, leaving)):
            if other is not None:
                other.apply(action)
                assert other.events == hand.events
            elif number == stop and not any(event.name == "reshuffled" for event in hand.events):
                other = hand.record().restore(setup.reshuffler())


def test_a_copy_and_its_original_do_not_touch_each_other() -> None:
    for rng, setup, leaving in seeded(120):
        hand = deal(setup)
        for _ in playing(hand, rng, leaving):
            if hand.result is not None or rng.random() < 0.7:
                continue
            before = [event.to_dict() for event in hand.events]
            twin = hand.copy()
            seat = rng.choice(twin.asked)
            legal = dict(twin.legal(seat))
            name, to, cards = choose(rng, Style.random(rng), legal, own_cards(twin, seat))
            twin.apply(Action(seat, name, to=to, cards=cards))
            assert [event.to_dict() for event in hand.events] == before
            assert dict(hand.legal(seat)) == legal
            assert len(twin.events) > len(before)


def test_the_numbers_of_questions_are_unique_and_stay_while_others_answer() -> None:
    for rng, setup, leaving in seeded(200):
        hand = deal(setup)
        answered: set[int] = set()
        open_before = questions(hand)
        for action in playing(hand, rng, leaving):
            open_now = questions(hand)
            for key, number in open_now.items():
                assert number >= 1
                if key in open_before and key[0] != action.seat:
                    assert open_before[key] == number
                else:
                    assert number not in answered
            gone = set(open_before.values()) - set(open_now.values())
            answered |= gone
            open_before = open_now
        assert all(hand.question(seat) == 0 for seat in hand.seats)


def questions(hand: Hand) -> dict[tuple[int, str], int]:
    """The open questions by seat and kind (``turn`` or ``proof``)."""
    found: dict[tuple[int, str], int] = {}
    for seat in hand.asked:
        legal = hand.legal(seat)
        if "ask_proof" in legal:
            found[seat, "proof"] = hand.question(seat, "ask_proof")
        if set(legal) - {"ask_proof", "pass"}:
            found[seat, "turn"] = hand.question(seat)
    return found


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), profiles)
def test_rules_come_back_from_their_options(data: st.DataObject, profile: str) -> None:
    players = data.draw(st.integers(3, 5))
    rules = Rules.profile(profile, **data.draw(options(profile, players)))
    written = json.loads(json.dumps(rules.to_options()))
    again = Rules.profile(rules.profile_name, **written)
    assert again == rules
    assert hash(again) == hash(rules)
    assert copy.deepcopy(rules) == rules
