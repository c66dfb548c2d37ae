"""Whole numbers as people and files give them."""

from __future__ import annotations

import re

#: The largest number of chips anywhere: the sum of all stacks of a table stays below 2**63.
MAX_CHIPS = 2**53


def whole(given: object, least: int, most: int) -> int:
    """A whole number, also one typed as text.

    Raises:
        ValueError: it is none, or not from ``least`` to ``most``; with the reason.
    """
    if isinstance(given, str) and re.fullmatch(r"[0-9]{1,18}", given.strip()):
        given = int(given)
    if type(given) is not int:
        raise ValueError("must be a whole number")
    if not least <= given <= most:
        raise ValueError(f"must be from {least} to {most}")
    return given
