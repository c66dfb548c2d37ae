"""Alarms: the moments at which a table does something by itself, each with a name.

``decide`` knows no clock, so an alarm is set as a duration from the commit; the store's time of the version
that set it makes a moment of it (``TableState.stamp``). The earliest one is the deadline that the store
keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

#: Who is asked has no more time to think.
TURN = "turn"
#: Whose clock has run out has used up his time bank too.
BANK = "bank"
#: The others have had their time to ask for a proof of openers.
PROOF = "proof"
#: The pause between two hands is over.
NEXT_HAND = "next_hand"
#: Nobody has come to an empty table.
EMPTY = "empty"
_LEFT = "left:"
_OFFER = "offer:"
_AWAY = "away:"


def away_alarm(seat: int) -> str:
    """Who sits there has been away too long."""
    return f"{_AWAY}{seat}"


def seat_of_away(name: str) -> int | None:
    """The seat of such an alarm; None for the name of another one."""
    return int(name.removeprefix(_AWAY)) if name.startswith(_AWAY) else None


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alarm.

    Args:
        after: how long after the commit that set it it is due.
        at: when, by the store's clock; None until that commit has happened.
    """

    after: timedelta
    at: datetime | None = None

    def moment(self, commit_time: datetime) -> datetime:
        """When it is due, for one that was set in a commit of this time or earlier."""
        return self.at if self.at is not None else commit_time + self.after


#: What ``TableState`` and the store keep, by name.
Alarms: TypeAlias = Mapping[str, Alarm]


def earliest(alarms: Alarms) -> tuple[timedelta | None, datetime | None]:
    """The first of those set in this version, from its commit, and the first of those set before."""
    return (
        min((alarm.after for alarm in alarms.values() if alarm.at is None), default=None),
        min((alarm.at for alarm in alarms.values() if alarm.at is not None), default=None),
    )


def left_alarm(player: str) -> str:
    """The alarm at which nobody remembers any more with how many chips a player left."""
    return _LEFT + player


def player_of_left_alarm(name: str) -> str | None:
    """Whom such an alarm is about; None for another alarm."""
    return name.removeprefix(_LEFT) if name.startswith(_LEFT) else None


def offer_alarm(seat: int) -> str:
    """The alarm at which a seat is kept no longer for the first who waits."""
    return f"{_OFFER}{seat}"


def is_offer_alarm(name: str) -> bool:
    """Whether it is one of those."""
    return name.startswith(_OFFER)
