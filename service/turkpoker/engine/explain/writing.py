"""Writes sentences: a key of ``texts/<name>.<language>.json`` with its values in the reader's language.

Amounts and counts are given as ``Count``, so that each language chooses its own form ("1 chip", "2 chips");
hands, suits and ranks are named by ``turkpoker.evaluator.names``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from turkpoker.evaluator import Category, format_card, names

LANGUAGES = names.LANGUAGES

_SECOND = timedelta(seconds=1)
_MINUTE = timedelta(minutes=1)
_MILLISECOND = timedelta(milliseconds=1)


class Count(NamedTuple):
    """So many of a unit: ``chip``, ``card``, ``player``, ``hand``, ``minute``, ``second`` or
    ``millisecond``."""

    number: int
    unit: str


class Suit(NamedTuple):
    """A suit by its letter."""

    letter: str


class Run(NamedTuple):
    """Ranks in a row, by their letters in card texts: ``"A9TJQ"``."""

    letters: str


class Held(NamedTuple):
    """Cards by their ids, to be written as players read them."""

    cards: tuple[int, ...]


class Ranked(NamedTuple):
    """Values from the strongest to the weakest."""

    values: tuple[Value, ...]


Value = int | str | Count | timedelta | Category | Suit | Run | Held | Ranked


@dataclass(frozen=True, slots=True)
class Sentence:
    """A key of the texts and the values for its gaps."""

    key: str
    values: Mapping[str, Value]


def say(key: str, **values: Value) -> Sentence:
    """A sentence to be written."""
    return Sentence(key, values)


def chips(number: int) -> Count:
    """An amount of chips."""
    return Count(number, "chip")


@cache
def texts(name: str, language: str) -> dict[str, str]:
    """The texts called ``name`` (``page`` or ``story``) in a language, by key.

    Raises:
        ValueError: there is no such language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}: choose {', '.join(LANGUAGES)}")
    folder = files(__package__).joinpath("texts")
    units: dict[str, str] = json.loads(folder.joinpath(f"units.{language}.json").read_text("utf-8"))
    found: dict[str, str] = json.loads(folder.joinpath(f"{name}.{language}.json").read_text("utf-8"))
    return units | found


class Writer:
    """Writes the sentences of one file of texts in one language.

    Args:
        name: ``page`` or ``story``.
        language: one of ``LANGUAGES``.

    Raises:
        ValueError: there is no such language.
    """

    def __init__(self, name: str, language: str) -> None:
        self.language = language
        self._texts = texts(name, language)

    def sentence(self, sentence: Sentence) -> str:
        """One sentence."""
        values = {name: self.value(value) for name, value in sentence.values.items()}
        return self._texts[sentence.key].format(**values)

    def paragraph(self, sentences: Iterable[Sentence]) -> str:
        """Sentences one after the other."""
        return " ".join(map(self.sentence, sentences))

    def value(self, value: Value) -> str:
        """A value as it stands in a sentence."""
        match value:
            case Count(number, unit):
                text = self._texts[f"{unit}_{self._form(number)}"].format(n=number)
            case timedelta():
                text = self._duration(value)
            case Category():
                text = names.hand_name(value, self.language)
            case Suit(letter):
                text = names.suit_name(letter, self.language)
            case Run(letters):
                of_rank = names.catalogue()["rank_letters"]
                text = " ".join(of_rank[letter][self.language] for letter in letters)
            case Held(cards):
                text = " ".join(map(self._card, cards))
            case Ranked(values):
                text = " > ".join(map(self.value, values))
            case _:
                text = str(value)
        return text

    def _card(self, card: int) -> str:
        # English readers get what records and commands write.
        return format_card(card) if self.language == "en" else names.card_label(card, self.language)

    def _form(self, number: int) -> str:
        """Which form a noun takes after a number; Turkish and Persian have one, French counts 0 as one."""
        return "one" if number == 1 or (number == 0 and self.language == "fr") else "many"

    def _duration(self, duration: timedelta) -> str:
        minutes, rest = divmod(duration, _MINUTE)
        seconds, rest = divmod(rest, _SECOND)
        parts = [(minutes, "minute"), (seconds, "second"), (rest // _MILLISECOND, "millisecond")]
        told = [Count(number, unit) for number, unit in parts if number] or [Count(0, "second")]
        return " ".join(map(self.value, told))
