"""What a player can do, by the names of the rules text, section 5."""

from __future__ import annotations

from turkpoker.engine.errors import BadAction
from turkpoker.engine.values import value
from turkpoker.engine.whole import MAX_CHIPS
from turkpoker.evaluator import format_cards

#: Actions that need ``to``.
WITH_AMOUNT = frozenset({"open", "bet", "raise"})
#: Actions that say how much by themselves; a ``to`` given with them must be right.
MAY_NAME_AMOUNT = frozenset({"call", "over_blind", "karanlik"})
PROOF_ACTIONS = frozenset({"ask_proof", "pass"})
#: Every action of a hand.
ACTIONS = (
    WITH_AMOUNT
    | MAY_NAME_AMOUNT
    | PROOF_ACTIONS
    | {"check", "fold", "draw", "decline", "enter", "stay_out", "leave"}
)


@value
class Action:
    """One decision of a player.

    Attributes:
        seat: whose.
        action: a name of ``ACTIONS``.
        to: for ``open``, ``bet`` and ``raise`` the player's total in the round after it, in chips.
        cards: for ``draw`` the ids of the cards thrown; none stands pat.
    """

    seat: int
    action: str
    to: int | None = None
    cards: tuple[int, ...] = ()

    def __repr__(self) -> str:
        # The cards thrown are nobody else's business, not even a log's.
        shown = f", to={self.to}" if self.to is not None else ""
        return f"Action({self.seat}, {self.action!r}{shown}{', cards=...' if self.cards else ''})"

    def to_dict(self, seat_name: str | int) -> dict[str, object]:
        """The action as a step of a record."""
        step: dict[str, object] = {"seat": seat_name, "action": self.action}
        if self.to is not None:
            step["to"] = self.to
        if self.action == "draw":
            step["cards"] = [format_cards((card,)) for card in self.cards]
        return step


def check_form(action: Action) -> None:
    """Refuse what no state of any hand could allow.

    Raises:
        BadAction: naming the field at fault.
    """
    name = action.action
    if not isinstance(name, str) or name not in ACTIONS:
        raise BadAction("action", f"no such action: {str(name)[:40]!r}")
    to = action.to
    if to is None:
        if name in WITH_AMOUNT:
            raise BadAction("to", f"{name} needs an amount")
    elif type(to) is not int:
        raise BadAction("to", "must be a whole number of chips")
    elif not 0 <= to <= MAX_CHIPS:
        raise BadAction("to", f"must be from 0 to {MAX_CHIPS}")
    elif name not in WITH_AMOUNT and name not in MAY_NAME_AMOUNT:
        raise BadAction("to", f"{name} takes no amount")
    cards = action.cards
    if cards:
        if name != "draw":
            raise BadAction("cards", f"{name} takes no cards")
        if not isinstance(cards, tuple | list):
            raise BadAction("cards", "must be card ids")
        for card in cards:
            if type(card) is not int or not 0 <= card < 52:
                raise BadAction("cards", "must be card ids from 0 to 51")
