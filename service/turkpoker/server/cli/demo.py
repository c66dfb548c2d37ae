"""``turkpoker demo``: bots play real hands over gRPC."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
import grpc
from turkpoker.client import Client, TurkpokerError, rules
from turkpoker.client.bots import TEMPERAMENTS, Bot, BotMatch, MatchFailedError, Tally
from turkpoker.engine import Rules, RulesError
from turkpoker.server.app import running_server
from turkpoker.server.auth import make_token
from turkpoker.server.cli.connecting import credentials, tls_options
from turkpoker.server.cli.keys import token_for
from turkpoker.server.cli.options import game_options, read_game
from turkpoker.server.cli.serve import run_event_loop
from turkpoker.server.rehearsal import SeededDealer
from turkpoker.server.settings import ServerSettings, SettingsError
from turkpoker.v1 import rules_pb2

EXIT_CHIPS_DIFFER = 1
MAX_HANDS = 10_000_000
STUCK_AFTER = 30.0
PROGRESS_EVERY = 2.0
# What the server says about our input; everything else is a failure on the way.
_INPUT_CODES = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.OUT_OF_RANGE,
    }
)


#: A demonstration shows the same match at every run unless it is asked not to. In 500 hands of this seed
#: something of everything happens with 2 to 5 players, rare things such as split pots included.
DEFAULT_SEED = 7


class Seed(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions alone
    """A whole number, or ``random``."""

    name = "integer|random"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """The number or ``random``; anything else ends the command."""
        if value == "random":
            return "random"
        try:
            return int(value)
        except ValueError:
            self.fail(f"{value!r} is neither a whole number nor random", param, ctx)


@dataclass(frozen=True, slots=True)
class Plan:
    """What was asked for."""

    profile: str
    options: dict[str, str]
    rules: rules_pb2.Rules
    players: int
    hands: int
    seed: int | None
    server: str | None
    tokens: tuple[str, ...] = field(repr=False)
    credentials: grpc.ChannelCredentials | None


@click.command("demo")
@game_options
@click.option("--players", type=click.IntRange(2, 6), default=4, show_default=True, help="How many bots.")
@click.option(
    "--hands", type=click.IntRange(1, MAX_HANDS), default=50, show_default=True, help="How many hands."
)
@click.option(
    "--seed",
    type=Seed(),
    help="Seeds the bots, and the decks of the server that demo starts itself; "
    f"random: decks that nobody knows. Default: {DEFAULT_SEED}; with --server: random.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--server", metavar="HOST:PORT", help="Play on this server; default: one of its own, gone afterwards."
)
@click.option(
    "--token",
    "tokens",
    multiple=True,
    help="A bot's token for --server; give one for each bot. Default: made with the server's key.",
)
@tls_options
def command(
    *,
    profile: str | None,
    preset: str | None,
    options: tuple[str, ...],
    players: int,
    hands: int,
    seed: int | str | None,
    as_json: bool,
    server: str | None,
    tokens: tuple[str, ...],
    **tls: Any,
) -> int:
    """Let bots play hands through the real gRPC API, then tell what happened.

    Without --server a private server with its own store is started on a free loopback port and ended with the
    demo; its decks follow from the seed too, so that the same command shows the same match, unless
    --seed random lets the server deal as it deals in earnest. With --server only the bots follow from the
    seed. Every bot needs an identity of its own: give as many --token as --players, or none where this user
    has the server's key (TURKPOKER_TOKEN_KEY, TURKPOKER_TOKEN_KEY_FILE or the default data directory).

    Exit code: 0, or 1 when the chips do not add up or the match breaks off, or 2 for bad input.
    """
    if tokens and server is None:
        raise click.UsageError("--token is for --server")
    secured = credentials(**tls)
    if secured is not None and server is None:
        raise click.UsageError("TLS is for --server")
    if tokens and len(tokens) != players:
        raise click.UsageError(f"{players} bots need {players} tokens, one --token each; {len(tokens)} given")
    game, pairs = read_game(profile, preset, options)
    try:
        built = rules(game, **pairs)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if "players" not in pairs:
        _expect_all(built, players)
    if seed is None and server is None:
        seed = DEFAULT_SEED
    known = seed if isinstance(seed, int) else None
    plan = Plan(game, pairs, built, players, hands, known, server, tokens, secured)
    outcome: list[int] = []
    try:
        run_event_loop(_run(plan, as_json=as_json, outcome=outcome))
    except asyncio.CancelledError:  # by SIGTERM
        raise click.Abort from None
    return outcome[0]


#: The name under which the other parts know it.
demo = command


async def _run(plan: Plan, *, as_json: bool, outcome: list[int]) -> None:
    task = asyncio.current_task()
    if task is not None:  # a SIGTERM, too, must leave no server and no directory behind
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    progress = Progress(plan.hands)
    match: BotMatch | None = None
    try:
        async with AsyncExitStack() as stack:
            address, tokens = await stack.enter_async_context(_server(plan))
            await _knock(address, tokens[0], plan)
            clients = [
                await stack.enter_async_context(
                    Client(address, token, patience=10.0, credentials=plan.credentials)
                )
                for token in tokens
            ]
            match = BotMatch(
                clients,
                make_bots(plan.players, plan.seed),
                rules=plan.rules,
                hands=plan.hands,
                stuck_after=STUCK_AFTER,
                on_progress=progress.show,
            )
            began = time.perf_counter()
            table = await match.run()
            seconds = time.perf_counter() - began
    except SettingsError as error:
        raise click.ClickException(str(error)) from None
    except TurkpokerError as error:
        started = match is not None and match.tally.hands > 0
        if error.code in _INPUT_CODES or not started:
            raise click.ClickException(_explain(error, plan)) from None
        outcome.append(_broke_off(f"{error}"))
        return
    except MatchFailedError as error:
        outcome.append(_broke_off(str(error)))
        return
    finally:
        progress.done()
    result = _result(plan, match.tally, seconds, rehearsal=table.rehearsal)
    for warning in table.warnings:
        click.echo(f"! {warning}", err=True)
    click.echo(json.dumps(result) if as_json else summary(result))
    outcome.append(0 if result["chips"]["ok"] else EXIT_CHIPS_DIFFER)


async def _knock(address: str, token: str, plan: Plan) -> None:
    """Ask the server for anything; one that is not there is not waited for as long as in mid-game.

    Raises:
        TurkpokerError: there is none, or it does not know us.
    """
    async with Client(address, token, patience=2.0, credentials=plan.credentials) as client:
        async for _ in client.list_tables(page_size=1):
            break


def _expect_all(built: rules_pb2.Rules, players: int) -> None:
    """Let the table wait for all bots; else the first hand would be dealt to the first two."""
    try:
        most = Rules.profile(built.profile).players[1]
    except RulesError:
        return  # the server says what is wrong
    if players > most:
        raise click.UsageError(f"{built.profile} is for at most {most} players")
    built.players_min = built.players_max = players


def make_bots(players: int, seed: int | None) -> list[Bot]:
    """Bots of different temperaments; without a seed nobody can tell what they will do."""
    chosen: int | str = secrets.token_hex(16) if seed is None else seed
    return [
        Bot(f"bot-{number + 1}", seed=chosen, temperament=TEMPERAMENTS[number % len(TEMPERAMENTS)])
        for number in range(players)
    ]


@asynccontextmanager
async def _server(plan: Plan) -> AsyncIterator[tuple[str, list[str]]]:
    """The address to play at, and the tokens of the bots."""
    names = [f"bot-{number + 1}" for number in range(plan.players)]
    if plan.server is not None:
        yield plan.server, list(plan.tokens) or [token_for(name) for name in names]
        return
    key = secrets.token_bytes(32)
    with tempfile.TemporaryDirectory(prefix="turkpoker-demo-") as directory:
        settings = ServerSettings(
            listen="127.0.0.1:0",
            data_dir=Path(directory),
            token_key=key,
            drain_pause=timedelta(0),
            drain_grace=timedelta(seconds=1),
            log_level="warning",
        )
        dealer = None if plan.seed is None else SeededDealer(plan.seed)
        async with running_server(settings, dealer=dealer) as running:
            yield running.address, [make_token(key, name) for name in names]


class Progress:
    """A line on stderr that tells how far a long run is, rewritten in place on a terminal."""

    def __init__(self, hands: int) -> None:
        self._hands = hands
        self._began = self._shown = time.monotonic()
        self._open = False

    def show(self, played: int) -> None:
        """Tell how many hands have been played, every two seconds."""
        now = time.monotonic()
        if now - self._shown < PROGRESS_EVERY:
            return
        self._shown = now
        line = f"{played} of {self._hands} hands, {played / (now - self._began):.0f} hands/s"
        if sys.stderr.isatty():
            click.echo(f"\r{line}\x1b[K", err=True, nl=False)
            self._open = True
        else:
            click.echo(line, err=True)

    def done(self) -> None:
        """End the line."""
        if self._open:
            click.echo("", err=True)
            self._open = False


def _explain(error: TurkpokerError, plan: Plan) -> str:
    if error.code is grpc.StatusCode.UNAVAILABLE and not error.reason:
        doubt = "" if plan.credentials is None else ", or not one with a certificate that is trusted"
        return f"no server answers at {plan.server}{doubt}"
    where = f" ({error.field})" if error.field else ""
    return f"the server refuses: {error.message}{where}"


def _broke_off(message: str) -> int:
    click.echo(f"turkpoker: the match broke off: {' '.join(message.split())}", err=True)
    return 1


def _result(plan: Plan, tally: Tally, seconds: float, *, rehearsal: bool) -> dict[str, Any]:
    return {
        "profile": plan.profile,
        "options": dict(sorted(plan.options.items())),
        "players": plan.players,
        "seed": plan.seed,
        "rehearsal": rehearsal,
        **tally.to_json(),
        "timing": {
            "seconds": round(seconds, 3),
            "hands_per_second": round(tally.hands / seconds, 1) if seconds > 0 else None,
        },
    }


def summary(result: dict[str, Any]) -> str:
    """The result of a match for people."""

    def listed(counts: dict[str, int], *, sign: str = "") -> str:
        return ", ".join(f"{name} {count:{sign}d}" for name, count in counts.items()) or "none"

    by_count = dict(sorted(result["categories"].items(), key=lambda item: -item[1]))
    shares = ", ".join(
        f"{kind} {100 * each['share']:.0f} % of {each['legal']}" for kind, each in result["actions"].items()
    )
    chips, timing = result["chips"], result["timing"]
    decks = f"decks from seed {result['seed']}" if result["rehearsal"] else "decks nobody knows"
    rows = [
        ("game", f"{result['profile']}, {result['players']} players, {decks}"),
        (
            "hands",
            f"{result['hands']}: {result['showdowns']} shown down, {result['won_by_folds']} won by folds, "
            f"{result['dead_hands']} dead",
        ),
        (
            "pots",
            f"{result['splits']} split, {result['side_pots']} side pots, biggest {result['biggest_pot']}",
        ),
        ("reshuffles", str(result["reshuffles"])),
        ("winners", listed(result["winners"])),
        ("net", listed(result["net"], sign="+")),
        ("categories", listed(by_count)),
        ("actions", shares),
        (
            "chips",
            f"in {chips['in']} {'=' if chips['ok'] else '!='} out {chips['out']}"
            + (f" + rake {chips['rake']}" if chips["rake"] else "")
            + ("" if chips["ok"] else " - CHIPS DO NOT ADD UP"),
        ),
        ("time", f"{timing['seconds']:.1f} s, {timing['hands_per_second']} hands/s"),
    ]
    return "\n".join(f"{name:<12}{text}" for name, text in rows)
