"""Where players are asked first whether they play, every viewer learns the deck as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from turkpoker.client.view import TableView
from turkpoker.v1 import events_pb2, rules_pb2
from wire_players import Caller, act, seated

Make = Callable[..., Caller]


def opt_in() -> rules_pb2.Rules:
    return rules_pb2.Rules(profile="turkish-online")


async def followed(stream: Any, view: TableView | None, kind: str) -> list[events_pb2.TableEvent]:
    """The events of the stream up to and with the command that holds one of this kind."""
    found: list[events_pb2.TableEvent] = []
    while not any(event.WhichOneof("event") == kind for event in found):
        message = await stream.read()
        found += message.update.events.events
        if view is not None:
            for event in message.update.events.events:
                view.apply(event)
    return found


@pytest.mark.parametrize("viewer", ["player", "who stays out", "spectator"])
async def test_the_deck_is_told_when_all_have_answered(player: Make, viewer: str) -> None:
    callers = [player("ayse"), player("bora"), player("can")]
    name = await seated(callers, opt_in())
    watcher = {"player": callers[0], "who stays out": callers[2], "spectator": player("dila")}[viewer]
    stream = watcher.watch(name)
    snapshot = (await stream.read()).update.snapshot
    view = TableView.from_wire(snapshot)
    assert snapshot.hand.deck == 0  # three may play with 28 cards, two with 24
    for caller, answer in zip(callers, ("enter", "enter", "stay_out"), strict=True):
        table = await caller.get(name)
        await caller.submit(name, table.decision.decision_id, act(answer))
    events = await followed(stream, view, "cards_dealt")
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds.count("dealt_in") == 1
    assert kinds.index("dealt_in") < kinds.index("cards_dealt")
    (dealt_in,) = [event.dealt_in for event in events if event.WhichOneof("event") == "dealt_in"]
    assert (dealt_in.deck, sorted(dealt_in.seats)) == (24, [0, 1])
    assert view.hand is not None
    now = TableView.from_wire(await watcher.get(name))
    assert now.hand is not None
    assert view.hand.deck == now.hand.deck == 24
    assert sorted(view.hand.players) == sorted(now.hand.players) == [0, 1]


async def test_where_nobody_is_asked_the_start_of_the_hand_tells_the_deck(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    table = await callers[0].create(rules_pb2.Rules(profile="turkish"))
    stream = player("can").watch(table.name)
    await stream.read()
    for caller in callers:
        await caller.join(table.name)
    events = await followed(stream, None, "cards_dealt")
    (started,) = [event.hand_started for event in events if event.WhichOneof("event") == "hand_started"]
    assert started.deck == 24
    assert not [event for event in events if event.WhichOneof("event") == "dealt_in"]
