"""A canary run: hidden hands and decks are searched for in every byte that anybody is sent, in the store and
in the logs, while hands of all profiles are played.
"""

from __future__ import annotations

import asyncio
import base64
import codecs
import json
import logging
import random
import struct
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from canary import Haystack, Secret, windows
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from turkpoker.engine import events as engine_events
from turkpoker.evaluator import format_cards
from turkpoker.server.app import running_server
from turkpoker.server.auth import make_token
from turkpoker.server.settings import ServerSettings
from turkpoker.server.wire import events as wire_events
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import Seal, parse_keys
from turkpoker.table import events as table_events
from turkpoker.table.ports import ShuffleContext
from turkpoker.table.state import TableState
from turkpoker.v1 import hand_history_service_pb2 as history_pb
from turkpoker.v1 import rules_pb2
from turkpoker.v1 import table_service_pb2 as pb
from turkpoker.v1.hand_history_service_pb2_grpc import HandHistoryServiceStub
from turkpoker.v1.table_service_pb2_grpc import TableServiceStub
from wire_players import KEY, SEAL_KEY, Caller, act, legal_of, new_id, whose_turn

PLAYERS = ("ayse", "bora", "cem", "deniz")
HANDS_A_TABLE = 25
PROFILES: tuple[dict[str, Any], ...] = (
    {"profile": "turkish"},
    {"profile": "turkish-pagat", "karanlik": True},
    {"profile": "turkish-online"},
    {"profile": "french"},
)


# -- what is recorded ----------------------------------------------------------------------------------------


class RecordingChannel:
    """A channel that keeps every byte that comes, before anybody makes a message of it."""

    def __init__(self, channel: grpc.aio.Channel, received: list[bytes]) -> None:
        self._channel = channel
        self._received = received

    def __getattr__(self, name: str) -> Any:
        make = getattr(self._channel, name)

        def method(path: str, *, response_deserializer: Callable[[bytes], Any], **options: Any) -> Any:
            def record(content: bytes) -> Any:
                self._received.append(content)
                return response_deserializer(content)

            return make(path, response_deserializer=record, **options)

        return method


class Viewer(Caller):
    """A caller all of whose bytes are kept, those of refusals too."""

    def __init__(self, address: str, player: str, roles: Iterable[str] | None = None) -> None:
        super().__init__(address, player, make_token(KEY, player, roles=roles))
        self.received: list[bytes] = []
        recording: Any = RecordingChannel(self.channel, self.received)
        self.tables = TableServiceStub(recording)
        self.history = HandHistoryServiceStub(recording)

    async def try_(self, call: Any) -> Any:
        """Make a call that may be refused."""
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            parts = [error.details() or "", error.debug_error_string() or ""]
            self.received.append("\n".join(parts).encode())
            for _, value in (*(error.initial_metadata() or ()), *(error.trailing_metadata() or ())):
                self.received.append(value if isinstance(value, bytes) else value.encode())
            return None

    async def follow(self, call: Any) -> None:
        while await self.try_(call.read()) not in (grpc.aio.EOF, None):
            pass


class LogTape(logging.Handler):
    """Keeps every line of every logger."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.received: list[bytes] = []
        self.setFormatter(logging.Formatter("%(name)s %(message)s %(args)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.received.append(self.format(record).encode())


class StoreTape:
    """Every command that the store is sent, as MONITOR tells it."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self._task: asyncio.Task[None] | None = None

    async def start(self, url: str) -> None:
        reader, writer = await asyncio.open_unix_connection(url.removeprefix("unix://"), limit=2**24)
        self._writer = writer  # the connection lives as long as this
        writer.write(b"MONITOR\r\n")
        assert await reader.readline() == b"+OK\r\n"

        async def read() -> None:
            while line := await reader.readline():
                # It quotes what is not printable as Python does.
                self.received.append(codecs.escape_decode(line)[0])  # type: ignore[arg-type]

        self._task = asyncio.create_task(read())

    async def stop(self) -> None:
        if self._task is not None:
            assert not self._task.done()
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


async def everything(store: RedisTableStore, table_id: str) -> bytes:
    """Every key of the store with all that it holds, as a client reads it; of tables only the one named."""
    client, parts = store.client, []
    async for key in client.scan_iter(count=1000):
        if b":table:" in key and table_id.encode() not in key:
            continue
        kind = (await client.type(key)).decode()
        parts.append(key)
        if kind == "string":
            parts.append(await client.get(key) or b"")
        elif kind == "hash":
            parts += [part for pair in (await client.hgetall(key)).items() for part in pair]
        elif kind == "stream":
            for _, fields in await client.xrange(key):
                parts += [part for pair in fields.items() for part in pair]
        elif kind == "zset":
            parts += [member for member, _ in await client.zrange(key, 0, -1, withscores=True)]
        elif kind == "set":
            parts += list(await client.smembers(key))
        else:
            parts += list(await client.lrange(key, 0, -1))
    return b"\n".join(parts)


# -- what is hidden ------------------------------------------------------------------------------------------


@dataclass
class HandTruth:
    """What the house knows of a hand."""

    number: int
    seats: dict[str, int]
    held: dict[int, list[tuple[int, ...]]] = field(default_factory=lambda: defaultdict(list))
    shown: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    orders: list[tuple[int, ...]] = field(default_factory=list)

    def take(self, event: Any) -> None:
        match event:
            case engine_events.CardsDealt(cards=cards, seat=seat) if cards:
                self.held[seat].append(tuple(cards))
            case engine_events.CardsDrawn(seat=seat) | engine_events.FourthCardDealt(seat=seat):
                gone = set(getattr(event, "discarded", None) or ())
                kept = tuple(card for card in self.held[seat][-1] if card not in gone)
                self.held[seat].append(kept + tuple(event.drawn or ()))
            case (
                engine_events.HandShown(seat=seat, cards=cards)
                | engine_events.OpenersProved(seat=seat, cards=cards)
            ):
                self.shown[seat].update(cards)
            case engine_events.Reshuffled(order=order) if order:
                self.orders.append(tuple(order))

    def secrets(self, shown_too: bool) -> list[Secret]:
        """Hands and orders; what was shown is no secret but where it lies sealed."""
        secrets = []
        for seat, hands in self.held.items():
            for cards in {each: None for each in hands if len(each) == 5}:
                if shown_too or not set(cards) <= self.shown[seat]:
                    secrets.append(Secret(f"hand {self.number} seat {seat}", seat, cards))
        for order in self.orders:
            secrets += [Secret(f"deck of hand {self.number}", None, part) for part in windows(order)]
        return secrets


class House:
    """What only the house knows, read from the store with its key."""

    def __init__(self, store: RedisTableStore, table_id: str) -> None:
        self.store = store
        self.table_id = table_id
        self.version = 0
        self.hands: dict[int, HandTruth] = {}
        self._hand: HandTruth | None = None

    async def look(self) -> TableState:
        """The table as it stands; what happened since the last look is taken in."""
        while entries := await self.store.read_events(self.table_id, self.version, 256):
            for entry in entries:
                self.version = entry.version
                for event in entry.events:
                    if isinstance(event, table_events.DealStarted):
                        seats = {each.player: each.seat for each in event.seats}
                        self._hand = self.hands[event.hand_number] = HandTruth(event.hand_number, seats)
                    elif self._hand is not None:
                        self._hand.take(event)
        stored = await self.store.load(self.table_id)
        assert stored is not None
        state = stored.state
        if state.hand is not None and (truth := self.hands.get(state.hand_number)) and not truth.orders:
            truth.orders.insert(0, state.hand.record().deck)
        return state


@dataclass
class Report:
    """What was searched and found."""

    hands: int = 0
    secrets: int = 0
    searched: int = 0
    tapes: Counter[str] = field(default_factory=Counter)
    hits: list[str] = field(default_factory=list)

    def search(self, who: str, data: bytes, secrets: list[Secret], *, sealed: bool = False) -> None:
        haystack = Haystack(data, sealed)
        self.secrets += len(secrets)
        self.searched += len(data)
        for secret in secrets:
            how = haystack.find(secret)
            if how is not None:
                self.hits.append(f"{who}: {secret.what} as {how}")


class Tape:
    """Where one recording stood when each hand began."""

    def __init__(self, who: str, received: list[bytes], player: str | None, *, sealed: bool = False) -> None:
        self.who, self.received, self.player, self.sealed = who, received, player, sealed
        #: Where the last step of the play began, and the one in which each hand was dealt.
        self.step = 0
        self.began: dict[int, int] = {}

    def search(self, truth: HandTruth, report: Report) -> None:
        """Look for a hand in all that came since it began, in what lies sealed until the next one began."""
        end = self.began.get(truth.number + 1) if self.sealed else None
        data = b"\n".join(self.received[self.began.get(truth.number, 0) : end])
        report.tapes[self.who] += len(data)
        own = truth.seats.get(self.player) if self.player is not None else None
        secrets = truth.secrets(shown_too=self.player is None)
        report.search(
            self.who,
            data,
            [each for each in secrets if each.seat is None or each.seat != own],
            sealed=self.sealed,
        )

    def forget_before(self, number: int) -> None:
        """Memory is for the hands that are still to be searched."""
        at = self.began.get(number, 0)
        del self.received[:at]
        self.step -= at
        self.began = {hand: place - at for hand, place in self.began.items() if hand >= number}


# -- the play ------------------------------------------------------------------------------------------------


def some_answer(state: TableState, dice: random.Random) -> tuple[str, Any, str]:
    """A legal answer to the first open question: who, what, to which decision."""
    asked = state.decisions()[0]
    assert asked.legal is not None
    assert state.hand is not None
    name = dice.choice(sorted(asked.legal))
    if name == "fold" and dice.random() < 0.6:
        name = next((each for each in ("check", "call") if each in asked.legal), name)
    value, to, cards = asked.legal[name], None, ()
    if name in ("open", "bet", "raise"):
        assert isinstance(value, tuple)
        to = dice.randint(value[0], min(value[1], value[0] + 3))
    elif name == "draw":
        assert isinstance(value, tuple)
        own = next(each for each in state.hand.view(asked.seat).seats if each.seat == asked.seat)
        held = [card for card in own.cards if card is not None]
        cards = tuple(dice.sample(held, dice.randint(*value)))
    return state.hand_players[asked.seat], act(name, to, cards), asked.decision_id


@asynccontextmanager
async def place(tmp_path: Path) -> AsyncIterator[tuple[str, EmbeddedRedis, RedisTableStore]]:
    """A server on a store that the house can read too."""
    async with EmbeddedRedis(tmp_path / "store") as embedded:
        settings = ServerSettings(
            listen="127.0.0.1:0",
            data_dir=tmp_path / "data",
            redis_url=embedded.url,
            token_key=KEY,
            seal_key=SEAL_KEY,
            max_hosted_tables=1000,
            max_joined_tables=1000,
            drain_pause=timedelta(0),
            drain_grace=timedelta(seconds=1),
        )
        store = await RedisTableStore.connect(embedded.url, Seal(parse_keys(SEAL_KEY, "the seal key")))
        async with running_server(settings) as server:
            yield server.address, embedded, store
        await store.close()


class Evening:
    """Some hands at one table, with everybody who may look on."""

    def __init__(self, address: str, store: RedisTableStore, dice: random.Random, tapes: list[Tape]) -> None:
        self.store, self.dice, self.tapes = store, dice, list(tapes)
        self.players = {name: Viewer(address, name) for name in (*PLAYERS, "late")}
        self.others = {
            "spectator": Viewer(address, "spectator"),
            "operator": Viewer(address, "operator", ["operator"]),
            "stranger": Viewer(address, "stranger", ["host"]),
        }
        self.everybody = self.players | self.others
        self.tapes += [Tape(name, viewer.received, name) for name, viewer in self.everybody.items()]
        self.tasks: list[asyncio.Task[None]] = []
        self.name = ""

    async def begin(self, options: dict[str, Any]) -> House:
        host = self.players[PLAYERS[0]]
        rules = rules_pb2.Rules(players_min=4, players_max=5, start_stack=2000, buy_in_max=2000, **options)
        rules.action_clock.FromSeconds(3600)
        table = await host.create(rules)
        self.name = table.name
        for seat, name in enumerate(PLAYERS):
            await self.players[name].join(self.name, seat)
        self.play = await host.play(self.name)
        streams = [(host, self.play)]
        streams += [
            (viewer, viewer.watch(self.name)) for viewer in self.everybody.values() if viewer is not host
        ]
        self.tasks = [asyncio.create_task(viewer.follow(call)) for viewer, call in streams]
        return House(self.store, self.name.removeprefix("tables/"))

    async def act(self, state: TableState) -> None:
        """One answer, by one of the ways there are."""
        player, action, decision = some_answer(state, self.dice)
        caller = self.players[player]
        if player == PLAYERS[0] and self.dice.random() < 0.5:
            message = pb.PlayAction(request_id=new_id(), decision_id=decision, action=action)
            await self.play.write(pb.PlayRequest(action=message))
            while (await self.store.standing(state.table_id) or (0, 0))[1] <= state.version:  # noqa: ASYNC110
                await asyncio.sleep(0.0005)
        else:
            await caller.try_(caller.submit(self.name, decision, action))

    async def look_and_err(self, state: TableState) -> None:
        """Somebody looks, and somebody does what is refused."""
        looker = self.dice.choice(list(self.everybody.values()))
        await looker.try_(looker.get(self.name))
        wrong = self.dice.choice(list(self.everybody.values()))
        decision = state.decisions()[0].decision_id if state.decisions() else "h1.round1.s0.d1"
        action = self.dice.choice([act("draw", cards=(51, 50, 51)), act("raise", to=10**9), act("pass")])
        await wrong.try_(wrong.submit(self.name, decision, action))

    async def ask_for_records(self, number: int) -> None:
        """Some ask for the hand that has just ended; the operator, who may see it whole once it is over,
        for the one that is on.
        """
        for name in self.dice.sample(sorted(self.everybody), 3):
            viewer = self.everybody[name]
            which = number + 1 if name == "operator" else number
            one = history_pb.GetHandRecordRequest(name=f"{self.name}/hands/{which}")
            await viewer.try_(viewer.history.GetHandRecord(one, metadata=viewer.metadata))
        viewer = self.dice.choice([each for each in self.everybody.values() if each.player != "operator"])
        several = history_pb.ListHandRecordsRequest(parent=self.name, page_size=2)
        await viewer.try_(viewer.history.ListHandRecords(several, metadata=viewer.metadata))
        for form in (1, 2) if number % 10 == 0 else ():
            export: Any = history_pb.ExportHandRecordsRequest(parent=self.name, format=form)  # type: ignore[arg-type]
            await viewer.follow(viewer.history.ExportHandRecords(export, metadata=viewer.metadata))
        await viewer.try_(viewer.tables.ListTables(pb.ListTablesRequest(), metadata=viewer.metadata))

    async def run(self, options: dict[str, Any], hands: int, report: Report) -> None:
        house = await self.begin(options)
        number = 0
        while number <= hands:
            state = await house.look()
            if state.hand_number != number:
                number = state.hand_number
                await self.new_hand(house, number, report)
            for tape in self.tapes:
                tape.step = len(tape.received)
            if number == hands // 3 and state.seat_of("late") is None:
                await self.players["late"].join(self.name, 4)
            if state.decisions():
                await self.act(state)
            if self.dice.random() < 0.2:
                await self.look_and_err(state)
        for last in (number, number + 1):
            await self.new_hand(house, last + 1, report)
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for viewer in self.everybody.values():
            await viewer.close()

    async def new_hand(self, house: House, number: int, report: Report) -> None:
        """Records of the hand before; the one before that is searched for, in all since it began."""
        for tape in self.tapes:
            tape.began[number] = tape.step
        if number - 1 in house.hands:
            await self.ask_for_records(number - 1)
        truth = house.hands.get(number - 2)
        if truth is None:
            return
        report.hands += 1
        for tape in self.tapes:
            tape.search(truth, report)
            tape.forget_before(number - 1)
        if report.hands % 10 == 1:
            secrets = [each for hand in house.hands.values() for each in hand.secrets(shown_too=True)]
            report.search("store", await everything(house.store, house.table_id), secrets[-200:], sealed=True)


async def canary_run(tmp_path: Path, hands: int, seed: int) -> Report:
    """Play and search."""
    dice, report = random.Random(seed), Report()
    log, monitor = LogTape(), StoreTape()
    root = logging.getLogger()
    level = root.level
    root.addHandler(log)
    root.setLevel(logging.DEBUG)
    try:
        async with place(tmp_path) as (address, embedded, store):
            await monitor.start(embedded.url)
            done, table = 0, 0
            while done < hands:
                tapes = [
                    Tape("log", log.received, None),
                    Tape("commands of the store", monitor.received, None, sealed=True),
                ]
                evening = Evening(address, store, dice, tapes)
                count = min(HANDS_A_TABLE, hands - done)
                await evening.run(PROFILES[table % len(PROFILES)], count, report)
                done, table = done + count, table + 1
            await monitor.stop()
    finally:
        root.removeHandler(log)
        root.setLevel(level)
    print(
        f"seed {seed}: {report.hands} hands at {table} tables, {report.secrets} searches for hidden cards in "
        f"{report.searched / 1e6:.1f} MB, {len(report.hits)} hits"
    )
    return report


def check(report: Report, hands: int) -> None:
    assert not report.hits, report.hits[:20]
    assert report.hands >= hands
    # It has looked everywhere.
    assert all(report.tapes[who] > 50 * hands for who in ("log", "commands of the store", "stranger"))
    assert all(report.tapes[who] > 1000 * hands for who in (*PLAYERS, "late", "spectator", "operator"))


async def test_no_hidden_card_is_in_any_byte(tmp_path: Path) -> None:
    check(await canary_run(tmp_path, 100, random.SystemRandom().randrange(2**32)), 100)


@pytest.mark.slow
@pytest.mark.timeout(2400)
async def test_no_hidden_card_is_in_any_byte_of_a_long_run(tmp_path: Path) -> None:
    check(await canary_run(tmp_path, 2000, random.SystemRandom().randrange(2**32)), 2000)


async def test_a_planted_leak_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The projection takes everybody for whom the event is about: so all are sent everybody's cards."""
    project = table_events.project
    monkeypatch.setattr(
        wire_events.table,
        "project",
        lambda event, seat, player: project(event, getattr(event, "seat", seat), player),
    )
    report = await canary_run(tmp_path, 3, 1)
    found = {hit.partition(":")[0] for hit in report.hits}
    assert {*PLAYERS, "spectator"} <= found
    assert not {"log", "store", "commands of the store", "stranger"} & found


HAND = (51, 18, 33, 40, 27)
DECK = tuple(random.Random(5).sample(range(16, 52), 36))


def writings(cards: tuple[int, ...]) -> dict[str, bytes]:
    """Ways in which somebody could let cards slip."""
    ones = [card + 1 for card in cards]
    mask = sum(1 << card for card in cards)
    text = format_cards(cards)
    return {
        "ids": bytes([0x0A, len(cards), *cards]),
        "packed enums": bytes([0x32, len(cards), *ones]),
        "unpacked enums": b"".join(bytes([0x30, one]) for one in ones),
        "32 bits": struct.pack(f"<{len(cards)}I", *cards),
        "64 bits, big": struct.pack(f">{len(cards)}Q", *ones),
        "text": text.encode(),
        "text in upper case": text.upper().replace("T", "10").encode(),
        "signs": text.translate(str.maketrans(dict(zip("cdsh", "♣♦♠♥", strict=True)))).encode(),
        "json": json.dumps(text.split()).encode(),
        "json numbers": json.dumps(list(cards)).encode(),
        "repr": repr(tuple(ones)).encode(),
        "hex": bytes(cards).hex().encode(),
        "base64": base64.b64encode(bytes(cards)),
        "mask": mask.to_bytes(8, "little"),
        "mask in text": str(mask).encode(),
    }


@pytest.mark.parametrize("how", writings(HAND))
def test_every_writing_of_a_hand_is_found(how: str) -> None:
    for order in (HAND, tuple(sorted(HAND)), tuple(sorted(HAND, reverse=True))):
        data = b"tables/k7 and so on\x08\x01" + writings(order)[how] + b"\x10\x02 the end"
        assert Haystack(data).find(Secret("", 1, HAND)), order
        other = tuple((card + 1) % 52 for card in HAND)
        assert Haystack(data).find(Secret("", 1, other)) is None or how == "ids"


@pytest.mark.parametrize("how", sorted(set(writings(HAND)) - {"mask", "mask in text"}))
@pytest.mark.parametrize("sealed", [False, True])
def test_every_writing_of_a_deck_is_found(how: str, sealed: bool) -> None:
    for begin, end in ((0, 36), (3, 16), (20, 36)):
        data = b"tables/k7 and so on " + writings(DECK[begin:end])[how] + b" the end"
        assert any(Haystack(data, sealed).find(Secret("", None, part)) for part in windows(DECK)), begin


@pytest.mark.parametrize("how", ["packed enums", "32 bits", "text", "json", "json numbers", "hex", "mask"])
def test_a_hand_that_lies_open_in_the_store_is_found(how: str) -> None:
    data = random.Random(3).randbytes(5000) + writings(HAND)[how] + random.Random(4).randbytes(5000)
    assert Haystack(data, sealed=True).find(Secret("", 1, HAND))


# -- sizes ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FixedDealer:
    """Decks of a seed; who deals first is always the same."""

    seed: int

    def shuffle(self, cards: tuple[int, ...], context: ShuffleContext) -> tuple[int, ...]:
        order = sorted(cards)
        if context.purpose != "first_dealer":
            random.Random(f"{self.seed}/{context.hand_number}/{context.shuffle_number}").shuffle(order)
        return tuple(order)


def without_times(message: Message) -> None:
    """Clear what differs from run to run whatever the cards are."""
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        for each in value if descriptor.is_repeated else [value]:
            if isinstance(each, Timestamp):
                each.Clear()
            else:
                without_times(each)


#: What the players do, one after another; a number is how many cards are drawn. Nothing is shown at the end.
SCRIPT = (
    "check",
    "open",
    "call",
    "raise",
    "call",
    "call",
    3,
    1,
    0,
    "check",
    "bet",
    "call",
    "raise",
    "fold",
    "fold",
)


async def follow_hand(stream: Any, told: list[tuple[str, int]]) -> None:
    """Note kind and size of everything until the hand is over."""
    while True:
        update = (await stream.read()).update
        kinds = [str(event.WhichOneof("event")) for event in update.events.events] or ["snapshot"]
        without_times(update)
        told.append((" ".join(kinds), update.ByteSize()))
        if "hand_ended" in kinds:
            return


async def play_script(viewers: dict[str, Viewer], name: str) -> None:
    """Play one hand by the script."""
    for step in SCRIPT:
        caller, decision = await whose_turn([viewers[each] for each in ("ayse", "bora", "cem")], name)
        legal = legal_of(decision)
        if isinstance(step, int):
            table = await caller.get(name)
            own = next(each for each in table.hand.players if each.seat == table.your_seat)
            action = act("draw", cards=tuple(card - 1 for card in own.cards[:step]))
        else:
            action = act(step, to=legal[step].min_to if step in ("open", "bet", "raise") else None)
        await caller.submit(name, decision.decision_id, action)


async def sizes(tmp_path: Path, seed: int) -> dict[str, list[tuple[str, int]]]:
    """Kind and size of all that each viewer is sent in one hand with the deck of a seed."""
    settings = ServerSettings(
        listen="127.0.0.1:0",
        data_dir=tmp_path / f"data{seed}",
        token_key=KEY,
        drain_pause=timedelta(0),
        drain_grace=timedelta(seconds=1),
    )
    async with running_server(settings, dealer=FixedDealer(seed)) as server:
        names = ("ayse", "bora", "cem")
        viewers = {name: Viewer(server.address, name) for name in (*names, "spectator")}
        rules = rules_pb2.Rules(
            profile="turkish",
            players_min=3,
            players_max=3,
            start_stack=500,
            opening_requirement=rules_pb2.OPENING_REQUIREMENT_NONE,
            first_dealer=rules_pb2.FIRST_DEALER_RANDOM,
        )
        name = (await viewers["ayse"].create(rules, display_name="sizes")).name
        told: dict[str, list[tuple[str, int]]] = {each: [] for each in viewers}
        tasks = []
        for each, viewer in viewers.items():
            stream = viewer.watch(name)
            await stream.read()
            tasks.append(asyncio.create_task(follow_hand(stream, told[each])))
        for seat, each in enumerate(names):
            await viewers[each].join(name, seat)
        await play_script(viewers, name)
        await asyncio.wait_for(asyncio.gather(*tasks), 20)
        for viewer in viewers.values():
            await viewer.close()
    return told


async def test_the_size_of_messages_tells_nothing_of_cards(tmp_path: Path) -> None:
    runs = [await sizes(tmp_path, seed) for seed in range(8)]
    for viewer, told in runs[0].items():
        kinds = " ".join(kind for kind, _ in told)
        assert "cards_drawn" in kinds
        assert "hand_shown" not in kinds
        for other in runs[1:]:
            assert other[viewer] == told, viewer
    print(f"{len(runs)} decks, {sum(len(told) for told in runs[0].values())} messages each of the same size")
