"""Looks for cards in bytes: every way in which a hidden hand or a deck could be written is tried.

A sequence is searched for as bytes of ids or enum numbers, packed or with anything between them that repeats
(tags, the zeros of wider numbers), as text with any punctuation, as numbers in text, as hex, base64 and bit
masks. Hands have five cards and decks are searched in windows of eight, so that a hit by chance cannot be.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from turkpoker.evaluator import format_cards

WINDOW = 8
_STRIDES = (2, 3, 4, 8)
#: What announces five bytes: an array, a string, a field of a message.
_HEADS = (b"\x95", b"\xc4\x05", *(bytes([number << 3 | 2, 5]) for number in range(1, 16)))
#: What may stand between cards or numbers in text.
_PUNCTUATION = b" ,;:|/-_\"'[](){}\n\t\\"


@dataclass(frozen=True)
class Secret:
    """Cards that must not be found.

    Args:
        what: for the report, such as ``hand 3 seat 2``.
        seat: whose cards they are; None: the deck's.
        cards: ids, in the order in which they were dealt.
    """

    what: str
    seat: int | None
    cards: tuple[int, ...]


def orders(cards: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """A hand as it was dealt and sorted both ways; a piece of a deck has its order only."""
    yield cards
    if len(cards) < WINDOW:
        yield tuple(sorted(cards))
        yield tuple(sorted(cards, reverse=True))


def masks(cards: tuple[int, ...], sealed: bool) -> Iterator[bytes]:
    """The cards as a bit mask of ids, and of ids from one, in all that a number can be written as.

    Short forms could be any number: those are left out, and among random bytes all but the 64 bits.
    """
    for first in (0, 1):
        mask = sum(1 << (card + first) for card in cards)
        yield mask.to_bytes(8, "little")
        yield mask.to_bytes(8, "big")
        if mask >> 42 and not sealed:
            yield _varint(mask)
            yield str(mask).encode()
            yield f"{mask:x}".encode()


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def text_patterns(cards: tuple[int, ...]) -> Iterator[bytes]:
    """Patterns for text from which the punctuation was taken and that is in lower case."""
    text = format_cards(cards).lower().replace(" ", "")
    yield text.encode()
    if "t" in text:
        yield text.replace("t", "10").encode()
    for letter, sign in zip("cdsh", "♣♦♠♥", strict=True):
        text = text.replace(letter, sign)
    yield text.encode()


def number_patterns(cards: tuple[int, ...]) -> Iterator[bytes]:
    """Patterns for numbers in text, with one comma between them."""
    for first in (0, 1):
        yield ",".join(str(card + first) for card in cards).encode()


def hex_patterns(cards: tuple[int, ...]) -> Iterator[bytes]:
    """Patterns for hex in lower case."""
    for first in (0, 1):
        yield bytes(card + first for card in cards).hex().encode()


def base64_patterns(cards: tuple[int, ...]) -> Iterator[bytes]:
    """Patterns for base64: of a hand alone, of longer pieces at any place."""
    for first in (0, 1):
        content = bytes(card + first for card in cards)
        if len(content) < WINDOW:
            yield base64.b64encode(content).rstrip(b"=")
            continue
        for before in range(3):
            # Of the characters that hold nothing but these bytes.
            text = base64.b64encode(bytes(before) + content)
            start = -(-before * 4 // 3) + (1 if before else 0)
            yield text[start : (before + len(content)) * 8 // 6]


@lru_cache(maxsize=4096)
def _contents(cards: tuple[int, ...]) -> list[bytes]:
    return [bytes(card + first for card in order) for order in orders(cards) for first in (0, 1)]


@lru_cache(maxsize=4096)
def _patterns(cards: tuple[int, ...]) -> list[tuple[str, bytes]]:
    """All patterns but raw bytes and masks, each with what it is a pattern of."""
    found = []
    for order in orders(cards):
        found += [("text", pattern) for pattern in text_patterns(order)]
        found += [("numbers in text", pattern) for pattern in number_patterns(order)]
        found += [("hex", pattern) for pattern in hex_patterns(order)]
        found += [("base64", pattern) for pattern in base64_patterns(order)]
    return found


@dataclass
class Haystack:
    """Bytes prepared for the search.

    Args:
        data: what was sent or stored.
        sealed: most of it is random.

    Five raw bytes alone prove nothing (tags and small numbers look like low cards): what announces them, a
    length or an array, must stand before them.
    """

    data: bytes
    sealed: bool = False

    def __post_init__(self) -> None:
        lower = self.data.lower()
        self.text = lower.translate(None, _PUNCTUATION)
        # Random bytes hold digits here and there; five numbers in text need nine characters that are text.
        texts = re.findall(rb"[\t\n\r -~]{9,}", self.data) if self.sealed else [self.data]
        self.numbers = b"\n".join(re.sub(rb"[^0-9]+", b",", text) for text in texts)
        self.lower = lower
        self.spread = {stride: [self.data[place::stride] for place in range(stride)] for stride in _STRIDES}

    def find(self, secret: Secret) -> str | None:
        """How the cards stand in the bytes, or None."""
        cards = secret.cards
        for content in _contents(cards):
            if self._holds(content):
                return "bytes"
            if self._holds_spread(content):
                return "numbers of some width"
        if len(cards) < WINDOW and any(pattern in self.data for pattern in masks(cards, self.sealed)):
            return "bit mask"
        places = {"text": self.text, "numbers in text": self.numbers, "hex": self.lower}
        for how, pattern in _patterns(cards):
            if pattern in places.get(how, self.data):
                return how
        return None

    def _holds(self, content: bytes) -> bool:
        if len(content) >= WINDOW or content not in self.data:
            return content in self.data
        return any(head + content in self.data for head in _HEADS)

    def _holds_spread(self, content: bytes) -> bool:
        if self.sealed and len(content) < WINDOW:
            return any(
                content[0:1] + b"".join(bytes(zeros) + content[n : n + 1] for n in range(1, len(content)))
                in self.data
                for zeros in (1, 3, 7)
            )
        for stride, slices in self.spread.items():
            for place, part in enumerate(slices):
                at = part.find(content)
                while at >= 0:
                    begin = place + at * stride
                    between = {
                        self.data[begin + n * stride + 1 : begin + (n + 1) * stride]
                        for n in range(len(content) - 1)
                    }
                    if len(between) == 1:
                        return True
                    at = part.find(content, at + 1)
        return False


def windows(order: Iterable[int]) -> list[tuple[int, ...]]:
    """Pieces of a deck of which at least one lies in every run of a dozen cards."""
    cards = tuple(order)
    return [cards[place : place + WINDOW] for place in range(0, len(cards) - WINDOW + 1, 4)]
