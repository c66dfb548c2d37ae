"""Dealers for rehearsals: decks that are known before they are dealt.

Only `turkpoker demo --seed` and `turkpoker rehearse` hand one of these to the loopback server that they
start; no setting of a server can. Tables dealt by one are marked as rehearsals for every client, since
whoever knows the seed or the script knows every card.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from turkpoker.table.ports import ShuffleContext

logger = logging.getLogger(__name__)

_WORD_BYTES = 8
_WORD_RANGE = 1 << (8 * _WORD_BYTES)


@dataclass(frozen=True)
class SeededDealer:
    """Decks that follow from a seed, the number of the deal, and the number and purpose of the shuffle.

    The table's id is left out on purpose: two runs with one seed deal the same although their tables have
    other names. The orders stay the same in every version of Python, since no generator of the library is
    used.
    """

    seed: int | str = field(repr=False)

    def shuffle(self, cards: tuple[int, ...], context: ShuffleContext) -> tuple[int, ...]:
        """The cards in the order that the seed gives for this shuffle, top first."""
        key = f"{self.seed}/{context.hand_number}/{context.purpose}/{context.shuffle_number}".encode()
        words = _Words(key)
        order = sorted(cards)  # whatever order they lay in before
        for last in range(len(order) - 1, 0, -1):
            other = words.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)


@dataclass(frozen=True)
class ScriptedHand:
    """A deal of a script: the whole deck, top card first, and the order of each reshuffle."""

    deck: tuple[int, ...] = field(repr=False)
    reshuffles: tuple[tuple[int, ...], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class ScriptedDealer:
    """Decks of a script by the number of the deal, from 1; `otherwise` deals what the script does not tell.

    A deck or reshuffle of the script that has not the cards at hand (another number of players, other
    discards) is not used either, and the log says so.
    """

    hands: Mapping[int, ScriptedHand]
    otherwise: SeededDealer

    @classmethod
    def of(cls, hands: Sequence[ScriptedHand], otherwise: SeededDealer) -> ScriptedDealer:
        """A dealer of hands in the order of the script."""
        return cls(dict(enumerate(hands, start=1)), otherwise)

    def shuffle(self, cards: tuple[int, ...], context: ShuffleContext) -> tuple[int, ...]:
        """The cards in the order of the script, top first."""
        hand = self.hands.get(context.hand_number)
        written: tuple[int, ...] | None = None
        if hand is not None and context.purpose == "deal":
            written = hand.deck
        elif hand is not None and context.purpose == "reshuffle":
            number = context.shuffle_number - 2  # the deal itself was the first shuffle
            written = hand.reshuffles[number] if 0 <= number < len(hand.reshuffles) else None
        if written is not None and sorted(written) == sorted(cards):
            return written
        if written is not None:
            logger.warning(
                "hand %d: the %s of the script does not fit and is left out",
                context.hand_number,
                context.purpose,
            )
        return self.otherwise.shuffle(cards, context)


class _Words:
    """Evenly distributed whole numbers from a key (BLAKE2b in counter mode)."""

    def __init__(self, key: bytes) -> None:
        self._key = hashlib.blake2b(key, digest_size=32).digest()
        self._block = 0
        self._words: list[int] = []

    def below(self, limit: int) -> int:
        """A number 0 <= number < limit, each with the same chance."""
        ceiling = _WORD_RANGE - _WORD_RANGE % limit
        while (word := self._next()) >= ceiling:
            pass
        return word % limit

    def _next(self) -> int:
        if not self._words:
            digest = hashlib.blake2b(self._block.to_bytes(8, "big"), key=self._key).digest()
            self._block += 1
            self._words = [
                int.from_bytes(digest[at : at + _WORD_BYTES], "big")
                for at in range(0, len(digest), _WORD_BYTES)
            ]
        return self._words.pop()
