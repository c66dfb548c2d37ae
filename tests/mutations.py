"""Requests gone wrong in every way: in their fields, in their bytes, or altogether."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

EXTREMES = [0, 1, -1, 2**31 - 1, -(2**31), 2**31, 2**53, 2**63 - 1, -(2**63), 2**64 - 1]
TEXTS = [
    "",
    "a",
    "tables/",
    "tables/a",
    "tables/-",
    "players/me",
    "\x00",
    "\n",
    "ü" * 70,
    "x" * 3000,
    "x" * 100_000,
    "h1.round1.s0.d1",
    "h9999999999999999999.round1.s0.d1",
    "h" * 60,
    "😀",
    "a\u0301\u202e\ufeff",
    "../..",
    "%s{0}$(x)",
]


def mutate_fields(message: Message, dice: random.Random) -> None:
    """Put something odd into some field, at whatever depth."""
    if not message.DESCRIPTOR.fields:
        return
    field = dice.choice(message.DESCRIPTOR.fields)
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        inner = getattr(message, field.name)
        mutate_fields(inner.add() if field.is_repeated else inner, dice)
        return
    for _ in range(20):
        value: Any = dice.choice(EXTREMES)
        if field.type == FieldDescriptor.TYPE_STRING:
            value = dice.choice(TEXTS)
        elif field.type == FieldDescriptor.TYPE_BYTES:
            value = dice.randbytes(dice.randrange(40))
        elif field.type == FieldDescriptor.TYPE_BOOL:
            value = dice.random() < 0.5
        try:
            if field.is_repeated:
                getattr(message, field.name).extend([value] * dice.choice([1, 1, 5, 60]))
            else:
                setattr(message, field.name, value)
        except ValueError:
            continue  # too large for this kind of number
        return


def _fields(message: Message, other: Message, dice: random.Random) -> bytes:
    changed = type(message)()
    changed.CopyFrom(message)
    for _ in range(dice.randrange(1, 4)):
        mutate_fields(changed, dice)
    return changed.SerializeToString()


def _bits(message: Message, other: Message, dice: random.Random) -> bytes:
    content = bytearray(message.SerializeToString())
    for _ in range(dice.randrange(1, 4)):
        if content:
            content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    return bytes(content)


def _cut(message: Message, other: Message, dice: random.Random) -> bytes:
    content = message.SerializeToString()
    return content[: dice.randrange(len(content) + 1)]


def _more(message: Message, other: Message, dice: random.Random) -> bytes:
    content = message.SerializeToString()
    place = dice.randrange(len(content) + 1)
    return content[:place] + dice.randbytes(dice.randrange(1, 5)) + content[place:]


def _noise(message: Message, other: Message, dice: random.Random) -> bytes:
    return dice.randbytes(dice.choice([1, 5, 60, 1000]))


def _other_method(message: Message, other: Message, dice: random.Random) -> bytes:
    return other.SerializeToString()


def _wrong_types(message: Message, other: Message, dice: random.Random) -> bytes:
    """Known field numbers with values of another wire type: a number where text should be, and so on."""
    content = b""
    for field in message.DESCRIPTOR.fields:
        kind = dice.choice([0, 1, 2, 2, 5])
        value = {0: b"\x07", 1: bytes(8), 5: bytes(4)}.get(kind, b"\x03\xff\xfe\xc0")  # not UTF-8
        number = field.number << 3 | kind
        content += (bytes([number]) if number < 128 else bytes([number & 127 | 128, number >> 7])) + value
    return content


def _twice(message: Message, other: Message, dice: random.Random) -> bytes:
    return message.SerializeToString() * dice.choice([2, 3, 40])


def _fields_nobody_knows(message: Message, other: Message, dice: random.Random) -> bytes:
    return message.SerializeToString() + b"\xfa\x7f\x05hello" * dice.choice([1, 100, 5000])


WAYS: dict[str, Callable[[Message, Message, random.Random], bytes]] = {
    "fields": _fields,
    "more fields": _fields,
    "still more fields": _fields,
    "bits": _bits,
    "cut": _cut,
    "more bytes": _more,
    "noise": _noise,
    "another method": _other_method,
    "wrong types": _wrong_types,
    "twice": _twice,
    "unknown fields": _fields_nobody_knows,
}


def mutated(message: Message, other: Message, dice: random.Random) -> tuple[str, bytes]:
    """A request gone wrong, and how.

    Args:
        message: a good one.
        other: a good one of another method.
        dice: decide.
    """
    way = dice.choice(list(WAYS))
    return way, WAYS[way](message, other, dice)
