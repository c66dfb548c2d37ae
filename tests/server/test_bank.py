"""Tables that buy chips from an operator's bank, over real HTTP, where everything goes wrong that can."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import grpc
import pytest
from operator_bank import FAULTS, KEY, Ledger, OperatorBank
from redis.asyncio import Redis
from turkpoker.server import bank_worker
from turkpoker.server.app import running_server
from turkpoker.server.settings import ServerSettings, SettingsError
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.keys import shard_of
from turkpoker.table.transfers import BankAnswer, Direction, Transfer
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import Caller, easy_rules, go_on, new_id, refused, seated

START = 10_000
PLAYERS = ("ayse", "bora", "can", "deniz")


@pytest.fixture
async def bank(tmp_path: Path) -> AsyncIterator[OperatorBank]:
    """A bank in which everybody has chips."""
    ledger = Ledger(tmp_path / "ledger.db")
    for player in PLAYERS:
        ledger.give(player, START)
    opened = OperatorBank(ledger)
    await opened.start()
    yield opened
    opened.held.set()
    await opened.stop()


@pytest.fixture
def settings(settings: ServerSettings, bank: OperatorBank, tmp_path: Path) -> ServerSettings:
    key_file = tmp_path / "bank.key"
    key_file.write_bytes(KEY)
    key_file.chmod(0o600)
    return replace(
        settings,
        bank_url=bank.url,
        bank_key_file=key_file,
        bank_timeout=timedelta(milliseconds=300),
        bank_patience=timedelta(seconds=3),
    )


def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait long after a failure."""
    monkeypatch.setattr(bank_worker, "FIRST_PAUSE", timedelta(milliseconds=5))
    monkeypatch.setattr(bank_worker, "LONGEST_PAUSE", timedelta(milliseconds=50))


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that must happen; the test's own time limit ends it."""
    while not condition():  # noqa: ASYNC110 - the bank knows no events
        await asyncio.sleep(0.01)


async def add_chips(caller: Caller, name: str, amount: int, request_id: str = "") -> pb.AddChipsResponse:
    request = pb.AddChipsRequest(name=name, amount=amount, request_id=request_id or new_id())
    return await caller.tables.AddChips(request, metadata=caller.metadata)


async def test_chips_come_from_the_bank_and_go_back_to_it(
    bank: OperatorBank, player: Callable[..., Caller]
) -> None:
    ayse = player("ayse")
    table = await ayse.create(easy_rules())
    table = await ayse.join(table.name, seat=1, buy_in=120)
    (seat,) = table.seats
    assert (seat.seat, seat.stack, seat.awaiting_bank) == (1, 120, 0)
    assert bank.ledger.balance("ayse") == START - 120
    left = await ayse.leave(table.name)
    assert left.cashed_out == 120
    await until(lambda: bank.ledger.balance("ayse") == START)
    assert list(bank.ledger.transfers().values()) == ["done", "done"]


async def test_with_a_bank_an_own_store_flushes_every_write(
    settings: ServerSettings, player: Callable[..., Caller]
) -> None:
    client = Redis.from_url(EmbeddedRedis(settings.data_dir).url)
    assert await client.config_get("appendfsync") == {"appendfsync": "always"}
    await client.aclose()


async def test_who_has_not_enough_gets_no_seat(bank: OperatorBank, player: Callable[..., Caller]) -> None:
    host, stranger = player("ayse"), player("stranger")
    name = (await host.create(easy_rules())).name
    call = pb.JoinTableRequest(name=name, seat=0, buy_in=100, request_id="once")
    for _ in range(2):  # and again, however often it is asked
        refusal = await refused(stranger.tables.JoinTable(call, metadata=stranger.metadata))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "BANK_REFUSED")
        assert refusal.metadata == {"amount": "100"}
    assert list((await host.get(name)).seats) == []
    assert len(set(bank.asked)) == 1
    table = await host.join(name, seat=0)
    assert table.seats[0].player == "ayse"


async def test_a_slow_bank_is_not_waited_for_for_ever(bank: OperatorBank, settings: ServerSettings) -> None:
    async with running_server(replace(settings, bank_patience=timedelta(milliseconds=50))) as running:
        ayse, bora = (Caller(running.address, each) for each in ("ayse", "bora"))
        name = (await ayse.create(easy_rules())).name
        watch = bora.watch(name)
        await watch.read()
        bank.held.clear()
        table = await ayse.join(name, seat=0, buy_in=100)
        (seat,) = table.seats
        assert (seat.stack, seat.awaiting_bank) == (0, 100)
        joined = (await watch.read()).update.events.events[0].player_joined
        assert (joined.stack, joined.awaiting_bank) == (0, 100)
        bank.held.set()
        confirmed = (await watch.read()).update.events.events[0].buy_in_confirmed
        assert (confirmed.seat, confirmed.amount, confirmed.pending) == (0, 100, False)
        table = await ayse.get(name)
        assert (table.seats[0].stack, table.seats[0].awaiting_bank) == (100, 0)
        await ayse.close()
        await bora.close()


async def test_further_chips(bank: OperatorBank, player: Callable[..., Caller]) -> None:
    callers = [player(each) for each in PLAYERS[:2]]
    name = await seated(callers)
    answer = await add_chips(callers[0], name, 30)
    assert (answer.amount, answer.pending) == (30, True)
    seat = next(each for each in answer.table.seats if each.player == "ayse")
    assert (seat.pending, seat.awaiting_bank) == (30, 0)
    assert bank.ledger.balance("ayse") == START - 130
    bank.ledger.give("bora", 5 - bank.ledger.balance("bora"))
    refusal = await refused(add_chips(callers[1], name, 30))
    assert refusal.reason == "BANK_REFUSED"
    table = await callers[1].get(name)
    bora = next(each for each in table.seats if each.player == "bora")
    assert (bora.pending, bora.awaiting_bank) == (0, 0)
    assert bank.ledger.balance("bora") == 5


async def test_leaving_never_waits_and_all_is_paid_back(
    bank: OperatorBank, player: Callable[..., Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch)
    ayse, bora = player("ayse"), player("bora")
    name = (await ayse.create(easy_rules())).name
    await bora.join(name, seat=1)
    await bank.stop()
    joining = asyncio.create_task(ayse.join(name, seat=0))
    table = await bora.get(name)
    while len(table.seats) < 2:
        await asyncio.sleep(0.01)
        table = await bora.get(name)
    assert (await bora.leave(name)).cashed_out == 100
    left = await ayse.leave(name)
    assert (left.cashed_out, left.pending) == (0, True)
    assert list((await bora.get(name)).seats) == []
    await bank.start()
    await joining
    await until(lambda: len(bank.ledger.transfers()) == 4)
    assert [bank.ledger.balance(each) for each in ("ayse", "bora")] == [START, START]


async def test_each_fault_of_a_bank_once(
    bank: OperatorBank, player: Callable[..., Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch)
    ayse = player("ayse")
    name = (await ayse.create(easy_rules())).name
    for fault in FAULTS:
        bank.faults.append(fault)
        assert (await ayse.join(name, buy_in=100)).seats[0].stack == 100
        assert bank.ledger.balance("ayse") == START - 100
        asked = len(bank.asked)
        assert asked > len(set(bank.asked)), fault
        bank.faults.append(fault)
        await ayse.leave(name)
        await until(lambda: bank.ledger.balance("ayse") == START)
        await until(lambda asked=asked: len(bank.asked) >= asked + 2)
    await asyncio.sleep(0.6)  # what was late has come by now
    assert bank.ledger.balance("ayse") == START
    assert len(bank.ledger.transfers()) == 2 * len(FAULTS)
    assert bank.misled == 0


async def test_a_request_that_is_not_signed_with_the_key_is_refused_by_the_bank(
    bank: OperatorBank,
    player: Callable[..., Caller],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    quick(monkeypatch)
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(bank, "_key", b"another key of the bank that is long")
    ayse = player("ayse")
    name = (await ayse.create(easy_rules())).name
    joining = asyncio.create_task(ayse.join(name))
    await until(lambda: "the bank does not answer: status 401" in caplog.text)
    assert bank.ledger.transfers() == {}
    monkeypatch.undo()
    assert (await joining).seats[0].stack == 100
    await until(lambda: "the bank answers again" in caplog.text)
    assert KEY.decode() not in caplog.text
    assert KEY.hex() not in caplog.text


async def test_a_refused_credit_is_an_alarm_and_is_tried_again(
    settings: ServerSettings,
    bank: OperatorBank,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    quick(monkeypatch)
    monkeypatch.setattr(bank_worker.BankWorker.__init__, "__kwdefaults__", {"dead_interval": timedelta(0)})
    async with running_server(settings) as running:
        ayse = Caller(running.address, "ayse")
        name = (await ayse.create(easy_rules())).name
        await ayse.join(name)
        bank.refuse_credits = True
        await ayse.leave(name)
        await until(lambda: "ALARM" in caplog.text)
        assert "the bank refused a credit" in caplog.text
        # Others, and he himself, play on meanwhile.
        assert (await ayse.join(name)).seats[0].stack == 100
        await until(lambda: len(bank.asked) > 4)
        bank.refuse_credits = False
        await until(lambda: bank.ledger.balance("ayse") == START - 100)
        await ayse.close()
    assert caplog.text.count("ALARM") == 1


async def test_an_evening_with_a_bad_bank_loses_no_chip(
    bank: OperatorBank,
    settings: ServerSettings,
    player: Callable[..., Caller],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quick(monkeypatch)
    seed = 20261201
    rng = random.Random(seed)
    bank.rng = random.Random(seed)
    bank.chance = 0.4
    total = bank.ledger.total()
    callers = [player(each) for each in PLAYERS]
    rules = easy_rules()
    rules.players_min, rules.players_max = 2, 5
    name = (await callers[0].create(rules)).name
    counts: dict[str, int] = {}

    async def step(caller: Caller) -> None:
        kind = rng.choice(["join", "join", "act", "act", "act", "leave", "add"])
        try:
            if kind == "join":
                await caller.join(name)
            elif kind == "leave":
                await caller.leave(name)
            elif kind == "add":
                await add_chips(caller, name, rng.randint(1, 50))
            else:
                await go_on(callers, name)
        except (grpc.aio.AioRpcError, AssertionError):
            kind += " refused"
        counts[kind] = counts.get(kind, 0) + 1

    for _ in range(60):
        await asyncio.gather(*(step(caller) for caller in callers))
    bank.chance = 0.0
    for caller in callers:
        try:
            await caller.leave(name)
        except grpc.aio.AioRpcError:
            continue
    table = await callers[0].get(name)
    while table.seats:
        try:
            await go_on(callers, name)
        except (grpc.aio.AioRpcError, AssertionError):
            await asyncio.sleep(0.02)
        table = await callers[0].get(name)
    assert table.carried == 0
    await until(lambda: bank.ledger.total() == total)
    await asyncio.sleep(0.6)  # what was late has come by now
    assert bank.ledger.total() == total
    again = len(bank.asked) - len(set(bank.asked))
    print(f"seed {seed}: {counts}, {len(bank.ledger.transfers())} transfers, {again} asked again")
    assert again > 10


class PocketBank:
    """An adapter of an operator who runs the server inside a program of his own."""

    def __init__(self) -> None:
        self.done: dict[str, Transfer] = {}

    async def transfer(self, transfer: Transfer) -> BankAnswer:
        self.done[transfer.transfer_id] = transfer
        return BankAnswer.DONE


async def test_an_adapter_of_ones_own_will_do(settings: ServerSettings) -> None:
    bank = PocketBank()
    async with running_server(replace(settings, bank_url=None, bank_key_file=None), bank=bank) as running:
        ayse = Caller(running.address, "ayse")
        name = (await ayse.create(easy_rules())).name
        assert (await ayse.join(name, buy_in=70)).seats[0].stack == 70
        await ayse.leave(name)
        await until(lambda: len(bank.done) == 2)
        await ayse.close()
    assert [(each.direction, each.amount) for each in bank.done.values()] == [
        (Direction.DEBIT, 70),
        (Direction.CREDIT, 70),
    ]


async def test_a_key_that_others_can_read_is_refused(settings: ServerSettings) -> None:
    assert settings.bank_key_file is not None
    settings.bank_key_file.chmod(0o644)
    with pytest.raises(SettingsError, match="others may read") as caught:
        async with running_server(settings):
            pass
    assert KEY.decode() not in str(caught.value)


def test_a_bank_that_cannot_be_used_as_set_is_refused(settings: ServerSettings, tmp_path: Path) -> None:
    for wrong, words in (
        ({"bank_key_file": None}, "both"),
        ({"bank_url": "ftp://x/y"}, "http"),
        ({"bank_url": "http://bank.example/x"}, "https"),
        ({"bank_url": "https://me:secret@bank.example/x"}, "user"),
        ({"bank_url": "http://[::1/x"}, "http"),
    ):
        with pytest.raises(SettingsError, match=words) as caught:
            replace(settings, **wrong)
        assert "secret" not in str(caught.value)
    replace(settings, bank_url="http://bank.example/x", insecure=True)
    replace(settings, bank_url="https://bank.example/x")


async def test_what_was_taken_from_one_table_is_there_for_the_next(
    bank: OperatorBank, player: Callable[..., Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch)
    ayse = player("ayse")
    first = (await ayse.create(easy_rules())).name
    second = first
    while shard_of(second.partition("/")[2]) == shard_of(first.partition("/")[2]):
        second = (await ayse.create(easy_rules())).name
    bank.ledger.give("ayse", 100 - START)
    await ayse.join(first, buy_in=100)
    # The bank does not take the chips back at once; those for the other table must come after them.
    bank.faults.extend(["fail_before"] * 4)
    await ayse.leave(first)
    table = await ayse.join(second, buy_in=100)
    assert table.seats[0].stack == 100
    assert bank.ledger.balance("ayse") == 0
    assert list(bank.ledger.transfers().values()) == ["done"] * 3
