"""How one setting is declared: default, reading, range, and the words that ``turkpoker serve --help`` prints.

A setting is one line in ``settings.py``; environment variable, flag, range check and help follow from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field
from datetime import timedelta
from typing import Any

ENVIRONMENT_PREFIX = "TURKPOKER_"


class SettingsError(ValueError):
    """A setting has no such value; the message names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What is known of a setting beside its name and type.

    Attributes:
        text: what it does, for people; one sentence or two without the full stop at the end.
        parse: reads it from text; raises ValueError.
        flag: the flag of ``turkpoker serve``; None: the environment alone.
        variable: the environment variable without prefix; None: the field's name in capitals.
        metavar: what stands for the value in the help.
        least: the least value that is allowed; exclusive for durations when it is zero and ``zero`` is False.
        most: the greatest value that is allowed.
        zero: whether a duration of nothing is allowed.
        choices: the only values that are allowed.
    """

    text: str
    parse: Callable[[str], Any]
    flag: str | None = None
    variable: str | None = None
    metavar: str | None = None
    least: Any = None
    most: Any = None
    zero: bool = False
    choices: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> None:
        """Hold a value against the range.

        Raises:
            SettingsError: it lies outside.
        """
        if value is None:
            return
        if self.choices and value not in self.choices:
            raise SettingsError(f"{name} must be {', '.join(self.choices[:-1])} or {self.choices[-1]}")
        if isinstance(value, timedelta):
            if value < timedelta(0):
                raise SettingsError(f"{name} must not be negative")
            if not value and not self.zero:
                raise SettingsError(f"{name} must be more than nothing")
        if self.least is not None and value < self.least:
            raise SettingsError(f"{name} must be at least {shown(self.least)}")
        if self.most is not None and value > self.most:
            raise SettingsError(f"{name} must be at most {shown(self.most)}")


def setting(
    default: Any,
    parse: Callable[[str], Any],
    text: str,
    *,
    secret: bool = False,
    factory: Callable[[], Any] | None = None,
    **declared: Any,
) -> Any:
    """A field of the settings.

    Args:
        default: its value when nothing is said.
        parse: reads it from a flag or variable.
        text: what it does.
        secret: keep it out of ``repr``.
        factory: makes the default, where it is not known beforehand.
        declared: more of ``Declared``.
    """
    metadata = {"setting": Declared(text=text, parse=parse, **declared)}
    if factory is not None:
        return field(default_factory=factory, repr=not secret, metadata=metadata)
    return field(default=default, repr=not secret, metadata=metadata)


def declared_of(each: Field[Any]) -> Declared:
    """What was declared of a field."""
    declared: Declared = each.metadata["setting"]
    return declared


def variable_of(each: Field[Any]) -> str:
    """The environment variable of a setting."""
    return ENVIRONMENT_PREFIX + (declared_of(each).variable or each.name.upper())


def help_of(each: Field[Any]) -> str:
    """What a setting does, and its default, for people."""
    declared = declared_of(each)
    if each.default in (MISSING, None, ()) or isinstance(each.default, bool):
        return f"{declared.text}."
    return f"{declared.text}; default: {shown(each.default)}."


def shown(value: Any) -> str:
    """A value as one would write it."""
    if isinstance(value, timedelta):
        for unit, seconds in (("h", 3600), ("m", 60), ("s", 1)):
            if value and not value % timedelta(seconds=seconds):
                return f"{value // timedelta(seconds=seconds)}{unit}"
        return f"{value // timedelta(milliseconds=1)}ms"
    return str(value)


def parse_duration(text: str) -> timedelta:
    """A duration with its unit: ``250ms``, ``15s``, ``5m``, ``1h``. A bare number is refused, not guessed at.

    Raises:
        ValueError: no number, or no unit.
    """
    for unit, seconds in (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)):
        number = text.removesuffix(unit)
        if number != text and number.replace(".", "", 1).isdecimal():
            try:
                return timedelta(seconds=float(number) * seconds)
            except OverflowError:
                break
    raise ValueError(f"no duration: {text[:20]!r} (250ms, 15s, 5m, 1h)")


def parse_int(text: str) -> int:
    """A whole number.

    Raises:
        ValueError: it is none.
    """
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"no whole number: {text[:20]!r}") from None


def parse_switch(text: str) -> bool:
    """On or off.

    Raises:
        ValueError: it is neither.
    """
    if text.lower() in ("on", "true", "yes", "1"):
        return True
    if text.lower() in ("off", "false", "no", "0"):
        return False
    raise ValueError(f"neither on nor off: {text[:20]!r}")
