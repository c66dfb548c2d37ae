"""What can be asked of a table. Who asks comes from credentials; nothing here is trusted beyond that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Literal

#: Fields with this are no part of what was asked, but how it is carried out: a repeated request need not
#: have them the same.
_NOT_ASKED = {"asked": False}


@dataclass(frozen=True, slots=True)
class Join:
    """Take a seat. Where the player sits already it changes nothing, but a player who sat out is dealt in
    again.

    Args:
        player: who.
        display_name: how he wants to be called.
        seat: which seat; None: the first free one.
        buy_in: chips; None: ``start_stack`` of the rules, or what he left with a short while ago where that
            is more.
        invitation: opens a private table.
        operator: he may enter any table.
    """

    player: str
    display_name: str
    seat: int | None = None
    buy_in: int | None = None
    invitation: str = field(default="", repr=False)
    operator: bool = False


@dataclass(frozen=True, slots=True)
class Leave:
    """Give the seat up: in a hand it folds at once, and the chips are paid out (an all-in player's
    after the hand).

    Args:
        player: who.
        when: ``now``; ``after_hand`` plays the running hand to its end first; ``cancelled`` takes that back.
    """

    player: str
    when: Literal["now", "after_hand", "cancelled"] = "now"


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
    """Not be dealt in any more from the next hand on.

    Args:
        player: who.
        when: ``next_deal``; ``now`` folds the running hand at once too (an all-in player stays in it);
            ``next_ante`` is dealt in as long as a deal costs him nothing.
    """

    player: str
    when: Literal["next_deal", "now", "next_ante"] = "next_deal"


@dataclass(frozen=True, slots=True)
class SitIn:
    """Be dealt in again from the next hand on."""

    player: str


@dataclass(frozen=True, slots=True)
class SetAutoTopUp:
    """Be filled up between hands, as the rules allow.

    Args:
        player: who.
        target: up to how many chips; 0: no more.
    """

    player: str
    target: int


@dataclass(frozen=True, slots=True)
class JoinWaitingList:
    """Wait for a seat of a full table.

    Args:
        player: who.
        display_name: how he wants to be called.
        invitation: opens a private table.
        operator: he may enter any table.
    """

    player: str
    display_name: str
    invitation: str = field(default="", repr=False)
    operator: bool = False


@dataclass(frozen=True, slots=True)
class LeaveWaitingList:
    """Wait no more; where he does not wait nothing changes."""

    player: str


@dataclass(frozen=True, slots=True)
class Close:
    """End the table between two hands and pay everybody out.

    Args:
        by: who asks: the host, or an operator.
        operator: he has that role.
        reason: why, for people.
    """

    by: str
    operator: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ForceClose:
    """End the table at once, a running hand with it, and pay everybody out; as for ``Close``, but only
    operators may.
    """

    by: str
    operator: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    """Let no new hand begin; ``by`` and ``operator`` as for ``Close``, ``reason`` is for people."""

    by: str
    operator: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Resume:
    """Let hands begin again; an operator's pause only an operator ends."""

    by: str
    operator: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """Send a player away, who cannot come back to this table.

    Args:
        by: who asks: the host, or an operator.
        seat: where the player sits.
        removed: who he is; must sit there, so that nobody else is hit.
        operator: who asks has that role.
    """

    by: str
    seat: int
    removed: str
    operator: bool = False


@dataclass(frozen=True, slots=True)
class SwitchDealMode:
    """Play a French table with ``ante`` or ``blind`` deals from the next hand on. Only the host may."""

    by: str
    deal_mode: str


@dataclass(frozen=True, slots=True)
class EndSession:
    """End the table after the running hand: a carried pot is shared, everybody is paid out. ``by`` and
    ``operator`` as for ``Close``.
    """

    by: str
    operator: bool = False


@dataclass(frozen=True, slots=True)
class RenewInvitation:
    """Have another invitation to a private table. Only the host may.

    Args:
        by: who asks.
        invitation: the new one, drawn by who carries the command out.
    """

    by: str
    invitation: str = field(repr=False, metadata=_NOT_ASKED)


@dataclass(frozen=True, slots=True)
class TimeOut:
    """Carry out what is due: answer for whoever ran out of time, or deal the next hand."""


@dataclass(frozen=True, slots=True)
class ConfirmBuyIn:
    """The bank has paid for chips. Given by the server alone.

    Args:
        transfer_id: the order.
        entry_id: where it waits in the outbox; it goes with the commit.
    """

    transfer_id: str
    entry_id: str = ""


@dataclass(frozen=True, slots=True)
class RefuseBuyIn:
    """The bank does not pay for chips. Given by the server alone; the fields are those of ConfirmBuyIn."""

    transfer_id: str
    entry_id: str = ""


Command = (
    Join
    | Leave
    | AddChips
    | Act
    | SitOut
    | SitIn
    | SetAutoTopUp
    | JoinWaitingList
    | LeaveWaitingList
    | Close
    | ForceClose
    | Pause
    | Resume
    | Remove
    | SwitchDealMode
    | EndSession
    | RenewInvitation
    | TimeOut
    | ConfirmBuyIn
    | RefuseBuyIn
)


def asker(command: Command) -> str | None:
    """Who gives a command; None: the clock."""
    name = getattr(command, "player", None) or getattr(command, "by", None)
    return name if isinstance(name, str) else None


def asked(command: Command) -> Iterator[object]:
    """What makes two commands the same request, in order."""
    yield type(command).__name__
    for each in fields(command):
        if each.metadata.get("asked", True):
            yield getattr(command, each.name)
