"""``Evaluator``: a ruleset and its tables, made once for each set of settings."""

from __future__ import annotations

from typing import final

from turkpoker.evaluator._kernels import HandTables
from turkpoker.evaluator.rulesets import Ruleset

_made: dict[Ruleset, Evaluator] = {}


@final
class Evaluator(HandTables):
    """Strengths of five-card hands under one ruleset. The same settings give the same object.

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
        ruleset = Ruleset(deck_size, ranking, minor_straights, suit_tiebreak, suit_order)
        found = _made.get(ruleset)
        if found is None:
            # Two threads may both build; setdefault lets one of them win for good.
            found = _made.setdefault(ruleset, super().__new__(cls, ruleset))
        return found

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
