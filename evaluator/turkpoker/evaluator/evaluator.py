"""``Evaluator``: a ruleset and its tables, made once for each set of settings."""

from __future__ import annotations

from functools import lru_cache
from typing import final

from turkpoker.evaluator._kernels import HandTables
from turkpoker.evaluator.draws import Cards, DiscardOdds, HandRange, discard_odds
from turkpoker.evaluator.rulesets import Ruleset


@lru_cache(maxsize=128)
def _tables_of(ruleset: Ruleset) -> Evaluator:
    # Bounded: a service evaluates for anybody, and each ruleset costs about 100 KB.
    return HandTables.__new__(Evaluator, ruleset)


@final
class Evaluator(HandTables):
    """Strengths of five-card hands under one ruleset. The same settings give equal ones, made once.

    Args:
        deck_size: 24, 28, 32 ... 52 cards.
        ranking: ``"turkish"``, ``"french"`` (the same order) or ``"standard"``.
        minor_straights: whether the ace below the deck's lowest rank makes a run.
        suit_tiebreak: whether suits separate hands whose ranks are all equal.
        suit_order: the four suits, strongest first.

    Raises:
        ValueError: a setting has no such value.
    """

    __slots__ = ()

    def __new__(
        cls,
        deck_size: int = 36,
        ranking: str = "turkish",
        minor_straights: bool = True,
        suit_tiebreak: bool = False,
        suit_order: str = "hsdc",
    ) -> Evaluator:
        return _tables_of(Ruleset(deck_size, ranking, minor_straights, suit_tiebreak, suit_order))

    def __eq__(self, other: object) -> bool:
        return self.ruleset == other.ruleset if isinstance(other, Evaluator) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.ruleset)

    @property
    def deck_size(self) -> int:
        """The number of cards in the deck."""
        return self.ruleset.deck_size

    @property
    def ranking(self) -> str:
        """``"turkish"``, ``"french"`` or ``"standard"``."""
        return self.ruleset.ranking

    @property
    def minor_straights(self) -> bool:
        """Whether the run below the ace counts."""
        return self.ruleset.minor_straights

    @property
    def suit_tiebreak(self) -> bool:
        """Whether suits separate equal ranks."""
        return self.ruleset.suit_tiebreak

    @property
    def suit_order(self) -> str:
        """The suits, strongest first."""
        return self.ruleset.suit_order

    def odds(
        self, hand: Cards, dead: Cards = (), draw_max: int = 4, opponent: HandRange | None = None
    ) -> list[DiscardOdds]:
        """The exact odds of every discard of at most ``draw_max`` cards against one other hand, best first.

        The opponent holds any five of the unseen cards (the deck without my hand and the dead cards)
        and does not draw; my discards are dead. Counted are pairs of (cards that I draw, hand of the
        opponent), all equally likely.

        Args:
            hand: my five cards: text, bytes of ids, a mask or ids.
            dead: cards seen elsewhere, in the same forms.
            draw_max: 0 to 5; 4 gives 31 discards, 5 gives 32.
            opponent: weights of the hands that the opponent may hold; all alike when missing.

        Raises:
            ValueError: bad cards or settings, too few unseen cards, or an opponent who can hold nothing.
        """
        return discard_odds(self, hand, dead, draw_max, opponent)

    def __reduce__(self) -> tuple[type[Evaluator], tuple[int, str, bool, bool, str]]:
        return Evaluator, (
            self.deck_size,
            self.ranking,
            self.minor_straights,
            self.suit_tiebreak,
            self.suit_order,
        )

    def __repr__(self) -> str:
        return (
            f"Evaluator(deck_size={self.deck_size}, ranking={self.ranking!r}, "
            f"minor_straights={self.minor_straights}, suit_tiebreak={self.suit_tiebreak}, "
            f"suit_order={self.suit_order!r})"
        )
