"""How many open tables one player may have: those he made, and those of others at which he sits.

They are counted in the store when one is to be added. Within a process a player's additions wait for each
other, so that the number is kept exactly; servers that add in the same moment may go over it by one each.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakValueDictionary

from turkpoker.table.errors import Reason, TableError


@dataclass(frozen=True, slots=True)
class TablesOfPlayer:
    """Ids of the open tables that a player made, and of those of others at which he sits."""

    hosted: frozenset[str]
    joined: frozenset[str]


class PlayerTables(Protocol):
    """Tells whose tables are whose. Every method may raise StoreAway."""

    async def of_player(self, player: str) -> TablesOfPlayer:
        """The open tables of a player."""
        ...

    async def was_made(self, player: str, request_id: str) -> bool:
        """Whether this request has made a table, not too long ago."""
        ...


class Allowance:
    """Lets a player add a table as long as he may.

    Args:
        tables: whose tables are whose.
        max_hosted: how many open tables one may have made; 0: any number.
        max_joined: at how many tables of others one may sit; 0: any number.
    """

    def __init__(self, tables: PlayerTables, max_hosted: int, max_joined: int) -> None:
        self._tables = tables
        self._max_hosted = max_hosted
        self._max_joined = max_joined
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def hosting(self, player: str, request_id: str) -> AsyncIterator[None]:
        """While the block runs, the player may make one more table; a request that has made one may be
        repeated.

        Raises:
            TableError: TOO_MANY_TABLES.
        """
        if not self._max_hosted:
            yield
            return
        async with self._lock(player):
            hosted = (await self._tables.of_player(player)).hosted
            if len(hosted) >= self._max_hosted and not (
                request_id and await self._tables.was_made(player, request_id)
            ):
                raise _too_many(f"you host {len(hosted)} open tables", self._max_hosted)
            yield

    @asynccontextmanager
    async def joining(self, player: str, table_id: str) -> AsyncIterator[None]:
        """While the block runs, the player may sit down at this table.

        Raises:
            TableError: TOO_MANY_TABLES.
        """
        if not self._max_joined:
            yield
            return
        async with self._lock(player):
            found = await self._tables.of_player(player)
            if len(found.joined) >= self._max_joined and table_id not in found.joined | found.hosted:
                raise _too_many(f"you sit at {len(found.joined)} tables", self._max_joined)
            yield

    def _lock(self, player: str) -> asyncio.Lock:
        return self._locks.setdefault(player, asyncio.Lock())


def _too_many(what: str, most: int) -> TableError:
    return TableError(Reason.TOO_MANY_TABLES, f"{what}: no more are allowed", metadata={"max": str(most)})
