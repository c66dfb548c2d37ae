"""The state of one hand, and the few ways in which chips move.

Positions count 0 .. n-1 clockwise from the dealer's left over the players of the deal, so position order is
the order of the deal, of speaking and of odd chips. Seats are the caller's numbers; only events and answers
name them.

The law: stacks + pot + rake never change in a hand. ``emit`` checks it after every event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from turkpoker.engine.actions import Action
from turkpoker.engine.errors import LegalActions
from turkpoker.engine.events import Event, Over
from turkpoker.engine.phases import Phase
from turkpoker.engine.plan import plan_for
from turkpoker.engine.rules import Rules

if TYPE_CHECKING:
    from turkpoker.engine.machine import Handler

Reshuffle = Callable[[tuple[int, ...]], Sequence[int]]
Pots = tuple[tuple[int, tuple[int, ...]], ...]

NOBODY = -1


@lru_cache(maxsize=1024)
def _positions(seats: tuple[int, ...]) -> Mapping[int, int]:
    """The position of each seat; the same few circles of seats come again and again."""
    return {seat: place for place, seat in enumerate(seats)}


class ChipsLostError(AssertionError):
    """Chips were made or lost: a fault of the engine, never of a player."""


class State:
    """Everything a hand is. Lists are indexed by position; ``NOBODY`` stands for no position."""

    # What every hand begins with; a new state gets a copy of all of it at once (``_FRESH``).
    phase = Phase.SEATING
    handler: Handler  # the code of that phase
    ante = 0
    bystanders: tuple[tuple[int, int], ...] = ()

    turn = NOBODY
    asking: tuple[int, ...] = ()  # positions asked at the same time (entry)
    questions = 0
    legal: LegalActions | None = None  # of the turn, as long as it stands
    full_from = 0  # the least total that is a full bet or raise of the turn

    level = 0
    last_step = 0
    requirement: int | None = None
    opener = NOBODY
    opening = 0
    blinders: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()
    lone_asked = False
    last_bettor = NOBODY
    round_first = NOBODY

    dealt: tuple[tuple[int, ...], ...] = ()
    stock: tuple[int, ...] = ()
    stock_at = 0
    draw_order: tuple[int, ...] = ()
    draw_at = 0
    owed: tuple[int, ...] = ()
    discards: tuple[tuple[int, int], ...] = ()  # (position, card), oldest first
    kept: tuple[int, ...] = ()
    split = False
    reshuffles: tuple[tuple[int, ...], ...] = ()

    proof_asking: tuple[int, ...] = ()
    proof_question = 0
    proof_cards: tuple[int, ...] = ()
    false_opener = False
    unpaid = False
    shown: tuple[int, ...] = ()

    over: Over | None = None
    pots: Pots = ()
    returned: tuple[tuple[int, int], ...] = ()
    rake = 0

    def __init__(  # noqa: PLR0917 - one place lays out all of it
        self,
        rules: Rules,
        given: tuple[tuple[int, int], ...],
        dealt_in: Sequence[tuple[int, int]],
        dealer: int,
        deck: tuple[int, ...],
        carried: int,
        dead_before: int,
        reshuffle: Reshuffle | None,
        recorded_orders: tuple[tuple[int, ...], ...],
        missed: tuple[tuple[int, int], ...],
    ) -> None:
        self.__dict__.update(_FRESH)
        self.rules = rules
        # Made anew if fewer come in than are seated.
        self.plan = plan_for(rules, len(dealt_in))
        self.dealer = dealer
        self.carried = carried
        self.dead_before = dead_before
        self.reshuffle = reshuffle
        self.recorded_orders = recorded_orders
        self.deck = deck
        # What the hand began with, as given, for its record.
        self.given = given
        self.missed = missed
        stacks = tuple([chips for _, chips in dealt_in])
        self.chips = sum(stacks) + carried
        self.pot = carried
        # What belongs to no player's total: the carried pot and missed antes paid into it.
        self.dead_money = carried
        self.missed_paid: dict[int, int] = {}
        self.answered: dict[int, bool] = {}
        self.payouts: dict[int, int] = {}
        self.events: list[Event] = []
        self.steps: list[Action] = []
        self.seat_players(tuple([seat for seat, _ in dealt_in]), stacks)

    def seat_players(self, seats: tuple[int, ...], stacks: tuple[int, ...]) -> None:
        """Lay out the players of the deal, clockwise from the dealer's left."""
        count = len(seats)
        self.seats = seats
        self.position = _positions(seats)
        self.stacks = list(stacks)
        self.start_stacks = stacks
        self.totals = [0] * count
        self.bets = [0] * count
        self.folded = [False] * count
        self.left = [False] * count
        self.acted = [False] * count
        self.seen = [0] * count
        self.question = [0] * count
        self.drawn: list[int | None] = [None] * count
        self.hands: list[tuple[int, ...]] = [()] * count

    def copy(self) -> State:
        """An independent copy. Tuples are shared, lists and dicts are copied."""
        twin = State.__new__(State)
        own = twin.__dict__
        own.update(self.__dict__)
        for name in _COPIED:
            own[name] = own[name].copy()
        return twin

    # -- who is in --------------------------------------------------------------------------------

    def live(self) -> list[int]:
        """Positions not folded."""
        return [p for p, out in enumerate(self.folded) if not out]

    def next_live(self, start: int) -> int:
        """The first live position from ``start`` on, clockwise; ``NOBODY`` if there is none."""
        count = len(self.folded)
        for step in range(count):
            p = (start + step) % count
            if not self.folded[p]:
                return p
        return NOBODY

    # -- chips ------------------------------------------------------------------------------------

    def put_in(self, p: int, amount: int) -> None:
        """Move chips from a stack into the pot and the round's bets."""
        self.stacks[p] -= amount
        self.bets[p] += amount
        self.totals[p] += amount
        self.pot += amount

    def take_out(self, p: int, amount: int) -> None:
        """Move chips from the pot to a stack."""
        self.pot -= amount
        self.stacks[p] += amount

    def emit(self, event: Event) -> None:
        """Record an event and hold the books against the law.

        Raises:
            ChipsLostError: the engine has made or lost chips.
        """
        self.events.append(event)
        if sum(self.stacks) + self.pot + self.rake != self.chips or self.pot < 0:
            raise ChipsLostError(f"after {event.name}: {self.chips} chips have become another number")

    # -- questions --------------------------------------------------------------------------------

    def ask(self, p: int) -> None:
        """Put the next question to a position."""
        self.turn = p
        self.legal = None
        self.questions += 1
        self.question[p] = self.questions

    def ask_nobody(self) -> None:
        """Nobody has the turn."""
        self.turn = NOBODY
        self.legal = None


#: Read far more often than written: as attributes of the hand itself they are found at once.
_FRESH = {
    name: value for name, value in vars(State).items() if not name.startswith("__") and not callable(value)
}

_COPIED = (
    "stacks",
    "totals",
    "bets",
    "folded",
    "left",
    "acted",
    "seen",
    "question",
    "drawn",
    "hands",
    "events",
    "steps",
    "answered",
    "missed_paid",
    "payouts",
)
