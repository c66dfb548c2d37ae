"""The end that an operator makes of a table: nobody loses a chip, wherever the hand stands."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from table.desks import Desk, SeededDealer, StackedDealer, snapshot
from turkpoker.engine import Phase
from turkpoker.table.commands import Act, AddChips, Close, Command, ConfirmBuyIn, ForceClose, Leave, TimeOut
from turkpoker.table.errors import NotDue, Reason, TableError
from turkpoker.table.events import CarriedPotShared, CashedOut, HandStopped, PlayerLeft, TableClosed

STOP = ForceClose("olga", operator=True, reason="the cable is cut")


def paid(desk: Desk) -> dict[str, int]:
    chips: dict[str, int] = {}
    for event in desk.last.events:
        if isinstance(event, CashedOut):
            chips[event.player] = chips.get(event.player, 0) + event.amount
    return chips


def of_kind(desk: Desk, kind: type) -> list[Any]:
    return [event for event in desk.last.events if isinstance(event, kind)]


def test_only_an_operator_may() -> None:
    desk = Desk()
    desk.join("a", "b", "c")
    before = snapshot(desk.state)
    for by in ("host", "a", "olga"):
        with pytest.raises(TableError) as caught:
            desk.do(ForceClose(by))
        assert caught.value.reason is Reason.ROLE_MISSING
    with pytest.raises(TableError) as caught:
        desk.do(ForceClose("olga", operator=True, reason="x" * 201))
    assert caught.value.field == "reason"
    assert snapshot(desk.state) == before


def test_between_hands_everybody_gets_his_stack() -> None:
    desk = Desk(seat_count=5, players=(5, 5))
    desk.join("a", "b", buy_in=70)
    desk.do(STOP)
    assert paid(desk) == {"a": 70, "b": 70}
    assert desk.last.cashed_out == 140
    assert desk.state.closed
    assert not of_kind(desk, HandStopped)
    assert of_kind(desk, TableClosed) == [TableClosed("the cable is cut")]
    for command in (STOP, TimeOut()):
        with pytest.raises((TableError, NotDue)):
            desk.do(command)


@pytest.mark.parametrize("end", [STOP, Close("host")])
def test_a_table_that_is_ended_has_nothing_due(end: Command) -> None:
    desk = Desk(seat_count=5, players=(5, 5))
    desk.join("a", "b")
    desk.leave("a")
    assert desk.state.alarms
    desk.do(end)
    assert not desk.state.alarms


def test_a_stopped_hand_gives_back_what_was_put_in() -> None:
    desk = Desk(SeededDealer(1), players=(3, 5), opening_requirement="none", ante=2)
    desk.join("a", "b", "c", buy_in=100)
    first, second = desk.asked()[0], ""
    desk.act(first, "open", to=10)
    second = desk.asked()[0]
    desk.act(second, "raise", to=30)
    number = desk.state.hand_number
    desk.do(STOP)
    (stopped,) = of_kind(desk, HandStopped)
    names = dict(enumerate("abc"))
    assert {names[seat]: chips for seat, chips in stopped.refunds} == {
        name: {first: 12, second: 32}.get(name, 2) for name in "abc"
    }
    assert (stopped.hand_number, stopped.carried, stopped.reason) == (number, 0, "the cable is cut")
    assert paid(desk) == {"a": 100, "b": 100, "c": 100}
    assert not desk.last.finished
    assert not desk.state.hand_running
    assert not desk.state.alarms


def test_who_left_the_stopped_hand_gets_back_what_he_put_in_and_no_part_of_a_carried_pot() -> None:
    desk = Desk(SeededDealer(3), players=(3, 5), ante=2)
    desk.join("a", "b", "c", buy_in=100)
    while not (desk.state.carried and desk.state.hand_number) and desk.state.hand_number < 2:
        desk.act(desk.asked()[0], "check")  # nobody opens: the antes are carried
    assert desk.state.hand is not None
    carried = desk.state.hand.record().carried
    assert carried == 6
    gone = desk.asked()[0]
    desk.leave(gone)
    at_once = paid(desk)
    assert at_once == {gone: 96}
    desk.do(STOP)
    (stopped,) = of_kind(desk, HandStopped)
    assert stopped.carried == 6
    (shared,) = of_kind(desk, CarriedPotShared)
    assert shared.amount == 6
    assert all(desk.state.hand_players.get(seat) != gone for seat, _ in shared.shares)
    rest = paid(desk)
    assert rest.pop(gone) == 2
    assert rest == dict.fromkeys(set("abc") - {gone}, 101)
    # He was told of his leaving then; the others are told now.
    assert {event.player for event in of_kind(desk, PlayerLeft)} == set("abc") - {gone}


def test_chips_that_wait_for_the_end_of_the_hand_are_paid_too() -> None:
    desk = Desk(SeededDealer(1), players=(3, 5), opening_requirement="none", rebuy="between_deals")
    desk.join("a", "b", "c", buy_in=60)
    desk.do(AddChips("b", 25))
    assert desk.state.seats[1].pending == 25
    desk.do(STOP)
    assert paid(desk) == {"a": 60, "b": 85, "c": 60}


def test_a_stopped_tournament_names_the_places() -> None:
    desk = Desk(SeededDealer(2), seat_count=3, match="tournament", opening_requirement="none")
    desk.join("a", "b", "c")
    asked = desk.asked()[0]
    desk.leave(asked)
    desk.do(STOP)
    (ended,) = [event for event in desk.last.events if event.name == "match_ended"]
    assert {placing.player: placing.place for placing in ended.placings} == {
        name: 3 if name == asked else 1 for name in "abc"
    }


@pytest.mark.parametrize("profile", ["turkish", "turkish-pagat", "turkish-online", "french"])
def test_at_any_moment_of_any_hand_nobody_loses_a_chip(profile: str) -> None:
    """What everybody brought is what he gets, less what he lost in hands that were over."""
    dice = random.Random(f"stop {profile}")
    phases: set[Phase] = set()
    for number in range(120):
        desk = Desk(
            SeededDealer(number), profile=profile, **({"rake_per_mille": 50} if number % 3 == 0 else {})
        )
        names = list("abcde")[: dice.randint(2, 5)]
        desk.join(*names)
        moves = dice.randrange(1, 40)
        held: dict[str, int] = {}
        for _ in range(moves):
            decisions = desk.state.decisions()
            if not decisions or not desk.state.hand_running:
                break
            held = {}
            if dice.random() < 0.03 and len(desk.state.seats) > 2:
                leaver = dice.choice([seat.player for seat in desk.state.seats.values() if not seat.leaving])
                desk.do(Leave(leaver))
                continue
            asked = dice.choice(decisions)
            assert asked.legal is not None
            action = dice.choice(sorted(asked.legal))
            if action == "leave":
                continue
            value = asked.legal[action]
            to = dice.randint(*value) if isinstance(value, tuple) and action != "draw" else None
            player = desk.state.hand_players[asked.seat]
            desk.do(Act(player, asked.decision_id, action, to))
        state = desk.state
        if not state.hand_running or state.hand is None:
            continue
        phases.add(state.hand.phase)
        record = state.hand.record()
        stops = state.hand.phase is not Phase.PROOF
        won = state.hand.stacks
        for seat_number, chips in record.stacks:
            if seat_number in state.hand_players:
                seat = state.seats[seat_number]
                held[seat.player] = (chips if stops else won[seat_number]) - seat.paid + seat.pending
        for seat in state.seats.values():
            held.setdefault(seat.player, seat.stack + seat.pending)
        ledger = state.ledger
        desk.do(STOP)  # check_chips runs in it
        assert desk.state.closed
        shared = {seat: chips for event in of_kind(desk, CarriedPotShared) for seat, chips in event.shares}
        for seat_number, chips in shared.items():
            held[state.seats[seat_number].player] += chips
        assert paid(desk) == {player: chips for player, chips in held.items() if chips}
        raked = desk.state.ledger.raked
        assert desk.state.ledger.bought_in - desk.state.ledger.cashed_out == raked
        assert bool(desk.last.finished) != stops
        if stops:
            assert sum(shared.values()) == record.carried
            assert raked == ledger.raked
            (stopped,) = of_kind(desk, HandStopped)
            assert all(chips >= 0 for _, chips in stopped.refunds)
    print(profile, sorted(phases))
    assert {Phase.ROUND1, Phase.DRAW} <= phases


def test_a_pot_that_is_won_stays_won() -> None:
    """Only a proof could still be asked for."""
    desk = Desk(StackedDealer({("deal", 1): "As Ah Ks Kh Qs Qh Js Jh 9s 9h"}), profile="turkish-pagat")
    desk.join("a", "b")
    opener = desk.asked()[0]
    asked = desk.state.decisions()[0]
    assert asked.legal is not None
    if "open" not in asked.legal:
        desk.act(opener, "check")
        opener = desk.asked()[0]
    least = desk.state.decisions()[0].legal["open"][0]
    desk.act(opener, "open", to=least)
    desk.act(desk.asked()[0], "fold")
    assert desk.state.hand is not None
    assert desk.state.hand.phase is Phase.PROOF
    won = dict(desk.state.hand.stacks)
    assert won[0] != won[1]
    desk.do(STOP)
    assert paid(desk) == {"a": won[0], "b": won[1]}
    assert len(desk.last.finished) == 1
    assert not of_kind(desk, HandStopped)


def test_chips_that_the_bank_still_pays_for_go_back_to_the_player() -> None:
    desk = Desk(SeededDealer(1), players=(2, 5), opening_requirement="none")
    desk.state.config = replace(desk.state.config, bank=True)
    waiting: dict[str, str] = {}
    for player in "abc":
        desk.join(player, buy_in=100)
        waiting[player] = next(iter(set(desk.state.transfers) - set(waiting.values())))
    for player in "ab":
        desk.do(ConfirmBuyIn(waiting[player]))
    assert desk.state.hand_running
    desk.do(STOP)
    assert paid(desk) == {"a": 100, "b": 100}
    assert desk.state.closed
    desk.do(ConfirmBuyIn(waiting["c"]))
    assert paid(desk) == {"c": 100}
    assert not desk.state.transfers
    assert desk.state.ledger.bought_in == desk.state.ledger.cashed_out == 300
