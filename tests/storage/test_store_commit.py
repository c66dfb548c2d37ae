"""One command, one commit: atomic, versioned, and carried out once however often it is asked."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from typing import Any

import pytest
from storage.evenings import Evening, everything
from table.desks import SeededDealer, snapshot
from turkpoker.engine import Rules
from turkpoker.storage.keys import ANSWER_LIFE, ANSWERS, shard_of
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.table.audit import AuditRecord
from turkpoker.table.commands import Act, Join
from turkpoker.table.decide import decide
from turkpoker.table.errors import Conflict, Reason, StoreRefused, TableError
from turkpoker.table.lobby import LobbyEntry
from turkpoker.table.ports import Answer, Commit, FinishedHand
from turkpoker.table.tables import Tables


async def change_of(evening: Evening, **changes: Any) -> Commit:
    """A commit of the next answer that has not been sent."""
    stored = await evening.store.load(evening.table_id)
    assert stored is not None
    evening.outcome = replace(evening.outcome, state=stored.state)
    decision = decide(stored.state, evening.answer(random.Random(1)), SeededDealer(4))
    change = Commit(
        base=stored.state,
        state=decision.state,
        events=decision.events,
        timing=decision.timing,
        moment=decision.moment,
        answer=Answer(decision.state.version, 0),
    )
    return replace(change, **changes)


async def test_what_is_committed_is_what_is_loaded(evening: Evening) -> None:
    await evening.play(random.Random(5), 30)
    loaded = await evening.store.load(evening.table_id)
    assert loaded is not None
    assert snapshot(loaded.state) == snapshot(evening.state)
    assert loaded.deadline == evening.outcome.deadline
    assert loaded.state.create_time is not None


async def test_a_hand_in_the_middle_is_restored_with_the_same_cards(
    evening: Evening, other_tables: Tables
) -> None:
    rng = random.Random(11)
    compared = 0
    for _ in range(40):
        await evening.play(rng, 1)
        there = (await other_tables.get(evening.table_id)).state
        assert there.hand is not None
        assert evening.state.hand is not None
        assert there.hand.record() == evening.state.hand.record()
        for seat in there.hand_players:
            assert there.hand.view(seat) == evening.state.hand.view(seat)
            compared += 1
    assert compared > 80


@pytest.mark.parametrize("field", ["version", "epoch", "mark"])
async def test_a_planted_wrong_base_changes_no_key(evening: Evening, field: str) -> None:
    wrong: dict[str, Any] = {"version": 99, "epoch": 7, "mark": b"0123456789abcdef"}
    change = await change_of(evening)
    before = await everything(evening.store.client, evening.store.keys.prefix)
    base = replace(change.base, **{field: wrong[field]})
    with pytest.raises(Conflict):
        await evening.store.commit(replace(change, base=base))
    assert await everything(evening.store.client, evening.store.keys.prefix) == before
    await evening.store.commit(change)
    assert await everything(evening.store.client, evening.store.keys.prefix) != before


_AUDIT = {"audit": (AuditRecord("a", "player", "join"),)}


@pytest.mark.parametrize(
    ("key", "touching", "closed"),
    [
        ("log", {}, False),
        ("due", {}, False),
        ("lobby", {}, True),
        ("lobby_entries", {}, True),
        ("lobby_entries", {"lobby": LobbyEntry("t", "T", "turkish", 4, 2, 1, 1, 1, False)}, False),
        ("lobby_players", {"came": frozenset({"x"})}, False),
        ("lobby_players", {"went": frozenset({"x"})}, False),
        ("hands", {"finished": (FinishedHand("t", 1, {0: "a"}, {"deck": "As"}),)}, False),
        ("table_audit", _AUDIT, False),
        ("shard_audit", _AUDIT, False),
        ("draining", {}, False),
    ],
)
async def test_a_key_of_another_type_is_found_before_the_first_write(
    evening: Evening, key: str, touching: dict[str, Any], closed: bool
) -> None:
    keys, client = evening.store.keys, evening.store.client
    change = await change_of(evening)
    of_state: dict[str, Any] = {"closed": closed}
    if key == "draining":
        of_state["hand_start_version"] = change.state.version
    change = replace(change, state=replace(change.state, **of_state), **touching)
    shard = shard_of(evening.table_id)
    name = getattr(keys, key)(evening.table_id if key in ("log", "hands", "table_audit") else shard)
    await client.delete(name)
    await (client.lpush(name, "x") if key == "draining" else client.set(name, "planted"))
    before = await everything(client, keys.prefix)
    with pytest.raises(StoreRefused, match="damaged"):
        await evening.store.commit(change)
    assert await everything(client, keys.prefix) == before


async def test_a_log_that_is_ahead_is_found_before_the_first_write(evening: Evening) -> None:
    client, keys = evening.store.client, evening.store.keys
    change = await change_of(evening)
    await client.xadd(keys.log(evening.table_id), {"b": "planted"}, id=f"{change.state.version}-0")
    before = await everything(client, keys.prefix)
    with pytest.raises(StoreRefused, match="damaged"):
        await evening.store.commit(change)
    assert await everything(client, keys.prefix) == before


async def test_a_hand_that_is_recorded_already_is_found_before_the_first_write(evening: Evening) -> None:
    client, keys = evening.store.client, evening.store.keys
    hand = FinishedHand(evening.table_id, 1, {0: "a"}, {"deck": "As"})
    change = await change_of(evening, finished=(hand,))
    await client.xadd(keys.hands(evening.table_id), {"b": "planted"}, id="1-0")
    before = await everything(client, keys.prefix)
    with pytest.raises(StoreRefused, match="damaged"):
        await evening.store.commit(change)
    assert await everything(client, keys.prefix) == before


async def test_a_commit_that_the_connection_sends_twice_happens_once(evening: Evening) -> None:
    """What a retry below us does: the very same script call again, after the first one's answer was lost."""
    store = evening.store
    change = await change_of(evening)
    scripts = store._scripts
    sent: list[tuple[Any, Any]] = []
    original = scripts.commit

    class Twice:
        async def __call__(self, keys: Any, args: Any) -> Any:
            await original(keys=keys, args=args)
            sent.append((keys, args))
            return await original(keys=keys, args=args)

    scripts.commit = Twice()  # type: ignore[assignment]
    done = await store.commit(change)
    assert len(sent) == 1
    assert done.state is not None
    assert done.state.version == change.base.version + 1
    loaded = await store.load(evening.table_id)
    assert loaded is not None
    assert snapshot(loaded.state) == snapshot(done.state)
    assert loaded.deadline == done.deadline


async def test_a_server_that_has_forgotten_the_scripts_is_sent_them_again(evening: Evening) -> None:
    await evening.store.client.script_flush()
    await evening.act(evening.answer(random.Random(1)))
    assert (await evening.tables.get(evening.table_id)).version == evening.state.version


async def test_connections_that_the_server_has_cut_are_made_anew(evening: Evening) -> None:
    for _ in range(3):
        own = await evening.store.client.client_id()
        for client in await evening.store.client.client_list():
            if int(client["id"]) != own:
                await evening.store.client.client_kill_filter(_id=client["id"])
        await evening.act(evening.answer(random.Random(1)))
        if not evening.state.hand_running:
            await evening.deal()
    assert (await evening.tables.get(evening.table_id)).version == evening.state.version


async def test_a_script_that_is_cut_off_leaves_no_answer_to_the_next(store: RedisTableStore) -> None:
    """The call itself is cancelled here, below the shield that guards it otherwise."""
    tables = Tables(store, SeededDealer(1))
    ids = [
        (await tables.create(f"host{number}", Rules.profile("turkish"))).state.table_id for number in range(8)
    ]
    scripts = store._scripts
    for turn in range(30):
        doomed = asyncio.create_task(scripts.load(keys=[store.keys.table(ids[0])], args=["", "", "", ""]))
        await asyncio.sleep(0 if turn % 3 else 0.0003)
        doomed.cancel()
        await asyncio.gather(doomed, return_exceptions=True)
        loaded = await asyncio.gather(*(store.load(table_id) for table_id in ids))
        assert [each.state.config.host for each in loaded if each] == [f"host{number}" for number in range(8)]


async def test_x9_a_write_from_a_stale_state_is_refused(evening: Evening) -> None:
    slow, quick = await change_of(evening), await change_of(evening)
    await evening.store.commit(quick)
    with pytest.raises(Conflict):
        await evening.store.commit(slow)


async def test_many_clients_that_race_for_one_commit_have_one_winner(evening: Evening) -> None:
    rounds, clients = 25, 4
    for number in range(rounds):
        base = (await evening.tables.get(evening.table_id)).state
        changes = [await change_of(evening) for _ in range(clients)]
        results = await asyncio.gather(
            *(evening.store.commit(change) for change in changes), return_exceptions=True
        )
        won = [result for result in results if not isinstance(result, BaseException)]
        lost = [result for result in results if isinstance(result, Conflict)]
        assert (len(won), len(lost)) == (1, clients - 1), number
        evening.outcome = await evening.tables.get(evening.table_id)
        assert evening.state.version == base.version + 1
        if not evening.state.hand_running:
            await evening.deal()


async def test_x2_two_players_race_for_a_seat_through_two_processes(
    store: RedisTableStore, other_tables: Tables
) -> None:
    tables = Tables(store, SeededDealer(1))
    for number in range(25):
        made = await tables.create("host", Rules.profile("turkish"))
        table_id = made.state.table_id
        results = await asyncio.gather(
            tables.join(table_id, Join("a", "A", 1)),
            other_tables.join(table_id, Join("b", "B", 1)),
            return_exceptions=True,
        )
        refused = [result for result in results if isinstance(result, TableError)]
        assert [error.reason for error in refused] == [Reason.SEAT_TAKEN], number
        state = (await tables.get(table_id)).state
        assert len(state.seats) == 1
        assert state.ledger.bought_in == 100


async def test_joins_of_many_through_two_processes_all_arrive(
    store: RedisTableStore, other_tables: Tables
) -> None:
    tables = Tables(store, SeededDealer(1))
    made = await tables.create("host", Rules.profile("turkish"))
    table_id = made.state.table_id
    outcomes = await asyncio.gather(
        *((tables, other_tables)[number % 2].join(table_id, Join(f"p{number}", "P")) for number in range(5))
    )
    assert sorted(outcome.version for outcome in outcomes) == [2, 3, 4, 5, 6]
    state = (await tables.get(table_id)).state
    assert sorted(seat.player for seat in state.seats.values()) == [f"p{number}" for number in range(5)]
    assert state.ledger.bought_in == 500


# -- request ids -------------------------------------------------------------------------------------------


async def test_x6_one_answer_sent_three_times_has_one_effect_and_one_answer(
    evening: Evening, other_tables: Tables
) -> None:
    command = evening.answer(random.Random(3))
    first = await evening.act(command, "r1")
    before = await everything(evening.store.client, evening.store.keys.prefix)
    for tables in (evening.tables, other_tables, evening.tables):
        again = await tables.act(evening.table_id, command, "r1")
        assert again.replayed
        assert (again.version, again.epoch, again.events) == (first.version, first.epoch, ())
    assert await everything(evening.store.client, evening.store.keys.prefix) == before
    with pytest.raises(TableError) as caught:
        await evening.tables.act(evening.table_id, command, "r2")
    assert caught.value.reason is Reason.STALE_DECISION


async def test_the_same_id_with_another_payload_is_refused(evening: Evening) -> None:
    command = evening.answer(random.Random(3))
    await evening.act(command, "r1")
    before = await everything(evening.store.client, evening.store.keys.prefix)
    player = command.player
    with pytest.raises(TableError) as caught:
        await evening.tables.act(evening.table_id, replace(command, action="jump"), "r1")
    assert caught.value.reason is Reason.REQUEST_ID_REUSED
    with pytest.raises(TableError) as caught:
        await evening.tables.leave(evening.table_id, player, "r1")
    assert caught.value.reason is Reason.REQUEST_ID_REUSED
    assert await everything(evening.store.client, evening.store.keys.prefix) == before


async def test_ids_are_the_players_own(evening: Evening) -> None:
    first = evening.answer(random.Random(3))
    await evening.act(first, "r1")
    second = evening.answer(random.Random(3))
    assert second.player != first.player
    outcome = await evening.act(second, "r1")
    assert not outcome.replayed


async def test_a_refusal_is_not_kept(evening: Evening) -> None:
    asked = evening.question()
    with pytest.raises(TableError):
        await evening.act(Act(evening.asked_player(), asked.decision_id, "fold"), "r1")
    outcome = await evening.act(evening.answer(random.Random(3)), "r1")
    assert not outcome.replayed


async def test_a_repeated_leave_gives_what_was_paid_then(evening: Evening) -> None:
    player = evening.asked_player()
    first = await evening.tables.leave(evening.table_id, player, "bye")
    again = await evening.tables.leave(evening.table_id, player, "bye")
    assert first.cashed_out == again.cashed_out == 99
    assert again.replayed


async def test_the_last_ids_of_a_player_are_kept_for_at_least_ten_minutes(store: RedisTableStore) -> None:
    tables = Tables(store, SeededDealer(1))
    made = await tables.create("host", Rules.profile("turkish"))
    table_id = made.state.table_id
    await tables.join(table_id, Join("a", "A"))
    for number in range(ANSWERS + 3):
        sit = tables.sit_out if number % 2 == 0 else tables.sit_in
        await sit(table_id, "a", f"r{number}")
    key = store.keys.answers(table_id, "a")
    kept = {name for name in await store.client.hkeys(key) if name.startswith(b"r:")}
    assert kept == {f"r:r{number}".encode() for number in range(3, ANSWERS + 3)}
    assert await store.client.pttl(key) > 600_000
    assert ANSWER_LIFE.total_seconds() >= 600
    assert (await tables.sit_in(table_id, "a", "r3")).replayed


async def test_a_table_is_made_once_for_one_request(store: RedisTableStore, other_tables: Tables) -> None:
    tables = Tables(store, SeededDealer(1))
    rules = Rules.profile("turkish")
    made = [await each.create("host", rules, request_id="c1") for each in (tables, other_tables, tables)]
    assert len({outcome.state.table_id for outcome in made}) == 1
    with pytest.raises(TableError) as caught:
        await tables.create("host", Rules.profile("french"), request_id="c1")
    assert caught.value.reason is Reason.REQUEST_ID_REUSED
    other = await tables.create("somebody", rules, request_id="c1")
    assert other.state.table_id != made[0].state.table_id
    assert len((await tables.list()).entries) == 2


async def test_a_request_id_that_is_too_long_is_refused(evening: Evening) -> None:
    with pytest.raises(TableError) as caught:
        await evening.tables.leave(evening.table_id, "a", "x" * 65)
    assert (caught.value.reason, caught.value.field) == (Reason.INVALID_FIELD, "request_id")


async def test_a_refusal_on_an_old_state_counts_only_when_nothing_newer_is_there(
    evening: Evening, other_tables: Tables
) -> None:
    await other_tables.get(evening.table_id)  # now that process holds this state
    await evening.act(evening.answer(random.Random(3)))
    # The other process thinks that somebody else is asked; it must look again before it refuses.
    outcome = await other_tables.act(evening.table_id, evening.answer(random.Random(3)))
    assert outcome.version == evening.state.version + 1


async def test_the_happy_path_costs_one_round_trip(evening: Evening) -> None:
    client = evening.store.client
    await evening.act(evening.answer(random.Random(3)), "r1")
    before = (await client.info("commandstats"))["cmdstat_evalsha"]["calls"]
    total = (await client.info("stats"))["total_commands_processed"]
    await evening.act(evening.answer(random.Random(3)), "r2")
    after = (await client.info("commandstats"))["cmdstat_evalsha"]["calls"]
    assert after - before == 1
    # Every command within the script counts there as well; but of calls there was this one and our two INFOs.
    assert (await client.info("stats"))["total_commands_processed"] - total < 40


async def test_a_caller_who_goes_away_leaves_a_whole_commit_and_sound_connections(evening: Evening) -> None:
    for delay in (0, 0, 0.0002, 0.0005, 0.001, 0.002):
        if not evening.state.hand_running:
            await evening.deal()
        command = evening.answer(random.Random(3))
        task = asyncio.create_task(evening.tables.act(evening.table_id, command))
        await asyncio.sleep(delay)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.sleep(0.02)
        loads = await asyncio.gather(*(evening.tables.get(evening.table_id) for _ in range(8)))
        evening.outcome = loads[0]
        assert {load.version for load in loads} == {evening.state.version}
        assert evening.state.chips() == 300
