"""How much one may ask for: per player, per table, and per address for who has no token.

A player's bucket is for all that he asks for, a smaller one for making tables. A table's bucket counts what
had an effect, and refused requests count for him alone who sent them: nobody can close a table to others by
asking for nonsense.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from turkpoker.server.addresses import Call, address_of
from turkpoker.server.buckets import Buckets
from turkpoker.server.errors import ServiceError
from turkpoker.server.settings import ServerSettings

_CREATE_TABLE = "/turkpoker.v1.TableService/CreateTable"
_TABLE_SERVICE = "/turkpoker.v1.TableService/"
#: Methods of TableService that change no table that is there.
_NO_WRITES = frozenset({"CreateTable", "GetTable", "ListTables", "ExplainRules", "WatchTable", "Play"})
_MAX_NAME = 64


class Limits:
    """The buckets of a process.

    Args:
        settings: how big they are.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._players = Buckets(settings.player_limit)
        self._creations = Buckets(settings.create_limit)
        self._tables = Buckets(settings.table_limit)
        self._strangers = Buckets(settings.stranger_limit)
        self._sign_ins = Buckets(settings.sign_in_limit)
        self._guests = Buckets(settings.guest_limit)
        self._proxies = settings.trusted_proxies

    def check_call(self, method: str, player: str) -> None:
        """Count a call of a player.

        Raises:
            ServiceError: TOO_MANY_REQUESTS.
        """
        _refuse(self._players.take(player), "you send")
        if method == _CREATE_TABLE:
            _refuse(self._creations.take(player), "you make tables")

    def check_stranger(self, context: Call) -> None:
        """Count a call without a token.

        Raises:
            ServiceError: TOO_MANY_REQUESTS.
        """
        _refuse(self._strangers.take(address_of(context, self._proxies)), "your address sends")

    def check_sign_in(self, context: Call) -> None:
        """Count a token that has not been seen before, since checking its signature costs more than a call.

        Raises:
            ServiceError: TOO_MANY_REQUESTS.
        """
        _refuse(self._sign_ins.take(address_of(context, self._proxies)), "your address signs in")

    def check_guest(self, context: Call) -> None:
        """Count a new guest.

        Raises:
            ServiceError: TOO_MANY_REQUESTS.
        """
        _refuse(self._guests.take(address_of(context, self._proxies)), "your address asks for guests")

    def check_table(self, table: str) -> None:
        """Let a change of a table go on; ``count_table`` follows with the commit when it had an effect.

        Raises:
            ServiceError: TOO_MANY_REQUESTS.
        """
        _refuse(self._tables.wait(table), "this table is asked")

    def count_table(self, table: str) -> None:
        """Count a change of a table."""
        self._tables.count(table)


def written_table(method: str, request: Any) -> str | None:
    """The table that a unary call may change; None: none that is there."""
    if not method.startswith(_TABLE_SERVICE) or method.removeprefix(_TABLE_SERVICE) in _NO_WRITES:
        return None
    name: str = request.name
    return name.removeprefix("tables/") if name.startswith("tables/") and len(name) <= _MAX_NAME else None


def _refuse(wait: timedelta | None, what: str) -> None:
    if wait is not None:
        raise ServiceError("TOO_MANY_REQUESTS", f"{what} too often; wait a little", retry_after=wait)
