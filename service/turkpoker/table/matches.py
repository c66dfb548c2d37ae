"""Matches: the levels of a tournament, who is out and on which place, and the end."""

from __future__ import annotations

from datetime import timedelta

from turkpoker.engine import Hand, Rules
from turkpoker.engine.matches import eliminated, rules_of_next_deal
from turkpoker.table.events import LevelStarted, MatchEnded, Placing, PlayerEliminated
from turkpoker.table.state import TableState


def rules_of_deal(state: TableState) -> tuple[Rules, LevelStarted | None]:
    """The rules of the next deal, and the level that begins with it, if one does.

    A level in minutes is over when so much time has passed up to the last thing that happened at the table,
    by the clock of the store; beyond the last level the last one stays.
    """
    rules = state.config.rules
    started = None
    if rules.levels and _level_is_over(state, rules):
        if state.hand_number:
            state.level = min(state.level + 1, len(rules.levels) - 1)
        state.level_hands, state.level_start = 0, state.time
        stakes = rules.at_level(state.level)
        started = LevelStarted(state.level + 1, stakes.ante, stakes.blind, stakes.stake_min)
    state.level_hands += 1
    return rules_of_next_deal(rules.at_level(state.level), state.carried_blind), started


def _level_is_over(state: TableState, rules: Rules) -> bool:
    if state.hand_number == 0:
        return True
    if state.level == len(rules.levels) - 1:
        return False
    level = rules.levels[state.level]
    if level.hands is not None:
        return state.level_hands >= level.hands
    if state.time is None or state.level_start is None or level.minutes is None:
        return False
    return state.time - state.level_start >= timedelta(minutes=level.minutes)


def eliminate(state: TableState, hand: Hand) -> list[PlayerEliminated]:
    """Place whom a hand of a tournament has put out; leaving the table in it counts as going out."""
    before = dict(hand.record().stacks)
    after = {number: 0 if state.seats[number].leaving else state.seats[number].stack for number in before}
    places = eliminated(before, after, len(before))
    events = [
        PlayerEliminated(number, state.hand_players[number], place)
        for number, place in sorted(places.items(), key=lambda item: (-item[1], item[0]))
    ]
    state.placings += tuple((event.player, event.place) for event in events)
    return events


def give_up(state: TableState, number: int) -> PlayerEliminated | None:
    """Place a player who leaves a tournament between two hands, if he is still in it."""
    seat = state.seats[number]
    if not state.tournament or not state.hand_number or state.match_over or not seat.stack:
        return None
    still_in = sum(1 for other in state.seats.values() if other.stack)
    state.placings += ((seat.player, still_in),)
    return PlayerEliminated(number, seat.player, still_in)


def match_ended(state: TableState) -> MatchEnded:
    """The end of a match: those who still have chips by their chips, before those who are out."""
    out = {player for player, _ in state.placings}
    left = [(seat.player, seat.stack) for seat in state.seats.values() if seat.player not in out]
    left.sort(key=lambda item: -item[1])
    placings = [
        Placing(player, 1 + sum(1 for _, other in left if other > chips), chips) for player, chips in left
    ]
    gone = sorted(state.placings, key=lambda item: item[1])
    placings += [Placing(player, place, 0) for player, place in gone]
    return MatchEnded(tuple(placings))
