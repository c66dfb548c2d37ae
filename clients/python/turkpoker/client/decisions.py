"""A question of the table to a player, and the answers to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from google.protobuf import timestamp_pb2
from turkpoker.client import cards as card_texts
from turkpoker.v1 import actions_pb2

ActionName = Literal[
    "check",
    "open",
    "fold",
    "call",
    "raise",
    "bet",
    "draw",
    "karanlik",
    "over_blind",
    "decline",
    "enter",
    "stay_out",
    "ask_proof",
    "pass",
]
# `{"check": True}`, `{"call": 12}` (chips to add), `{"open": (2, 49)}` (totals), `{"draw": (0, 4)}` (cards)
LegalActions = dict[str, Literal[True] | int | tuple[int, int]]

_TYPES: dict[str, actions_pb2.ActionType.ValueType] = {
    name.removeprefix("ACTION_TYPE_").lower(): number
    for name, number in actions_pb2.ActionType.items()
    if number != actions_pb2.ACTION_TYPE_UNSPECIFIED
}
_NAMES = {number: name for name, number in _TYPES.items()}
_PHASES: dict[int, str] = {
    number: name.removeprefix("PHASE_").lower() for name, number in actions_pb2.Phase.items()
}
_PHASES[actions_pb2.PHASE_UNSPECIFIED] = ""
_WITH_AMOUNT = frozenset({"open", "bet", "raise"})


def action_name(type_: int) -> str:
    """`raise` for ACTION_TYPE_RAISE; empty for an unknown one (a newer server)."""
    return _NAMES.get(type_, "")  # type: ignore[call-overload, no-any-return]


def phase_name(phase: int) -> str:
    """`round1` for PHASE_ROUND1; empty when no hand is on."""
    return _PHASES.get(phase, "")


def moment(stamp: timestamp_pb2.Timestamp) -> datetime:
    """A moment of the wire; by hand, since ToDatetime costs more than all the rest of a decision."""
    return datetime.fromtimestamp(stamp.seconds, UTC) + timedelta(microseconds=stamp.nanos // 1000)


@dataclass(frozen=True, slots=True)
class Decision:
    """One open question.

    id: its name, which the answer repeats.
    seat: who is asked.
    phase: `round1`, `draw`, ... as in the rules text.
    legal: what he may do; empty in somebody else's question.
    deadline: when the table answers for him (by the store's clock), None when it never does; while his time
        bank is not in use and holds something, that is when it begins to run.
    time_bank: what his time bank still holds.
    time_bank_running: it runs now, and the deadline is its end.
    proof_deadline: until when a proof may be asked for beside the turn, None where there is no window.
    """

    id: str
    seat: int
    phase: str
    legal: LegalActions
    deadline: datetime | None = None
    time_bank: timedelta = timedelta(0)
    time_bank_running: bool = False
    proof_deadline: datetime | None = None

    @classmethod
    def from_wire(cls, message: actions_pb2.Decision) -> "Decision":
        """The decision that a message describes."""
        legal: LegalActions = {}
        for action in message.legal_actions:
            name = action_name(action.type)
            if name in _WITH_AMOUNT:
                legal[name] = (action.min_to, action.max_to)
            elif name == "call":
                legal[name] = action.call_amount
            elif name == "draw":
                legal[name] = (0, action.max_cards)
            elif name:
                legal[name] = True
        return cls(
            message.decision_id,
            message.seat,
            phase_name(message.phase),
            legal,
            moment(message.deadline) if message.HasField("deadline") else None,
            message.time_bank.ToTimedelta() if message.HasField("time_bank") else timedelta(0),
            message.time_bank_running,
            moment(message.proof_deadline) if message.HasField("proof_deadline") else None,
        )

    def range(self, action: str) -> tuple[int, int]:
        """The smallest and greatest `to` (or number of cards) of an action; KeyError when there is none."""
        found = self.legal[action]
        if not isinstance(found, tuple):
            raise KeyError(f"{action} takes no amount")
        return found


def make_action(
    name: str, *, to: int | None = None, cards: str | Sequence[int] | None = None
) -> actions_pb2.Action:
    """The message of an action; ValueError for an unknown name or cards that are none.

    to: the player's total in this round, for open, bet and raise.
    cards: what to discard, as text (`"As Td"`) or cards of the wire.
    Whether the action is legal is the server's to say.
    """
    if name not in _TYPES:
        raise ValueError(f"there is no action {name!r}; the actions are {', '.join(_TYPES)}")
    message = actions_pb2.Action(type=_TYPES[name])
    if to is not None:
        message.to = to
    if cards:
        message.cards.extend(card_texts.cards(cards) if isinstance(cards, str) else cards)  # type: ignore[arg-type]
    return message
