"""Where a call comes from: the other end of the connection, or whom a trusted proxy names."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Any, Protocol
from urllib.parse import unquote

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_FORWARDED = "x-forwarded-for"


class Call(Protocol):
    """What is needed of the context of a call."""

    def peer(self) -> str:
        """The other end of the connection, as grpc names it."""
        ...

    def invocation_metadata(self) -> Any:
        """The metadata of the call: pairs of name and value, or None."""
        ...


def parse_networks(text: str) -> tuple[Network, ...]:
    """Networks from ``10.0.0.0/8,192.0.2.7``.

    Raises:
        ValueError: one of them is none.
    """
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in text.split(","))
    except ValueError:
        raise ValueError(f"no networks: {text[:40]!r} (10.0.0.0/8,192.0.2.7)") from None


def address_of(context: Call, proxies: Iterable[Network] = ()) -> str:
    """The address of the caller, without its port; a whole network of IPv6, which one person may have.

    Args:
        context: of the call.
        proxies: whose ``x-forwarded-for`` is believed. Each proxy adds whom it was called by at the end; what
            stands before the first address that is no such proxy's may be made up.
    """
    kind, _, rest = unquote(context.peer()).partition(":")
    address = _parse(rest.rpartition(":")[0])
    if address is None:
        return kind
    trusted = tuple(proxies)
    if trusted and _within(address, trusted):
        metadata = context.invocation_metadata() or ()
        hops = ",".join(str(value) for name, value in metadata if name.lower() == _FORWARDED).split(",")
        for hop in reversed(hops):
            named = _parse(hop.strip())
            if named is None:
                break
            address = named
            if not _within(address, trusted):
                break
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def _parse(host: str) -> Address | None:
    try:
        address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _within(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks)
