"""Hypothesis strategies: rules, stacks, decks, whole set-ups of a hand, legal actions.

``setups`` gives everything a hand starts from; ``legal_actions`` one of the actions that a hand lists.  The
values of options and which of them go together are those of ``engine.random_hands``, so that seeded runs and
Hypothesis look at the same tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.random_hands import PROFILES, VALUES, Setup, deck_of, playable
from hypothesis import assume
from hypothesis import strategies as st

profiles = st.sampled_from(PROFILES)


def decks(size: int) -> st.SearchStrategy[list[int]]:
    """Every order of a deck of this size, as card ids from the top."""
    return st.permutations(range(52 - size, 52))


def stacks(players: int) -> st.SearchStrategy[list[int]]:
    """Chips for each player, short ones often."""
    amount = st.one_of(st.integers(1, 12), st.integers(1, 100), st.sampled_from((50, 400, 10**6)))
    return st.lists(amount, min_size=players, max_size=players)


@st.composite
def options(draw: st.DrawFn, profile: str, players: int) -> dict[str, Any]:
    """What a table changes of a profile; always playable by that many players."""
    changed = draw(st.sets(st.sampled_from(sorted(VALUES)), max_size=8))
    values = {name: draw(st.sampled_from(VALUES[name])) for name in sorted(changed)}
    values.setdefault("stake_min", draw(st.sampled_from((1, 2, 5))))
    values.setdefault("ante", draw(st.sampled_from((1, 2, 5))))
    assume(playable(values, profile, players))
    return values


@st.composite
def setups(draw: st.DrawFn, profile: str | None = None) -> Setup:
    """Rules, stacks, deck and carried pot of one hand."""
    chosen = profile or draw(profiles)
    players = draw(st.integers(3, 6) if chosen == "french" else st.integers(2, 5))
    changed = draw(options(chosen, players))
    carried = draw(st.sampled_from((0, 0, 7, 30)))
    return Setup(
        chosen,
        changed,
        dict(enumerate(draw(stacks(players)))),
        draw(st.integers(0, players - 1)),
        draw(decks(deck_of(changed, chosen, players))),
        carried,
        draw(st.integers(0, 4)) if carried else 0,
        draw(st.integers(0, 2**32 - 1)),
    )


@st.composite
def legal_actions(
    draw: st.DrawFn, legal: Mapping[str, Any], held: Sequence[int]
) -> tuple[str, int | None, tuple[int, ...]]:
    """A legal action as name, total and discards; ``held`` are the cards of the seat."""
    name = draw(st.sampled_from(sorted(legal)))
    if name == "draw":
        low, high = legal[name]
        thrown = draw(st.lists(st.sampled_from(list(held)), unique=True, min_size=low, max_size=high))
        return name, None, tuple(thrown)
    if name in {"open", "bet", "raise"}:
        low, high = legal[name]
        return name, draw(st.one_of(st.sampled_from((low, high)), st.integers(low, high))), ()
    return name, None, ()
