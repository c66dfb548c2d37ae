"""Records as one viewer may see them.

The hand is played again from its record, and what a viewer may see of it comes from the projection of its
events and of its last state; what is not there is ``??``. Of the deck a viewer gets his own first five cards
only. The places of cards shown or drawn later would tell more than anybody saw: which of his cards an
opponent drew, or, after a reshuffle, who had thrown one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, TypeAlias

from turkpoker.engine.actions import Action
from turkpoker.engine.events import CardsDealt, CardsDrawn, CardsSeen, Event
from turkpoker.engine.hand import Hand
from turkpoker.engine.record import HandRecord, seat_letter
from turkpoker.engine.views import project_event
from turkpoker.evaluator import format_card

HIDDEN = "??"
Cards: TypeAlias = Sequence["int | None"]


class House(Enum):
    """The one viewer who sees every card, once a hand is over."""

    HOUSE = "house"


HOUSE = House.HOUSE
#: A seat, None for a spectator, or the house.
Viewer: TypeAlias = "int | House | None"


class Seen:
    """What a viewer may see of a recorded hand that is over.

    Args:
        record: the hand.
        viewer: who looks.

    Attributes:
        hand: the hand at its end, unprojected.
        deck: the deck, None for each hidden card.
        reshuffles: the orders of the reshuffles, likewise.
        discards: what each step with cards threw, likewise, in the order of steps.

    Raises:
        RulesError, Refused, BadAction, ReshuffleError: the record is not one of a playable hand.
    """

    def __init__(self, record: HandRecord, viewer: Viewer) -> None:
        self.record = record
        self.viewer = viewer
        self.hand: Hand = record.restore()
        events = [seen for event in self.hand.events if (seen := self.project(event)) is not None]
        self._own: set[int] = set()
        for event in events:
            if isinstance(event, CardsDealt | CardsSeen):
                self._own.update(event.cards or ())
        whole = viewer is HOUSE
        self.deck: Cards = record.deck if whole else self._masked(record.deck)
        self.reshuffles: list[Cards] = [
            order if whole else [None] * len(order) for order in record.reshuffles
        ]
        thrown: dict[int, list[Cards]] = {}
        for event in events:
            if isinstance(event, CardsDrawn) and event.count:
                cards: Cards = [None] * event.count if event.discarded is None else event.discarded
                thrown.setdefault(event.seat, []).append(cards)
        self.discards: list[Cards] = []
        for step in record.steps:
            if isinstance(step, Action) and step.cards:
                waiting = thrown.get(step.seat)
                self.discards.append(waiting.pop(0) if waiting else [None] * len(step.cards))

    def project(self, event: Event) -> Event | None:
        """An event as the viewer may see it, None when it is not for him."""
        return event if isinstance(self.viewer, House) else project_event(event, self.viewer)

    def dealt(self, event: CardsDealt) -> Cards:
        """The first five cards of a seat, those too that it was shown only later."""
        assert event.cards is not None
        return event.cards if self.viewer is HOUSE else self._masked(event.cards)

    def _masked(self, cards: Iterable[int]) -> Cards:
        return [card if card in self._own else None for card in cards]


def seen_record(record: HandRecord, viewer: Viewer) -> dict[str, Any]:
    """A record in the format of recorded hands as a viewer may see it, with what came of the hand.

    ``partial`` stands in it where something is hidden.

    Raises:
        RulesError, Refused, BadAction, ReshuffleError: the record is not one of a playable hand.
    """
    seen = Seen(record, viewer)
    data = record.to_dict()
    if is_partial(seen):
        data["partial"] = True
    data["deck"] = card_text(seen.deck)
    data["reshuffles"] = [card_text(order) for order in seen.reshuffles]
    discards = iter(seen.discards)
    for step, written in zip(record.steps, data["steps"], strict=True):
        if isinstance(step, Action) and step.cards:
            written["cards"] = card_text(next(discards)).split()
    result = seen.hand.result
    if result is not None:
        hands: dict[int, Cards] = dict(result.hands)
        if not isinstance(viewer, House):
            hands = {each.seat: each.cards for each in seen.hand.view(viewer).seats}
        data["expect"] = {
            "over": str(result.over),
            "pots": [[amount, [seat_letter(each) for each in eligible]] for amount, eligible in result.pots],
            "payouts": {seat_letter(each): chips for each, chips in result.payouts.items()},
            "final": {seat_letter(each): chips for each, chips in result.final.items()},
            "carried": result.carried,
            "hands": {seat_letter(seat): card_text(cards) for seat, cards in hands.items()},
            "categories": {
                seat_letter(seat): str(result.categories[seat])
                for seat, cards in hands.items()
                if cards and None not in cards and seat in result.categories
            },
        }
    return data


def is_partial(seen: Seen) -> bool:
    """Whether something is hidden, so that the hand cannot be played again to the last card."""
    everything = (seen.deck, *seen.reshuffles, *seen.discards)
    return any(None in cards for cards in everything)


def card_text(cards: Cards) -> str:
    """Cards as text, ``??`` for each hidden one."""
    return " ".join(HIDDEN if card is None else format_card(card) for card in cards)
