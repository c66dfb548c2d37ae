"""The work on one command: a copy of the state, what has happened so far, and the ways in which chips move.

Every chip that comes or goes passes through ``take_in`` and ``cash_out``; nothing else touches the ledger but
the rake. Where the chips come from a bank, ``buy_in`` only orders them.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import datetime, timedelta

from turkpoker.engine import Event, carried_out_of_blind
from turkpoker.engine.matches import share_carried
from turkpoker.table.alarms import Alarm, left_alarm, player_of_left_alarm
from turkpoker.table.dealing import forget_missed_antes, note_missed_antes
from turkpoker.table.events import (
    BoughtIn,
    BuyInAsked,
    CarriedPotShared,
    CashedOut,
    HandSettled,
    PlayerLeft,
    SatOut,
    TableEvent,
)
from turkpoker.table.matches import eliminate, match_ended
from turkpoker.table.ports import Dealer, FinishedHand
from turkpoker.table.state import TableState
from turkpoker.table.transfers import Awaiting, Direction, Transfer

#: A player for whom the table has answered so often in a row sits out from the next hand on.
TIMEOUTS_TO_SIT_OUT = 2
#: Of so many players at most a table remembers with how many chips they left.
MAX_REMEMBERED = 64
#: For so long who has left may not come back with less.
REMEMBERED_FOR = timedelta(hours=1)


class Desk:
    """One command's work.

    Args:
        base: the state it is decided on; stays as it is.
        dealer: who shuffles.
        held: an operator lets no hand begin.

    Attributes:
        state: the copy that is worked on, one version on.
        events: what has happened, in order.
        finished: hands that ended.
        paid_to: chips paid out, by player.
        pending: the caller will be paid, or get the chips he bought, when the hand is over.
        bought: chips that the caller bought.
        last_leaver: the seat that this command gives up.
        due: the alarms that this command carries out.
        moment: before or after which the commit must happen (see ``Timing``).
        orders: what the bank is asked to do.
        transfer_id: of the chips that the caller asked the bank for; empty where he did not.
    """

    def __init__(self, base: TableState, dealer: Dealer, *, held: bool = False) -> None:
        self.base = base
        self.held = held
        self.state = base.copy()
        self.state.version += 1
        self.dealer = dealer
        self.events: list[TableEvent | Event] = []
        self.finished: list[FinishedHand] = []
        self.paid_to: dict[str, int] = {}
        self.pending = False
        self.bought = 0
        self.last_leaver: int | None = None
        self.due: frozenset[str] = frozenset()
        self.moment: datetime | None = None
        self.orders: list[Transfer] = []
        self.transfer_id = ""
        self._transfers = 0
        if self.state.reshuffler is not None and self.state.hand_running:
            self.state.reshuffler.bind(dealer, self.state.hand)

    def set_alarm(self, name: str, after: timedelta) -> None:
        """Let the table do something so long after the commit; an alarm of this name begins anew."""
        self.state.alarms[name] = Alarm(after)

    def clear_alarm(self, name: str) -> None:
        """Take an alarm off; harmless where there is none."""
        self.state.alarms.pop(name, None)

    def _new_transfer(self, player: str, amount: int, direction: Direction) -> str:
        """The id of a transfer, and the order to the bank where the table has one.

        After a crash of the machine the store may have lost the last second, and count the same versions
        again. So the id tells by a hash what is transferred, too: the bank never takes another transfer for
        one that it has seen, and takes the same one, from the same state, for what it is. The epoch is left
        out, since it is raised by such a loss and would make a new transfer of one that was paid.
        """
        self._transfers += 1
        state = self.state
        content = f"{self.base.mark!r} {player} {amount} {direction}".encode()
        digest = hashlib.blake2b(content, digest_size=6).hexdigest()
        name = f"{state.table_id}-{state.version}-{self._transfers}-{digest}"
        if state.config.bank:
            self.orders.append(Transfer(name, state.table_id, player, amount, direction, state.version))
        return name

    def buy_in(self, number: int, amount: int, *, pending: bool = False, joining: bool = False) -> None:
        """Bring chips to a seat: play money at once, else when the bank has paid for them.

        Args:
            number: the seat.
            amount: how many.
            pending: for the time after the hand. Chips from a bank see for themselves when they come.
            joining: they are the first ones of the seat, which is not kept without them.
        """
        seat = self.state.seats[number]
        transfer_id = self._new_transfer(seat.player, amount, Direction.DEBIT)
        if not self.state.config.bank:
            self.take_in(number, amount, transfer_id, pending=pending)
            return
        seat.awaiting_bank += amount
        self.state.transfers[transfer_id] = Awaiting(seat.player, number, amount, joining)
        self.events.append(BuyInAsked(number, seat.player, amount, transfer_id))

    def note_bought(self, amount: int) -> None:
        """The chips that were brought last are the caller's."""
        self.bought = amount
        self.transfer_id = self.orders[-1].transfer_id if self.orders else ""

    def take_in(self, number: int, amount: int, transfer_id: str, *, pending: bool) -> None:
        """Lay chips before a seat that are paid for, for the time after the hand with ``pending``."""
        seat, ledger = self.state.seats[number], self.state.ledger
        if pending:
            seat.pending += amount
        else:
            seat.stack += amount
        self.state.ledger = replace(ledger, bought_in=ledger.bought_in + amount)
        self.events.append(BoughtIn(number, seat.player, amount, transfer_id))

    def cash_out(self, number: int, amount: int) -> None:
        """Pay out chips that are taken from the seat; the caller sees to the stack."""
        player = self.state.seats[number].player
        if amount and not self.state.tournament:
            self._remember(player, amount)
        self._pay(number, player, amount)

    def _pay(self, number: int, player: str, amount: int) -> None:
        if amount == 0:
            return
        ledger = self.state.ledger
        self.state.ledger = replace(ledger, cashed_out=ledger.cashed_out + amount)
        self.paid_to[player] = self.paid_to.get(player, 0) + amount
        transfer_id = self._new_transfer(player, amount, Direction.CREDIT)
        self.events.append(CashedOut(number, player, amount, transfer_id))

    def pay_back(self, awaiting: Awaiting, transfer_id: str) -> None:
        """Take chips in that the bank has paid for, and pay them out again: who bought them has left."""
        ledger = self.state.ledger
        self.state.ledger = replace(ledger, bought_in=ledger.bought_in + awaiting.amount)
        self.events.append(BoughtIn(awaiting.seat, awaiting.player, awaiting.amount, transfer_id))
        self._pay(awaiting.seat, awaiting.player, awaiting.amount)

    def no_longer_await(self, number: int) -> None:
        """Who sits there leaves: what the bank still pays for him goes back to him, and to no seat."""
        state = self.state
        state.seats[number].awaiting_bank = 0
        for transfer_id, awaiting in state.transfers.items():
            if awaiting.seat == number and not awaiting.gone:
                state.transfers[transfer_id] = replace(awaiting, gone=True)

    def forget_left_with(self, player: str) -> None:
        """Who is back with enough chips may take them away again."""
        left_with = self.state.left_with
        self.state.left_with = {name: chips for name, chips in left_with.items() if name != player}
        self.clear_alarm(left_alarm(player))

    def forget_who_left_long_ago(self) -> None:
        """Let those come back with less whose time is over."""
        for name in self.due:
            if (player := player_of_left_alarm(name)) is not None:
                self.forget_left_with(player)

    def _remember(self, player: str, amount: int) -> None:
        """Keep with how many chips somebody leaves, so that he does not come back with less."""
        held = self.state.left_with.get(player, 0) + amount
        self.forget_left_with(player)
        for oldest in list(self.state.left_with)[: 1 - MAX_REMEMBERED]:
            self.forget_left_with(oldest)
        self.state.left_with |= {player: held}
        self.set_alarm(left_alarm(player), REMEMBERED_FOR)

    def pay_and_free(self, number: int) -> None:
        """Pay a seat out and free it, with a carried pot where nobody else could play for it."""
        state = self.state
        seat = state.seats[number]
        # Who waits for his first chips from the bank has never played for a carried pot; who waits for more
        # has, and may play on for it.
        never_there = state.waits_to_begin(number)
        others = any(
            other.stack + other.pending + other.awaiting_bank
            for place, other in state.seats.items()
            if place != number and not state.waits_to_begin(place)
        )
        self.no_longer_await(number)
        if state.carried and not state.hand_running and not others and not never_there:
            self.share_carried([number])
        self.cash_out(number, seat.stack + seat.pending)
        del state.seats[number]
        if not seat.paid_out:
            self.events.append(PlayerLeft(number, seat.player, self.paid_to.get(seat.player, 0)))

    def share_carried(self, seats: list[int]) -> None:
        """Give the carried pot in equal parts, odd chips one each from the dealer's left."""
        state = self.state
        dealer = state.dealer if state.dealer is not None else 0
        shares = tuple(share_carried(state.carried, seats, dealer).items())
        for number, amount in shares:
            state.seats[number].stack += amount
        self.events.append(CarriedPotShared(state.carried, shares))
        state.carried, state.carried_blind = 0, False
        forget_missed_antes(state)

    def end_tournament(self) -> None:
        """Where one player of a tournament is left, it is his, and a carried pot with it."""
        state = self.state
        if not state.tournament or not state.hand_number or state.match_over:
            return
        still_in = [number for number, seat in state.seats.items() if seat.stack and not seat.leaving]
        if len(still_in) > 1:
            return
        if state.carried and still_in:
            self.share_carried(still_in)
        state.match_over = True
        ended = match_ended(state)
        out = {player for player, _ in state.placings}
        state.placings += tuple(
            (each.player, each.place) for each in ended.placings if each.player not in out
        )
        self.events.append(ended)

    def settle(self) -> None:
        """Take the result of the hand, pay who has left, seat out who was not there."""
        state = self.state
        hand = state.hand
        assert hand is not None
        assert hand.result is not None
        result = hand.result
        state.carried = result.carried
        state.dead_before = result.next_dead
        state.carried_blind = carried_out_of_blind(result, state.carried_blind)
        note_missed_antes(state)
        state.ledger = replace(state.ledger, raked=state.ledger.raked + result.rake)
        for number in state.hand_players:
            seat = state.seats[number]
            seat.stack += seat.pending
            seat.pending = 0
        self.events.append(
            HandSettled(state.hand_number, tuple(result.final.items()), result.carried, result.rake)
        )
        self.finished.append(
            FinishedHand(
                state.table_id,
                state.hand_number,
                dict(state.hand_players),
                hand.record(f"{state.table_id}-{state.hand_number}").to_dict(),
                host=state.config.host,
                private=state.config.private,
                spectator_delay=state.config.spectator_delay,
            )
        )
        if state.tournament:
            self.events += eliminate(state, hand)
        leavers = [number for number in state.hand_players if state.seats[number].leaving]
        # Who left last is paid last: where nobody else has chips, the carried pot is his.
        leavers.sort(key=lambda number: number == self.last_leaver)
        for number in leavers:
            self.pay_and_free(number)
        self.end_tournament()
        for number, seat in state.seats.items():
            if seat.timeouts >= TIMEOUTS_TO_SIT_OUT and not seat.sitting_out:
                seat.sitting_out, seat.sits_out_at_next_ante = True, False
                self.events.append(SatOut(number, seat.player, timed_out=True))
