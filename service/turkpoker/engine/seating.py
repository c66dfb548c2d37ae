"""What a deal needs before it can begin: seats with chips, a dealer, the right deck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from turkpoker.engine.errors import RulesError
from turkpoker.engine.options import MAX_CHIPS
from turkpoker.engine.rules import Rules
from turkpoker.evaluator import DECK_SIZES


def check_stacks(
    stacks: Sequence[int] | Mapping[int, int], dealer: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(stacks, Mapping):
        seats, chips = tuple(stacks), tuple(stacks.values())
    else:
        chips = tuple(stacks)
        seats = tuple(range(len(chips)))
    for seat in seats:
        if type(seat) is not int or not 0 <= seat < 26:
            raise RulesError("stacks", "seats are numbers from 0 to 25")
    if len(seats) < 2:
        raise RulesError("stacks", "a hand needs at least two players")
    for chip in chips:
        if type(chip) is not int or not 1 <= chip <= MAX_CHIPS:
            raise RulesError("stacks", f"every player needs a whole number of chips from 1 to {MAX_CHIPS}")
    if type(dealer) is not int or dealer not in seats:
        raise RulesError("dealer", "must be one of the seats")
    return seats, chips


def check_missed(
    rules: Rules, seats: tuple[int, ...], carried: int, missed: Mapping[int, int] | None
) -> tuple[tuple[int, int], ...]:
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
