"""Random evenings at every kind of table: whatever happens, chips add up, and a state lives through the
store's bytes."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from table.desks import Desk, SeededDealer, snapshot
from turkpoker.storage.encoding import Codec
from turkpoker.storage.seal import Seal
from turkpoker.table.commands import Act, AddChips, Join, Leave, SitIn, SitOut, TimeOut
from turkpoker.table.errors import NotDue, TableError
from turkpoker.table.events import BoughtIn, CashedOut
from turkpoker.table.state import TableState

SEED = 20261201
TABLES: list[tuple[str, dict[str, Any]]] = [
    ("turkish", {}),
    ("turkish", {"ante": 3, "stake_min": 5, "opening_requirement": "none", "karanlik": "on"}),
    ("turkish-pagat", {"false_opening": "penalise", "carried_pot_entry": "missed_antes"}),
    ("turkish-online", {"opener_proof": "to_collect"}),
    ("turkish-online", {"entry": "opt_in", "rake_per_mille": 50, "four_player_deck": 36}),
    ("french", {"deal_mode": "blind", "over_blind": 2, "players": "2-6"}),
    ("french", {"limit": "pot", "players": "2-6", "rebuy": "between_deals"}),
    (
        "turkish",
        {"match": "tournament", "levels": [{"hands": 3, "ante": a, "stake_min": a} for a in (1, 4, 9)]},
    ),
    ("turkish-online", {"match": "tournament", "ante": 5, "stake_min": 5}),
]


def random_action(rng: random.Random, state: TableState, seat: int) -> Act:
    asked = state.decision(seat)
    assert asked is not None
    assert asked.legal is not None
    name = rng.choice(sorted(asked.legal))
    value = asked.legal[name]
    to, cards = None, ()
    if name in ("open", "bet", "raise"):
        assert isinstance(value, tuple)
        to = rng.choice([value[0], value[1], rng.randint(*value)])
    elif name == "draw":
        assert isinstance(value, tuple)
        assert state.hand is not None
        own = next(each for each in state.hand.view(seat).seats if each.seat == seat)
        cards = tuple(rng.sample([card for card in own.cards if card is not None], rng.randint(*value)))
    return Act(state.hand_players[seat], asked.decision_id, name, to, cards)


def random_command(rng: random.Random, state: TableState) -> Any:
    roll = rng.random()
    players = [f"p{number}" for number in range(8)]
    if state.hand_running and roll < 0.8:
        asked = [each.seat for each in state.decisions() if not state.seats[each.seat].leaving]
        if asked:
            return random_action(rng, state, rng.choice(asked))
    if roll < 0.9:
        return TimeOut()
    player = rng.choice(players)
    others = [Leave(player), SitOut(player), SitIn(player), AddChips(player, rng.choice([None, 1, 100]))]
    return rng.choice([Join(player, player)] * 3 + others)


@pytest.mark.parametrize(("profile", "options"), TABLES)
@pytest.mark.parametrize("pause", [timedelta(0), timedelta(seconds=3)])
def test_random_evenings_keep_the_books(profile: str, options: dict[str, Any], pause: timedelta) -> None:
    seed = f"{SEED} {profile} {options} {pause}"
    rng = random.Random(seed)
    options = {"hand_pause": pause, "empty_limit": timedelta(minutes=10), **options}
    desk = Desk(SeededDealer(SEED), profile=profile, **options)
    codec = Codec(Seal([bytes(range(32))]))
    done = refused = matches = hands = 0
    transfers: set[str] = set()
    ledger = 0
    step = 0
    while done < 400 and step < 3000:
        step += 1
        if desk.state.match_over or desk.state.closed:
            # One tournament is over, or nobody came any more: the next evening begins at another table.
            matches += 1
            transfers.clear()
            ledger = 0
            desk = Desk(SeededDealer(SEED + matches), profile=profile, **options)
        before = snapshot(desk.state) if step % 50 == 0 else None
        base = desk.state
        try:
            decision = desk.do(random_command(rng, desk.state))
        except (TableError, NotDue):
            refused += 1
            assert desk.state is base
            continue
        finally:
            # A decision, taken or refused, leaves the state that it was decided on as it was.
            assert before is None or snapshot(base) == before
        done += 1
        for event in decision.events:
            if isinstance(event, BoughtIn | CashedOut):
                assert event.transfer_id not in transfers
                transfers.add(event.transfer_id)
                ledger += event.amount if isinstance(event, BoughtIn) else -event.amount
        assert desk.state.chips() == ledger
        assert all(seat.stack >= 0 for seat in desk.state.seats.values())
        assert list(desk.state.seats) == sorted(desk.state.seats)
        if desk.state.hand_running:
            assert desk.state.decisions()
            hands += desk.state.hand_number != base.hand_number
        if decision.changed:
            assert desk.state.version == base.version + 1
        if step % 25 == 0:
            again = codec.open_state(codec.seal_state(desk.state), "t1", desk.state.version)
            assert snapshot(again) == snapshot(desk.state)
            events = codec.open_events(codec.seal_events(decision.events, "t1", 7), "t1", 7)
            assert events == decision.events
    print(f"seed {seed!r}: {done} done, {refused} refused, {hands} hands, {matches} matches")
    assert done == 400
    assert hands > 20
