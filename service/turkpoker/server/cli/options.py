"""Which game is meant: ``--profile``, ``--preset`` and ``--option NAME=VALUE`` of a command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import click
from turkpoker.engine import PRESETS, PROFILES

_T = TypeVar("_T")

DEFAULT_PROFILE = "turkish"


def _presets() -> str:
    changes = {
        name: ", ".join(f"{option}={value}" for option, value in options.items())
        for name, (_, options) in PRESETS.items()
    }
    return "; ".join(f"{name} ({PRESETS[name][0]} with {changes[name]})" for name in PRESETS)


def game_options(command: Callable[..., _T]) -> Callable[..., _T]:
    """The options of a command that say what is played; they come as ``profile``, ``preset``, ``options``."""
    for decorate in (
        click.option(
            "--option",
            "options",
            metavar="NAME=VALUE",
            multiple=True,
            help="Change an option of the rules; repeatable. 'turkpoker rules --list' lists them all. "
            "The levels of a tournament: --option match=tournament --option "
            "'levels=10 hands: 1/2, 15 min: 2/4/4', each its length, then ante/minimum bet or "
            "ante/blind/minimum bet.",
        ),
        click.option(
            "--preset",
            type=click.Choice(list(PRESETS)),
            metavar="NAME",
            help=f"Rules of a house instead of a profile: {_presets()}.",
        ),
        click.option(
            "--profile",
            help=f"The game: one of {', '.join(PROFILES)}.  [default: {DEFAULT_PROFILE}]",
        ),
    ):
        command = decorate(command)
    return command


def read_game(profile: str | None, preset: str | None, words: Iterable[str]) -> tuple[str, dict[str, str]]:
    """The profile and the options that a command line asks for; their values are not read yet.

    Raises:
        click.UsageError: a word is not NAME=VALUE, a name comes twice, or two games are named.
    """
    options = _read_options(words)
    if preset is None:
        return DEFAULT_PROFILE if profile is None else profile, options
    base, changes = PRESETS[preset]
    if profile is not None:
        raise click.UsageError(f"--preset {preset} brings its own profile, {base}: leave --profile out")
    return base, {name: str(value) for name, value in changes.items()} | options


def _read_options(words: Iterable[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        name, value = name.strip().replace("-", "_"), value.strip()
        if not equals or not name or not value:
            raise click.UsageError(f"--option {word!r} is not of the form NAME=VALUE")
        if name in options:
            raise click.UsageError(f"--option {name} is given twice")
        options[name] = value
    return options
