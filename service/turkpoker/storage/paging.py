"""Page tokens: opaque to clients, and checked when they come back."""

from __future__ import annotations

import base64
import binascii

from turkpoker.table.errors import Reason, TableError

#: So many tables made in the same millisecond in one shard are told apart for certain.
SAME_MOMENT = 16


def table_token(made: int, table_id: str, filter_mark: str) -> str:
    """The token of the page after this table (time of making in ms, id), for the same filter."""
    return _pack(f"t{made}.{filter_mark}.{table_id}")


def read_table_token(token: str, filter_mark: str) -> tuple[str, str]:
    """The time of making (or ``+inf``) and the id after which the page begins.

    Raises:
        TableError: INVALID_FIELD.
    """
    if not token:
        return "+inf", ""
    made, _, rest = _unpack(token, "t").partition(".")
    mark, dot, table_id = rest.partition(".")
    if not made.isdecimal() or len(made) > 15 or not dot:
        raise _bad_token()
    if mark != filter_mark:
        raise TableError(Reason.INVALID_FIELD, "page_token belongs to another filter", field="page_token")
    return made, table_id


def is_after(entry: tuple[int, str], before: str, last_id: str) -> bool:
    """Whether a table comes after the last one of the page before, newest first."""
    return before == "+inf" or entry < (int(before), last_id)


def record_token(hand_number: int) -> str:
    """The token of the page that begins with this hand."""
    return _pack(f"h{hand_number}")


def read_record_token(token: str) -> str:
    """The stream id at which the page begins; empty: at the first.

    Raises:
        TableError: INVALID_FIELD.
    """
    if not token:
        return ""
    hand_number = _unpack(token, "h")
    if not hand_number.isdecimal() or len(hand_number) > 15:
        raise _bad_token()
    return f"{hand_number}-0"


def place_token(moment: int, name: str) -> str:
    """The token of the page after this entry (time in ms, name) of a list by time."""
    return _pack(f"p{moment}.{name}")


def read_place_token(token: str) -> tuple[int, str] | None:
    """The entry after which the page begins; None: at the first.

    Raises:
        TableError: INVALID_FIELD.
    """
    if not token:
        return None
    moment, dot, name = _unpack(token, "p").partition(".")
    if not moment.isdecimal() or len(moment) > 15 or not dot:
        raise _bad_token()
    return int(moment), name


def stream_token(place: tuple[int, int, int, int]) -> str:
    """The token of the page after a record (entry id of two parts, number of the stream, place in the entry)
    of merged streams.
    """
    return _pack("a" + ".".join(map(str, place)))


def read_stream_token(token: str) -> tuple[int, int, int, int] | None:
    """The entry after which the page begins; None: at the newest.

    Raises:
        TableError: INVALID_FIELD.
    """
    if not token:
        return None
    parts = _unpack(token, "a").split(".")
    if len(parts) != 4 or not all(part.isdecimal() and len(part) <= 15 for part in parts):
        raise _bad_token()
    moment, sequence, number, place = map(int, parts)
    return moment, sequence, number, place


def _pack(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unpack(token: str, kind: str) -> str:
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True).decode(
            "ascii"
        )
    except (ValueError, binascii.Error):
        raise _bad_token() from None
    if not text.startswith(kind):
        raise _bad_token()
    return text[1:]


def _bad_token() -> TableError:
    return TableError(Reason.INVALID_FIELD, "page_token is not one of this list", field="page_token")
