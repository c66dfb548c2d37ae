"""The honest dealer: every order of the cards with the same chance, from the randomness of the system."""

from __future__ import annotations

import secrets

from turkpoker.table.ports import ShuffleContext


class SystemDealer:
    """Fisher and Yates with numbers from the operating system; keeps nothing, takes no seed."""

    def shuffle(self, cards: tuple[int, ...], context: ShuffleContext) -> tuple[int, ...]:
        """The same cards in a new order, top first."""
        order = list(cards)
        for last in range(len(order) - 1, 0, -1):
            # randbelow rejects and draws again: taking a remainder would favour low places.
            chosen = secrets.randbelow(last + 1)
            order[last], order[chosen] = order[chosen], order[last]
        return tuple(order)
