"""What a deal needs before it can begin: seats with chips, a dealer, the right deck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from turkpoker.engine.errors import RulesError
from turkpoker.engine.rules import Rules
from turkpoker.engine.whole import MAX_CHIPS
from turkpoker.evaluator import DECK_SIZES


def check_stacks(stacks: Sequence[int] | Mapping[int, int], dealer: int) -> tuple[tuple[int, int], ...]:
    """``(seat, chips)`` in the order given.

    Raises:
        RulesError: not seats with chips of whom at least two have some, or the dealer's seat is not among
        them.
    """
    given = tuple(stacks.items()) if isinstance(stacks, Mapping) else tuple(enumerate(stacks))
    with_chips = 0
    for seat, chips in given:
        if type(seat) is not int or not 0 <= seat < 26:
            raise RulesError("stacks", "seats are numbers from 0 to 25")
        if type(chips) is not int or not 0 <= chips <= MAX_CHIPS:
            raise RulesError("stacks", f"every seat needs a whole number of chips from 0 to {MAX_CHIPS}")
        with_chips += chips > 0
    if with_chips < 2:
        raise RulesError("stacks", "a hand needs at least two players with chips")
    if type(dealer) is not int or dealer not in dict(given):
        raise RulesError("dealer", "must be one of the seats")
    return given


def check_missed(
    rules: Rules, seats: Mapping[int, int], carried: int, missed: Mapping[int, int] | None
) -> tuple[tuple[int, int], ...]:
    """``(seat, chips)`` owed to the carried pot.

    Raises:
        RulesError: nothing can be owed, or not by these seats.
    """
    if not missed:
        return ()
    if rules.carried_pot_entry != "missed_antes" or not carried:
        raise RulesError(
            "missed", "antes are owed only to a carried pot, with carried_pot_entry=missed_antes"
        )
    for seat, chips in missed.items():
        if seat not in seats or type(chips) is not int or not 0 <= chips <= MAX_CHIPS:
            raise RulesError("missed", f"must be chips from 0 to {MAX_CHIPS} by seat")
    return tuple((seat, missed[seat]) for seat in seats if missed.get(seat))


def check_deck(rules: Rules, players: int, deck: Sequence[int]) -> tuple[int, ...]:
    """The deck as card ids.

    Raises:
        RulesError: too many players, or not the deck that these rules deal to so many.
    """
    if players > rules.players[1]:
        raise RulesError("players", f"at most {rules.players[1]} play at this table, not {players}")
    size = rules.deck_size(players)
    cards = tuple(deck)
    lowest = 52 - len(cards)
    if (
        len(cards) not in DECK_SIZES
        or set(map(type, cards)) != {int}
        or sorted(cards) != list(range(lowest, 52))
    ):
        raise RulesError("deck", f"must hold each of the {size} cards once")
    # With opt-in entry fewer may be dealt in than are seated, so a smaller deck may do.
    if len(cards) != size and rules.entry != "opt_in":
        raise RulesError("deck", f"must hold {size} cards for {players} players, not {len(cards)}")
    return cards
