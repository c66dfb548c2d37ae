"""What is refused leaves the hand as it was, and says what would be legal."""

from __future__ import annotations

import random
import re
from typing import Any, TypeVar

import pytest
from engine.scripted import deal, pat, play
from turkpoker.engine import (
    Action,
    BadAction,
    Hand,
    RefusalReason,
    Refused,
    ReshuffleError,
    Rules,
    RulesError,
)
from turkpoker.evaluator import deck_cards, parse_cards

E = TypeVar("E", bound=Exception)

THREE = {"A": "Kh Kd 9s Tc Jh", "B": "Qh Qd 9d Th Jd", "C": "Ah Ad 8c 9h Ts"}


def frozen(hand: Hand) -> dict[str, Any]:
    """All of a hand's state, copied."""
    state = hand._state.copy()
    return {name: getattr(state, name) for name in state.__slots__ if name not in ("legal", "full_from")}


def refusal(hand: Hand, action: Action) -> Refused:
    return raised(hand, action, Refused)


def raised(hand: Hand, action: Action, kind: type[E]) -> E:
    """What an action raises: the same whether or not somebody has asked before what is legal."""
    before = frozen(hand)
    with pytest.raises(kind) as first:
        hand.apply(action)
    assert frozen(hand) == before
    for seat in hand.seats:
        hand.legal(seat)
    with pytest.raises(kind) as second:
        hand.apply(action)
    assert frozen(hand) == before
    assert str(first.value) == str(second.value)
    return second.value


def test_out_of_turn() -> None:
    hand = deal(THREE)
    error = refusal(hand, Action(1, "check"))
    assert (error.reason, error.legal) == (RefusalReason.NOT_YOUR_TURN, {})


def test_an_action_that_is_not_allowed_now_names_what_is() -> None:
    hand = deal(THREE)
    error = refusal(hand, Action(0, "fold"))
    assert error.reason is RefusalReason.ACTION_NOT_ALLOWED
    assert error.legal == {"check": True, "open": (2, 99)}


@pytest.mark.parametrize("to", [0, 1, 100])
def test_an_amount_out_of_range(to: int) -> None:
    error = refusal(deal(THREE), Action(0, "open", to))
    assert (error.reason, error.field) == (RefusalReason.AMOUNT_OUT_OF_RANGE, "to")


def test_a_wrong_amount_with_an_action_that_needs_none() -> None:
    hand = play(deal(THREE), "A open 6")
    assert refusal(hand, Action(1, "call", 5)).reason is RefusalReason.AMOUNT_OUT_OF_RANGE
    hand.apply(Action(1, "call", 6))


@pytest.mark.parametrize("cards", ["Kh Kh", "As", "Kh Kd 9s Tc Jh"])
def test_cards_that_cannot_be_thrown(cards: str) -> None:
    hand = play(deal(THREE), "A open 2; B call; C call")
    error = refusal(hand, Action(0, "draw", cards=parse_cards(cards)))
    assert (error.reason, error.field) == (RefusalReason.BAD_CARDS, "cards")


@pytest.mark.parametrize("one", [True, 1.0])
def test_a_card_is_known_by_its_type_too(one: Any) -> None:
    deck = [*range(1, 52), 0]  # the first card dealt is the 1, the two of diamonds
    hand = Hand(Rules.profile("turkish", deck=52, opening_requirement="none"), [9, 9], 1, deck)
    assert hand.cards_of(0)[0] == 1
    play(hand, "A open 2; B call")
    assert raised(hand, Action(0, "draw", cards=(one,)), BadAction).field == "cards"
    hand.apply(Action(0, "draw", cards=(1,)))


def test_drawing_twice() -> None:
    hand = play(deal(THREE), "A open 2; B call; C call; A draw 9s")
    assert refusal(hand, Action(0, "draw", cards=parse_cards("Tc"))).reason is RefusalReason.NOT_YOUR_TURN


def test_a_finished_hand_takes_nothing_and_lists_nothing() -> None:
    hand = play(deal(THREE), "A open 6; B fold; C fold")
    for name in ("check", "leave"):
        assert refusal(hand, Action(0, name)).reason is RefusalReason.HAND_OVER
    assert [hand.legal(seat) for seat in (0, 1, 2)] == [{}, {}, {}]
    assert (hand.asked, hand.to_act) == ((), None)


def test_leaving_twice() -> None:
    hand = deal(THREE)
    hand.leave(1)
    assert refusal(hand, Action(1, "leave")).reason is RefusalReason.ACTION_NOT_ALLOWED


@pytest.mark.parametrize(
    ("action", "field"),
    [
        (Action(0, "wink"), "action"),
        (Action(0, "open"), "to"),
        (Action(0, "open", 2.1), "to"),  # type: ignore[arg-type]
        (Action(0, "open", True), "to"),
        (Action(0, "open", -5), "to"),
        (Action(0, "open", 2**63), "to"),
        (Action(0, "check", 3), "to"),
        (Action(7, "check"), "seat"),
        (Action("A", "check"), "seat"),  # type: ignore[arg-type]
        (Action(0, "check", cards=(3,)), "cards"),
        (Action(0, "draw", cards=(99,)), "cards"),
        (Action(0, "draw", cards=("As",)), "cards"),  # type: ignore[arg-type]
    ],
)
def test_bad_form_names_the_field(action: Action, field: str) -> None:
    assert raised(deal(THREE), action, BadAction).field == field


def five(reshuffle: Any) -> Hand:
    """Five players of whom three have drawn: two cards are left; E is all-in."""
    hands = {**THREE, "D": "8h 8d 7c 7d Jc", "E": "6c 6d 6h 7h Qs"}
    stacks = {"A": 100, "B": 100, "C": 100, "D": 100, "E": 3}
    return play(
        deal(hands, stacks, reshuffle=reshuffle),
        "A open 2; B call; C call; D call; E call; A draw 9s Tc Jh; B draw 9d Th Jd; C draw 8c 9h Ts",
    )


@pytest.mark.parametrize(
    "order",
    [None, lambda cards: cards[1:], lambda cards: (*cards[1:], cards[1]), lambda cards: range(len(cards))],
)
def test_a_missing_or_wrong_reshuffle_changes_nothing(order: Any) -> None:
    raised(five(order), Action(3, "draw", cards=parse_cards("7c 7d Jc")), ReshuffleError)


def test_an_all_in_leaver_stands_pat_and_needs_no_card() -> None:
    hand = five(None)
    play(hand, "D draw Jc")
    events = hand.leave(4)
    assert [event.name for event in events][:2] == ["left_all_in", "cards_drawn"]
    assert events[1].count == 0  # type: ignore[attr-defined]
    assert hand.phase == "round2"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"stacks": [100, 0, 0]}, "stacks"),
        ({"stacks": [100]}, "stacks"),
        ({"stacks": [100, 2.5, 100]}, "stacks"),
        ({"stacks": [100, -1, 100]}, "stacks"),
        ({"stacks": {0: 100, 40: 100}}, "stacks"),
        ({"stacks": [100] * 6}, "players"),
        ({"dealer": 5}, "dealer"),
        ({"deck": deck_cards(24)}, "deck"),
        ({"deck": (*deck_cards(28)[1:], 51)}, "deck"),
        ({"carried": -1}, "carried"),
        ({"dead_before": 1.5}, "dead_before"),
    ],
)
def test_a_deal_that_cannot_be(change: dict[str, Any], field: str) -> None:
    given: dict[str, Any] = {"stacks": [100] * 3, "dealer": 0, "deck": deck_cards(28), **change}
    with pytest.raises(RulesError) as caught:
        Hand(Rules.profile("turkish"), **given)
    assert caught.value.field == field


def test_a_copy_goes_its_own_way() -> None:
    hand = deal(THREE)
    before = frozen(hand)
    twin = hand.copy()
    pat(play(twin, "A open 6; B call; C leave"))
    assert frozen(hand) == before
    assert twin.phase == "round2"


def test_a_copy_holds_everything_and_shares_nothing_that_changes() -> None:
    state = play(deal(THREE), "A open 2; B call; C call")._state
    twin = state.copy()
    for name in type(state).__slots__:
        own, copied = getattr(state, name), getattr(twin, name)
        assert copied == own, name
        assert not isinstance(own, list | dict) or copied is not own or name == "position", name


def test_no_text_of_a_hand_tells_a_card() -> None:
    hand = play(deal(THREE), "A open 2; B call; C call")
    texts = [repr(hand), repr(hand.record("x")), repr(Action(0, "draw", cards=parse_cards("9s")))]
    hand.apply(Action(0, "draw", cards=parse_cards("9s")))
    texts += [repr(event) for event in hand.events]
    texts.append(repr(hand.view(0)))
    for text in texts:
        assert "Kh" not in text
        assert not re.search(r"\bcards=\(\d", text)
        assert not re.search(r"(drawn|discarded|order|deck)=\(", text)


def test_bounds_are_exact_in_random_states() -> None:
    rng = random.Random(11)
    rules = [
        Rules.profile("turkish"),
        Rules.profile("french", limit="pot"),
        Rules.profile("turkish", stake_max=7),
    ]
    for _ in range(150):
        rule = rng.choice(rules)
        players = rng.randint(2, 5)
        deck = list(deck_cards(rule.deck_size(players)))
        rng.shuffle(deck)
        stacks = [rng.randint(1, 60) for _ in range(players)]
        hand = Hand(rule, stacks, 0, deck, reshuffle=lambda cards: cards)
        while hand.to_act is not None:
            seat = hand.to_act
            legal = hand.legal(seat)
            for name, bounds in legal.items():
                if name in ("open", "bet", "raise"):
                    low, high = bounds  # type: ignore[misc]
                    for to in (low, high):
                        hand.copy().apply(Action(seat, name, to))
                    for to in (low - 1, high + 1):
                        refusal(hand, Action(seat, name, to))
                elif name != "draw":
                    hand.copy().apply(Action(seat, name))
            name = rng.choice(list(legal))
            amounts: Any = legal[name]
            hand.apply(Action(seat, name, rng.choice(amounts) if name in ("open", "bet", "raise") else None))
