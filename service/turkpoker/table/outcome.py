"""What a use case answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from turkpoker.table.events import TableEvent
from turkpoker.table.ports import Answer, Stored
from turkpoker.table.state import TableState


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a command, or how a table stands.

    Args:
        state: the table now (after a repeated request: as it is now, not as it was then).
        deadline: when the clocks run out, by the store's clock.
        now: the store's clock.
        version: the version that the command made; for a repeated request that of the first time.
        epoch: of that version.
        events: what this call made happen; empty for a repeated request or where nothing changed.
        replayed: the request had been carried out before.
        cashed_out: chips paid to the caller.
        pending: more will be paid, or the chips bought are his, when the hand is over.
        bought: chips that the caller bought.
        transfer_id: of these, where a bank was asked for them.
    """

    state: TableState
    deadline: datetime | None
    now: datetime
    version: int
    epoch: int
    events: tuple[TableEvent, ...] = field(default=(), repr=False)
    replayed: bool = False
    cashed_out: int = 0
    pending: bool = False
    bought: int = 0
    transfer_id: str = ""


def as_it_is(stored: Stored) -> Outcome:
    """A table as it stands, without anything having happened."""
    state = stored.state
    return Outcome(state, stored.deadline, stored.now, state.version, state.epoch)


def repeated(stored: Stored, answer: Answer) -> Outcome:
    """The answer to a request that was carried out before, with the table as it is now."""
    return Outcome(
        state=stored.state,
        deadline=stored.deadline,
        now=stored.now,
        version=answer.version,
        epoch=answer.epoch,
        replayed=True,
        bought=answer.bought,
        cashed_out=answer.cashed_out,
        pending=answer.pending,
        transfer_id=answer.transfer_id,
    )
