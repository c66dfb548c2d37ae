"""Who sees what. Every answer, stream and log that shows a hand to somebody goes through here.

Seen by all: bets, stacks, pots, how many cards each threw, split openers, that a reshuffle happened, hands
shown and proof cards. Seen by their owner: his cards, what he threw and what he got, and what he may do.
Seen by nobody at the table: folded hands, discards, the stock, the order of a reshuffle, the hand of an
uncontested winner beyond the proof, and one's own cards before one has decided unseen.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from turkpoker.engine.events import CardsDealt, Event
from turkpoker.engine.hand import Hand
from turkpoker.engine.phases import Phase
from turkpoker.engine.state import NOBODY, State


@dataclass(frozen=True, slots=True)
class SeatView:
    """A player of the deal as the viewer may see him; amounts in chips.

    ``cards`` holds ids, ``None`` for each card face down; empty before the deal. ``drawn`` is how many cards
    he threw, ``None`` before his draw. ``entered`` is his answer to opt-in entry, ``None`` without one.
    """

    seat: int
    stack: int
    bet: int
    total: int
    folded: bool
    all_in: bool
    left: bool
    entered: bool | None
    drawn: int | None
    cards: tuple[int | None, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand as one viewer may see it.

    Attributes:
        viewer: his seat; ``None`` for a spectator.
        phase: where the hand stands.
        dealer: the dealer's seat.
        deck_size: cards in the deck; 0 before the deal.
        seats: the players, clockwise from the dealer's left.
        pot: every chip in the middle, in chips.
        carried: the part of it from dead hands.
        level: the highest total anybody has bet in this round.
        to_act: the seat whose turn it is.
        asked: every seat that may answer something now.
        proof_asking: the seats that may ask the opener for his openers.
        opener: who made the first bet before the draw.
        blinders: who posted a blind, in order.
        openers_split: whether the opener has declared that he split.
        proof_cards: the openers shown.
        false_opener: whether the opener was found to have none.
        stock: cards left in the stock.
        legal: what the viewer may do.
        question: the number of the question put to him; 0 if there is none.
        proof_question: the number of the open proof question put to him; 0 if there is none.
    """

    viewer: int | None
    phase: Phase
    dealer: int
    deck_size: int
    seats: tuple[SeatView, ...]
    pot: int
    carried: int
    level: int
    to_act: int | None
    asked: tuple[int, ...]
    proof_asking: tuple[int, ...]
    opener: int | None
    blinders: tuple[int, ...]
    openers_split: bool
    proof_cards: tuple[int, ...]
    false_opener: bool
    stock: int
    legal: dict[str, bool | int | tuple[int, int]]
    question: int
    proof_question: int


def project_event(event: Event, viewer: int | None) -> Event | None:
    """An event as a seat (``None``: a spectator) may see it; ``None`` when it is not for him at all."""
    if event.house_only:
        event = dataclasses.replace(event, **dict.fromkeys(event.house_only))  # type: ignore[type-var]
    if event.hidden:
        own = viewer is not None and getattr(event, "seat", None) == viewer
        if isinstance(event, CardsDealt) and event.unseen:
            own = False
        if not own:
            return dataclasses.replace(event, **dict.fromkeys(event.hidden))  # type: ignore[type-var]
    return event


def view_of(hand: Hand, viewer: int | None) -> HandView:
    """A hand as a seat (``None``: a spectator) may see it."""
    s = hand._state
    dealt = bool(s.dealt)
    return HandView(
        viewer=viewer,
        phase=s.phase,
        dealer=s.dealer,
        deck_size=s.plan.deck_size if dealt else 0,
        seats=tuple(_seat_view(s, p, viewer) for p in range(len(s.seats))),
        pot=s.pot,
        carried=s.carried,
        level=s.level,
        to_act=hand.to_act,
        asked=hand.asked,
        proof_asking=hand.proof_asked_of,
        opener=s.seats[s.opener] if s.opener != NOBODY else None,
        blinders=tuple(s.seats[p] for p in s.blinders),
        openers_split=s.split and s.plan.declares_split if dealt else False,
        proof_cards=s.proof_cards,
        false_opener=s.false_opener,
        stock=len(s.stock) - s.stock_at,
        legal=hand.legal(viewer) if viewer is not None else {},
        question=hand.question(viewer) if viewer is not None else 0,
        proof_question=hand.question(viewer, "pass") if viewer is not None else 0,
    )


def _seat_view(s: State, p: int, viewer: int | None) -> SeatView:
    cards: tuple[int | None, ...] = s.hands[p]
    if not (p in s.shown or (s.seats[p] == viewer and p not in s.unseen)):
        cards = (None,) * len(cards)
    return SeatView(
        seat=s.seats[p],
        stack=s.stacks[p],
        bet=s.bets[p],
        total=s.totals[p],
        folded=s.folded[p],
        all_in=bool(s.dealt) and not s.folded[p] and not s.stacks[p],
        left=s.left[p],
        entered=s.answered.get(p) if s.phase is Phase.ENTRY else None,
        drawn=s.drawn[p],
        cards=cards,
    )
