"""The base of all events, and how hands end."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar

from turkpoker.evaluator import format_cards

Cards = tuple[int, ...]


class Over(StrEnum):
    """How a hand ended."""

    SHOWDOWN = "showdown"
    FOLDS = "folds"
    #: Nobody opened: the pot is carried.
    UNOPENED = "unopened"
    #: Nobody bet after the draw where that carries the pot.
    PASSED_OUT = "passed_out"
    #: Fewer than two entered (opt-in entry): nothing was dealt.
    NO_DEAL = "no_deal"


class Event:
    """The base of all events."""

    __slots__ = ()
    #: The event's name on the wire and in replays.
    name: ClassVar[str] = ""
    #: Fields that hold cards.
    card_fields: ClassVar[tuple[str, ...]] = ()
    #: Of these, the ones only the seat of the event may see.
    hidden: ClassVar[tuple[str, ...]] = ()
    #: Of these, the ones nobody at the table may see.
    house_only: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The event as plain JSON values, ``"event"`` its name, cards as text."""
        result: dict[str, Any] = {"event": self.name}
        fields: tuple[str, ...] = self.__slots__
        for field in fields:
            content = getattr(self, field)
            if content is not None and field in self.card_fields:
                content = format_cards(content)
            elif isinstance(content, tuple):
                content = [list(part) if isinstance(part, tuple) else part for part in content]
            result[field] = content
        return result

    def __repr__(self) -> str:
        # Hidden cards stay out of logs and tracebacks.
        fields: tuple[str, ...] = self.__slots__
        shown = [
            f"{field}={getattr(self, field)!r}"
            for field in fields
            if field not in self.hidden and field not in self.house_only
        ]
        return f"{type(self).__name__}({', '.join(shown)})"
