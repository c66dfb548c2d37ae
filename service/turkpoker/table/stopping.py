"""The end that an operator makes of a table, also in the middle of a hand.

A stopped hand is as if it had never been dealt: everybody has back what he put in, also who has left it since
(he is paid at once); the house has no part of it, and a pot that was carried into it lies on the table again,
to be shared among those who still sit there. It leaves no record of a hand; the audit log tells of it. Where
the pot has been won and only a proof may still be asked for, nothing is stopped: nobody asks, and the hand is
over.
"""

from __future__ import annotations

from turkpoker.engine import Action, Hand, Phase
from turkpoker.table.access import OPERATOR
from turkpoker.table.between import end_table
from turkpoker.table.commands import ForceClose
from turkpoker.table.dealing import take_stacks
from turkpoker.table.desk import Desk
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.events import HandStopped
from turkpoker.table.hosting import checked_reason
from turkpoker.table.matches import give_up


def force_close(desk: Desk, command: ForceClose) -> bool:
    """Stop a running hand, pay everybody out and close the table. Only operators may."""
    if not command.operator:
        raise TableError(Reason.ROLE_MISSING, "only an operator may do this", metadata={"role": OPERATOR})
    reason = checked_reason(command.reason)
    if desk.state.hand_running and desk.state.hand is not None:
        if desk.state.hand.phase is Phase.PROOF:
            end_proof(desk, desk.state.hand)
        else:
            stop_hand(desk, reason)
    end_table(desk, reason)
    return True


def end_proof(desk: Desk, hand: Hand) -> None:
    """Let nobody ask for a proof any more, and settle the hand."""
    for number in hand.proof_asked_of:
        if number in hand.proof_asked_of:
            desk.events += hand.apply(Action(number, "pass"))
    take_stacks(desk.state)
    desk.settle()


def stop_hand(desk: Desk, reason: str) -> None:
    """Take the running hand back."""
    state, hand = desk.state, desk.state.hand
    assert hand is not None
    record, now = hand.record(), hand.stacks
    before = {number: chips for number, chips in record.stacks if number in state.hand_players}
    refunds = tuple((number, chips - now[number]) for number, chips in before.items())
    state.hand, state.reshuffler = None, None
    state.carried, state.dead_before = record.carried, record.dead_before
    desk.events.append(HandStopped(state.hand_number, refunds, record.carried, reason))
    for number, chips in before.items():
        # A leaver has been paid what he had left.
        state.seats[number].stack = chips - state.seats[number].paid
    leavers = [number for number in state.hand_players if state.seats[number].leaving]
    state.hand_players = {}
    for number in leavers:
        # He has left: no part of the carried pot is his. In a match he has his place.
        given_up = give_up(state, number)
        if given_up is not None:
            desk.events.append(given_up)
        desk.pay_and_free(number)
