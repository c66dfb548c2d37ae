"""Between hands: the first dealer, the next one, places, a carried pot that nobody plays for. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turkpoker.engine.results import HandResult
from turkpoker.engine.rules import Rules


@dataclass(frozen=True, slots=True)
class DealerDraw:
    """How the first dealer was found: every ``(seat, card id)`` in the order drawn."""

    draws: tuple[tuple[int, int], ...]
    dealer: int


def first_dealer(rules: Rules, seats: Sequence[int], deck: Sequence[int]) -> DealerDraw:
    """Each seat draws a card from a shuffled deck, the highest deals.

    Aces are high; those who tie draw again among themselves, unless suits break ties at this table.

    Args:
        seats: clockwise.
        deck: card ids, top first, at least one for each seat.

    Raises:
        ValueError: nobody sits there, or the deck runs out.
    """
    if not seats:
        raise ValueError("nobody sits there")
    suit_strength = {letter: 3 - place for place, letter in enumerate(rules.suit_order)}
    cards = iter(deck)
    draws: list[tuple[int, int]] = []
    drawing = list(seats)
    while True:
        drawn = [(seat, next(cards, None)) for seat in drawing]
        heights: dict[int, tuple[int, int]] = {}
        for seat, card in drawn:
            if card is None:
                raise ValueError("the deck is too small to find a dealer")
            draws.append((seat, card))
            suit = suit_strength["cdsh"[card & 3]] if rules.tie_break == "suits" else 0
            heights[seat] = (card >> 2, suit)
        best = max(heights.values())
        drawing = [seat for seat in drawing if heights[seat] == best]
        if len(drawing) == 1:
            return DealerDraw(tuple(draws), drawing[0])


def next_dealer(dealer: int, seats: Sequence[int]) -> int:
    """The next seat clockwise that is dealt in; the deal passes after every hand, dead or not.

    Args:
        dealer: the last dealer's seat, whether or not anybody still sits there.
        seats: the seats dealt in, in any order.

    Raises:
        ValueError: nobody is dealt in.
    """
    if not seats:
        raise ValueError("nobody is dealt in")
    return min(seats, key=lambda seat: (seat <= dealer, seat))


def carried_out_of_blind(result: HandResult, before: bool) -> bool:
    """Whether the pot that lies there after a hand was carried out of a blind deal.

    It stays such a pot until it is won, whatever is dealt meanwhile.

    Args:
        result: how the hand ended.
        before: what this was before the hand.
    """
    return result.carried > 0 and (before or result.carried_blind)


def rules_of_next_deal(rules: Rules, carried_blind: bool) -> Rules:
    """The rules of the next deal: a pot carried out of a blind deal is played for with antes like the blind,
    in as many deals as it takes until somebody wins it.

    Args:
        rules: the table's.
        carried_blind: whether such a pot lies there (``carried_out_of_blind``).
    """
    if carried_blind and rules.deal_mode == "blind":
        return rules.changed(deal_mode="ante", ante=rules.blind)
    return rules


def share_carried(chips: int, seats: Sequence[int], dealer: int) -> dict[int, int]:
    """A carried pot shared equally when a match ends; odd chips one each from the dealer's left.

    Args:
        chips: the carried pot.
        seats: who shares, in any order; the last player gets all.
        dealer: the last dealer's seat.

    Raises:
        ValueError: nobody shares.
    """
    if not seats:
        raise ValueError("nobody is left to share the carried pot")
    order = sorted(seats, key=lambda seat: (seat <= dealer, seat))
    each, odd = divmod(chips, len(order))
    return {seat: each + (1 if place < odd else 0) for place, seat in enumerate(order)}


def eliminated(before: Mapping[int, int], after: Mapping[int, int], still_in: int) -> dict[int, int]:
    """Places of the players whom one hand has put out of a tournament.

    Several in one hand are placed by their stacks at its start, equal ones share the better place.

    Args:
        before: chips at the start of the hand by seat.
        after: chips after it.
        still_in: how many players were in the tournament before the hand.

    Returns:
        place by seat, 1 for the winner; only those who are out.
    """
    out = [seat for seat, chips in after.items() if chips == 0 and before.get(seat, 0) > 0]
    left = still_in - len(out)
    return {seat: left + 1 + sum(1 for other in out if before[other] > before[seat]) for seat in out}
