"""The story of a hand: complete, right in its numbers, in every language, and only what a viewer may see."""

from __future__ import annotations

import re

import pytest
from engine.playing import play, start
from engine.random_hands import PROFILES
from engine.test_property_hands import deal, playing, seeded
from engine.test_property_views import CARD_TEXT, Entitled
from turkpoker.engine import EVENTS, Hand, project_event
from turkpoker.engine.explain import LANGUAGES, tell
from turkpoker.engine.explain.writing import texts
from turkpoker.evaluator import parse_cards

WON_BY_A_FULL_HOUSE = """\
B deals.
  A: 100 chips
  B: 100 chips
  In the pot from earlier hands: 3 chips

Antes
  A antes 1 chip.
  B antes 1 chip.

Cards
  A deck of 24 cards.
  A: Kh Kd Qh Th 9h
  B: As Ad Jd Jc 9c

First betting round (pot 5 chips)
  A opens for 6 chips. (pot 11 chips)
  B calls, 6 chips. (pot 17 chips)

Draw (pot 17 chips)
  A throws Kd, gets Ah: Ah Kh Qh Th 9h
  B throws 9c, gets Ac: As Ad Ac Jd Jc

Second betting round (pot 17 chips)
  A bets 10 chips. (pot 27 chips)
  B raises to 93 chips. All-in. (pot 120 chips)
  A calls, 83 chips. All-in. (pot 203 chips)

Showdown (pot 203 chips)
  B shows As Ad Ac Jd Jc: Full house.
  A shows Ah Kh Qh Th 9h: Flush.

Pots
  Pot 203 chips: A takes 203 chips.

Hand over
  A: 203 chips (+103)
  B: 0 chips (-100)
"""


def whole_hand() -> Hand:
    hand = start([100, 100], ["Kh Kd 9h Th Qh", "As Ad Jc Jd 9c"], stock="Ah Ac", carried=3)
    play(hand, "A open 6", "B call", "A draw Kd", "B draw 9c", "A bet 10", "B raise 93", "A call")
    return hand


def test_a_whole_hand_street_by_street() -> None:
    assert tell(whole_hand().events) == WON_BY_A_FULL_HOUSE


def test_names_of_players_and_hands_in_the_language() -> None:
    told = tell(whole_hand().events, "tr", {0: "Ayşe", 1: "Mehmet"})
    assert "Ayşe açar: 6 fiş. (pot 11 fiş)" in told
    assert "Mehmet gösterir: ♠A ♦A ♣A ♦V ♣V, Ful." in told
    assert "Ayşe gösterir: ♥A ♥P ♥K ♥10 ♥9, Renk." in told
    dutch = tell(whole_hand().events, "nl")
    assert "A legt ♦H af, krijgt ♥A: ♥A ♥H ♥V ♥10 ♥9" in dutch


def test_four_cards_drawn_come_in_two_parts() -> None:
    hand = start([50, 50], ["Kh Kd 9h Th Qh", "As Jd Tc 9s 9c"], stock="Ah Ac Ad Qs")
    play(hand, "A open 2", "B call", "A draw", "B draw Jd Tc 9s 9c")
    told = tell(hand.events)
    assert "A stands pat." in told
    assert "B throws Jd Tc 9s 9c, gets Ah Ac Ad, one more to come" in told
    assert "B gets Qs as the fourth: Ah As Ad Ac Qs" in told


def test_side_pots_say_who_plays_for_them() -> None:
    hand = start([10, 50, 50], ["Kh Kd 9h Th Qh", "As Ad Jc Jd 9c", "Kc Ks Tc 8s 8c"])
    play(hand, "A open 9", "B raise 20", "C call", "A draw", "B draw", "C draw", "B check", "C check")
    told = tell(hand.events)
    assert "Main pot 30 chips (A, B, C): B takes 30 chips." in told
    assert "Side pot 1, 22 chips (B, C): B takes 22 chips." in told


def test_a_dead_hand_and_a_proof() -> None:
    hand = start([50, 50], ["Kh Qd 9h Th Jc", "As Kd Jd 9c Tc"])
    play(hand, "A check", "B check")
    assert "2 chips stay in the pot for the next hand." in tell(hand.events)
    hand = start([50, 50], ["Kh Kd 9h Th Qh", "As Ad Jc Jd 9c"], profile="turkish-pagat")
    play(hand, "A open 2", "B fold", "B ask_proof")
    told = tell(hand.events)
    assert "B asks to see the openers." in told
    assert "A proves the openers: Kh Kd" in told


def test_every_event_has_its_words() -> None:
    silent = {"hand_started", "round_started", "draw_started", "pot_awarded", "hand_ended", "cards_drawn"}
    assert EVENTS.keys() - silent <= texts("story", "en").keys()


@pytest.mark.parametrize("profile", PROFILES)
def test_random_hands_are_told_with_their_pots_and_stacks(profile: str) -> None:
    for number, (rng, setup, leaving) in enumerate(seeded(60, profile)):
        hand = deal(setup)
        for _ in playing(hand, rng, leaving):
            pass
        told = tell(hand.events)
        assert hand.result is not None
        end = told.split("Hand over\n")[1]
        stacks = {name: int(chips) for name, chips in re.findall(r"(?m)^  ([A-F]): (\d+) chip", end)}
        final = {"ABCDEF"[seat]: chips for seat, chips in hand.result.final.items()}
        assert stacks == {name: final[name] for name in stacks}
        taken = [int(chips) for chips in re.findall(r"\b[A-F] takes (\d+) chip", told)]
        assert sum(taken) == sum(hand.result.payouts.values())
        assert (f"The house takes {hand.result.rake} chip" in told) == (hand.result.rake > 0)
        language = LANGUAGES[number % len(LANGUAGES)]
        assert len(tell(hand.events, language).splitlines()) == len(told.splitlines())


@pytest.mark.parametrize("profile", PROFILES)
def test_a_viewers_story_holds_no_card_that_he_may_not_see(profile: str) -> None:
    for rng, setup, leaving in seeded(40, profile):
        hand = deal(setup)
        for _ in playing(hand, rng, leaving):
            pass
        entitled = Entitled(tuple(setup.stacks))
        for event in hand.events:
            entitled.take(event)
        for viewer in (None, *hand.stacks):
            seen = [event for each in hand.events if (event := project_event(each, viewer)) is not None]
            told = {card for text in CARD_TEXT.findall(tell(seen)) for card in parse_cards(text)}
            assert told <= entitled.cards(viewer)
            assert viewer is None or entitled.own[viewer] <= told


def test_an_unknown_language() -> None:
    with pytest.raises(ValueError, match="tr, en, fr, it, nl, fa"):
        tell([], "xx")
