"""What a table is from its making to its closing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from turkpoker.engine import Rules

#: How long the table waits between two hands when its maker does not say.
DEFAULT_HAND_PAUSE = timedelta(seconds=3)
MAX_HAND_PAUSE = timedelta(minutes=10)
MAX_DISPLAY_NAME = 80
#: After how long sitting out a player is cashed out when the table's maker does not say.
DEFAULT_AWAY_LIMIT = timedelta(minutes=15)
MAX_AWAY_LIMIT = timedelta(days=1)
#: After how long a table at which nobody sits is closed.
DEFAULT_EMPTY_LIMIT = timedelta(minutes=10)
MAX_SPECTATOR_DELAY = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfig:
    """The settings of one table; while it stands only the rules may become others, from a hand to the next.

    Args:
        rules: what is played.
        display_name: what people call the table.
        seat_count: how many seats there are, numbered from 0 clockwise.
        host: the player who made it.
        hand_pause: the time between two hands; zero deals the next hand in the same breath.
        rehearsal: decks are scripted or seeded, so nothing here is worth anything.
        private: only who has the invitation may sit or watch, and no list shows the table to strangers.
        spectator_delay: how much later spectators see what happens; zero: at once.
        away_limit: after how long sitting out a player is cashed out; zero: never.
        empty_limit: after how long the table is closed if nobody sits there or waits; zero: never.
        bank: chips are bought from the operator's bank and paid back to it; False: play money.
    """

    rules: Rules
    display_name: str
    seat_count: int
    host: str
    hand_pause: timedelta = DEFAULT_HAND_PAUSE
    rehearsal: bool = False
    private: bool = False
    spectator_delay: timedelta = timedelta(0)
    away_limit: timedelta = DEFAULT_AWAY_LIMIT
    empty_limit: timedelta = DEFAULT_EMPTY_LIMIT
    bank: bool = False

    @property
    def action_clock(self) -> timedelta:
        """How long a player may think about one decision."""
        return self.rules.action_clock

    @property
    def proof_window(self) -> timedelta:
        """How long the others may ask the opener for his openers."""
        return self.rules.proof_window
