"""Who gets which chips at the end of a reference hand: pots, splits, proofs, rake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Seat = int


def uncalled(totals: dict[Seat, int]) -> tuple[Seat, int] | None:
    """The seat whose total nobody matched and by how much, if there is one."""
    ordered = sorted(totals.values(), reverse=True)
    second = ordered[1] if len(ordered) > 1 else 0
    if ordered[0] == second:
        return None
    seat = max(totals, key=lambda s: totals[s])
    return seat, ordered[0] - second


def build_pots(
    totals: dict[Seat, int], live: Sequence[Seat], dead_hands: set[Seat], carried: int
) -> list[tuple[int, frozenset[Seat]]]:
    """Layers at the distinct totals of live players, from the lowest."""
    pots: list[tuple[int, frozenset[Seat]]] = []
    levels = sorted({totals[seat] for seat in live})
    below = 0
    for level in levels:
        amount = sum(min(total, level) - min(total, below) for total in totals.values())
        eligible = frozenset(seat for seat in live if totals[seat] >= level and seat not in dead_hands)
        pots.append((amount, eligible))
        below = level
    # What folded players put in above the highest live total has nobody of its own.
    pots.append((sum(max(0, total - below) for total in totals.values()), frozenset()))
    merged: list[tuple[int, frozenset[Seat]]] = []
    waiting = carried
    for amount, eligible in pots:
        if merged and (not eligible or eligible == merged[-1][1]):
            merged[-1] = (merged[-1][0] + amount, merged[-1][1])
        elif not eligible:
            waiting += amount
        else:
            merged.append((amount, eligible))
    first_amount, first_eligible = merged[0]
    merged[0] = (first_amount + waiting, first_eligible)
    return merged


def take_rake(pots: list[tuple[int, frozenset[Seat]]], rake: int) -> list[tuple[int, frozenset[Seat]]]:
    """Each pot gives its part, rounded down; what is missing comes from the lowest that has it."""
    whole = sum(amount for amount, _ in pots)
    if not rake:
        return pots
    parts = [rake * amount // whole for amount, _ in pots]
    missing = rake - sum(parts)
    left = []
    for (amount, eligible), part in zip(pots, parts, strict=True):
        more = min(missing, amount - part)
        missing -= more
        left.append((amount - part - more, eligible))
    return left


def rake_of(rules: dict[str, Any], total: int) -> int:
    rake = total * rules["rake_per_mille"] // 1000
    if rules["rake_cap"] is not None:
        rake = min(rake, rules["rake_cap"])
    return int(rake)


def share(amount: int, winners: Sequence[Seat], from_dealers_left: Sequence[Seat]) -> dict[Seat, int]:
    """Equal shares; odd chips one each clockwise from the dealer's left."""
    each, odd = divmod(amount, len(winners))
    ordered = [seat for seat in from_dealers_left if seat in winners]
    return {seat: each + (1 if place < odd else 0) for place, seat in enumerate(ordered)}


def award(
    pots: list[tuple[int, frozenset[Seat]]],
    high: Callable[[Seat], Any],
    low: Callable[[Seat], Any] | None,
    from_dealers_left: Sequence[Seat],
) -> dict[Seat, int]:
    """Chips paid to each seat; every pot is judged on its own."""
    paid: dict[Seat, int] = {}
    for amount, eligible in pots:
        best = max(high(seat) for seat in eligible)
        winners = [seat for seat in eligible if high(seat) == best]
        parts = [(amount, winners)]
        if low is not None:
            lows = {seat: low(seat) for seat in eligible if low(seat) is not None}
            if lows:
                lowest = min(lows.values())
                low_winners = [seat for seat, value in lows.items() if value == lowest]
                parts = [(amount - amount // 2, winners), (amount // 2, low_winners)]
        for chips, takers in parts:
            for seat, part in share(chips, takers, from_dealers_left).items():
                paid[seat] = paid.get(seat, 0) + part
    return paid
