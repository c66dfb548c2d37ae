"""Two to eight clients at two server processes want the same thing at the same moment: exactly one has it,
versions add up, no chip is made or lost.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from serving import two_processes
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import Seal, parse_keys
from turkpoker.table.events import DealStarted, TimedOut
from turkpoker.table.ports import LogEntry
from turkpoker.table.state import TableState
from turkpoker.v1 import actions_pb2
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import SEAL_KEY, Caller, act, easy_action, easy_rules, refusal_of_error

QUICK, LONG = 25, 500
#: What the server gives answers beyond a deadline.
GRACE = timedelta(milliseconds=500)
#: So many tables race at the same time where a round has to wait for a clock.
TABLES = 50


@dataclass
class Race:
    """Two servers, the house's look into their store, and the dice of the run."""

    addresses: list[str]
    store: RedisTableStore
    dice: random.Random
    clients: dict[tuple[str, int], Caller]

    def client(self, player: str, number: int) -> Caller:
        """The client of a player with a connection of its own, at this or that server."""
        if (player, number) not in self.clients:
            self.clients[player, number] = Caller(self.addresses[number % 2], player)
        return self.clients[player, number]

    def several(self, player: str) -> list[Caller]:
        """Two to eight clients of one player."""
        return [self.client(player, number) for number in range(self.dice.randint(2, 8))]

    async def state(self, name: str) -> TableState:
        """The table as the house sees it; its chips add up."""
        stored = await self.store.load(name.removeprefix("tables/"))
        assert stored is not None
        stored.state.check_chips()
        return stored.state

    async def log(self, name: str, after: int) -> list[LogEntry]:
        """The commits after a version: one for each version."""
        entries = await self.store.read_events(name.removeprefix("tables/"), after, 1000)
        assert [entry.version for entry in entries] == list(range(after + 1, after + 1 + len(entries)))
        return entries

    async def until_dealt(self, name: str, number: int) -> TableState:
        """Wait until a hand is on that comes after the given one."""
        async with asyncio.timeout(30):
            while True:
                state = await self.state(name)
                if state.hand_number > number and state.hand_running:
                    return state
                await asyncio.sleep(0.005)


@asynccontextmanager
async def racing(tmp_path: Path) -> AsyncIterator[Race]:
    """A race track."""
    async with EmbeddedRedis(tmp_path / "store") as embedded:
        free = {f"{name}_LIMIT": "0" for name in ("PLAYER", "CREATE", "TABLE")}
        limits = {"MAX_HOSTED_TABLES": "1000", "MAX_JOINED_TABLES": "1000", "CLOCK_INTERVAL": "20ms"}
        with two_processes(embedded.url, tmp_path / "data", **free, **limits) as servers:
            store = await RedisTableStore.connect(embedded.url, Seal(parse_keys(SEAL_KEY, "the seal key")))
            dice = random.Random(seed := random.SystemRandom().randrange(2**32))
            print(f"seed {seed}")
            race = Race([each.address for each in servers], store, dice, {})
            yield race
            for client in race.clients.values():
                await client.close()
            await store.close()


async def results(calls: Iterable[Awaitable[Any]]) -> tuple[list[Any], Counter[str]]:
    """What came of calls made at the same moment: the answers, and the reasons of the refusals."""
    answers, reasons = [], Counter[str]()
    for each in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(each, grpc.aio.AioRpcError):
            reasons[refusal_of_error(each).reason] += 1
        else:
            assert not isinstance(each, BaseException), each
            answers.append(each)
    return answers, reasons


async def fold(race: Race, name: str, state: TableState) -> None:
    """Whoever is asked gives up: with two players the hand is over."""
    asked = state.decisions()[0]
    caller = race.client(state.hand_players[asked.seat], 0)
    assert asked.legal is not None
    action = act(next(name for name in ("fold", "check", "draw") if name in asked.legal))
    await caller.submit(name, asked.decision_id, action)


async def race_for_a_seat(race: Race, rounds: int) -> Counter[str]:
    """Players want one seat: one sits and has paid, the others are told that it is taken."""
    rules = easy_rules()
    rules.players_min, rules.players_max = 5, 5  # nobody is dealt in meanwhile
    name = (await race.client("host", 0).create(rules)).name
    told: Counter[str] = Counter()
    for number in range(rounds):
        before, seat = await race.state(name), race.dice.randrange(5)
        runners = [race.client(f"p{each}", each) for each in range(race.dice.randint(2, 8))]
        answers, reasons = await results(each.join(name, seat) for each in runners)
        after = await race.state(name)
        assert len(answers) == 1, (number, reasons)
        assert reasons == {"SEAT_TAKEN": len(runners) - 1}
        assert after.version == before.version + 1
        assert after.ledger.bought_in == before.ledger.bought_in + 100
        winner = after.seats[seat].player
        assert next(each.player for each in answers[0].seats if each.seat == seat) == winner
        await race.client(winner, 0).leave(name)
        told += reasons
    return told


async def race_for_a_kept_seat(race: Race, rounds: int) -> Counter[str]:
    """A seat gets free while strangers want it, and who waits for it too: nobody else ever gets it."""
    # Nobody is dealt in meanwhile.
    name = (await race.client("host", 0).create(easy_rules(), seat_count=2, pause=600)).name
    sitting, waiting = "k0", "k1"
    await race.client("host", 0).join(name, 0)
    await race.client(sitting, 0).join(name, 1)
    told: Counter[str] = Counter()
    for number in range(rounds):
        first = race.client(waiting, 0)
        request = pb.JoinWaitingListRequest(name=name)
        await first.tables.JoinWaitingList(request, metadata=first.metadata)
        strangers = [race.client(f"s{each}", each) for each in range(race.dice.randint(1, 6))]
        runners: list[Awaitable[Any]] = [each.join(name, 1) for each in (*strangers, *race.several(waiting))]
        runners.append(race.client(sitting, 1).leave(name))
        race.dice.shuffle(runners)
        _, reasons = await results(runners)
        assert reasons["SEAT_TAKEN"] == reasons.total() >= len(strangers)
        after = await race.state(name)
        told["came in time" if 1 in after.seats else "came too early"] += 1
        if 1 not in after.seats:
            assert [(each.player, each.offered_seat) for each in after.waiting] == [(waiting, 1)], number
            await first.join(name)
            after = await race.state(name)
        assert (after.seats[1].player, after.waiting) == (waiting, ())
        sitting, waiting = waiting, sitting
    return told


async def come_back(race: Race, players: tuple[str, str], pause: float, rounds: int) -> Counter[str]:
    """Two players sit in again, each with several clients: one hand begins, by a command or by a clock."""
    told: Counter[str] = Counter()
    rules = easy_rules(action_clock=Duration(seconds=3600), start_stack=20_000, buy_in_max=20_000)
    rules.players_min, rules.players_max = 2, 5
    name = (await race.client(players[0], 0).create(rules, pause=pause)).name
    for player in players:
        await race.client(player, 0).join(name)
    for _ in range(rounds):
        state = await race.until_dealt(name, 0)
        for player in players:
            caller = race.client(player, 0)
            await caller.tables.SitOut(pb.SitOutRequest(name=name), metadata=caller.metadata)
        while state.hand_running:
            await fold(race, name, await race.state(name))
            state = await race.state(name)
        request = pb.SitInRequest(name=name)
        runners = [each for player in players for each in race.several(player)]
        answers, reasons = await results(
            each.tables.SitIn(request, metadata=each.metadata) for each in runners
        )
        assert not reasons
        after = await race.until_dealt(name, state.hand_number)
        assert after.hand_number == state.hand_number + 1
        entries = await race.log(name, state.version)
        deals = [event for entry in entries for event in entry.events if isinstance(event, DealStarted)]
        assert len(deals) == 1
        # Each came back once, and where the pause is not zero a clock has dealt.
        assert after.version == state.version + (3 if pause else 2)
        told["by a clock" if pause else "by a command"] += 1
        told["SitIn"] += len(answers)
    return told


async def race_for_a_hand(race: Race, rounds: int) -> Counter[str]:
    """A new hand begins; in half of the rounds after a pause, for which a clock is waited for."""
    half = rounds // 2
    told = await come_back(race, ("ayse", "bora"), 0, rounds - half)
    return told + await side_by_side(
        half, lambda number, part: come_back(race, (f"c{number}", f"d{number}"), 0.01, part)
    )


async def side_by_side(rounds: int, run: Callable[[int, int], Awaitable[Counter[str]]]) -> Counter[str]:
    """Rounds spread over many tables at once, since each of them waits for a clock."""
    tables = min(TABLES, rounds)
    parts = [rounds // tables + (number < rounds % tables) for number in range(tables)]
    told = await asyncio.gather(*(run(number, part) for number, part in enumerate(parts)))
    return sum(told, Counter[str]())


async def race_for_an_action(race: Race, rounds: int) -> Counter[str]:
    """One decision is answered by several: one answer counts; under one request id all get that answer."""
    rules = easy_rules(action_clock=Duration(seconds=3600), start_stack=20_000, buy_in_max=20_000)
    rules.players_min, rules.players_max = 2, 5
    name = (await race.client("ayse", 0).create(rules, pause=0)).name
    for player in ("ayse", "bora"):
        await race.client(player, 0).join(name)
    told: Counter[str] = Counter()
    for number in range(rounds):
        before = await race.until_dealt(name, 0)
        asked = before.decisions()[0]
        runners = race.several(before.hand_players[asked.seat])
        table = await runners[0].get(name)
        action: actions_pb2.Action = easy_action(table.decision)
        same = number % 4 == 3
        answers, reasons = await results(
            each.submit(name, asked.decision_id, action, f"once{number}" if same else None)
            for each in runners
        )
        after = await race.state(name)
        assert after.version == before.version + 1
        assert len(answers) == (len(runners) if same else 1), reasons
        assert {answer.version for answer in answers} == {after.version}
        assert reasons == Counter({"STALE_DECISION": 0 if same else len(runners) - 1}) + Counter()
        told += reasons
    return told


async def leave_at_the_bell(race: Race, players: tuple[str, str], rounds: int) -> Counter[str]:
    """A player leaves at the moment when his time is over."""
    told: Counter[str] = Counter()
    rules = easy_rules(action_clock=Duration(nanos=400_000_000))
    rules.players_min, rules.players_max = 2, 5
    name = (await race.client(players[0], 0).create(rules, pause=0)).name
    for player in players:
        await race.client(player, 0).join(name)
    while told.total() < rounds:
        before = await race.state(name)
        for seat in before.seats.values():
            if seat.sitting_out:  # on a busy machine his time has run out before
                caller = race.client(seat.player, 0)
                await caller.tables.SitIn(pb.SitInRequest(name=name), metadata=caller.metadata)
        before = await race.until_dealt(name, 0)
        asked = before.decisions()[0]
        player = before.hand_players[asked.seat]
        view = await race.client(player, 0).get(name)
        if view.decision.decision_id != asked.decision_id:
            continue  # it has run out already
        bell = view.decision.deadline.ToDatetime(UTC) + GRACE
        offset = race.dice.uniform(-0.03, 0.01)
        await asyncio.sleep((bell - datetime.now(UTC)).total_seconds() + offset)
        runners = race.several(player)
        answers, reasons = await results(each.leave(name) for each in runners)
        assert len(answers) == 1, reasons
        assert reasons == Counter({"NOT_YOUR_SEAT": len(runners) - 1}) + Counter()
        late = [
            event
            for entry in await race.log(name, before.version)
            for event in entry.events
            if isinstance(event, TimedOut) and event.decision_id == asked.decision_id
        ]
        assert len(late) <= 1
        told["time-out first" if late else "leave first"] += 1
        async with asyncio.timeout(30):
            while (await race.state(name)).seat_of(player) is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        await race.client(player, 0).join(name)
    return told


async def race_against_the_clock(race: Race, rounds: int) -> Counter[str]:
    """A player leaves at many tables when his time is over, with several clients."""
    return await side_by_side(
        rounds, lambda number, part: leave_at_the_bell(race, (f"a{number}", f"b{number}"), part)
    )


RACES = (race_for_a_seat, race_for_a_kept_seat, race_for_a_hand, race_for_an_action, race_against_the_clock)


async def all_races(tmp_path: Path, rounds: int) -> None:
    async with racing(tmp_path) as race:
        for run in RACES:
            print(f"{run.__name__}: {rounds} rounds, {dict(await run(race, rounds))}")


async def test_races_have_one_winner(tmp_path: Path) -> None:
    await all_races(tmp_path, QUICK)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_long_races_have_one_winner(tmp_path: Path) -> None:
    await all_races(tmp_path, LONG)
