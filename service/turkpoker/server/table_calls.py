"""What the calls of TableService share."""

from __future__ import annotations

from typing import Protocol

from turkpoker.server.auth import OPERATOR, caller
from turkpoker.server.errors import invalid
from turkpoker.server.watch import Viewing
from turkpoker.server.wire.names import check_request_id, parse_table_name
from turkpoker.server.wire.tables import table_to_wire
from turkpoker.table.access import check_invited
from turkpoker.table.commands import Command, Leave
from turkpoker.table.tables import Outcome
from turkpoker.v1 import tables_pb2
from turkpoker.v1.table_service_pb2_grpc import TableServiceServicer

#: An invitation of ours is far shorter; what is longer is not even looked at.
_MAX_INVITATION = 128


class Asking(Protocol):
    """A request that changes a table."""

    @property
    def name(self) -> str:
        """tables/{table}."""
        ...

    @property
    def request_id(self) -> str:
        """Makes it harmless to ask again."""
        ...


class TableCalls(TableServiceServicer):
    """The base of the groups of calls.

    Args:
        viewing: tables, events and limits.
    """

    def __init__(self, viewing: Viewing) -> None:
        self._viewing = viewing
        self._tables = viewing.tables

    async def _carry_out(self, request: Asking, command: Command) -> Outcome:
        """Give a command to the table that a request names."""
        request_id = check_request_id(request.request_id)
        outcome = await self._tables.carry_out(parse_table_name(request.name), command, request_id)
        if outcome.replayed and not isinstance(command, Leave):
            # The answer shows the table as it is now, and the caller may belong there no more.
            identity = caller()
            shown = getattr(command, "invitation", "")
            check_invited(outcome.state, identity.player, identity.roles, shown)
        return outcome

    async def _seen(self, name: str, invitation: str = "") -> Outcome:
        """A table as it stands, if the caller may see it."""
        table_id = parse_table_name(name)
        invitation = checked_invitation(invitation)
        outcome = await self._tables.get(table_id)
        identity = caller()
        check_invited(outcome.state, identity.player, identity.roles, invitation)
        return outcome

    def _view(self, outcome: Outcome) -> tables_pb2.Table:
        return table_to_wire(outcome, caller().player, self._viewing.tokens)


def checked_invitation(invitation: str) -> str:
    """An invitation that may be one.

    Raises:
        ServiceError: INVALID_FIELD; it is too long.
    """
    if len(invitation) > _MAX_INVITATION:
        raise invalid("invitation", f"invitation is longer than {_MAX_INVITATION} characters")
    return invitation


def is_operator() -> bool:
    """Whether the caller has that role."""
    return OPERATOR in caller().roles
