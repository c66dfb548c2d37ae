"""Resource names, request ids and page sizes: what they look like, and what is refused."""

from __future__ import annotations

import re

from turkpoker.server.errors import ServiceError, invalid

MAX_REQUEST_ID = 64
MAX_DISPLAY_NAME = 80
MAX_PAGE_TOKEN = 256
_TABLE_NAME = re.compile(r"tables/([A-Za-z0-9_-]{1,40})", re.ASCII)
_HAND_NAME = re.compile(r"tables/([A-Za-z0-9_-]{1,40})/hands/([1-9][0-9]{0,17})", re.ASCII)


def table_name(table_id: str) -> str:
    """``tables/{table}``."""
    return f"tables/{table_id}"


def hand_name(table_id: str, hand_number: int) -> str:
    """``tables/{table}/hands/{hand_number}``."""
    return f"tables/{table_id}/hands/{hand_number}"


def parse_table_name(name: str, field: str = "name") -> str:
    """The id in ``tables/{table}``.

    Raises:
        ServiceError: INVALID_FIELD.
    """
    match = _TABLE_NAME.fullmatch(name)
    if match is None:
        raise invalid(field, f"{field} must read tables/{{table}}")
    return match[1]


def parse_hand_name(name: str, field: str = "name") -> tuple[str, int]:
    """Table id and hand number in ``tables/{table}/hands/{hand_number}``.

    Raises:
        ServiceError: INVALID_FIELD.
    """
    match = _HAND_NAME.fullmatch(name)
    if match is None:
        raise invalid(field, f"{field} must read tables/{{table}}/hands/{{hand_number}}")
    return match[1], int(match[2])


def check_request_id(request_id: str, field: str = "request_id") -> str:
    """A request id; empty means that the caller does not ask for idempotency.

    Raises:
        ServiceError: INVALID_FIELD; it is too long or holds control characters.
    """
    if len(request_id) > MAX_REQUEST_ID:
        raise invalid(field, f"{field} is longer than {MAX_REQUEST_ID} characters")
    if not request_id.isprintable():
        raise invalid(field, f"{field} holds characters that cannot be printed")
    return request_id


def check_display_name(name: str, field: str = "display_name", most: int = MAX_DISPLAY_NAME) -> str:
    """A display name without blanks around it; may be empty.

    Raises:
        ServiceError: INVALID_FIELD; it is too long or holds control characters.
    """
    name = name.strip()
    if len(name) > most:
        raise invalid(field, f"{field} is longer than {most} characters")
    if not name.isprintable():
        raise invalid(field, f"{field} holds characters that cannot be printed")
    return name


def page_size(asked: int, *, default: int, greatest: int) -> int:
    """How many to list.

    Raises:
        ServiceError: INVALID_FIELD; a negative number.
    """
    if asked < 0:
        raise invalid("page_size", "page_size must not be negative")
    return min(asked or default, greatest)


def check_page_token(token: str) -> str:
    """A page token of a length that ours can have.

    Raises:
        ServiceError: INVALID_FIELD.
    """
    if len(token) > MAX_PAGE_TOKEN:
        raise invalid("page_token", "page_token is none of ours")
    return token


def not_found(table_id: str) -> ServiceError:
    """There is no such table."""
    name = table_name(table_id)
    return ServiceError("TABLE_NOT_FOUND", f"there is no table {name}", metadata={"table": name})
