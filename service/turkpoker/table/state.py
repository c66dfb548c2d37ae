"""A table between two commands: everything that outlives a command, and nothing else.

A state that has been handed out is never changed again: ``decide`` works on a copy. Whatever the state says,
at every version the chips in it equal what was bought in less what was cashed out (``check_chips``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from turkpoker.engine import Hand, Phase
from turkpoker.engine.events import RakeTaken
from turkpoker.table.alarms import BANK, PROOF, TURN, Alarm
from turkpoker.table.config import TableConfig
from turkpoker.table.events import DecisionAsked, Waiting
from turkpoker.table.transfers import Awaiting

if TYPE_CHECKING:
    from turkpoker.table.dealing import Reshuffler

#: Who may do more than sit at a table.
Authority = Literal["host", "operator"]
_DECISION_ID = re.compile(r"h([0-9]{1,15})\.([a-z0-9]{1,16})\.s([0-9]{1,3})\.d([0-9]{1,6})")


@dataclass(slots=True)
class Seat:
    """A taken seat.

    Args:
        player: who sits there (the subject of his credentials).
        display_name: how he wants to be called.
        stack: chips before him, without what he has put into the running hand.
        sitting_out: he is not dealt in.
        leaving: he has left; the seat is freed when the running hand is over, his last chips are paid then.
        pending: chips that join the stack when the hand is over.
        timeouts: decisions in a row that the table answered for him.
        paid: chips of the running hand that he has been paid already, because he left.
        paid_out: he has left and been paid; what may still come to him is paid when the hand is over.
        owed: antes that he missed of the carried pot, where the rules have him pay them.
        leaves_after_hand: he plays the running hand to its end and then leaves.
        sits_out_at_next_ante: he is dealt in until an ante or a blind falls due to him.
        auto_top_up: up to how many chips he is filled up between hands; 0: not.
        awaiting_bank: chips that he has bought and the bank has not answered for yet; not his so far.
        away_over: he was away too long while he was in the running hand, and goes when it is over.
    """

    player: str
    display_name: str
    stack: int
    sitting_out: bool = False
    leaving: bool = False
    pending: int = 0
    timeouts: int = 0
    paid: int = 0
    paid_out: bool = False
    owed: int = 0
    leaves_after_hand: bool = False
    sits_out_at_next_ante: bool = False
    auto_top_up: int = 0
    awaiting_bank: int = 0
    away_over: bool = False


@dataclass(frozen=True, slots=True)
class Ledger:
    """Chips that ever came to a table, left it, and went to the house as rake."""

    bought_in: int = 0
    cashed_out: int = 0
    raked: int = 0


@dataclass(frozen=True, slots=True)
class BankUse:
    """A time bank that stopped running with the commit of a version.

    Args:
        player: whose.
        since: when it began to run, by the store's clock.
        whole: what it held then.
    """

    player: str
    since: datetime
    whole: timedelta


#: Of so many players a table remembers what they used of their time banks; who used his earliest goes first.
MAX_TIME_USED = 256
#: In these phases one player has the turn, and time of his own after the clock.
_TURN_PHASES = frozenset({Phase.ROUND1, Phase.DRAW, Phase.ROUND2})


@dataclass(slots=True)
class TableState:
    """Everything that is known of a table. Do not change one that you did not copy.

    Args:
        table_id: the last part of tables/{table}.
        config: its settings.
        version: counts the commands that changed it, from 1.
        epoch: counts the times the store lost writes; (epoch, version) names a state for ever.
        seats: taken seats by number, in clockwise order.
        dealer: who deals or dealt last; None before the first hand.
        hand_number: counts the deals from 1, dead ones included; 0 before the first.
        carried: chips that lie in the pot between two hands.
        dead_before: dead hands in a row up to now.
        carried_antes: what somebody who played all the hands of the carried pot has paid in antes.
        hand: the running or the last hand.
        reshuffler: what asks the dealer when that hand runs out of cards.
        hand_players: who sat where in that hand.
        hand_start_version: the version in which that hand began; events from there on are kept.
        carried_blind: the carried pot comes from a blind deal, so that antes are paid until it is won.
        level: the level of a tournament, counted from 0.
        level_hands: hands dealt in it.
        level_start: when it began.
        placings: who is out of a tournament, as (player, place), in the order of going.
        match_over: the tournament has its winner; nothing is dealt any more.
        alarms: what the table does by itself, and when, by name (see ``clocks``).
        time_used: what players have used of their time banks in this match, also those who have left.
        bank_use: the time bank that stopped with this version; None once it is in ``time_used``.
        ledger: chips that came and went.
        closed: the table is no more.
        paused: who lets no new hand begin; empty: nobody.
        pause_reason: why, in his words.
        ending: who ends the table after the running hand; empty: nobody.
        waiting: who waits for a seat, first come first.
        removed: players who were sent away and cannot come back.
        left_with: chips with which players left a short while ago; with less they do not come back so soon.
        invitation: opens a private table; a secret of its host and his guests.
        create_time: when it was made, by the clock of the store.
        time: when this version was committed, by the same clock.
        mark: the store's mark of the commit that made this version; of two different states with one version
            (the store lost writes in between) it tells which is meant.
        transfers: buy-ins that the bank has not answered yet, by transfer id. A closed table is kept until
            all of them are answered.
    """

    table_id: str
    config: TableConfig
    version: int = 0
    epoch: int = 0
    seats: dict[int, Seat] = field(default_factory=dict)
    dealer: int | None = None
    hand_number: int = 0
    carried: int = 0
    dead_before: int = 0
    carried_antes: int = 0
    carried_blind: bool = False
    hand: Hand | None = field(default=None, repr=False)
    reshuffler: Reshuffler | None = field(default=None, repr=False)
    hand_players: dict[int, str] = field(default_factory=dict)
    hand_start_version: int = 0
    level: int = 0
    level_hands: int = 0
    level_start: datetime | None = None
    placings: tuple[tuple[str, int], ...] = ()
    match_over: bool = False
    alarms: dict[str, Alarm] = field(default_factory=dict)
    time_used: dict[str, timedelta] = field(default_factory=dict)
    bank_use: BankUse | None = None
    ledger: Ledger = Ledger()
    closed: bool = False
    paused: Authority | Literal[""] = ""
    pause_reason: str = ""
    ending: Authority | Literal[""] = ""
    waiting: tuple[Waiting, ...] = ()
    removed: tuple[str, ...] = ()
    left_with: dict[str, int] = field(default_factory=dict)
    invitation: str = field(default="", repr=False)
    create_time: datetime | None = None
    time: datetime | None = None
    mark: bytes = b""
    transfers: dict[str, Awaiting] = field(default_factory=dict)

    @property
    def hand_running(self) -> bool:
        """True while a hand is on."""
        return self.hand is not None and self.hand.result is None

    def seat_of(self, player: str) -> int | None:
        """Where the player sits (a leaver until his hand is over), or None."""
        for number, seat in self.seats.items():
            if seat.player == player:
                return number
        return None

    def viewer_seat(self, player: str | None) -> int | None:
        """The seat whose cards in the running or last hand are the player's to see; None for a spectator.

        Seats change hands: who sits there now is not always who held the cards.
        """
        if player is None:
            return None
        for number, name in self.hand_players.items():
            if name == player:
                return number
        return None

    def ready(self) -> list[int]:
        """The seats that the next hand deals in, clockwise.

        In a tournament nobody saves his antes by sitting out: he is dealt in and answered for.
        """
        everybody = self.tournament
        return [
            number
            for number, seat in self.seats.items()
            if seat.stack + seat.pending > 0 and (everybody or not seat.sitting_out) and not seat.leaving
        ]

    @property
    def tournament(self) -> bool:
        """Whether this is a tournament rather than a session."""
        return self.config.rules.match == "tournament"

    def decision_id(self, seat: int) -> str:
        """The name of the question that stands before the seat; only for a seat that is asked.

        A seat may have the turn and an open proof window at once; then this is the name of the turn.
        """
        if self.hand is None or not (question := self.hand.question(seat)):
            raise ValueError(f"seat {seat} is not asked")
        phase = self.hand.phase.value
        if question == self.hand.question(seat, "pass"):
            phase = "proof"
        return f"h{self.hand_number}.{phase}.s{seat}.d{question}"

    def decision(self, seat: int) -> DecisionAsked | None:
        """The question before the seat with its legal actions, or None."""
        if self.hand is None or not self.hand.question(seat):
            return None
        name = self.decision_id(seat)
        phase = name.split(".")[1]
        bank = self.bank_for(seat)
        return DecisionAsked(
            seat,
            name,
            phase,
            self.hand.legal(seat),
            self.alarm_of(seat),
            time_bank=bank,
            bank_running=bank is not None and BANK in self.alarms,
            proof_alarm=self.alarm_of(seat, "pass") if phase != "proof" and PROOF in self.alarms else None,
        )

    def time_bank(self, player: str) -> timedelta:
        """What a player's time bank still holds."""
        left = self.config.rules.time_bank - self.time_used.get(player, timedelta(0))
        return max(left, timedelta(0))

    def bank_for(self, seat: int) -> timedelta | None:
        """What the time bank holds for the question before a seat; None where none belongs to it."""
        hand = self.hand
        if hand is None or not self.config.rules.time_bank or hand.phase not in _TURN_PHASES:
            return None
        if hand.question(seat) in (0, hand.question(seat, "pass")):
            return None
        return self.time_bank(self.hand_players[seat])

    def alarm_of(self, seat: int, action: str | None = None) -> Alarm | None:
        """The alarm of the question before a seat; with an action, of the question that it answers."""
        if self.hand is None or not (question := self.hand.question(seat, action)):
            return None
        window = question == self.hand.question(seat, "pass")
        return self.alarms.get(PROOF if window else BANK if BANK in self.alarms else TURN)

    def decisions(self) -> list[DecisionAsked]:
        """All open questions."""
        return [asked for seat in (self.hand.asked if self.hand else ()) if (asked := self.decision(seat))]

    def stamp(self, time: datetime) -> None:
        """The version has been committed at this time: what was set in it becomes a moment."""
        self.time = time
        for name, alarm in self.alarms.items():
            if alarm.at is None:
                self.alarms[name] = replace(alarm, at=time + alarm.after)
        if (use := self.bank_use) is not None:
            used = min(max(time - use.since, timedelta(0)), use.whole)
            others = [(player, spent) for player, spent in self.time_used.items() if player != use.player]
            used += self.time_used.get(use.player, timedelta(0))
            self.time_used = dict(others[-(MAX_TIME_USED - 1) :]) | {use.player: used}
            self.bank_use = None

    def chips(self) -> int:
        """Every chip at the table: stacks, pending, pot, carried pot and rake."""
        total = self.ledger.raked + sum(seat.stack + seat.pending for seat in self.seats.values())
        if self.hand_running and self.hand is not None:
            # The house's part leaves the pot before the hand is over where a proof is still waited for.
            if self.hand.phase is Phase.PROOF:
                total += sum(event.amount for event in self.hand.events if isinstance(event, RakeTaken))
            return total + self.hand.pot
        return total + self.carried

    def waits_to_begin(self, seat: int) -> bool:
        """Whether the bank has not paid yet for the first chips of a seat: then nobody has played there."""
        return any(each.seat == seat and each.joining and not each.gone for each in self.transfers.values())

    def check_chips(self) -> None:
        """The law of the ledger, and that nothing stays at a closed table but what the house took.

        Raises:
            AssertionError: chips have appeared or vanished: a fault of this program, never of a player.
        """
        owed = self.ledger.bought_in - self.ledger.cashed_out
        if self.chips() != owed:
            raise AssertionError(
                f"table {self.table_id}: {self.chips()} chips at the table, {owed} in the ledger"
            )
        if self.closed and self.chips() != self.ledger.raked:
            left = self.chips() - self.ledger.raked
            raise AssertionError(f"table {self.table_id}: {left} chips are left at a closed table")
        awaited: dict[int, int] = {}
        for each in self.transfers.values():
            if not each.gone:
                awaited[each.seat] = awaited.get(each.seat, 0) + each.amount
        if awaited != {
            number: seat.awaiting_bank for number, seat in self.seats.items() if seat.awaiting_bank
        }:
            raise AssertionError(
                f"table {self.table_id}: the seats and the list differ in what the bank owes"
            )

    def copy(self) -> TableState:
        """A copy that may be changed without touching this one."""
        twin = TableState(*_values(self))
        twin.seats = {number: Seat(*_seat_values(seat)) for number, seat in self.seats.items()}
        if self.hand is not None and self.hand_running:
            twin.hand = self.hand.copy()
        twin.alarms = self.alarms.copy()
        twin.transfers = self.transfers.copy()
        return twin


# Every command copies a state; this takes a third of the time of ``dataclasses.replace``.
_values = attrgetter(*(each.name for each in fields(TableState)))
_seat_values = attrgetter(*(each.name for each in fields(Seat)))


@dataclass(frozen=True, slots=True)
class DecisionName:
    """The parts of a decision id ``h12.round1.s2.d3``."""

    hand_number: int
    phase: str
    seat: int
    question: int


def parse_decision_id(text: str) -> DecisionName:
    """Read a decision id.

    Raises:
        ValueError: it is not one.
    """
    found = _DECISION_ID.fullmatch(text)
    if not found:
        raise ValueError("a decision id looks like h12.round1.s2.d3")
    return DecisionName(int(found[1]), found[2], int(found[3]), int(found[4]))
