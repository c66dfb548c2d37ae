"""What is done between two hands, after every command: announced leaves, the announced end, standing orders
for chips, and who sits out because the next deal would cost him something.

Each of these is looked for anew, so that it does not matter which command made it due.
"""

from __future__ import annotations

from dataclasses import replace

from turkpoker.engine.matches import next_dealer
from turkpoker.table.dealing import can_deal
from turkpoker.table.desk import Desk
from turkpoker.table.errors import TableError
from turkpoker.table.events import AutoTopUpSet, SatOut, TableClosed
from turkpoker.table.matches import match_ended, rules_of_deal
from turkpoker.table.seating import buy_more, chips_allowed, depart
from turkpoker.table.state import TableState
from turkpoker.table.waiting import empty_list


def between_hands(desk: Desk) -> None:
    """Do what is due while no hand is on."""
    state = desk.state
    for number in [number for number, seat in state.seats.items() if seat.leaves_after_hand]:
        depart(desk, number)
    if state.ending:
        end_table(desk)
        return
    _fill_up(desk)


def end_table(desk: Desk, reason: str = "") -> None:
    """Share a carried pot, say how the match ended, pay everybody out and close the table."""
    state = desk.state
    with_chips = [number for number, seat in state.seats.items() if seat.stack + seat.pending]
    if state.carried and state.seats:
        # Who still waits for his first chips from the bank has never played for it.
        there = [number for number in state.seats if not state.waits_to_begin(number)]
        desk.share_carried(with_chips or there or list(state.seats))
    if state.hand_number and state.seats and not state.match_over:
        desk.events.append(match_ended(state))
    for number in list(state.seats):
        desk.pay_and_free(number)
    empty_list(desk)
    state.left_with = {}
    state.closed = True
    desk.events.append(TableClosed(reason))


def _fill_up(desk: Desk) -> None:
    """Carry out the standing orders of those who will be dealt in."""
    rules = desk.state.config.rules
    for number, seat in desk.state.seats.items():
        held = seat.stack + seat.pending + seat.awaiting_bank
        if held >= seat.auto_top_up or seat.sitting_out or (held and rules.rebuy == "when_bust"):
            continue
        try:
            _, most = chips_allowed(desk, number)
        except TableError:
            # The rules forbid it by now.
            seat.auto_top_up = 0
            desk.events.append(AutoTopUpSet(number, seat.player, 0))
            continue
        buy_more(desk, number, min(most, seat.auto_top_up - held), automatic=True)


def sit_out_before_the_ante(desk: Desk) -> None:
    """Just before a deal: sit out who wanted to when it costs him something.

    One player less may make another one the blinder, so it is looked again.
    """
    state = desk.state
    while can_deal(state):
        due = [seat for seat in _payers(state) if state.seats[seat].sits_out_at_next_ante]
        if not due:
            return
        for number in due:
            seat = state.seats[number]
            seat.sitting_out, seat.sits_out_at_next_ante = True, False
            desk.events.append(SatOut(number, seat.player))


def _payers(state: TableState) -> list[int]:
    """The seats to which the next deal, as it would be now, brings an ante, missed antes or the blind."""
    ready = state.ready()
    rules, _ = rules_of_deal(replace(state))
    if rules.deal_mode == "blind":
        if state.dealer is None:  # he is still to be drawn, so it may be anybody
            return ready
        dealer = next_dealer(state.dealer, ready)
        return [next_dealer(dealer, ready)]
    free = rules.max_carries is not None and state.dead_before >= rules.max_carries
    if rules.ante and not free:
        return ready
    return [number for number in ready if state.seats[number].owed]
