"""The Lua scripts beside this file; each head comment says what goes in, what comes out, and which
errors there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from redis.asyncio import Redis
from redis.commands.core import AsyncScript


@dataclass(frozen=True, slots=True)
class Scripts:
    """The scripts, bound to a connection pool. A server that does not know one yet is sent its text."""

    create: AsyncScript
    load: AsyncScript
    commit: AsyncScript
    raise_epoch: AsyncScript
    postpone: AsyncScript

    @classmethod
    def bind(cls, client: Redis) -> Scripts:
        """Read the files and bind them."""
        return cls(**{name: client.register_script(_read(name)) for name in cls.__slots__})


def _read(name: str) -> str:
    return (files("turkpoker.storage") / "lua" / f"{name}.lua").read_text(encoding="utf-8")
