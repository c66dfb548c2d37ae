"""What each viewer is sent, byte by byte of every kind of message: his own cards and what was shown, and
no more.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from turkpoker.evaluator import parse_cards
from turkpoker.v1 import actions_pb2, cards_pb2, tables_pb2
from turkpoker.v1 import hand_history_service_pb2 as history_pb
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import Caller, act, easy_rules, legal_of, refused, seated, whose_turn

Make = Callable[..., Caller]
HANDS = 12


def cards_in(message: Message) -> Iterator[int]:
    """Every card anywhere in a message, whatever field it hides in."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for each in value if field.is_repeated else [value]:
                yield from cards_in(each)
        elif field.type == FieldDescriptor.TYPE_ENUM and field.enum_type.full_name == "turkpoker.v1.Card":
            yield from (card for card in (value if field.is_repeated else [value]) if card)


class Witness:
    """Keeps what a viewer may know of each hand, and everything that he was sent."""

    def __init__(self, player: str) -> None:
        self.player = player
        self.seat: int | None = None
        self.hand = 0
        self.own: dict[int, set[int]] = defaultdict(set)
        self.shown: dict[int, set[int]] = defaultdict(set)
        self.seen: dict[int, set[int]] = defaultdict(set)

    def take_events(self, events: pb.TableEvents) -> None:
        for event in events.events:
            kind = event.WhichOneof("event")
            if kind == "hand_started":
                self.hand = event.hand_started.hand_number
                seats = {each.player: each.seat for each in event.hand_started.seats}
                self.seat = seats.get(self.player)
            if kind == "dealer_drawn":
                continue  # cards of the draw for the deal are open and belong to no hand
            self.seen[self.hand].update(cards_in(event))
            if kind in ("hand_shown", "openers_proved"):
                self.shown[self.hand].update(getattr(event, kind).cards)
            if kind == "cards_dealt":
                assert (event.cards_dealt.seat == self.seat) == bool(event.cards_dealt.cards)
                self.own[self.hand].update(event.cards_dealt.cards)
            if kind == "cards_drawn":
                drawn = event.cards_drawn
                if drawn.seat == self.seat:
                    assert len(drawn.received) <= drawn.count
                    self.own[self.hand].update(drawn.received)
                else:
                    assert not drawn.received
                    assert not drawn.discarded
            if kind == "decision_asked":
                asked = event.decision_asked.decision
                assert (asked.seat == self.seat) == bool(asked.legal_actions)

    def take_table(self, table: tables_pb2.Table) -> None:
        hand = table.hand
        number = hand.hand_number
        self.seen[number].update(cards_in(table))
        mine = [each for each in hand.players if each.player == self.player]
        for each in hand.players:
            if each.player != self.player and hand.phase != actions_pb2.PHASE_OVER:
                assert set(each.cards) <= {cards_pb2.CARD_UNSPECIFIED}
        for each in mine:
            self.own[number].update(card for card in each.cards if card)
        for asked in hand.asked:
            assert bool(asked.legal_actions) == (bool(mine) and asked.seat == mine[0].seat)


async def follow(caller: Caller, name: str, witness: Witness, play: bool) -> None:
    call: Any = await caller.play(name) if play else caller.watch(name)
    async for message in call:
        update = message.update
        if update.HasField("snapshot"):
            witness.hand = update.snapshot.hand_number
            witness.take_table(update.snapshot)
            seats = {each.player: each.seat for each in update.snapshot.hand.players}
            witness.seat = seats.get(witness.player)
        else:
            witness.take_events(update.events)


def varied(decision: actions_pb2.Decision, cards: list[int], step: int) -> actions_pb2.Action:
    """Actions that bring all kinds of hands about: draws of every size, folds, raises, calls."""
    legal = legal_of(decision)
    if "draw" in legal:
        return act("draw", cards=tuple(card - 1 for card in cards[: step % 5]))
    if "fold" in legal and step % 7 == 3:
        return act("fold")
    if "raise" in legal and step % 5 == 1:
        return act("raise", to=legal["raise"].min_to)
    for kind in ("open", "bet"):
        if kind in legal and step % 3:
            return act(kind, to=legal[kind].min_to)
    return act("check") if "check" in legal else act("call")


async def test_no_viewer_is_sent_a_card_of_another(player: Make) -> None:
    callers = [player(each) for each in ("ayse", "bora", "cem", "deniz")]
    spectator, late = player("spectator"), player("late")
    name = await seated(callers, easy_rules(start_stack=500))
    viewers = [*callers, spectator]
    witnesses = {viewer.player: Witness(viewer.player) for viewer in (*viewers, late)}
    tasks = [
        asyncio.create_task(follow(viewer, name, witnesses[viewer.player], viewer in callers[:2]))
        for viewer in viewers
    ]
    step = 0
    while True:
        step += 1
        caller, decision = await whose_turn(callers, name)
        for viewer in viewers:
            witnesses[viewer.player].take_table(await viewer.get(name))
        table = await caller.get(name)
        own = next(each for each in table.hand.players if each.seat == table.your_seat)
        if step == 40:
            await late.join(name, buy_in=100)  # sees nothing of the hand into which he comes
            tasks.append(asyncio.create_task(follow(late, name, witnesses["late"], True)))
            callers.append(late)
            viewers.append(late)
        answer = await caller.submit(name, decision.decision_id, varied(decision, list(own.cards), step))
        assert not list(cards_in(answer))
        refusal = await refused(caller.submit(name, decision.decision_id, act("check")))
        assert refusal.action is not None
        if table.hand_number > HANDS:
            break
    await asyncio.sleep(0.2)
    for task in tasks:
        assert not task.done() or task.exception() is None, task.exception()
        task.cancel()
    everybody = {w.player: w for w in witnesses.values()}
    public = everybody["spectator"]
    for witness in everybody.values():
        for number, seen in witness.seen.items():
            assert seen <= witness.own[number] | public.shown[number], (witness.player, number)
    # The test itself sees what it should: own cards in every hand, shown hands in some, hidden ones too.
    assert all(len(everybody["ayse"].own[number]) >= 5 for number in range(2, HANDS))
    assert not any(public.own.values())
    assert sum(1 for shown in public.shown.values() if shown) >= 3
    assert any(everybody["ayse"].own[number] - public.shown[number] for number in range(2, HANDS))


async def test_who_may_see_what_of_a_record(player: Make) -> None:
    callers = [player("ayse"), player("bora")]
    name = await seated(callers, easy_rules(start_stack=500))
    step = 0
    own: dict[tuple[str, int], set[int]] = defaultdict(set)
    while (await callers[0].get(name)).hand_number <= 6:
        step += 1
        for each in callers:
            table = await each.get(name)
            hand = next(other for other in table.hand.players if other.seat == table.your_seat)
            own[each.player, table.hand_number].update(hand.cards)
        caller, decision = await whose_turn(callers, name)
        table = await caller.get(name)
        hand = next(other for other in table.hand.players if other.seat == table.your_seat)
        await caller.submit(name, decision.decision_id, varied(decision, list(hand.cards), step))
    spectator = player("spectator")
    request = history_pb.ListHandRecordsRequest(parent=name, page_size=4)
    first = await spectator.history.ListHandRecords(request, metadata=spectator.metadata)
    request.page_token = first.next_page_token
    second = await spectator.history.ListHandRecords(request, metadata=spectator.metadata)
    listed = [record.name for record in (*first.records, *second.records)]
    assert listed == [f"{name}/hands/{number}" for number in range(6, 0, -1)]
    assert not second.next_page_token
    for number in range(1, 7):
        one = history_pb.GetHandRecordRequest(name=f"{name}/hands/{number}")
        open_ = (await spectator.history.GetHandRecord(one, metadata=spectator.metadata)).record
        assert open_.partial
        data = json.loads(open_.json)
        assert set(data["deck"].split()) == {"??"}
        shown = {card + 1 for text in data["expect"]["hands"].values() for card in known(text)}
        if data["expect"]["over"] != "showdown":
            assert not shown
        for each in callers:
            mine = (await each.history.GetHandRecord(one, metadata=each.metadata)).record
            seen = {card + 1 for card in all_cards(json.loads(mine.json))}
            assert seen - shown <= own[each.player, number]
            assert len([card for card in json.loads(mine.json)["deck"].split() if card != "??"]) == 5
            assert mine.partial


def known(text: str) -> tuple[int, ...]:
    return parse_cards(" ".join(card for card in text.split() if card != "??"))


def all_cards(data: dict[str, Any]) -> set[int]:
    texts = [data["deck"], *data["reshuffles"], *data["expect"]["hands"].values()]
    texts += [" ".join(step.get("cards", ())) for step in data["steps"]]
    return {card for text in texts for card in known(text)}


async def test_records_that_are_not_there(player: Make) -> None:
    ayse = player("ayse")
    name = (await ayse.create()).name
    missing = history_pb.GetHandRecordRequest(name=f"{name}/hands/1")
    refusal = await refused(ayse.history.GetHandRecord(missing, metadata=ayse.metadata))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "HAND_NOT_FOUND")
    for bad in ("", name, f"{name}/hands/0", f"{name}/hands/x", f"{name}/hands/{10**20}"):
        request = history_pb.GetHandRecordRequest(name=bad)
        refusal = await refused(ayse.history.GetHandRecord(request, metadata=ayse.metadata))
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ["name"])
    for request in (
        history_pb.ListHandRecordsRequest(parent="x"),
        history_pb.ListHandRecordsRequest(parent=name, page_size=-1),
        history_pb.ListHandRecordsRequest(parent=name, page_token="nonsense"),
        history_pb.ListHandRecordsRequest(parent=name, page_token="x" * 1000),
    ):
        refusal = await refused(ayse.history.ListHandRecords(request, metadata=ayse.metadata))
        assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
