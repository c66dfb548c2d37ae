"""KEYS: every key that turkpoker writes, its type, what it holds and how long it lives.

All keys of a table, and the clock and list that it stands in, carry the hash tag of its shard, so that one
script can write them in a cluster too. ``NN`` is the shard: crc32 of the table id modulo 64, two digits.

``{tp:NN}:table:ID`` - hash
    ``v`` version, ``e`` epoch, ``s`` sealed state, ``d`` deadline (that of the earliest alarm, in ms since
    1970 by the server's clock; empty: none), ``c`` time of making (ms), ``n`` mark of the last commit, ``t``
    its time (ms), ``g`` an earlier beginning of a hand (version and ms), from which the log is trimmed by
    age, ``p`` chips that the bank has paid out for it. Lives until CLOSED_LIFE after the table was closed
    and the bank has answered what the table waits for.
``{tp:NN}:table:ID:log`` - stream
    One entry a commit, id ``version-0``: ``e`` epoch, ``t`` time, ``d`` deadline, ``b`` sealed events.
    Trimmed by age and number (settings), never within the running hand; goes with the table.
``{tp:NN}:table:ID:hands`` - stream
    One entry a finished hand, id ``hand-0``: ``t`` time, ``b`` sealed record. Trimmed by number and, as hands
    are added, by age; too old ones are never given out, and the key goes when no hand has been added for the
    life of a record (settings).
``{tp:NN}:table:ID:audit`` - stream
    Who did what at a table, one entry a commit that has such a thing: ``i`` table id, ``v`` version, ``b``
    sealed audit records. Trimmed by age and number (settings), gone when nothing was added for so long.
``{tp:NN}:audit`` - stream
    The same entries of all tables of the shard, for who asks for all of them; in a cluster the commit of a
    table cannot write a stream of the whole store.
``{tp:all}:audit`` - stream
    What concerns all tables (drain), in the same form with an empty table id.
``{tp:NN}:draining`` - string
    There while an operator lets no table be made and no hand begin. Set and removed in all shards together;
    the scripts of the shard look at their own. No life time: it stays until it is ended.
``{tp:NN}:player:PLAYER:hands`` - sorted set
    ``TABLE/HAND`` (hand of 15 digits) of each finished hand of a player at the tables of the shard, by end
    time (ms). Trimmed by the life and number of records; who finds a record gone before drops its name.
``{tp:NN}:table:ID:asked:PLAYER`` - hash
    Kept answers of one player: ``q`` counter, ``i:N`` ring of request ids, ``r:REQUEST`` payload hash and
    answer. The last ANSWERS requests, ANSWER_LIFE after the newest.
``{tp:NN}:made:PLAYER:REQUEST`` - string
    Payload hash and table id of a CreateTable, ANSWER_LIFE long; its shard is that of the player.
``{tp:NN}:plays`` - stream
    One entry a Play stream that begins at a table of the shard: ``p`` hash of table and player. A newer one
    ends the older ones, on whatever server. The last 1000 or so; gone an hour after the newest.
``{tp:NN}:due`` - sorted set
    Table ids of the shard by deadline (ms); those without one are not in it.
``{tp:NN}:lobby`` - sorted set
    Ids of the shard's open tables by time of making (ms).
``{tp:NN}:lobby:entries`` - hash
    What the list of tables shows of each; nothing secret, not sealed.
``{tp:NN}:lobby:players`` - sorted set, all with score 0
    ``MARK:ID`` for every open table of the shard and everybody who made it or sits there; ``MARK`` is a hash
    of the player.

``{tp:NN}:outbox`` - stream
    What the bank is asked to do by the tables of the shard, in the order of their commits: ``t`` table id,
    ``v`` version, ``w`` time (ms), ``b`` sealed order (transfer id, player, amount, direction). Written by
    the commit that orders it. An answered debit goes with the commit that tells the table, a paid credit with
    its count in the table's ``p``; nothing else takes one off. Tables with play money write nothing here.
``{tp:NN}:outbox:dead`` - stream
    Orders that cannot be carried out (the bank refused a credit, ...): the same fields and ``y`` why. Tried
    again now and then; never trimmed.
``{tp:00}:outbox:lease`` - string
    Which process is at work on the outboxes of all shards, so that others need not be; LEASE long. Two of
    them at once would do no harm.

Players and request ids stand in keys as hex of a hash, since they are free text of any length.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from datetime import timedelta

SHARDS = 64
CLOSED_LIFE = timedelta(days=1)
LOG_LIFE = timedelta(minutes=10)
LOG_LENGTH = 4096
ANSWER_LIFE = timedelta(minutes=15)
ANSWERS = 32
LEASE = timedelta(seconds=5)


def shard_of(text: str) -> int:
    """The shard of a table id (or, for ``made``, of a player)."""
    return zlib.crc32(text.encode()) % SHARDS


def player_mark(player: str) -> str:
    """How a player is written in keys and members of sets."""
    return _digest(player)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Keys:
    """Names of keys; a prefix other than ``tp`` lets several installations share one server."""

    prefix: str = "tp"

    def _tag(self, shard: int) -> str:
        return f"{{{self.prefix}:{shard:02d}}}"

    def table(self, table_id: str) -> str:
        """The hash of a table."""
        return f"{self._tag(shard_of(table_id))}:table:{table_id}"

    def log(self, table_id: str) -> str:
        """The event log of a table."""
        return f"{self.table(table_id)}:log"

    def hands(self, table_id: str) -> str:
        """The finished hands of a table."""
        return f"{self.table(table_id)}:hands"

    def answers(self, table_id: str, player: str) -> str:
        """The kept answers of a player at a table."""
        return f"{self.table(table_id)}:asked:{_digest(player)}"

    def table_audit(self, table_id: str) -> str:
        """Who did what at a table."""
        return f"{self.table(table_id)}:audit"

    def shard_audit(self, shard: int) -> str:
        """Who did what at the tables of a shard."""
        return f"{self._tag(shard)}:audit"

    def store_audit(self) -> str:
        """Who did what that concerns all tables."""
        return f"{{{self.prefix}:all}}:audit"

    def draining(self, shard: int) -> str:
        """The flag under which no table is made and no hand begins."""
        return f"{self._tag(shard)}:draining"

    def player_hands(self, player: str, shard: int) -> str:
        """The finished hands of a player at the tables of a shard."""
        return f"{self._tag(shard)}:player:{_digest(player)}:hands"

    def made(self, player: str, request_id: str) -> str:
        """The table that a request made."""
        return f"{self._tag(shard_of(player))}:made:{_digest(player, request_id)}"

    def plays(self, shard: int) -> str:
        """The Play streams that began at the tables of a shard."""
        return f"{self._tag(shard)}:plays"

    def play_name(self, table_id: str, player: str) -> str:
        """What stands there for a player at a table."""
        return _digest(table_id, player)

    def due(self, shard: int) -> str:
        """The deadlines of a shard."""
        return f"{self._tag(shard)}:due"

    def lobby(self, shard: int) -> str:
        """The open tables of a shard."""
        return f"{self._tag(shard)}:lobby"

    def outbox(self, shard: int) -> str:
        """What the bank is asked to do by the tables of a shard."""
        return f"{self._tag(shard)}:outbox"

    def dead_letters(self, shard: int) -> str:
        """What of it cannot be carried out."""
        return f"{self.outbox(shard)}:dead"

    def outbox_lease(self) -> str:
        """Who is at work on the outboxes."""
        return f"{self.outbox(0)}:lease"

    def lobby_entries(self, shard: int) -> str:
        """What the list shows of them."""
        return f"{self._tag(shard)}:lobby:entries"

    def lobby_players(self, shard: int) -> str:
        """Whose tables they are."""
        return f"{self._tag(shard)}:lobby:players"
