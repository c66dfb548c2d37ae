"""Blind and ante deals over whole evenings, held against rule 7.3.4 said in other words than the table's."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from table.desks import Desk, SeededDealer
from table.test_table_random import random_action
from turkpoker.engine.events import AntePosted, BlindPosted
from turkpoker.table.commands import AddChips

HANDS = 120
BLIND = 4
QUIET = ("enter", "decline", "check", "call", "draw", "pass")


@pytest.mark.parametrize("options", [{}, {"entry": "opt_in", "max_carries": 2, "progressive_openers": "on"}])
def test_rules_7_3_4_a_pot_out_of_a_blind_deal_is_played_for_with_antes_until_it_is_won(
    options: dict[str, Any],
) -> None:
    rng = random.Random(f"7.3.4 {sorted(options)}")
    blinds = {"deal_mode": "blind", "blind": BLIND, "over_blind": 1, "rebuy": "between_deals"}
    desk = Desk(SeededDealer(734), profile="french", hand_pause=timedelta(seconds=3), **blinds, **options)
    desk.join("a", "b", "c", "d")
    from_a_blind_deal = False
    seen = {"blind deals": 0, "ante deals": 0, "ante deals in a row": 0}
    before = ""
    for _ in range(HANDS):
        for player, chips in desk.stacks().items():
            if not chips:
                desk.do(AddChips(player, 100))
        desk.time_out()
        while desk.state.hand_running:
            asked = desk.state.decisions()[0]
            quiet = [name for name in QUIET if name in (asked.legal or {})]
            if quiet and rng.random() < 0.75:  # mostly nobody bets, so that pots are carried
                desk.act(desk.state.hand_players[asked.seat], quiet[0])
            else:
                desk.do(random_action(rng, desk.state, asked.seat))
        hand = desk.state.hand
        assert hand is not None
        posted = any(isinstance(event, BlindPosted) for event in hand.events)
        antes = {event.amount for event in hand.events if isinstance(event, AntePosted) and not event.all_in}
        if from_a_blind_deal:
            assert not posted
            assert antes <= {BLIND}
        else:
            assert not antes
        kind = "blind deals" if posted else "ante deals" if antes else ""
        if kind:
            seen[kind] += 1
            seen["ante deals in a row"] += kind == before == "ante deals"
            before = kind
        from_a_blind_deal = desk.state.carried > 0 and (posted or from_a_blind_deal)
    assert min(seen.values()) >= 3, seen
