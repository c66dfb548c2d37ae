"""Plays a recorded hand through the reference and says where it differs from what the record expects."""

from __future__ import annotations

from typing import Any

from engine import reference_evaluator as cards
from engine.reference_hand import ReferenceHand
from engine.reference_rules import resolve


def play_record(record: dict[str, Any]) -> tuple[ReferenceHand, list[str]]:
    """The finished hand and every difference, checks inside the steps included."""
    seats = list(record["stacks"])
    number = {letter: place for place, letter in enumerate(seats)}
    piles = [cards.cards(pile) for pile in record.get("reshuffles", [])]
    hand = ReferenceHand(
        resolve(record["profile"], record["options"]),
        {number[letter]: chips for letter, chips in record["stacks"].items()},
        number[record["dealer"]],
        cards.cards(record["deck"]),
        record.get("carried", 0),
        record.get("dead_before", 0),
        lambda _: piles.pop(0),
    )
    wrong: list[str] = []
    for place, step in enumerate(record["steps"]):
        seat = number[step["seat"]]
        if "check" in step:
            wrong += [f"step {place}: {text}" for text in _check(hand, seat, step)]
        elif step["action"] != "blind":
            hand.apply(seat, step["action"], step.get("to"), cards.cards(step.get("cards", [])))
    while hand.phase == "proof":
        seat = hand.all_asked()[0]
        hand.apply(seat, "ask_proof" if record.get("proof_asked") else "pass")
    return hand, wrong + _compare(hand, record["expect"], seats)


def _check(hand: ReferenceHand, seat: int, step: dict[str, Any]) -> list[str]:
    if step["check"] != "legal":
        return [] if hand.asked == [seat] else [f"asked are {hand.asked}, not {seat}"]
    legal = hand.legal(seat)
    wrong = []
    for action, wanted in step["legal"].items():
        found = legal.get(action, False)
        found = list(found) if isinstance(found, tuple) else found
        if found != wanted:
            wrong.append(f"{action} is {found}, not {wanted}")
    return wrong


def _compare(hand: ReferenceHand, expect: dict[str, Any], seats: list[str]) -> list[str]:
    found = {
        "over": hand.over,
        "pots": sorted((amount, sorted(seats[s] for s in eligible)) for amount, eligible in hand.pots),
        "payouts": {seats[s]: chips for s, chips in hand.payouts.items() if chips},
        "final": {seats[s]: chips for s, chips in hand.stack.items()},
        "carried": hand.carried_out,
        "hands": {seats[s]: sorted(held) for s, held in hand.hands.items()},
        "categories": {seats[s]: kind for s, kind in hand.categories().items()},
    }
    wanted = expect | {
        "pots": sorted((amount, sorted(eligible)) for amount, eligible in expect["pots"]),
        "payouts": {letter: chips for letter, chips in expect["payouts"].items() if chips},
        "hands": {letter: sorted(cards.cards(held)) for letter, held in expect["hands"].items()},
    }
    return [f"{name} is {found[name]}, not {wanted[name]}" for name in found if found[name] != wanted[name]]
