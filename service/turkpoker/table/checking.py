"""What is looked at before a value is believed: names that can be shown, numbers of a range."""

from __future__ import annotations

from turkpoker.table.config import MAX_DISPLAY_NAME
from turkpoker.table.errors import Reason, TableError

MAX_PLAYER_NAME = 256


def checked_person(player: str, display_name: str) -> tuple[str, str]:
    """Who comes and how he wants to be called; without a name he is called as he is.

    Raises:
        TableError: INVALID_FIELD.
    """
    player = checked_name("player", player, MAX_PLAYER_NAME)
    return player, checked_name("display_name", display_name or player[:MAX_DISPLAY_NAME], MAX_DISPLAY_NAME)


def checked_name(name: str, text: str, longest: int) -> str:
    """A name of a length that can be shown.

    Raises:
        TableError: INVALID_FIELD.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > longest or not text.isprintable():
        raise TableError(
            Reason.INVALID_FIELD, f"{name} must have 1 to {longest} printable characters", field=name
        )
    return text


def check_whole(name: str, number: int, least: int, most: int) -> None:
    """Refuse what is not a whole number of a range.

    Raises:
        TableError: INVALID_FIELD.
    """
    if type(number) is not int or not least <= number <= most:
        raise TableError(Reason.INVALID_FIELD, f"{name} must be from {least} to {most}", field=name)
