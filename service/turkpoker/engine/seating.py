"""What a deal needs before it can begin: seats with chips, a dealer, the right deck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from turkpoker.engine.errors import RulesError
from turkpoker.engine.plan import plan_for
from turkpoker.engine.rules import Rules
from turkpoker.engine.whole import MAX_CHIPS
from turkpoker.evaluator import DECK_SIZES, deck_cards

_DECKS = {size: list(deck_cards(size)) for size in DECK_SIZES}


def check_stacks(stacks: Sequence[int] | Mapping[int, int], dealer: int) -> tuple[tuple[int, int], ...]:
    """``(seat, chips)`` in the order given.

    Raises:
        RulesError: not seats with chips of whom at least two have some, or the dealer's seat is not among
        them.
    """
    given = tuple(stacks.items()) if isinstance(stacks, Mapping) else tuple(enumerate(stacks))
    with_chips = 0
    seats = []
    for seat, chips in given:
        seats.append(seat)
        if type(seat) is not int or not 0 <= seat < 26:
            raise RulesError("stacks", "seats are numbers from 0 to 25")
        if type(chips) is not int or not 0 <= chips <= MAX_CHIPS:
            raise RulesError("stacks", f"every seat needs a whole number of chips from 0 to {MAX_CHIPS}")
        with_chips += chips > 0
    if with_chips < 2:
        raise RulesError("stacks", "a hand needs at least two players with chips")
    if type(dealer) is not int or dealer not in seats:
        raise RulesError("dealer", "must be one of the seats")
    return given


def check_number(field: str, number: int) -> None:
    """Hold a number of chips or hands against what may be.

    Raises:
        RulesError: it is none.
    """
    if type(number) is not int or not 0 <= number <= MAX_CHIPS:
        raise RulesError(field, f"must be a whole number from 0 to {MAX_CHIPS}")


def check_missed(
    rules: Rules, given: Sequence[tuple[int, int]], carried: int, missed: Mapping[int, int]
) -> tuple[tuple[int, int], ...]:
    """``(seat, chips)`` owed to the carried pot.

    Raises:
        RulesError: nothing can be owed, or not by these seats.
    """
    if rules.carried_pot_entry != "missed_antes" or not carried:
        raise RulesError(
            "missed", "antes are owed only to a carried pot, with carried_pot_entry=missed_antes"
        )
    seats = [seat for seat, _ in given]
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
    size = plan_for(rules, players).deck_size
    cards = tuple(deck)
    if {*map(type, cards)} != {int} or sorted(cards) != _DECKS.get(len(cards)):
        raise RulesError("deck", f"must hold each of the {size} cards once")
    # With opt-in entry fewer may be dealt in than are seated, so a smaller deck may do.
    if len(cards) != size and rules.entry != "opt_in":
        raise RulesError("deck", f"must hold {size} cards for {players} players, not {len(cards)}")
    return cards
