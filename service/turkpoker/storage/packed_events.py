"""How the events of a commit are packed: a list of name and fields in order."""

from __future__ import annotations

from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Any, get_args, get_type_hints

import msgspec
from turkpoker.engine import EVENTS
from turkpoker.table.events import TableEvent, TableOwnEvent

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[tuple[str, msgspec.Raw]]).decode


class _Maker:
    """Makes one kind of event from its fields.

    Fields that were added later (they have defaults, and stand last) may be missing in an older log.
    """

    __slots__ = ("_decode", "_kind")

    def __init__(self, kind: type[Any]) -> None:
        hints = get_type_hints(kind)
        layout = msgspec.defstruct(
            kind.__name__,
            [
                (each.name, hints[each.name])
                if each.default is MISSING
                else (each.name, hints[each.name], each.default)
                for each in fields(kind)
            ],
            array_like=True,
        )
        self._kind = kind
        self._decode = msgspec.msgpack.Decoder(layout).decode

    def __call__(self, content: msgspec.Raw) -> TableEvent:
        event: TableEvent = self._kind(*msgspec.structs.astuple(self._decode(content)))
        return event


def _reader_of(kind: type[Any]) -> Any:
    names = [each.name for each in fields(kind)]
    if not names:
        return lambda _: ()
    if len(names) == 1:
        return lambda event: (getattr(event, names[0]),)
    return attrgetter(*names)


_KINDS: dict[str, type[Any]] = {kind.name: kind for kind in (*EVENTS.values(), *get_args(TableOwnEvent))}
_FIELDS = {name: _reader_of(kind) for name, kind in _KINDS.items()}
_MAKERS = {name: _Maker(kind) for name, kind in _KINDS.items()}


def encode_events(events: tuple[TableEvent, ...]) -> bytes:
    """The events of one commit; not sealed yet."""
    return _encode([(event.name, _FIELDS[event.name](event)) for event in events])


def decode_events(plain: bytes) -> tuple[TableEvent, ...]:
    """The events of one commit."""
    return tuple(_MAKERS[name](content) for name, content in _decode(plain))
