"""What becomes of a command: a pure function from a state and a command to a new state and events.

No clock, no I/O, no randomness but the dealer's. A refusal raises ``TableError`` and changes nothing, since
all work is done on a copy. Alarms are set as durations from the commit; the store turns them into moments of
its own clock (``alarms``, ``clocks``).

Choices where the rules of the game are silent:

- A hand begins by itself when enough players are ready: ``hand_pause`` after the last one, or after enough
  have come; with a pause of zero in the same command.
- Whoever runs out of time checks when that is free, else folds; stands pat in the draw; declines what is
  asked before the cards are seen; stays out where entry is asked; asks for no proof. After
  ``TIMEOUTS_TO_SIT_OUT`` in a row he sits out from the next hand on, until he joins again (which costs
  nothing) or sits in.
- Who sits out in a tournament is dealt in and answered for at once, and comes in where entry is asked. Where
  all sit out and a hand moves no chip, nothing more is dealt until one is back.
- Who leaves in a hand is folded and paid at once, all-in players after the hand. His seat is free when the
  hand is over.
- Chips that stay in a carried pot when nobody with chips is left are the last leaver's.
- Who left with more than he brings now brings at least what he left with.
- A seat that gets free is kept for the first who waits for one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from turkpoker.table import banking, hosting, playing, seating, stopping, waiting
from turkpoker.table.audit import AuditRecord, audit_of
from turkpoker.table.commands import (
    Act,
    AddChips,
    Close,
    Command,
    ConfirmBuyIn,
    EndSession,
    ForceClose,
    Join,
    JoinWaitingList,
    Leave,
    LeaveWaitingList,
    Pause,
    RefuseBuyIn,
    Remove,
    RenewInvitation,
    Resume,
    SetAutoTopUp,
    SitIn,
    SitOut,
    SwitchDealMode,
    TimeOut,
    asker,
)
from turkpoker.table.desk import Desk
from turkpoker.table.errors import NotDue, Reason, TableError
from turkpoker.table.events import TableEvent
from turkpoker.table.ports import Dealer, FinishedHand, Timing
from turkpoker.table.state import TableState
from turkpoker.table.transfers import Transfer

#: What each command does at a desk; whether anything changed.
_CARRIED_OUT: dict[type, Callable[[Desk, Any], bool]] = {
    Join: seating.join,
    Leave: seating.leave,
    AddChips: seating.add_chips,
    Act: playing.act,
    SitOut: seating.sit_out,
    SitIn: seating.sit_in,
    SetAutoTopUp: seating.set_auto_top_up,
    JoinWaitingList: waiting.join_list,
    LeaveWaitingList: waiting.leave_list,
    Close: hosting.close,
    ForceClose: stopping.force_close,
    Pause: hosting.pause,
    Resume: hosting.resume,
    Remove: hosting.remove,
    SwitchDealMode: hosting.switch_deal_mode,
    EndSession: hosting.end_session,
    RenewInvitation: hosting.renew_invitation,
    TimeOut: lambda desk, _: playing.time_out(desk),
    ConfirmBuyIn: banking.answer_buy_in,
    RefuseBuyIn: banking.answer_buy_in,
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a command.

    Args:
        state: the new state; the old one where nothing changed.
        events: what happened, in order.
        timing: what the store's clock must say.
        moment: of which the timing speaks; None: of none.
        changed: False when there is nothing to commit.
        cashed_out: chips paid to whoever asked; to all where an operator ended the table.
        pending: more will be paid to him, or the chips he bought are his, when the hand is over.
        bought: chips that he bought.
        finished: hands that ended.
        orders: what the bank is asked to do.
        transfer_id: of the chips that the caller asked the bank for.
        answered: the entry of the outbox that the command carries out.
        audit: what the audit log says of it.
    """

    state: TableState
    events: tuple[TableEvent, ...] = field(repr=False)
    timing: Timing = Timing.ANY
    moment: datetime | None = None
    changed: bool = True
    cashed_out: int = 0
    pending: bool = False
    bought: int = 0
    finished: tuple[FinishedHand, ...] = ()
    orders: tuple[Transfer, ...] = ()
    transfer_id: str = ""
    answered: str = ""
    audit: tuple[AuditRecord, ...] = ()


def decide(state: TableState, command: Command, dealer: Dealer, *, held: bool = False) -> Decision:
    """What becomes of a command.

    Args:
        state: as it was committed last; not changed.
        command: what is asked.
        dealer: who shuffles.
        held: an operator lets no hand begin.

    Raises:
        TableError: it is refused, and nothing has changed.
        NotDue: a TimeOut where no clock runs.
    """
    # The bank may answer after the table was closed; who has gone is paid back then.
    if state.closed and not isinstance(command, ConfirmBuyIn | RefuseBuyIn):
        if isinstance(command, TimeOut):
            raise NotDue("the table is closed")
        raise TableError(Reason.TABLE_CLOSED, "the table has been closed")
    desk = Desk(state, dealer, held=held)
    changed = _CARRIED_OUT[type(command)](desk, command)
    if not changed:
        return Decision(state, (), changed=False, pending=desk.pending)
    playing.go_on(desk)
    desk.state.check_chips()
    timing = {Act: Timing.IN_TIME, TimeOut: Timing.DUE}.get(type(command), Timing.ANY)
    return Decision(
        desk.state,
        tuple(desk.events),
        timing,
        desk.moment,
        cashed_out=_cashed_out(command, desk),
        pending=desk.pending,
        bought=desk.bought,
        finished=tuple(desk.finished),
        orders=tuple(desk.orders),
        transfer_id=desk.transfer_id,
        answered=getattr(command, "entry_id", ""),
        audit=audit_of(command, state.config.host, desk.events),
    )


def _cashed_out(command: Command, desk: Desk) -> int:
    """What was paid to who asked; to all of them where an operator asked for the end."""
    if isinstance(command, ForceClose):
        return sum(desk.paid_to.values())
    return desk.paid_to.get(asker(command) or "", 0)
