"""``turkpoker rehearse``: a loopback server whose decks are known before they are dealt."""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
import sys
import tempfile
from pathlib import Path
from typing import IO

import click
from turkpoker.engine import HandRecord
from turkpoker.server.app import Running, running_server
from turkpoker.server.cli.replay import read_records
from turkpoker.server.cli.serve import run_event_loop
from turkpoker.server.rehearsal import ScriptedDealer, ScriptedHand, SeededDealer
from turkpoker.server.settings import ServerSettings, SettingsError, is_loopback
from turkpoker.table.ports import Dealer


@click.command("rehearse")
@click.option("--seed", type=int, help="The seed of the decks; default: one is picked and told.")
@click.option(
    "--script",
    type=click.File("rb"),
    help="Recorded hands; each table deals the deck of the first, then of the second ...",
)
@click.option(
    "--listen", default="127.0.0.1:50051", show_default=True, metavar="HOST:PORT", help="A loopback address."
)
def command(*, seed: int | None, script: IO[bytes] | None, listen: str) -> None:
    """Serve with decks that are known beforehand, on this machine only, until Ctrl-C.

    For writing and testing clients: the same seed or script gives every table the same decks. Hands after the
    script, and hands that its decks do not fit, follow from the seed. All tables are marked as rehearsals,
    and nothing outlives the server; make tokens with the data directory that it names.
    """
    if not is_loopback(listen.rpartition(":")[0]):
        raise click.UsageError(
            f"--listen {listen} is no loopback address: a rehearsal is for this machine only"
        )
    if seed is None:
        seed = secrets.randbelow(1_000_000)
    dealer: Dealer = SeededDealer(seed)
    if script is not None:
        dealer = ScriptedDealer.of(_read_script(script), SeededDealer(seed))
    logging.basicConfig(level="WARNING", format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    try:
        with tempfile.TemporaryDirectory(prefix="turkpoker-rehearsal-") as directory:
            settings = ServerSettings(listen=listen, data_dir=Path(directory))
            run_event_loop(_serve(settings, dealer, seed))
    except SettingsError as error:
        raise click.ClickException(str(error)) from None


async def _serve(settings: ServerSettings, dealer: Dealer, seed: int) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with running_server(settings, dealer=dealer) as running:
        _announce(running, settings, seed)
        await stopping.wait()


def _announce(running: Running, settings: ServerSettings, seed: int) -> None:
    click.echo(f"a rehearsal: whoever knows the seed {seed} knows every card")
    click.echo(f"make tokens with: turkpoker token NAME --data {settings.data_dir}")
    click.echo(f"serving gRPC on {running.address}")
    sys.stdout.flush()


def _read_script(script: IO[bytes]) -> list[ScriptedHand]:
    hands = []
    for where, record in read_records(script):
        if not isinstance(record, HandRecord):
            raise click.ClickException(f"{where}: deck: hides cards, so it cannot be dealt")
        if len(set(record.deck)) != len(record.deck):
            raise click.ClickException(f"{where}: deck: a card is there twice")
        hands.append(ScriptedHand(record.deck, record.reshuffles))
    return hands
