"""What a draw is worth: exactly against one unseen hand, by samples against players who draw.

Exact: my discards are dead. The unseen cards are the deck without my hand and without ``dead``.
For a discard of k cards everything is counted over pairs of (k unseen cards that I draw, five other
unseen cards that the opponent holds), each pair equally likely: ``win + tie + loss`` is the number of
those pairs, times the weight of the opponent's hand where a range is given.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm, sqrt
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias

from turkpoker.evaluator._draws import DeckHands, sample_showdowns
from turkpoker.evaluator._kernels import HandTables, card_ids
from turkpoker.evaluator.cards import format_card
from turkpoker.evaluator.rulesets import Category

if TYPE_CHECKING:
    from turkpoker.evaluator.evaluator import Evaluator

Cards: TypeAlias = str | bytes | int | Iterable[SupportsIndex]
#: Given five card ids, answers those to throw.
Policy: TypeAlias = Callable[[tuple[int, ...]], Iterable[int]]

_CATEGORIES = tuple(Category)
_WEIGHT_LIMIT = 2**32


@dataclass(frozen=True, slots=True)
class DiscardOdds:
    """One discard and what becomes of it, exactly."""

    discard: tuple[int, ...]
    """The cards thrown, in the order of the hand."""
    keep: tuple[int, ...]
    draws: int
    """The different sets of cards that may come: C(unseen, thrown)."""
    win: int
    tie: int
    loss: int
    """Pairs of a draw and an opponent's hand (weighted by the range, if one is given)."""
    categories: dict[Category, int]
    """My final hands by category, in draws; strongest category first, those that cannot come left out."""
    strength_sum: int
    """The strengths of my final hands, added over the draws."""

    @property
    def mean_strength(self) -> Fraction:
        """The mean strength of my final hands."""
        return Fraction(self.strength_sum, self.draws)

    @property
    def total(self) -> int:
        """All pairs: ``win + tie + loss``."""
        return self.win + self.tie + self.loss

    @property
    def equity(self) -> Fraction:
        """The mean share of the pot against the one hand: (win + tie / 2) / total."""
        return Fraction(2 * self.win + self.tie, 2 * self.total)


@dataclass(frozen=True, slots=True)
class SampledOdds:
    """One discard and what became of it in a number of random deals. Not exact: see ``standard_error``."""

    discard: tuple[int, ...]
    keep: tuple[int, ...]
    samples: int
    win: int
    """Deals in which my hand was better than all others."""
    tie: int
    """Deals in which it was among several best."""
    loss: int
    equity: float
    """The mean share of the pot, a pot shared by n counting 1/n."""
    standard_error: float
    """Of ``equity``: two deals in three lie within it, nineteen in twenty within twice of it."""

    exact: bool = False


class HandRange:
    """What an opponent may hold: whole-number weights of hands. Make one with the class methods."""

    __slots__ = ("_of_hands", "_of_strength", "_tables")

    def __init__(
        self, tables: HandTables, of_strength: array[int] | None, of_hands: dict[int, int] | None
    ) -> None:
        self._tables = tables
        self._of_strength = of_strength
        self._of_hands = of_hands

    @classmethod
    def by_strength(cls, evaluator: Evaluator, weight: Callable[[int], int]) -> HandRange:
        """Every hand weighs what ``weight`` answers for its strength under this evaluator.

        Raises:
            ValueError: a weight is no whole number from 0 up, or the weights are too large to add up exactly.
        """
        most = (_WEIGHT_LIMIT - 1) // comb(evaluator.deck_size, 5)
        weights = [0, *(_weight(weight(strength), most) for strength in range(1, evaluator.levels + 1))]
        return cls(evaluator, array("I", weights), None)

    @classmethod
    def of_categories(cls, evaluator: Evaluator, weights: Mapping[Category | str, int]) -> HandRange:
        """Every hand weighs what its category does; categories that are not named weigh nothing."""
        by_name = {Category(category): weight for category, weight in weights.items()}
        return cls.by_strength(evaluator, lambda strength: by_name.get(evaluator.category(strength), 0))

    @classmethod
    def openers(cls, evaluator: Evaluator, requirement: str) -> HandRange:
        """The hands that meet an opening requirement (``none``, ``J``, ``Q``, ``K``, ``A``), all alike."""
        lowest = evaluator.opening_strength(requirement)
        return cls.by_strength(evaluator, lambda strength: int(strength >= lowest))

    @classmethod
    def of_hands(
        cls, evaluator: Evaluator, weights: Mapping[str | bytes | int | tuple[int, ...], int]
    ) -> HandRange:
        """Single hands with their weights; odds leave out those that hold a card seen elsewhere.

        Raises:
            ValueError: a hand is not five different cards of the deck, or stands there twice; a bad weight.
        """
        of_hands: dict[int, int] = {}
        for cards, weight in weights.items():
            evaluator.strength(cards)
            mask = sum(1 << card for card in card_ids(cards))
            if mask in of_hands:
                raise ValueError("a hand stands twice in the range")
            of_hands[mask] = _weight(weight, _WEIGHT_LIMIT - 1)
        if sum(of_hands.values()) >= _WEIGHT_LIMIT:
            raise ValueError(f"the weights of a range must add up to less than {_WEIGHT_LIMIT}")
        return cls(evaluator, None, of_hands)

    def _arrays(self, evaluator: Evaluator) -> tuple[array[int] | None, array[int] | None, array[int] | None]:
        if self._tables != evaluator:
            raise ValueError("the range was made for another evaluator")
        if self._of_hands is None:
            return self._of_strength, None, None
        masks = sorted(self._of_hands)
        return None, array("Q", masks), array("I", [self._of_hands[mask] for mask in masks])


def discard_odds(
    evaluator: Evaluator,
    hand: Cards,
    dead: Cards = (),
    draw_max: int = 4,
    opponent: HandRange | None = None,
) -> list[DiscardOdds]:
    """The exact odds of every permitted discard, best first; see ``Evaluator.odds``."""
    mine, dead_mask, unseen = _situation(evaluator, hand, dead, draw_max)
    if len(unseen) < 5 + draw_max:
        raise ValueError(
            f"{len(unseen)} unseen cards are too few for {draw_max} drawn cards and another hand"
        )
    arrays = opponent._arrays(evaluator) if opponent is not None else (None, None, None)
    rows, weight = _deck_hands(evaluator).sweep(bytes(mine), dead_mask, draw_max, *arrays)
    if weight == 0:
        raise ValueError("the opponent can have none of the hands of this range")
    order = [(category, _CATEGORIES.index(category)) for category in evaluator.ruleset.categories]
    results = [
        DiscardOdds(
            discard=tuple([card for place, card in enumerate(mine) if not kept >> place & 1]),
            keep=tuple([card for place, card in enumerate(mine) if kept >> place & 1]),
            draws=draws,
            win=win,
            tie=tie,
            loss=loss,
            categories={category: categories[number] for category, number in order if categories[number]},
            strength_sum=strength_sum,
        )
        for kept, draws, win, tie, loss, strength_sum, categories in rows
    ]
    # Fractions with one denominator compare as whole numbers, exactly and much faster.
    shares, means = lcm(*{odds.total for odds in results}), lcm(*{odds.draws for odds in results})
    return sorted(
        results,
        key=lambda odds: (
            -(2 * odds.win + odds.tie) * (shares // odds.total),
            -odds.strength_sum * (means // odds.draws),
            len(odds.discard),
            odds.discard,
        ),
    )


def sampled_odds(
    evaluator: Evaluator,
    hand: Cards,
    *,
    seed: int,
    opponents: int = 1,
    policy: str | Policy = "usual",
    opponent: HandRange | None = None,
    dead: Cards = (),
    draw_max: int = 4,
    samples: int = 20_000,
) -> list[SampledOdds]:
    """The odds of every permitted discard against players who draw too, from random deals. Not exact.

    Best first. I draw first, then the opponents in turn; when the stock is out, what others threw is
    shuffled into a new one. The same seed gives the same numbers everywhere, and every discard meets the
    same dealt hands of the opponents.

    Args:
        evaluator: whose strengths decide.
        hand: my five cards.
        seed: 0 to 2**64 - 1.
        opponents: 1 to 8.
        policy: how opponents draw. ``"stand_pat"``: never. ``"usual"``: they keep a straight or better,
            all cards that match, four to a flush, else the highest card. Or a function from five card
            ids to those thrown.
        opponent: the range of each opponent's dealt hand, by strength.
        dead: cards seen elsewhere.
        draw_max: the most cards that anyone may draw, 0 to 5.
        samples: deals for each discard.

    Raises:
        ValueError: bad cards or settings, or too few unseen cards; a policy that throws what it does not
            hold; a range so rare that a thousand deals for each sample do not meet it.
    """
    mine, _, unseen = _situation(evaluator, hand, dead, draw_max)
    seed = _whole("seed", seed, 0, 2**64 - 1)
    opponents = _whole("opponents", opponents, 1, 8)
    samples = _whole("samples", samples, 2, 10**8)
    if len(unseen) < 5 * opponents + draw_max:
        raise ValueError(f"{len(unseen)} unseen cards are too few for {opponents} opponents")
    name, function = (policy, None) if isinstance(policy, str) else ("", policy)
    if function is None and name not in ("stand_pat", "usual"):
        raise ValueError(f"policy must be 'stand_pat', 'usual' or a function, not {policy!r}")
    weights = opponent._arrays(evaluator) if opponent is not None else (None, None, None)
    if weights[1] is not None:
        raise ValueError("sampled odds take a range by strength, not single hands")
    results = []
    for thrown in range(32):
        if thrown.bit_count() > draw_max:
            continue
        losses, shared, refused = sample_showdowns(
            evaluator,
            bytes(mine),
            thrown,
            bytes(unseen),
            opponents,
            draw_max,
            samples,
            seed,
            name,
            function,
            weights[0],
        )
        if losses + sum(shared) < samples:
            raise ValueError(f"too rare a range: {refused} deals did not give {samples} that fit it")
        equity = sum(count / (others + 1) for others, count in enumerate(shared)) / samples
        square = sum(count / (others + 1) ** 2 for others, count in enumerate(shared)) / samples
        results.append(
            SampledOdds(
                discard=tuple([card for place, card in enumerate(mine) if thrown >> place & 1]),
                keep=tuple([card for place, card in enumerate(mine) if not thrown >> place & 1]),
                samples=samples,
                win=shared[0],
                tie=sum(shared[1:]),
                loss=losses,
                equity=equity,
                standard_error=sqrt(max(square - equity * equity, 0.0) / (samples - 1)),
            )
        )
    return sorted(results, key=lambda odds: (-odds.equity, len(odds.discard), odds.discard))


@lru_cache(maxsize=4)
def _deck_hands(evaluator: Evaluator) -> DeckHands:
    # 3 MB for 36 cards, 21 MB for 52: kept for the rulesets in use, not for all.
    return DeckHands(evaluator)


def _situation(
    evaluator: Evaluator, hand: Cards, dead: Cards, draw_max: int
) -> tuple[tuple[int, ...], int, list[int]]:
    mine, seen = card_ids(hand), card_ids(dead)
    evaluator.strength(mine)
    _whole("draw_max", draw_max, 0, 5)
    lowest = 52 - evaluator.deck_size
    for place, card in enumerate(seen):
        if card < lowest:
            raise ValueError(f"{format_card(card)} is not in the deck of {evaluator.deck_size} cards")
        if card in mine:
            raise ValueError(f"{format_card(card)} is in the hand and dead as well")
        if card in seen[:place]:
            raise ValueError(f"{format_card(card)} stands twice among the dead cards")
    unseen = [card for card in range(lowest, 52) if card not in mine and card not in seen]
    return mine, sum(1 << card for card in seen), unseen


def _whole(name: str, value: int, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, not {value!r}")
    return value


def _weight(value: int, most: int) -> int:
    return _whole("a weight", value, 0, most)
