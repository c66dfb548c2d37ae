"""``turkpoker audit`` as an operator sees it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from server.test_cli import refused, turkpoker
from table.desks import SeededDealer
from turkpoker.engine import Rules
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.keys import shard_of
from turkpoker.storage.outbox import RedisOutbox
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import Seal, read_or_make_key_file
from turkpoker.table.commands import ConfirmBuyIn, Join
from turkpoker.table.tables import Tables
from wire_players import SEAL_KEY


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """The data of a table with a bank: one player sits there, and 30 chips more are ordered for him."""
    seal = Seal(read_or_make_key_file(tmp_path / "seal.key"))
    async with EmbeddedRedis(tmp_path) as embedded:
        store = await RedisTableStore.connect(embedded.url, seal)
        outbox = RedisOutbox(store)
        tables = Tables(store, SeededDealer(1), bank=True)
        made = await tables.create("host", Rules.profile("turkish"), hand_pause=timedelta(seconds=9))
        table_id = made.state.table_id
        await tables.join(table_id, Join("ayse", "Ayse", buy_in=60))
        (entry,) = await outbox.take()
        assert entry.transfer is not None
        await tables.carry_out(table_id, ConfirmBuyIn(entry.transfer.transfer_id, entry.entry_id))
        await tables.add_chips(table_id, "ayse", 30)
        await outbox.release()
        await outbox.close()
        await store.close()
    return tmp_path


async def alter_a_stack(data: Path) -> str:
    """Plant a fault; gives the table's id."""
    seal = Seal(read_or_make_key_file(data / "seal.key"))
    async with EmbeddedRedis(data) as embedded:
        store = await RedisTableStore.connect(embedded.url, seal)
        (table_id,) = [entry.table_id for entry in (await Tables(store, SeededDealer(1)).list()).entries]
        stored = await store.load(table_id)
        assert stored is not None
        state = stored.state.copy()
        state.seats[0].stack += 1
        await store.client.hset(store.keys.table(table_id), "s", store.codec.seal_state(state))
        await store.close()
    return table_id


async def test_a_store_that_adds_up(data: Path) -> None:
    result = turkpoker("audit", "--data", str(data))
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("waits  debit of 30 for 'ayse'")
    assert "60 chips bought in, 0 cashed out, 60 at the tables" in lines[1]
    assert lines[2] == "0 things do not add up, 0 dead letters, 1 orders wait"
    report = json.loads(turkpoker("audit", "--json", "--data", str(data)).stdout)
    assert (report["ok"], report["chips"], report["awaiting_bank"], report["findings"]) == (True, 60, 30, [])
    (order,) = report["waiting"]
    assert order["player"] == "ayse"
    assert order["shard"] == shard_of(order["table"].partition("/")[2])


async def test_a_store_that_does_not(data: Path) -> None:
    table_id = await alter_a_stack(data)
    result = turkpoker("audit", "--data", str(data))
    assert result.returncode == 1
    assert f"WRONG  tables/{table_id}: 61 chips at the table, 60 in the ledger" in result.stdout.splitlines()
    # The same of a server that runs.
    async with EmbeddedRedis(data) as embedded:
        result = turkpoker("audit", "--json", "--data", str(data))
        assert result.returncode == 1
        assert not json.loads(result.stdout)["ok"]
        key = (data / "seal.key").read_text()
        by_url = turkpoker("audit", "--redis", embedded.url, TURKPOKER_SEAL_KEY=key)
        assert by_url.returncode == 1
        assert key.strip() not in by_url.stdout + by_url.stderr


async def test_a_dead_letter_ends_with_one(data: Path) -> None:
    seal = Seal(read_or_make_key_file(data / "seal.key"))
    async with EmbeddedRedis(data) as embedded:
        store = await RedisTableStore.connect(embedded.url, seal)
        outbox = RedisOutbox(store)
        (entry,) = await outbox.take()
        await outbox.bury(entry, "nobody wants it")
        await outbox.close()
        await store.close()
    result = turkpoker("audit", "--data", str(data))
    assert result.returncode == 1
    assert result.stdout.startswith("DEAD   debit of 30 for 'ayse'")
    assert "nobody wants it" in result.stdout


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    assert "there is no store" in refused(
        turkpoker("audit", "--data", str(tmp_path), TURKPOKER_SEAL_KEY=SEAL_KEY)
    )
    assert not (tmp_path / "redis").exists()
    assert "seal key file" in refused(turkpoker("audit", "--data", str(tmp_path / "none")))
    assert not (tmp_path / "none").exists()
    url = "redis://me:secret@127.0.0.1:1/0"
    line = refused(turkpoker("audit", "--redis", url, TURKPOKER_SEAL_KEY=SEAL_KEY))
    assert "secret" not in line
    refused(turkpoker("audit", "--redis", "nonsense", TURKPOKER_SEAL_KEY=SEAL_KEY))
    refused(turkpoker("audit", "--no-such-flag"))
