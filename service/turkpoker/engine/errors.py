"""What the engine says when it does not do something. No error ever carries a hidden card."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

#: What ``Hand.legal`` answers: ``True`` for an action without a number, the chips to add for ``call``,
#: ``(lowest, highest)`` totals in the round for ``open``, ``bet`` and ``raise`` and numbers of cards for
# ``draw``.
LegalActions = Mapping[str, "bool | int | tuple[int, int]"]


class RefusalReason(StrEnum):
    """Why the rules refuse an action."""

    NOT_YOUR_TURN = "not_your_turn"
    ACTION_NOT_ALLOWED = "action_not_allowed"
    AMOUNT_OUT_OF_RANGE = "amount_out_of_range"
    BAD_CARDS = "bad_cards"
    HAND_OVER = "hand_over"


class Refused(Exception):
    """An action that is well formed but not allowed now. The hand is as it was.

    Attributes:
        reason: why.
        legal: what the seat may do instead (empty when it is not asked).
        field: the part of the action at fault, ``"to"`` or ``"cards"``, where there is one.
    """

    def __init__(
        self, reason: RefusalReason, legal: LegalActions, field: str | None = None, text: str | None = None
    ) -> None:
        super().__init__(text or reason.replace("_", " "))
        self.reason = reason
        self.legal = dict(legal)
        self.field = field


class BadAction(ValueError):
    """An action that no rule could allow: an unknown name or seat, a missing or impossible amount."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class RulesError(ValueError):
    """Rules, or a deal under them, that cannot be played."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class NotCarriedOut(RulesError):
    """A known value of a known option that this version does not play."""

    def __init__(self, field: str, value: object) -> None:
        super().__init__(field, f"{value} is not carried out yet")
        self.value = value


class ReshuffleError(ValueError):
    """The stock ran out and no usable new order of the discards was given. The hand is as it was."""


class RecordError(ValueError):
    """A record of a hand that cannot be read."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason
