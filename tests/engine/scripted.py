"""Hands from text: cards by seat letter, actions as a person writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turkpoker.engine import Action, Event, Hand, Rules
from turkpoker.evaluator import deck_cards, parse_cards


def seat_of(letter: str) -> int:
    """0 for ``A``."""
    return ord(letter) - ord("A")


def deal(
    hands: Mapping[str, str],
    stacks: int | Mapping[str, int] = 100,
    *,
    dealer: str | None = None,
    stock: str = "",
    carried: int = 0,
    dead_before: int = 0,
    profile: str = "turkish",
    missed: Mapping[str, int] | None = None,
    reshuffle: Any = None,
    **options: Any,
) -> Hand:
    """A hand in which each seat gets the cards written; the dealer is the last seat unless named.

    The stock begins with ``stock``; the other cards follow, highest first.
    """
    rules = Rules.profile(profile, **options)
    chips = dict.fromkeys(hands, stacks) if isinstance(stacks, int) else stacks
    letters = list(hands)
    dealer = dealer or letters[-1]
    first = (letters.index(dealer) + 1) % len(letters)
    order = letters[first:] + letters[:first]
    cards = [parse_cards(hands[letter]) for letter in order]
    top = [hand[round_] for round_ in range(5) for hand in cards] + list(parse_cards(stock))
    rest = [card for card in reversed(deck_cards(rules.deck_size(len(hands)))) if card not in top]
    return Hand(
        rules,
        {seat_of(letter): chips[letter] for letter in letters},
        seat_of(dealer),
        top + rest,
        carried,
        dead_before,
        reshuffle,
        missed={seat_of(letter): owed for letter, owed in missed.items()} if missed else None,
    )


def action(text: str) -> Action:
    """``"B raise 30"``, ``"C draw 7s 9h"``, ``"A check"``."""
    letter, name, *rest = text.split()
    if name == "draw":
        return Action(seat_of(letter), name, cards=parse_cards(" ".join(rest)))
    return Action(seat_of(letter), name, int(rest[0]) if rest else None)


def play(hand: Hand, script: str) -> Hand:
    """Carry out actions separated by semicolons; the hand itself comes back."""
    for line in script.split(";"):
        if line.strip():
            hand.apply(action(line))
    return hand


def pat(hand: Hand) -> Hand:
    """Everybody stands pat."""
    while hand.phase == "draw":
        assert hand.to_act is not None
        hand.apply(Action(hand.to_act, "draw"))
    return hand


def legal(hand: Hand, letter: str) -> dict[str, Any]:
    """What a seat may do."""
    return hand.legal(seat_of(letter))


def final(hand: Hand) -> dict[str, int]:
    """Stacks by letter at the end."""
    assert hand.result is not None, f"not over: {hand.phase}"
    return {chr(65 + seat): chips for seat, chips in hand.result.final.items()}


def payouts(hand: Hand) -> dict[str, int]:
    """Winnings by letter at the end."""
    assert hand.result is not None, f"not over: {hand.phase}"
    return {chr(65 + seat): chips for seat, chips in hand.result.payouts.items()}


def names(hand: Hand) -> list[str]:
    """The names of all events so far."""
    return [event.name for event in hand.events]


def event(hand: Hand, name: str) -> Event:
    """The one event of that name."""
    found = [one for one in hand.events if one.name == name]
    assert len(found) == 1, f"{len(found)} events {name}"
    return found[0]
