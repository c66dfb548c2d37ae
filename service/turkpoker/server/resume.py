"""Resume tokens: where a viewer stands in a table's events.

A token names epoch and version, and the seat whose cards were the viewer's then: seats change hands, so the
seat that he has when he comes back may not be his in the events he missed. A keyed checksum over all of it,
table and player included, keeps anybody from asking for another's seat. A token that does not check out is
no error: its bearer gets a snapshot.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import struct
from dataclasses import dataclass

_BODY = struct.Struct(">BIQb")
_FORMAT = 1
_CHECKSUM_BYTES = 12
_NO_SEAT = -1
MAX_TOKEN = 128


@dataclass(frozen=True, slots=True)
class Position:
    """A point in a table's events: all up to (epoch, version) is known; ``seat`` is the viewer's."""

    epoch: int
    version: int
    seat: int | None


class ResumeTokens:
    """Makes and reads tokens.

    Args:
        key: the key of the server's tokens; servers that share it resume each other's streams.
    """

    def __init__(self, key: bytes) -> None:
        self._key = hashlib.blake2b(b"turkpoker resume tokens", key=key[:64]).digest()

    def make(self, table_id: str, player: str, position: Position) -> str:
        """The token of a position."""
        seat = _NO_SEAT if position.seat is None else position.seat
        body = _BODY.pack(_FORMAT, position.epoch, position.version, seat)
        return base64.urlsafe_b64encode(body + self._checksum(table_id, player, body)).decode()

    def read(self, table_id: str, player: str, token: str) -> Position | None:
        """The position of a token; None when it is not one of this player's at this table."""
        if not token or len(token) > MAX_TOKEN or not token.isascii():
            return None
        try:
            content = base64.b64decode(token, altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        body, checksum = content[: _BODY.size], content[_BODY.size :]
        if len(body) < _BODY.size or not hmac.compare_digest(
            checksum, self._checksum(table_id, player, body)
        ):
            return None
        version, epoch, number, seat = _BODY.unpack(body)
        if version != _FORMAT:
            return None
        return Position(epoch, number, None if seat == _NO_SEAT else seat)

    def _checksum(self, table_id: str, player: str, body: bytes) -> bytes:
        named = "\0".join((table_id, player)).encode()
        return hashlib.blake2b(named + b"\0" + body, key=self._key, digest_size=_CHECKSUM_BYTES).digest()
