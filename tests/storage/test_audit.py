"""The audit log in the store: in the same commit, by table and over all, in pages, sealed, for a while."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import timedelta

import pytest
from storage.evenings import Evening, everything
from table.desks import SeededDealer
from turkpoker.engine import Rules
from turkpoker.storage.audit import RedisAuditStore
from turkpoker.storage.inspection import Inspection
from turkpoker.storage.keys import shard_of
from turkpoker.storage.outbox import RedisOutbox
from turkpoker.storage.redis_store import RedisTableStore, StoreSettings
from turkpoker.storage.seal import Seal
from turkpoker.table import clocks
from turkpoker.table.audit import AuditEntry, AuditRecord
from turkpoker.table.commands import Act, ForceClose, Join
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.tables import Tables

REASON = AuditRecord("olga", "operator", "drain", {"reason": "new servers"})


async def walk(store: RedisTableStore, table_id: str | None, page_size: int) -> list[AuditEntry]:
    audit = RedisAuditStore(store)
    found: list[AuditEntry] = []
    token = ""
    while True:
        page = await audit.list_audit(table_id, page_size, token)
        assert len(page.entries) <= page_size
        found += page.entries
        token = page.next_page_token
        if not token:
            return found


def told(entries: list[AuditEntry]) -> list[str]:
    return [f"{entry.record.actor}:{entry.record.role}:{entry.record.action}" for entry in entries]


@pytest.mark.parametrize("page_size", [1, 2, 3, 100])
async def test_the_log_of_a_table_comes_in_pages_newest_first(evening: Evening, page_size: int) -> None:
    await evening.tables.sit_out(evening.table_id, "b")
    entries = await walk(evening.store, evening.table_id, page_size)
    assert told(entries) == [
        "b:player:sit_out",
        "c:player:join",
        "b:player:join",
        "a:player:join",
        "host:host:create",
    ]
    assert {entry.table_id for entry in entries} == {evening.table_id}
    versions = [entry.version for entry in entries]
    assert versions == sorted(versions, reverse=True)
    joined = entries[1].record.details
    assert joined["bought_in"] == "100"
    assert joined["seat"] == "2"
    assert joined["transfer_id"].startswith(evening.table_id)


@pytest.mark.parametrize("page_size", [1, 4, 100])
async def test_the_log_of_all_tables_has_what_concerns_them_all_too(
    store: RedisTableStore, page_size: int
) -> None:
    tables = Tables(store, SeededDealer(1))
    made = []
    for number in range(6):
        made.append((await tables.create(f"host{number}", Rules.profile("turkish"))).state.table_id)
        await asyncio.sleep(0.002)
    await RedisAuditStore(store).drain(REASON, end=False)
    await RedisAuditStore(store).drain(replace(REASON, action="end_drain"), end=True)
    entries = await walk(store, None, page_size)
    assert [entry.table_id for entry in entries] == ["", "", *reversed(made)]
    assert told(entries)[:3] == ["olga:operator:end_drain", "olga:operator:drain", "host5:host:create"]
    assert entries[1].record.details == {"reason": "new servers"}
    assert len(await walk(store, made[2], page_size)) == 1


async def test_a_refused_command_leaves_no_entry(evening: Evening) -> None:
    before = await walk(evening.store, evening.table_id, 10)
    for _ in range(2):
        with pytest.raises(TableError):
            await evening.tables.join(evening.table_id, Join("d", "D", seat=0))
    assert await walk(evening.store, evening.table_id, 10) == before
    # A request that comes twice was done once.
    for _ in range(2):
        await evening.tables.sit_out(evening.table_id, "a", "once")
    assert len(await walk(evening.store, evening.table_id, 10)) == len(before) + 1


async def test_many_records_of_one_commit_come_in_pages_too(store: RedisTableStore) -> None:
    """The close pays three players in one commit."""
    tables = Tables(store, SeededDealer(1))
    rules = Rules.profile("turkish")
    table_id = (await tables.create("host", rules, hand_pause=timedelta(minutes=1))).state.table_id
    for player in ("a", "b", "c"):
        await tables.join(table_id, Join(player, player))
    await tables.close(table_id, "host")
    whole = await walk(store, table_id, 100)
    closing = [entry for entry in whole if entry.version == 5]
    assert told(closing) == [*("host:host:leave", "host:host:cashed_out") * 3, "host:host:close"]
    assert [entry.record.details.get("player") for entry in closing] == [*"ccbbaa", None]
    for page_size in (1, 2, 3, 8):
        assert await walk(store, table_id, page_size) == whole
        assert await walk(store, None, page_size) == whole


async def test_nobody_reads_names_or_chips_in_the_store(evening: Evening) -> None:
    store = evening.store
    await evening.tables.join(evening.table_id, Join("Fatma Demir", "Fatma"))
    for key, content in (await everything(store.client, store.keys.prefix)).items():
        assert b"Demir" not in key + content
    # An entry in another place is refused.
    stream = store.keys.table_audit(evening.table_id)
    newest = (await store.client.xrevrange(stream, count=1))[0][1]
    await store.client.xadd(stream, {**newest, b"v": 1})
    with pytest.raises(Exception, match="not what was sealed"):
        await walk(store, evening.table_id, 10)


async def test_old_entries_and_too_many_go(redis_url: str, seal: Seal, settings: StoreSettings) -> None:
    kept = replace(settings, audit_life=timedelta(milliseconds=500), audit_count=3)
    store = await RedisTableStore.connect(redis_url, seal, kept)
    tables = Tables(store, SeededDealer(1))
    rules = Rules.profile("turkish", players=(2, 5))
    table_id = (await tables.create("host", rules, hand_pause=timedelta(minutes=1))).state.table_id
    for player in ("a", "b", "c", "d"):
        await tables.join(table_id, Join(player, player))
    assert told(await walk(store, table_id, 10)) == [f"{player}:player:join" for player in "dcb"]
    assert len(await walk(store, None, 10)) == 3
    await asyncio.sleep(0.3)
    await tables.sit_out(table_id, "a")
    await asyncio.sleep(0.3)
    assert told(await walk(store, table_id, 10)) == ["a:player:sit_out"]
    assert told(await walk(store, None, 10)) == ["a:player:sit_out"]
    await tables.sit_in(table_id, "a")
    streams = (store.keys.table_audit(table_id), store.keys.shard_audit(shard_of(table_id)))
    assert [await store.client.xlen(stream) for stream in streams] == [2, 2]
    await asyncio.sleep(0.7)
    assert not await store.client.exists(*streams)
    await store.close()


@pytest.fixture
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """A held table is looked at again sooner, so that tests need not wait so long."""
    monkeypatch.setattr(clocks, "HELD_PAUSE", timedelta(seconds=1))


async def test_while_nothing_may_begin_no_table_is_made_and_no_hand_begins(
    store: RedisTableStore, other_tables: Tables, short_pause: None
) -> None:
    audit = RedisAuditStore(store)
    tables = Tables(store, SeededDealer(1))
    rules = Rules.profile("turkish", players=(2, 5), opening_requirement="none")
    playing = Evening(tables, store)
    await playing.begin("a", "b")
    waiting = (await tables.create("host", rules, hand_pause=timedelta(0))).state.table_id
    await tables.join(waiting, Join("a", "a"))
    assert not await audit.draining()
    await audit.drain(REASON, end=False)
    assert await audit.draining()
    for each in (tables, other_tables):
        with pytest.raises(TableError) as caught:
            await each.create("host", rules, request_id=f"r{id(each)}")
        assert caught.value.reason is Reason.DRAINING
    # Who comes may come, but nothing is dealt; neither by the clock.
    assert not (await other_tables.join(waiting, Join("b", "b"))).state.hand_running
    await asyncio.sleep(1.2)
    for _ in range(3):
        pause = await other_tables.run_due()
        # The clock is not busy with a table that may not begin.
        if pause is not None and pause > timedelta(0):
            break
    else:
        raise AssertionError("the same table is due again and again")
    assert not (await tables.get(waiting)).state.hand_running
    # A hand that is on goes on to its end.
    await tables.leave(playing.table_id, "a")
    await tables.leave(playing.table_id, "b")
    assert not (await tables.get(playing.table_id)).state.hand_running
    await audit.drain(replace(REASON, action="end_drain"), end=True)
    assert not await audit.draining()
    while not (await tables.get(waiting)).state.hand_running:
        await asyncio.sleep(0.05)
        await other_tables.run_due()
    again = await tables.create("host", rules, request_id=f"r{id(tables)}")
    assert again.version == 1
    assert len(await walk(store, again.state.table_id, 10)) == 1


async def test_a_time_out_is_carried_out_while_nothing_may_begin(
    store: RedisTableStore, short_pause: None
) -> None:
    """The hand that ends by it would be followed by another in the same breath."""
    audit = RedisAuditStore(store)
    tables = Tables(store, SeededDealer(1))
    rules = Rules.profile(
        "turkish", players=(2, 5), opening_requirement="none", action_clock="1s", proof_window="1s"
    )
    table_id = (await tables.create("host", rules, hand_pause=timedelta(0))).state.table_id
    for player in ("a", "b"):
        outcome = await tables.join(table_id, Join(player, player))
    assert outcome.state.hand_running
    await audit.drain(REASON, end=False)
    for _ in range(100):
        await tables.run_due()
        state = (await tables.get(table_id)).state
        if not state.hand_running:
            break
        await asyncio.sleep(0.05)
    assert not state.hand_running
    assert state.hand_number == 1
    await audit.drain(replace(REASON, action="end_drain"), end=True)


async def test_an_answer_that_comes_too_late_is_told_so_while_nothing_may_begin(
    store: RedisTableStore, short_pause: None
) -> None:
    """What the clock has made due is done first; the hand that it ends is followed by none."""
    audit = RedisAuditStore(store)
    tables = Tables(store, SeededDealer(1))
    rules = Rules.profile(
        "turkish", players=(2, 5), opening_requirement="none", action_clock="1s", proof_window="1s"
    )
    table_id = (await tables.create("host", rules, hand_pause=timedelta(0))).state.table_id
    for player in ("a", "b"):
        outcome = await tables.join(table_id, Join(player, player))
    first = outcome.state.decisions()[0]
    assert first.legal is not None
    span = first.legal["open"]
    assert isinstance(span, tuple)
    opened = Act(outcome.state.hand_players[first.seat], first.decision_id, "open", span[0])
    outcome = await tables.act(table_id, opened)
    await audit.drain(REASON, end=False)
    second = outcome.state.decisions()[0]
    await asyncio.sleep(1.1)
    late = Act(outcome.state.hand_players[second.seat], second.decision_id, "call")
    with pytest.raises(TableError) as caught:
        await tables.act(table_id, late)
    assert caught.value.reason is Reason.STALE_DECISION
    state = (await tables.get(table_id)).state
    assert state.hand_number == 1
    await audit.drain(replace(REASON, action="end_drain"), end=True)


async def test_a_table_that_was_ended_in_mid_hand_adds_up(evening: Evening) -> None:
    await evening.act(evening.answer(random.Random(3)))
    assert evening.state.hand_running
    outcome = await evening.tables.carry_out(evening.table_id, ForceClose("olga", operator=True))
    assert outcome.cashed_out == 3 * outcome.state.config.rules.start_stack
    report = await Inspection(evening.store, RedisOutbox(evening.store)).run()
    assert not report.findings
    (entry,) = await evening.store.read_events(evening.table_id, outcome.version - 1, 10)
    assert next(event.name for event in entry.events) == "hand_stopped"
