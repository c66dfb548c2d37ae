"""A table without a store: commands are decided one after the other on the state that the last one left."""

from __future__ import annotations

import random
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from turkpoker.engine import Rules
from turkpoker.evaluator import parse_cards
from turkpoker.table.commands import Act, Close, Command, Join, Leave, TimeOut
from turkpoker.table.config import DEFAULT_AWAY_LIMIT, TableConfig
from turkpoker.table.decide import Decision, decide
from turkpoker.table.errors import TableError
from turkpoker.table.events import DecisionAsked
from turkpoker.table.ports import ShuffleContext
from turkpoker.table.state import TableState

#: Opens the private tables of tests.
INVITATION = "the invitation of the tests"


class StackedDealer:
    """Deals what a test lays down: the top cards of a deal as text, the rest of the deck below in order.

    Args:
        tops: top cards by (purpose, hand number).
    """

    def __init__(self, tops: dict[tuple[str, int], str] | None = None) -> None:
        self.tops = tops or {}
        self.asked: list[ShuffleContext] = []

    def shuffle(self, cards: tuple[int, ...], context: ShuffleContext) -> tuple[int, ...]:
        self.asked.append(context)
        text = self.tops.get((context.purpose, context.hand_number))
        if text is None and context.purpose == "first_dealer":
            text = "As Kd Qd Jd Td"  # whoever sits first deals
        top = parse_cards(text) if text else ()
        assert set(top) <= set(cards)
        return (*top, *(card for card in cards if card not in top))


class SeededDealer:
    """A function of seed and context, as a scripted dealer must be."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def shuffle(self, cards: tuple[int, ...], context: ShuffleContext) -> tuple[int, ...]:
        order = list(cards)
        # The table's id is another one in every run; the cards are to be the same.
        moment = (self.seed, context.hand_number, context.shuffle_number, context.purpose)
        random.Random(repr(moment)).shuffle(order)
        return tuple(order)


class Desk:
    """A table and its last decision. Empty it stays open for ever unless ``empty_limit`` says otherwise."""

    def __init__(
        self,
        dealer: StackedDealer | SeededDealer | None = None,
        *,
        profile: str = "turkish",
        seat_count: int = 5,
        hand_pause: timedelta = timedelta(0),
        private: bool = False,
        away_limit: timedelta = DEFAULT_AWAY_LIMIT,
        empty_limit: timedelta = timedelta(0),
        **options: Any,
    ) -> None:
        rules = Rules.profile(profile, **options)
        config = TableConfig(
            rules=rules,
            display_name="test",
            seat_count=seat_count,
            host="host",
            hand_pause=hand_pause,
            private=private,
            away_limit=away_limit,
            empty_limit=empty_limit,
        )
        self.state = TableState("t1", config, version=1, invitation=INVITATION if private else "")
        self.dealer = dealer or StackedDealer()
        self.last: Decision = Decision(self.state, ())
        #: What the clock of a store would say; stands still but for ``wait`` and ``time_out``.
        self.now = datetime(2026, 12, 1, 20, tzinfo=UTC)

    def do(self, command: Command) -> Decision:
        self.last = decide(self.state, command, self.dealer)
        if isinstance(command, TimeOut):
            assert self.last.moment is not None
            self.now = max(self.now, self.last.moment)
        self.state = self.last.state
        if self.last.changed:
            self.state.stamp(self.now)
        return self.last

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def left(self, alarm: str) -> timedelta | None:
        """How long until an alarm is due; None where it is not set."""
        at = self.state.alarms[alarm].at if alarm in self.state.alarms else None
        return None if at is None else at - self.now

    def join(self, *players: str, buy_in: int | None = None) -> Decision:
        for player in players:
            self.do(Join(player, player.title(), None, buy_in))
        return self.last

    def leave(self, player: str) -> Decision:
        return self.do(Leave(player))

    def close(self, player: str = "host") -> Decision:
        return self.do(Close(player))

    def time_out(self) -> Decision:
        return self.do(TimeOut())

    def act(self, player: str, action: str, to: int | None = None, cards: str = "") -> Decision:
        seat = self.state.seat_of(player)
        assert seat is not None
        return self.do(
            Act(player, self.state.decision_id(seat), action, to, parse_cards(cards) if cards else ())
        )

    def asked(self) -> list[str]:
        return [self.state.hand_players[asked.seat] for asked in self.state.decisions()]

    def refuse(self, command: Command) -> TableError:
        """The refusal of a command, which changes nothing."""
        before = snapshot(self.state)
        with pytest.raises(TableError) as caught:
            self.do(command)
        assert snapshot(self.state) == before
        return caught.value

    def names(self) -> list[str]:
        return [event.name for event in self.last.events]

    def questions(self) -> list[DecisionAsked]:
        return [event for event in self.last.events if isinstance(event, DecisionAsked)]

    def stacks(self) -> dict[str, int]:
        return {seat.player: seat.stack for seat in self.state.seats.values()}


def snapshot(state: TableState) -> str:
    """Everything a state says, hidden cards included, as text that two equal states share."""
    hand = state.hand
    played = None if hand is None else (hand.record().to_dict(), hand.events, hand.phase, hand.asked)
    seats = {number: str(seat) for number, seat in state.seats.items()}
    left_out = {"hand", "reshuffler", "seats", "mark", "time", "create_time"}
    rest = {each.name: getattr(state, each.name) for each in fields(state) if each.name not in left_out}
    return repr((rest, seats, played))
