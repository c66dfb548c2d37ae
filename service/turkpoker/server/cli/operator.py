"""``turkpoker operator``: what who runs the servers may do, at a running server."""

from __future__ import annotations

import json
from typing import Any

import click
from turkpoker.client import Client
from turkpoker.server.cli.calling import call_server, server_options
from turkpoker.v1 import operator_service_pb2 as pb
from turkpoker.v1 import tables_pb2


@click.group("operator")
def command() -> None:
    """List tables, end one, let nothing begin, and read who did what.

    Every call needs a token with the role operator (turkpoker token NAME --role operator) and is written to
    the audit log.
    """


@command.command("tables")
@server_options
def tables(**server: Any) -> None:
    """List all open tables, private ones too, newest first."""

    async def work(client: Client) -> list[tables_pb2.TableSummary]:
        return [table async for table in client.operator.list_tables(200)]

    for table in call_server(work, **server):
        notes = [name for name in ("private", "paused", "hand_running", "rehearsal") if getattr(table, name)]
        click.echo(
            f"{table.name}  {table.seats_taken}/{table.seat_count}  hand {table.hand_number}  {table.profile}"
            f"  {table.display_name}  {' '.join(notes)}".rstrip()
        )


@command.command("close")
@click.argument("name")
@click.option("--reason", default="", help="Why, for the players.")
@server_options
def close(name: str, reason: str, **server: Any) -> None:
    """End the table NAME (tables/TABLE) at once: a running hand is stopped, everybody is paid out."""

    async def work(client: Client) -> int:
        return await client.operator.force_close(name, reason)

    click.echo(f"{name} is closed, {call_server(work, **server)} chips were paid out")


@command.command("drain")
@click.option("--end", is_flag=True, help="Let tables be made and hands begin again.")
@click.option("--reason", default="", help="Why, for the audit log.")
@server_options
def drain(*, end: bool, reason: str, **server: Any) -> None:
    """Let no table be made and no hand begin on any server of the store, until --end.

    Hands that are on go on; call it again to see how many still do.
    """

    async def work(client: Client) -> pb.DrainResponse:
        return await (client.operator.end_drain() if end else client.operator.drain(reason))

    answer = call_server(work, **server)
    state = "nothing begins" if answer.draining else "tables are made and hands begin"
    click.echo(f"{state}; {answer.tables} tables, hands on at {answer.hands_running}")


@command.command("log")
@click.argument("parent", default="tables/-")
@click.option("--count", type=click.IntRange(1), default=50, show_default=True, help="How many at most.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@server_options
def log(parent: str, count: int, *, as_json: bool, **server: Any) -> None:
    """Tell who did what at PARENT (tables/TABLE, or tables/- for all), newest first."""

    async def work(client: Client) -> list[pb.AuditEntry]:
        found: list[pb.AuditEntry] = []
        async for entry in client.operator.audit_entries(parent, min(count, 200)):
            found.append(entry)
            if len(found) == count:
                break
        return found

    for entry in call_server(work, **server):
        moment = entry.create_time.ToJsonString()
        details = dict(sorted(entry.details.items()))
        if as_json:
            fields = {"time": moment, "table": entry.table, "version": entry.version, "actor": entry.actor}
            fields |= {"role": entry.role, "action": entry.action, "details": details}
            click.echo(json.dumps(fields, ensure_ascii=False))
        else:
            facts = " ".join(f"{name}={value}" for name, value in details.items())
            who = f"{entry.role} {entry.actor}".strip()
            click.echo(f"{moment}  {entry.table or '-'}  {who}: {entry.action} {facts}".rstrip())
