"""Records of finished hands on the wire, each viewer's own side of them.

The hand is played again from its record, and what a viewer may see of it comes from the engine's projection
of its events and of its last state; what is not there is ``??``. Of the deck a viewer gets his own first
five cards only. The places of cards shown or drawn later would tell more than anybody saw: which of his
cards an opponent drew, or, after a reshuffle, who had thrown one.
"""

from __future__ import annotations

import json
from typing import Any

from turkpoker.engine import Action
from turkpoker.engine.events import CardsDealt, CardsDrawn, CardsSeen, Event
from turkpoker.engine.record import HandRecord, seat_letter
from turkpoker.engine.views import project_event
from turkpoker.evaluator import format_card
from turkpoker.server.wire.names import hand_name
from turkpoker.table.ports import FinishedHand
from turkpoker.v1 import hand_history_service_pb2 as pb

HIDDEN = "??"


def record_to_wire(finished: FinishedHand, player: str) -> pb.HandRecord:
    """A record as a player may see it; who was not dealt in sees what a spectator does."""
    seat = next((number for number, name in finished.players.items() if name == player), None)
    seen = seen_record(HandRecord.from_dict(finished.record), seat)
    seen["players"] = {seat_letter(number): name for number, name in finished.players.items()}
    text = json.dumps(seen, separators=(",", ":"), ensure_ascii=False)
    message = pb.HandRecord(
        name=hand_name(finished.table_id, finished.hand_number),
        json=text,
        partial=f'"{HIDDEN}' in text or f" {HIDDEN}" in text,
    )
    if finished.end_time is not None:
        message.end_time.FromDatetime(finished.end_time)
    return message


def seen_record(record: HandRecord, seat: int | None) -> dict[str, Any]:
    """A record in the format of recorded hands as one seat may see it (None: a spectator)."""
    hand = record.restore()
    events = [seen for event in hand.events if (seen := project_event(event, seat)) is not None]
    own: set[int] = set()
    for event in events:
        if isinstance(event, CardsDealt | CardsSeen):
            own.update(event.cards or ())
    thrown = _thrown(events)
    data = record.to_dict()
    data["deck"] = _cards(card if card in own else None for card in record.deck)
    data["reshuffles"] = [_cards([None] * len(order)) for order in record.reshuffles]
    for step, written in zip(record.steps, data["steps"], strict=True):
        if isinstance(step, Action) and step.cards:
            waiting = thrown.get(step.seat, [])
            cards = waiting.pop(0) if waiting else (None,) * len(step.cards)
            written["cards"] = _cards(cards).split()
    result = hand.result
    if result is not None:
        view = hand.view(seat)
        data["expect"] = {
            "over": str(result.over),
            "pots": [[amount, [seat_letter(each) for each in eligible]] for amount, eligible in result.pots],
            "payouts": {seat_letter(each): chips for each, chips in result.payouts.items()},
            "final": {seat_letter(each): chips for each, chips in result.final.items()},
            "carried": result.carried,
            "hands": {seat_letter(each.seat): _cards(each.cards) for each in view.seats},
            "categories": {
                seat_letter(each.seat): str(result.categories[each.seat])
                for each in view.seats
                if each.cards and None not in each.cards and each.seat in result.categories
            },
        }
    return data


def _thrown(events: list[Event]) -> dict[int, list[tuple[int | None, ...]]]:
    """The discards of each seat in order, None for each card that the viewer may not see."""
    thrown: dict[int, list[tuple[int | None, ...]]] = {}
    for event in events:
        if isinstance(event, CardsDrawn) and event.count:
            cards = (None,) * event.count if event.discarded is None else event.discarded
            thrown.setdefault(event.seat, []).append(cards)
    return thrown


def _cards(cards: Any) -> str:
    return " ".join(HIDDEN if card is None else format_card(card) for card in cards)
