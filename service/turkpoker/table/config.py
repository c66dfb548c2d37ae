"""What a table is from its making to its closing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from turkpoker.engine import Rules

#: How long the table waits between two hands when its maker does not say.
DEFAULT_HAND_PAUSE = timedelta(seconds=3)
MAX_HAND_PAUSE = timedelta(minutes=10)
MAX_DISPLAY_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfig:
    """The settings of one table; they do not change while it stands.

    Args:
        rules: what is played.
        display_name: what people call the table.
        seat_count: how many seats there are, numbered from 0 clockwise.
        host: the player who made it.
        hand_pause: the time between two hands; zero deals the next hand in the same breath.
        rehearsal: decks are scripted or seeded, so nothing here is worth anything.
    """

    rules: Rules
    display_name: str
    seat_count: int
    host: str
    hand_pause: timedelta = DEFAULT_HAND_PAUSE
    rehearsal: bool = False

    @property
    def action_clock(self) -> timedelta:
        """How long a player may think about one decision."""
        return self.rules.action_clock

    @property
    def proof_window(self) -> timedelta:
        """How long the others may ask the opener for his openers."""
        return self.rules.proof_window
