"""Random lives of tables: every kind of command of players, hosts, operators, clocks and banks, in any order.

Whatever happens, chips add up at every version, nobody has two seats, a kept seat is kept, nothing is refused
but with a reason, and a state lives through the store's bytes.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from table.desks import Desk, SeededDealer, snapshot
from table.test_table_random import TABLES, random_action
from turkpoker.storage.encoding import Codec
from turkpoker.storage.seal import Seal
from turkpoker.table.alarms import is_offer_alarm, offer_alarm
from turkpoker.table.commands import (
    AddChips,
    Close,
    ConfirmBuyIn,
    EndSession,
    ForceClose,
    Join,
    JoinWaitingList,
    Leave,
    LeaveWaitingList,
    Pause,
    RefuseBuyIn,
    Remove,
    RenewInvitation,
    Resume,
    SetAutoTopUp,
    SitIn,
    SitOut,
    SwitchDealMode,
    TimeOut,
)
from turkpoker.table.errors import NotDue, TableError
from turkpoker.table.events import BoughtIn, CashedOut, WaitingListChanged
from turkpoker.table.state import TableState
from turkpoker.table.waiting import shown_list

SEED = 20261202
STEPS = 350
PLAYERS = ("host", *(f"p{number}" for number in range(7)))
NARROW_TABLES = [({**options, "players": "2-3"}, profile) for profile, options in TABLES]


def random_command(rng: random.Random, state: TableState) -> Any:
    roll = rng.random()
    if state.transfers and roll < 0.3:
        transfer_id = rng.choice([*state.transfers, "t1-none"])
        return rng.choice([ConfirmBuyIn, ConfirmBuyIn, RefuseBuyIn])(transfer_id)
    if state.hand_running and roll < 0.6:
        asked = [each.seat for each in state.decisions() if not state.seats[each.seat].leaving]
        if asked:
            return random_action(rng, state, rng.choice(asked))
    if roll < 0.7:
        return TimeOut()
    player = rng.choice(PLAYERS)
    if roll < 0.78:
        return Join(player, player, rng.choice([None, None, 0, 1, 2]), invitation=state.invitation)
    return rng.choice([_of_player, _of_player, _of_player, _of_host])(rng, state, player)


def _of_player(rng: random.Random, state: TableState, player: str) -> Any:
    return rng.choice(
        [
            Join(player, player, buy_in=rng.choice([None, 20, 60, 500]), invitation=rng.choice(["", "x"])),
            Leave(player),
            Leave(player, "after_hand"),
            Leave(player, "cancelled"),
            SitOut(player),
            SitOut(player, "now"),
            SitOut(player, "next_ante"),
            SitIn(player),
            SitIn(player),
            AddChips(player, rng.choice([None, 1, 100])),
            SetAutoTopUp(player, rng.choice([0, 50, 100, 150])),
            JoinWaitingList(player, player, state.invitation),
            JoinWaitingList(player, player, state.invitation),
            LeaveWaitingList(player),
        ]
    )


def _of_host(rng: random.Random, state: TableState, player: str) -> Any:
    by, operator = rng.choice([("host", False), ("boss", True), (player, False)])
    seat = rng.choice(list(state.seats) or [0])
    sits = state.seats[seat].player if seat in state.seats else player
    kinds: list[Any] = [
        Pause(by, operator),
        *[Resume(by, operator)] * 3,
        SwitchDealMode(by, rng.choice(["ante", "blind"])),
        RenewInvitation(by, f"secret {rng.random()}"),
    ]
    if rng.random() < 0.2:
        kinds = [
            *[Remove(by, seat, sits, operator), EndSession(by, operator), Close(by, operator)],
            ForceClose(by, operator, "random"),
        ]
    return rng.choice(kinds)


def check(state: TableState) -> None:
    """What holds at every version."""
    state.check_chips()
    players = [seat.player for seat in state.seats.values()]
    assert len(set(players)) == len(players)
    waiting = [each.player for each in state.waiting]
    assert len(set(waiting)) == len(waiting)
    assert not set(waiting) & ({*players} | {*state.removed})
    kept = [each.offered_seat for each in state.waiting if each.offered_seat is not None]
    assert len(set(kept)) == len(kept)
    assert not set(kept) & set(state.seats)
    # Nobody waits for a seat while one is free for him.
    if len(kept) < len(waiting):
        assert len(state.seats) + len(kept) == state.config.seat_count
    assert {name for name in state.alarms if is_offer_alarm(name)} == {offer_alarm(seat) for seat in kept}
    for seat in state.seats.values():
        assert seat.stack >= 0
        assert seat.leaving or seat.player not in state.removed
    if not state.hand_running:
        assert not any(seat.leaving or seat.leaves_after_hand for seat in state.seats.values())
        assert state.closed or not state.ending
    if state.closed:
        assert (state.seats, state.waiting, state.alarms, state.carried) == ({}, (), {}, 0)


@pytest.mark.parametrize(("options", "profile"), NARROW_TABLES)
@pytest.mark.parametrize("bank", [False, True])
def test_random_lives_keep_their_laws(profile: str, options: dict[str, Any], bank: bool) -> None:
    seed = f"{SEED} {profile} {options} {bank}"
    rng = random.Random(seed)
    codec = Codec(Seal([bytes(range(32))]))
    done: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    tables = 0
    desk: Desk | None = None
    for _ in range(20 * STEPS):
        if sum(done.values()) == STEPS:
            break
        if desk is None or desk.state.closed or desk.state.match_over:
            tables += 1
            pause = timedelta(seconds=rng.choice([0, 3]))
            desk = Desk(
                SeededDealer(SEED + tables),
                profile=profile,
                seat_count=rng.choice([2, 3]),
                hand_pause=pause,
                private=rng.random() < 0.5,
                **options,
            )
            desk.state.config = replace(desk.state.config, bank=bank)
            ledger = 0
        base = desk.state
        command = random_command(rng, base)
        try:
            decision = desk.do(command)
        except TableError as error:
            reasons[error.reason] += 1
            continue
        except NotDue:
            continue
        done[type(command).__name__] += decision.changed
        state = desk.state
        ledger += sum(
            event.amount if isinstance(event, BoughtIn) else -event.amount
            for event in decision.events
            if isinstance(event, BoughtIn | CashedOut)
        )
        assert state.chips() == ledger
        check(state)
        told = [event for event in decision.events if isinstance(event, WaitingListChanged)]
        assert bool(told) == (state.waiting != base.waiting)
        again = codec.open_state(codec.seal_state(state), "t1", state.version)
        assert snapshot(again) == snapshot(state)
        assert shown_list(again) == shown_list(state)
        assert codec.open_events(codec.seal_events(decision.events, "t1", 7), "t1", 7) == decision.events
    print(f"seed {seed!r}: {sum(done.values())} done, {tables} tables, {dict(done)}, {dict(reasons)}")
    assert sum(done.values()) == STEPS
