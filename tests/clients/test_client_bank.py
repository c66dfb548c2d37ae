"""The SDK's view and tally where chips are bought from a bank."""

from __future__ import annotations

from typing import Any

import pytest
from turkpoker.client.bots.tally import Tally
from turkpoker.client.view import TableView
from turkpoker.v1 import events_pb2, tables_pb2


@pytest.fixture
def view() -> TableView:
    return TableView.from_wire(tables_pb2.Table(name="tables/a", seat_count=5))


def event(name: str, message: Any) -> events_pb2.TableEvent:
    return events_pb2.TableEvent(version=2, **{name: message})


JOINED = event(
    "player_joined",
    events_pb2.PlayerJoined(seat=1, player="ayse", display_name="Ayse", awaiting_bank=100),
)
CONFIRMED = event("buy_in_confirmed", events_pb2.BuyInConfirmed(seat=1, amount=100))
MORE = event("chips_added", events_pb2.ChipsAdded(seat=1, amount=30, pending=True, awaiting_bank=True))
MORE_CONFIRMED = event("buy_in_confirmed", events_pb2.BuyInConfirmed(seat=1, amount=30, pending=True))
MORE_REFUSED = event("buy_in_refused", events_pb2.BuyInRefused(seat=1, player="ayse", amount=30))


def test_chips_are_written_down_where_they_are(view: TableView) -> None:
    seen = []
    for each in (JOINED, CONFIRMED, MORE, MORE_CONFIRMED, MORE, MORE_REFUSED):
        view.apply(each)
        seat = view.seats[1]
        seen.append((seat.stack, seat.pending, seat.awaiting_bank))
    assert seen == [(0, 0, 100), (100, 0, 0), (100, 0, 30), (100, 30, 0), (100, 30, 30), (100, 30, 0)]


def test_only_what_the_bank_has_paid_is_counted_as_bought() -> None:
    tally = Tally()
    for each in (JOINED, CONFIRMED, MORE, MORE_CONFIRMED, MORE, MORE_REFUSED):
        tally.happened(each, within=1)
    assert tally.players["ayse"].bought_in == 130
