"""Chips bought from a bank: what becomes of them once it has answered, wherever the player is by then."""

from __future__ import annotations

from turkpoker.table.commands import ConfirmBuyIn, RefuseBuyIn
from turkpoker.table.desk import Desk
from turkpoker.table.events import AutoTopUpSet, BuyInConfirmed, BuyInRefused
from turkpoker.table.transfers import Awaiting


def answer_buy_in(desk: Desk, command: ConfirmBuyIn | RefuseBuyIn) -> bool:
    """Carry out what the bank has said; whether anything changed: nothing where it was told before."""
    awaiting = desk.state.transfers.pop(command.transfer_id, None)
    if awaiting is None:
        return False
    if not awaiting.gone:
        desk.state.seats[awaiting.seat].awaiting_bank -= awaiting.amount
    if isinstance(command, ConfirmBuyIn):
        _confirm(desk, awaiting, command.transfer_id)
    else:
        _refuse(desk, awaiting, command.transfer_id)
    return True


def _confirm(desk: Desk, awaiting: Awaiting, transfer_id: str) -> None:
    """The chips are the player's. Who has left meanwhile is paid back with an order of its own, so that the
    books of table and bank tell the whole story.
    """
    state, number = desk.state, awaiting.seat
    if awaiting.gone:
        desk.pay_back(awaiting, transfer_id)
        return
    in_hand = state.hand_running and number in state.hand_players
    if awaiting.joining:
        desk.forget_left_with(awaiting.player)
    desk.take_in(number, awaiting.amount, transfer_id, pending=in_hand)
    desk.events.append(BuyInConfirmed(number, awaiting.player, awaiting.amount, in_hand))


def _refuse(desk: Desk, awaiting: Awaiting, transfer_id: str) -> None:
    """The seat is free again, or the chips do not come."""
    desk.events.append(BuyInRefused(awaiting.seat, awaiting.player, awaiting.amount, transfer_id))
    if awaiting.gone:
        return
    seat = desk.state.seats[awaiting.seat]
    if awaiting.joining:
        desk.pay_and_free(awaiting.seat)
    elif seat.auto_top_up:
        # The standing order would ask again and again.
        seat.auto_top_up = 0
        desk.events.append(AutoTopUpSet(awaiting.seat, awaiting.player, 0))
