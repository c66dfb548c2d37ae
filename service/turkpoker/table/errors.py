"""Why a table refuses a command, and what goes wrong between a table and its store.

A refusal changes nothing. Its reason is a name that clients can rely on; its message is one sentence for a
person and never holds a card that the reader may not see.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turkpoker.table.events import DecisionAsked


class Reason(StrEnum):
    """Why a command was refused; the names are those of ErrorReason in the wire contract."""

    INVALID_FIELD = "INVALID_FIELD"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    RULES_NOT_PLAYABLE = "RULES_NOT_PLAYABLE"
    NOT_CARRIED_OUT = "NOT_CARRIED_OUT"
    NOT_YOUR_SEAT = "NOT_YOUR_SEAT"
    NOT_THE_HOST = "NOT_THE_HOST"
    TABLE_NOT_FOUND = "TABLE_NOT_FOUND"
    HAND_NOT_FOUND = "HAND_NOT_FOUND"
    SEAT_TAKEN = "SEAT_TAKEN"
    ALREADY_SEATED = "ALREADY_SEATED"
    TABLE_FULL = "TABLE_FULL"
    TABLE_CLOSED = "TABLE_CLOSED"
    STALE_DECISION = "STALE_DECISION"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    ACTION_NOT_LEGAL = "ACTION_NOT_LEGAL"
    AMOUNT_OUT_OF_RANGE = "AMOUNT_OUT_OF_RANGE"
    BAD_DISCARD = "BAD_DISCARD"
    BUY_IN_OUT_OF_RANGE = "BUY_IN_OUT_OF_RANGE"
    NOT_NOW = "NOT_NOW"
    NOT_INVITED = "NOT_INVITED"
    ROLE_MISSING = "ROLE_MISSING"
    REMOVED = "REMOVED"
    TABLE_NOT_FULL = "TABLE_NOT_FULL"
    BANK_REFUSED = "BANK_REFUSED"
    DRAINING = "DRAINING"
    TOO_MANY_TABLES = "TOO_MANY_TABLES"


class TableError(Exception):
    """A command was refused; nothing has changed.

    Args:
        reason: why.
        message: one sentence for a person.
        field: the field of the command that is to blame (``buy_in``, ``seat``, ``action.to`` ...), if one is.
        metadata: facts for programs, as in the examples of errors.proto; values are text.
        decision: the caller's own open question, if he has one, with its legal actions.
    """

    def __init__(
        self,
        reason: Reason,
        message: str,
        *,
        field: str | None = None,
        metadata: Mapping[str, str] | None = None,
        decision: DecisionAsked | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.field = field
        self.metadata: dict[str, str] = dict(metadata or {})
        self.decision = decision


def not_now(why: str) -> TableError:
    """The refusal of what the table's state does not allow."""
    return TableError(Reason.NOT_NOW, why, metadata={"why": why})


class StoreError(Exception):
    """The store could not do what was asked; the subclasses say why."""


class StoreAway(StoreError):
    """The store cannot be reached, or does not take writes now. Trying again later makes sense.

    A write that was under way may have happened or not; the request id tells which when it is sent again.
    """


class StoreRefused(StoreError):
    """The store must not be used as it is set up (it may evict keys, is too old, holds data of
    another key).
    """


class Conflict(StoreError):
    """Somebody else has changed the table first: load it again and decide anew."""


class NotDue(StoreError):
    """A time-out came too early, by the clock of the store."""


class TooLate(StoreError):
    """An action came after its deadline and the grace, by the clock of the store."""


class Draining(StoreError):
    """A hand would begin while an operator lets none begin: decide anew without it."""


class FeedLost(StoreError):
    """The events cannot be followed without a gap: take a fresh snapshot and subscribe again.

    Args:
        why: ``too_old`` (trimmed away), ``lagged`` (the reader was too slow), ``epoch`` (the store lost
            writes), ``ahead`` (the version does not exist yet), ``gone`` (no such table), ``closed`` (the
            feed ends).
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"the events cannot be followed: {why}")
        self.why = why
