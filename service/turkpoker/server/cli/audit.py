"""``turkpoker audit``: do the chips of a whole store add up?"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import click
from turkpoker.server.bootstrap import SEAL_KEY_NAME
from turkpoker.server.settings import default_data_dir
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.inspection import Inspection, Report
from turkpoker.storage.outbox import RedisOutbox
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import Seal, parse_keys, read_key_file
from turkpoker.table.errors import StoreError
from turkpoker.table.transfers import OutboxEntry


@click.command("audit")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="TURKPOKER_DATA",
    help="Data directory of a server, running or not; default: $XDG_DATA_HOME/turkpoker.",
)
@click.option("--redis", metavar="URL", envvar="TURKPOKER_REDIS", help="A Redis or Valkey instead.")
@click.option(
    "--seal-key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="TURKPOKER_SEAL_KEY_FILE",
    help="File of the seal key; default: seal.key in the data directory.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def command(data: Path | None, redis: str | None, seal_key_file: Path | None, as_json: bool) -> int:
    """Go over every table of a store and say what does not add up; nothing is changed.

    Chips at each table against its ledger, at every version that its event log still holds; orders to the
    bank against the ledger; lists and clocks against the tables. Orders that wait for the bank are listed.
    Exit code 0: all is well; 1: something is not, each line says what; 2: the store cannot be read.
    """
    data = data or default_data_dir()
    try:
        seal = _seal(data, seal_key_file)
        report = asyncio.run(_inspect(data, redis, seal))
    except (StoreError, OSError) as error:
        raise click.ClickException(f"the store cannot be read: {error}") from None
    _print_json(report) if as_json else _print(report)
    sys.stdout.flush()
    return 1 if report.findings or report.dead else 0


def _seal(data: Path, key_file: Path | None) -> Seal:
    if key_file is None and (key := os.environ.get("TURKPOKER_SEAL_KEY")):
        return Seal(parse_keys(key, "the seal key"))
    return Seal(read_key_file(key_file or data / SEAL_KEY_NAME))


async def _inspect(data: Path, redis: str | None, seal: Seal) -> Report:
    if redis is not None:
        return await _inspect_at(redis, seal)
    if not (data / "redis").is_dir():
        raise click.ClickException(f"there is no store in {data}")
    embedded = EmbeddedRedis(data)
    if await embedded.answers():
        return await _inspect_at(embedded.url, seal)
    async with embedded:
        return await _inspect_at(embedded.url, seal)


async def _inspect_at(url: str, seal: Seal) -> Report:
    store = await RedisTableStore.connect(url, seal)
    outbox = RedisOutbox(store)
    try:
        return await Inspection(store, outbox).run()
    finally:
        await outbox.close()
        await store.close()


def _print(report: Report) -> None:
    for finding in report.findings:
        click.echo(f"WRONG  {finding.where}: {finding.what}")
    for entry in report.dead:
        click.echo(f"DEAD   {_line(entry)}: {entry.why}")
    for entry in report.waiting:
        click.echo(f"waits  {_line(entry)}")
    click.echo(
        f"{report.tables} tables, {report.versions} versions: {report.bought_in} chips bought in,"
        f" {report.cashed_out} cashed out, {report.chips} at the tables ({report.raked} of them raked),"
        f" {report.awaiting_bank} waiting for the bank"
    )
    click.echo(
        f"{len(report.findings)} things do not add up, {len(report.dead)} dead letters,"
        f" {len(report.waiting)} orders wait"
    )


def _line(entry: OutboxEntry) -> str:
    transfer = entry.transfer
    if transfer is None:
        return f"entry {entry.entry_id} of tables/{entry.table_id}, which cannot be read"
    return (
        f"{transfer.direction} of {transfer.amount} for {transfer.player!r} at tables/{entry.table_id},"
        f" transfer {transfer.transfer_id}"
    )


def _print_json(report: Report) -> None:
    click.echo(
        json.dumps(
            {
                "ok": not report.findings and not report.dead,
                "tables": report.tables,
                "versions": report.versions,
                "bought_in": report.bought_in,
                "cashed_out": report.cashed_out,
                "chips": report.chips,
                "raked": report.raked,
                "awaiting_bank": report.awaiting_bank,
                "findings": [{"where": each.where, "what": each.what} for each in report.findings],
                "dead": [_entry(each) for each in report.dead],
                "waiting": [_entry(each) for each in report.waiting],
            }
        )
    )


def _entry(entry: OutboxEntry) -> dict[str, Any]:
    transfer = entry.transfer
    fields: dict[str, Any] = {
        "table": f"tables/{entry.table_id}",
        "shard": entry.shard,
        "entry": entry.entry_id,
    }
    if transfer is not None:
        fields |= {
            "transfer_id": transfer.transfer_id,
            "direction": transfer.direction.value,
            "player": transfer.player,
            "amount": transfer.amount,
            "version": transfer.version,
            "time": None if transfer.time is None else transfer.time.isoformat(timespec="milliseconds"),
        }
    return fields | ({"why": entry.why} if entry.dead else {})
