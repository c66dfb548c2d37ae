"""Short ways to set up and play a hand of the real engine in a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turkpoker.engine import Action, Hand, Rules
from turkpoker.evaluator import deck_cards, format_cards, parse_cards

LETTERS = "ABCDEF"


def stacked_deck(size: int, dealer: int, hands: Sequence[str], stock: str = "") -> tuple[int, ...]:
    """The deck, top first, that deals these hands (seat 0 first) and then this stock.

    Cards are dealt one at a time from the dealer's left; what is named nowhere lies below, highest first.
    """
    dealt = [parse_cards(hand) for hand in hands]
    count = len(hands)
    order = [dealt[(dealer + 1 + place) % count] for place in range(count)]
    top = [hand[round_] for round_ in range(5) for hand in order] + list(parse_cards(stock))
    rest = [card for card in sorted(deck_cards(size), reverse=True) if card not in top]
    deck = tuple(top + rest)
    assert sorted(deck) == sorted(deck_cards(size)), "the hands do not fit this deck"
    return deck


def start(
    stacks: Sequence[int],
    hands: Sequence[str],
    *,
    profile: str = "turkish",
    stock: str = "",
    dealer: int | None = None,
    carried: int = 0,
    dead_before: int = 0,
    **options: Any,
) -> Hand:
    """A dealt hand; the dealer is the last seat unless named."""
    rules = Rules.profile(profile, **options)
    button = len(stacks) - 1 if dealer is None else dealer
    deck = stacked_deck(rules.deck_size(len(stacks)), button, hands, stock)
    return Hand(rules, list(stacks), button, deck, carried, dead_before)


def play(hand: Hand, *lines: str) -> None:
    """Plays lines such as ``A open 90``, ``B call``, ``C draw Ks 9c``."""
    for line in lines:
        hand.apply(action_of(line))


def action_of(line: str) -> Action:
    letter, name, *rest = line.split()
    seat = LETTERS.index(letter)
    if name == "draw":
        return Action(seat, name, cards=parse_cards(" ".join(rest)) if rest else ())
    return Action(seat, name, to=int(rest[0]) if rest else None)


def legal(hand: Hand, letter: str) -> Mapping[str, Any]:
    return hand.legal(LETTERS.index(letter))


def asked(hand: Hand) -> str | None:
    """The letter of the one seat that is asked."""
    return None if hand.to_act is None else LETTERS[hand.to_act]


def named(chips: Mapping[int, int]) -> dict[str, int]:
    """Chips by letter, seats without any left out."""
    return {LETTERS[seat]: amount for seat, amount in chips.items() if amount}


def final(hand: Hand) -> list[int]:
    """The stacks at the end, in seat order."""
    assert hand.result is not None
    return [hand.result.final[seat] for seat in sorted(hand.result.final)]


def pots(hand: Hand) -> list[tuple[int, str]]:
    """Amount and eligible letters of each pot, smallest set of players last."""
    assert hand.result is not None
    listed = [
        (amount, "".join(sorted(LETTERS[seat] for seat in eligible))) for amount, eligible in hand.result.pots
    ]
    return sorted(listed, key=lambda pot: (-len(pot[1]), pot[1]))


def categories(hand: Hand) -> list[str]:
    assert hand.result is not None
    return [str(hand.result.categories[seat]) for seat in sorted(hand.result.categories)]


def held(hand: Hand, letter: str) -> list[str]:
    """The final cards of a seat, sorted, for sets."""
    assert hand.result is not None
    return sorted(format_cards(hand.result.hands[LETTERS.index(letter)]).split())


def fingerprint(hand: Hand) -> tuple[Any, ...]:
    """All that a refusal must leave as it was."""
    seats = [seat for seat in range(6) if hand.legal(seat)]
    return (
        [event.to_dict() for event in hand.events],
        hand.phase,
        hand.asked,
        [(seat, dict(hand.legal(seat)), hand.question(seat)) for seat in seats],
        hand.record().to_dict(),
        hand.result,
    )
