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

    # Fields in slots are read fastest, and a hand reads them thousands of times.
    __slots__ = (
        "acted",
        "answered",
        "ante",
        "asking",
        "bets",
        "blinders",
        "bystanders",
        "carried",
        "chips",
        "dead_before",
        "dead_money",
        "dealer",
        "dealt",
        "deck",
        "discards",
        "draw_at",
        "draw_order",
        "drawn",
        "events",
        "false_opener",
        "folded",
        "full_from",
        "given",
        "handler",
        "hands",
        "kept",
        "last_bettor",
        "last_step",
        "left",
        "legal",
        "level",
        "lone_asked",
        "missed",
        "missed_paid",
        "opener",
        "opening",
        "over",
        "owed",
        "payouts",
        "phase",
        "plan",
        "position",
        "pot",
        "pots",
        "proof_asking",
        "proof_cards",
        "proof_question",
        "question",
        "questions",
        "rake",
        "recorded_orders",
        "requirement",
        "reshuffle",
        "reshuffles",
        "returned",
        "round_first",
        "rules",
        "seats",
        "seen",
        "shown",
        "split",
        "stacks",
        "start_stacks",
        "steps",
        "stock",
        "stock_at",
        "totals",
        "turn",
        "unpaid",
        "unseen",
    )

    def __init__(  # noqa: PLR0915, PLR0917 - one place lays out all of it
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
        self.phase: Phase = Phase.SEATING
        self.handler: Handler  # the code of that phase
        self.ante = 0
        self.bystanders: tuple[tuple[int, int], ...] = ()

        self.turn = NOBODY
        self.asking: tuple[int, ...] = ()  # positions asked at the same time (entry)
        self.questions = 0
        self.legal: LegalActions | None = None  # of the turn, as long as it stands
        self.full_from = 0  # the least total that is a full bet or raise of the turn

        self.level = 0
        self.last_step = 0
        self.requirement: int | None = None
        self.opener = NOBODY
        self.opening = 0
        self.blinders: tuple[int, ...] = ()
        self.unseen: tuple[int, ...] = ()
        self.lone_asked = False
        self.last_bettor = NOBODY
        self.round_first = NOBODY

        self.dealt: tuple[tuple[int, ...], ...] = ()
        self.stock: tuple[int, ...] = ()
        self.stock_at = 0
        self.draw_order: tuple[int, ...] = ()
        self.draw_at = 0
        self.owed: tuple[int, ...] = ()
        self.discards: tuple[tuple[int, int], ...] = ()  # (position, card), oldest first
        self.kept: tuple[int, ...] = ()
        self.split = False
        self.reshuffles: tuple[tuple[int, ...], ...] = ()

        self.proof_asking: tuple[int, ...] = ()
        self.proof_question = 0
        self.proof_cards: tuple[int, ...] = ()
        self.false_opener = False
        self.unpaid = False
        self.shown: tuple[int, ...] = ()

        self.over: Over | None = None
        self.pots: Pots = ()
        self.returned: tuple[tuple[int, int], ...] = ()
        self.rake = 0
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
        for name in State.__slots__:
            setattr(twin, name, getattr(self, name))
        for name in _COPIED:
            setattr(twin, name, getattr(twin, name).copy())
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
