"""Actions, legal ranges, phases and decisions on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from turkpoker.server.errors import invalid
from turkpoker.server.wire.cards import cards_from_wire
from turkpoker.v1 import actions_pb2 as pb

if TYPE_CHECKING:
    from turkpoker.table.events import DecisionAsked

_TYPE_OF: dict[str, pb.ActionType.ValueType] = {
    name.removeprefix("ACTION_TYPE_").lower(): number for name, number in pb.ActionType.items() if number
}
_NAME_OF = {number: name for name, number in _TYPE_OF.items()}
_PHASE_OF: dict[str, pb.Phase.ValueType] = {
    name.removeprefix("PHASE_").lower(): number for name, number in pb.Phase.items() if number
}


@dataclass(frozen=True, slots=True)
class WireAction:
    """An action as a client sent it: the name of the rules text, total and cards."""

    name: str
    to: int | None = None
    cards: tuple[int, ...] = field(default=(), repr=False)


def action_from_wire(action: pb.Action) -> WireAction:
    """The action of a request; whether the rules allow it is not judged here.

    Raises:
        ServiceError: INVALID_FIELD; no action that this version knows, or no cards.
    """
    name = _NAME_OF.get(action.type)
    if name is None:
        raise invalid("action.type", f"no action: {action.type}")
    return WireAction(
        name=name,
        to=action.to if action.HasField("to") else None,
        cards=cards_from_wire(action.cards, "action.cards"),
    )


def action_type(name: str) -> pb.ActionType.ValueType:
    """The enum value of an action of the rules text."""
    return _TYPE_OF[str(name)]


def phase_to_wire(phase: str | None) -> pb.Phase.ValueType:
    """The enum value of a phase; None is no hand."""
    return pb.PHASE_UNSPECIFIED if phase is None else _PHASE_OF[str(phase)]


def legal_to_wire(legal: Mapping[str, bool | int | tuple[int, int]]) -> list[pb.LegalAction]:
    """What the asked may do, as ranges."""
    actions = []
    for name, value in legal.items():
        action = pb.LegalAction(type=action_type(name))
        if isinstance(value, tuple):
            if name == "draw":
                action.max_cards = value[1]
            else:
                action.min_to, action.max_to = value
        elif name == "call":
            action.call_amount = int(value)
        actions.append(action)
    return actions


def decision_to_wire(decision: DecisionAsked, time: datetime | None = None) -> pb.Decision:
    """A question as its reader may see it: with legal actions only where the projection left them.

    Args:
        decision: the question.
        time: of the version that asked it, by the clock of the store; None: that was a version before.
    """
    message = pb.Decision(
        decision_id=decision.decision_id,
        seat=decision.seat,
        phase=phase_to_wire(decision.phase),
        legal_actions=legal_to_wire(decision.legal or {}),
    )
    ends = ((decision.alarm, message.deadline), (decision.proof_alarm, message.proof_deadline))
    for alarm, end in ends:
        moment = None if alarm is None else alarm.at if time is None else alarm.moment(time)
        if moment is not None:
            end.FromDatetime(moment)
    if decision.time_bank is not None:
        message.time_bank.FromTimedelta(decision.time_bank)
        message.time_bank_running = decision.bank_running
    return message
