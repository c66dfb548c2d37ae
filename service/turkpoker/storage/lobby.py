"""The list of tables in the store: pages, newest first, of the tables that a filter lets through.

A page is read in rounds: the places of the newest tables of all shards, then what the list shows of them,
until the page is full. Each round looks at more tables than the one before: a page that is full at once costs
two small round trips, and a filter that hardly any table passes still costs only a few.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from redis.asyncio import Redis
from turkpoker.storage import encoding, paging
from turkpoker.storage.connection import ask
from turkpoker.storage.keys import SHARDS, Keys, player_mark, shard_of
from turkpoker.table.lobby import TableFilter
from turkpoker.table.ports import Page

#: So many entries are read in one go.
_CHUNK = 2048
_GROWTH = 8

#: When a table was made, in ms, and its id: the order of the list.
_Place = tuple[int, str]


async def list_page(client: Redis, keys: Keys, size: int, token: str, wanted: TableFilter) -> Page:
    """A page of the open tables.

    Args:
        client: to the server.
        keys: names of keys.
        size: so many tables at most.
        token: of the page before, with the same filter; empty: the first page.
        wanted: the filter.

    Raises:
        TableError: INVALID_FIELD; the token is not one, or belongs to another filter.
    """
    mark = _filter_mark(wanted)
    before, last_id = paging.read_table_token(token, mark)
    if wanted.mine:
        places = _places_of_player(client, keys, wanted.mine, before, last_id)
    else:
        places = _places(client, keys, size + 1, before, last_id)
    found: list[tuple[_Place, encoding.PackedLobby]] = []
    async for batch in places:
        for start in range(0, len(batch), _CHUNK):
            chunk = batch[start : start + _CHUNK]
            entries = await _entries(client, keys, chunk)
            found += [(place, entry) for place, entry in entries if wanted.fits(entry)]
            if len(found) > size:
                return _page(found[:size], paging.table_token(*found[size - 1][0], mark))
    return _page(found, "")


def _page(found: list[tuple[_Place, encoding.PackedLobby]], next_token: str) -> Page:
    return Page(tuple(encoding.unpack_lobby(entry, _at(made)) for (made, _), entry in found), next_token)


def _filter_mark(wanted: TableFilter) -> str:
    """What a page token says of the filter it belongs to."""
    return hashlib.blake2b(repr(wanted).encode(errors="surrogatepass"), digest_size=6).hexdigest()


async def _places(
    client: Redis, keys: Keys, count: int, before: str, last_id: str
) -> AsyncIterator[list[_Place]]:
    """Open tables after a place, newest first, in growing batches; the first has about ``count`` or more."""
    # Tables lie evenly in the shards, so that each holds about as many of the newest ones.
    least = 2 + 2 * count // SHARDS
    while True:
        pipeline = client.pipeline(transaction=False)
        for shard in range(SHARDS):
            pipeline.zrange(
                keys.lobby(shard),
                before,
                "-inf",
                desc=True,
                byscore=True,
                withscores=True,
                offset=0,
                num=least,
            )
        shards = [
            [(int(made), table_id.decode()) for table_id, made in shard]
            for shard in await ask(pipeline.execute())
        ]
        places = sorted((place for shard in shards for place in shard), reverse=True)
        # A shard that was cut off may hold more tables, but only behind its last one.
        cut = max((shard[-1] for shard in shards if len(shard) == least), default=None)
        batch = [
            place
            for place in places
            if paging.is_after(place, before, last_id) and (cut is None or place >= cut)
        ]
        yield batch
        if cut is None:
            return
        if batch:
            before, last_id = str(batch[-1][0]), batch[-1][1]
        least *= _GROWTH


async def _places_of_player(
    client: Redis, keys: Keys, player: str, before: str, last_id: str
) -> AsyncIterator[list[_Place]]:
    """Open tables after a place that a player made or sits at, newest first, all at once."""
    mark = player_mark(player).encode()
    pipeline = client.pipeline(transaction=False)
    for shard in range(SHARDS):
        pipeline.zrange(keys.lobby_players(shard), b"[" + mark + b":", b"[" + mark + b";", bylex=True)
    marked = await ask(pipeline.execute())
    found = {
        shard: [member[len(mark) + 1 :] for member in members]
        for shard, members in enumerate(marked)
        if members
    }
    pipeline = client.pipeline(transaction=False)
    for shard, ids in found.items():
        pipeline.zmscore(keys.lobby(shard), ids)
    times: list[list[Any]] = await ask(pipeline.execute()) if found else []
    places = sorted(
        (
            (int(made), table_id.decode())
            for ids, scores in zip(found.values(), times, strict=True)
            for table_id, made in zip(ids, scores, strict=True)
            if made is not None
        ),
        reverse=True,
    )
    yield [place for place in places if paging.is_after(place, before, last_id)]


async def _entries(
    client: Redis, keys: Keys, places: list[_Place]
) -> list[tuple[_Place, encoding.PackedLobby]]:
    """What the list shows of these tables; one that has been closed meanwhile is left out."""
    by_shard: dict[int, list[_Place]] = {}
    for place in places:
        by_shard.setdefault(shard_of(place[1]), []).append(place)
    pipeline = client.pipeline(transaction=False)
    for shard, there in by_shard.items():
        pipeline.hmget(keys.lobby_entries(shard), [table_id for _, table_id in there])
    packed = {
        place: entry
        for there, entries in zip(by_shard.values(), await ask(pipeline.execute()), strict=True)
        for place, entry in zip(there, entries, strict=True)
        if entry is not None
    }
    return [(place, encoding.decode_lobby(packed[place])) for place in places if place in packed]


def _at(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
