"""Who may come to a table, and who may do more there than sit."""

from __future__ import annotations

import hmac
from collections.abc import Collection

from turkpoker.table.errors import Reason, TableError
from turkpoker.table.state import Authority, TableState

OPERATOR = "operator"


def check_invited(state: TableState, player: str, roles: Collection[str], invitation: str) -> None:
    """Let somebody see a table or come to it.

    To a private table belong its host, who sits or waits there, operators, and who has the invitation; who
    was removed from it belongs there no more, whatever he has.

    Args:
        state: the table.
        player: who asks.
        roles: his roles.
        invitation: what he shows; empty: nothing.

    Raises:
        TableError: NOT_INVITED, REMOVED.
    """
    if not state.config.private or player == state.config.host or OPERATOR in roles:
        return
    check_not_removed(state, player)
    if state.seat_of(player) is not None or any(each.player == player for each in state.waiting):
        return
    # In constant time, so that nobody can feel his way to it.
    if not invitation or not hmac.compare_digest(_bytes(invitation), _bytes(state.invitation)):
        raise TableError(Reason.NOT_INVITED, "this table is private and this invitation does not open it")


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def check_not_removed(state: TableState, player: str) -> None:
    """Refuse who was sent away.

    Raises:
        TableError: REMOVED.
    """
    if player in state.removed:
        raise TableError(Reason.REMOVED, "you were sent away from this table")


def check_authority(state: TableState, by: str, *, operator: bool = False) -> Authority:
    """As what somebody gives a command that is not everybody's.

    Args:
        state: the table.
        by: who gives it.
        operator: he has that role, and operators may give this command.

    Raises:
        TableError: NOT_THE_HOST.
    """
    if by == state.config.host:
        return "host"
    if operator:
        return "operator"
    raise TableError(Reason.NOT_THE_HOST, "only who made the table may do this")
