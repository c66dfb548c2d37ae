"""What can be asked of a table. Who asks comes from credentials; nothing here is trusted beyond that."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Join:
    """Take a seat. Where the player sits already it changes nothing, but a player who sat out is dealt in
    again.

    Args:
        player: who.
        display_name: how he wants to be called.
        seat: which seat; None: the first free one.
        buy_in: chips; None: ``start_stack`` of the rules.
    """

    player: str
    display_name: str
    seat: int | None = None
    buy_in: int | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """Give the seat up: in a hand it folds at once, and the chips are paid out (an all-in player's
    after the hand).
    """

    player: str


@dataclass(frozen=True, slots=True)
class AddChips:
    """Buy more chips, as the rules allow; in a hand they wait until it is over.

    Args:
        player: who.
        amount: chips; None: ``start_stack`` for who has none, else up to it.
    """

    player: str
    amount: int | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """Answer one decision.

    Args:
        player: who; his seat is looked up, never taken from the request.
        decision_id: the question, as ``decision_asked`` named it.
        action: a name of RULES section 5.
        to: for open, bet and raise the total in this round, in chips.
        cards: for draw the card ids discarded.
    """

    player: str
    decision_id: str
    action: str
    to: int | None = None
    cards: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class SitOut:
    """Not be dealt in any more from the next hand on."""

    player: str


@dataclass(frozen=True, slots=True)
class SitIn:
    """Be dealt in again from the next hand on."""

    player: str


@dataclass(frozen=True, slots=True)
class Close:
    """End the table between two hands and pay everybody out. Only the host may."""

    player: str


@dataclass(frozen=True, slots=True)
class TimeOut:
    """Carry out what is due: answer for whoever ran out of time, or deal the next hand."""


Command = Join | Leave | AddChips | Act | SitOut | SitIn | Close | TimeOut
