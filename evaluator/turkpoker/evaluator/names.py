"""What players call hands, suits, ranks, actions and phases in tr, en, fr, it, nl and fa.

The words stand in ``names.json`` beside this module, for clients in other languages too. Mind these:

* Turkish *Floş* is the straight flush; a flush is *Renk*.
* Letters of ranks mean different cards: K is the Turkish queen (*kız*) and the English king; V is the Dutch
  queen (*vrouw*), the French and the Turkish jack. Text that programs read is English always.
* French *passer* and Dutch *passen* are used for checking and for folding. Here French has *parole* and
  *se coucher*, Dutch *checken* and *passen* (folding only).
* Italian *poker* is four of a kind.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from turkpoker.evaluator.cards import RANKS, SUITS, card_rank, card_suit
from turkpoker.evaluator.rulesets import Category

LANGUAGES = ("tr", "en", "fr", "it", "nl", "fa")
_SIGNS = "♣♦♠♥"


@cache
def catalogue() -> MappingProxyType[str, Any]:
    """The whole catalogue: ``catalogue()["hands"]["flush"]["tr"]``. Groups: languages, hands, suits, ranks,
    rank_letters, actions, phases, words.
    """
    return MappingProxyType(json.loads(files(__package__).joinpath("names.json").read_text("utf-8")))


def hand_name(category: Category | str, language: str = "en") -> str:
    """The name of a category: ``hand_name("flush", "tr")`` is ``"Renk"``."""
    return _name("hands", str(category), language)


def suit_name(suit: int | str, language: str = "en") -> str:
    """The name of a suit, given as 0 to 3 or as ``"c"``, ``"d"``, ``"s"``, ``"h"``."""
    return _name("suits", SUITS[suit] if isinstance(suit, int) and 0 <= suit < 4 else str(suit), language)


def rank_name(rank: int | str, language: str = "en") -> str:
    """The name of a rank, given as 0 (two) to 12 (ace) or as its letter in card texts."""
    return _name("ranks", RANKS[rank] if isinstance(rank, int) and 0 <= rank < 13 else str(rank), language)


def action_name(action: str, language: str = "en") -> str:
    """The word on the button of an action, ``action_name("fold", "fr")`` is ``"se coucher"``."""
    return _name("actions", action, language)


def phase_name(phase: str, language: str = "en") -> str:
    """The name of a phase of a hand."""
    return _name("phases", phase, language)


def word(name: str, language: str = "en") -> str:
    """One of the other words that tables and screens need, such as ``"pot"`` or ``"discard"``."""
    return _name("words", name, language)


def card_label(card: int, language: str = "en") -> str:
    """A card as players write it: suit sign and the language's letter.

    ``card_label(46, "tr")`` is ``"♠P"``, the *papaz*; in Dutch it is ``"♠H"``, the *heer*.
    For people only: ``format_card`` writes what programs read.
    """
    letter = _name("rank_letters", RANKS[card_rank(card)], language)
    return _SIGNS[card_suit(card)] + letter


def direction(language: str) -> str:
    """``"rtl"`` for Persian, else ``"ltr"``."""
    _check(language)
    return str(catalogue()["languages"][language]["direction"])


def _name(group: str, key: str, language: str) -> str:
    _check(language)
    try:
        return str(catalogue()[group][key][language])
    except KeyError:
        raise ValueError(f"no {group} entry {key!r}: choose {', '.join(catalogue()[group])}") from None


def _check(language: str) -> None:
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}: choose {', '.join(LANGUAGES)}")
