"""Main and side pots from what everybody put in, and how chips are shared. Pure numbers."""

from __future__ import annotations

from collections.abc import Sequence


def uncalled(totals: Sequence[int]) -> tuple[int, int]:
    """``(position, excess)`` of the highest total over the second highest; the excess is 0 when two are
    highest.

    Args:
        totals: chips put in in the whole hand by position, folded players included.
    """
    second, highest = sorted(totals)[-2:]
    return totals.index(highest), highest - second


def side_pots(
    totals: Sequence[int], live: Sequence[int], dead_hands: Sequence[int], carried: int
) -> list[tuple[int, tuple[int, ...]]]:
    """The pots as ``(chips, eligible positions)``, the lowest first; together every chip that lies there.

    Layers end at the distinct totals of live players. Who is live, reached a layer and holds no dead hand is
    eligible for it. A layer without anybody eligible joins the one below, equal sets merge, chips of folded
    players above every live total join the top layer, and the carried pot joins the lowest.
    """
    pots: list[tuple[int, tuple[int, ...]]] = []
    if not dead_hands and len({totals[p] for p in live}) == 1:
        return [(sum(totals) + carried, tuple(live))]
    levels = sorted({totals[p] for p in live})
    below = 0
    for level in levels:
        top = level if level != levels[-1] else max(totals)
        chips = sum(min(total, top) - min(total, below) for total in totals)
        if below == 0 and not pots:
            chips += carried
        eligible = tuple(p for p in live if totals[p] >= level and p not in dead_hands)
        if pots and (not eligible or eligible == pots[-1][1]):
            pots[-1] = (pots[-1][0] + chips, pots[-1][1])
        else:
            pots.append((chips, eligible))
        below = level
    return pots


def shares(chips: int, winners: Sequence[int]) -> list[tuple[int, int]]:
    """Equal shares as ``(position, chips)``; leftover chips go one each in the order of ``winners``.

    Args:
        winners: positions clockwise from the dealer's left.
    """
    if len(winners) == 1:
        return [(winners[0], chips)]
    each, odd = divmod(chips, len(winners))
    return [(p, each + (1 if number < odd else 0)) for number, p in enumerate(winners)]


def rake_of(pots: Sequence[int], per_mille: int, cap: int | None) -> list[int]:
    """What the house takes of each pot: one amount of the whole, rounded down, spread by the pots' sizes.

    A pot gives its part rounded down, and the lowest pots make up what rounding leaves, so that nobody who
    plays for a small main pot pays for a large side pot.
    """
    whole = sum(pots)
    rake = whole * per_mille // 1000
    if cap is not None:
        rake = min(rake, cap)
    if not rake:
        return [0] * len(pots)
    parts = [rake * chips // whole for chips in pots]
    missing = rake - sum(parts)
    for number, chips in enumerate(pots):
        more = min(missing, chips - parts[number])
        parts[number] += more
        missing -= more
    return parts
