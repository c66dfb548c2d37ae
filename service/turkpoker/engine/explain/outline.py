"""What a page of rules is made of before it is written, and what of the options matters together."""

from __future__ import annotations

from dataclasses import dataclass

from turkpoker.engine.explain.writing import Run, Sentence
from turkpoker.engine.rules import Rules

_RANKS = "23456789TJQKA"
#: Ranks of pairs that may be required to open, from the lowest.
_OPENERS = "JQKA"


@dataclass(frozen=True, slots=True)
class Line:
    """Sentences that belong together: a paragraph (``mark`` ""), a point ("-"), one under it ("  -") or a
    numbered one ("1.")."""

    mark: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading's key and the lines under it."""

    heading: str
    lines: tuple[Line, ...]


def point(*sentences: Sentence | None) -> Line:
    """A point of a list; sentences that do not apply are left out."""
    return Line("-", tuple(sentence for sentence in sentences if sentence is not None))


def paragraph(*sentences: Sentence) -> Line:
    """Sentences by themselves."""
    return Line("", sentences)


def section(heading: str, *lines: Line | None) -> Section:
    """A section of the lines that apply and say something."""
    return Section(heading, tuple(line for line in lines if line is not None and line.sentences))


class Setting:
    """A table's rules with the questions that several options answer together.

    Attributes:
        rules: with the stakes of the first deal (those of the first level, where there are levels).
        blind: deals are begun with a blind.
        opens: some deals have to be opened: those with antes, and the one after a blind deal whose pot stays.
        required: opening needs certain cards in them.
        climbs: the requirement rises with dead hands.
        sizes: number of cards by players dealt in, for every number that may come up.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules.at_level(0)
        self.levels = rules.levels
        self.blind = rules.deal_mode == "blind"
        self.opens = not self.blind or rules.all_check_after_draw == "carry"
        self.required = self.opens and rules.opening_requirement != "none"
        # After a blind deal the row of dead hands is always new.
        self.climbs = self.required and not self.blind and self.next_openers != ()
        self.sizes = {players: rules.deck_size(players) for players in range(2, rules.players[1] + 1)}

    @property
    def next_openers(self) -> tuple[str, ...]:
        """The letters of the pairs that dead hands lead to, in order."""
        rules = self.rules
        if not rules.progressive_openers or rules.opening_requirement == "none":
            return ()
        return tuple(_OPENERS[_OPENERS.index(rules.opening_requirement) + 1 :])

    @property
    def exact_step(self) -> bool:
        """Whether the limit leaves one size for bets and raises."""
        rules = self.rules
        return (
            rules.limit in ("table", "none")
            and rules.stake_max is not None
            and rules.stake_max <= rules.stake_min
        )

    @property
    def limits(self) -> bool:
        """Whether anything but the stacks limits a bet."""
        rules = self.rules
        of_opening = (rules.opening_max, rules.opening_max_pots) != (None, None) or (
            rules.opening_cap_on_carried_pot == "pot"
        )
        of_bets = rules.stake_max is not None or rules.limit in ("pot", "jackpot")
        return of_bets or (self.opens and of_opening)

    @property
    def pot_may_stay(self) -> bool:
        """Whether a pot can be carried to the next deal."""
        return self.opens


def lowest_rank(deck: int) -> str:
    """The letter of a deck's lowest rank."""
    return _RANKS[13 - deck // 4]


def minor_run(deck: int) -> Run:
    """The minor straight of a deck, the ace first."""
    lowest = 13 - deck // 4
    return Run("A" + _RANKS[lowest : lowest + 4])
