"""Plain tables for terminals and pipes: columns as wide as what stands in them, numbers to the right."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import click


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, numbers_from: int = 1) -> None:
    """Print rows under headings; the columns from ``numbers_from`` on are numbers."""
    lines = [headings, *rows]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        cells = []
        for column, (cell, width) in enumerate(zip(line, widths, strict=True)):
            blanks = " " * (width - _width(cell))
            cells.append(blanks + cell if column >= numbers_from else cell + blanks)
        click.echo("  ".join(cells).rstrip())


def _width(text: str) -> int:
    """The columns of a terminal that a text takes."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )
