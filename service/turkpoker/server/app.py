"""The server as a whole: its parts, how it starts, and how it leaves without failing a call."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from turkpoker.server.auth import Authenticator, TokenRules
from turkpoker.server.bank_worker import BankWorker
from turkpoker.server.bootstrap import Adapters, open_adapters
from turkpoker.server.buy_ins import BuyIns
from turkpoker.server.clock import ClockKeeper
from turkpoker.server.delay import DelayedTables
from turkpoker.server.evaluator_service import EvaluatorService
from turkpoker.server.hand_history_service import HandHistoryService
from turkpoker.server.interceptors import GateInterceptor
from turkpoker.server.limits import Limits
from turkpoker.server.operator_service import OperatorService
from turkpoker.server.resume import ResumeTokens
from turkpoker.server.session_service import SessionService
from turkpoker.server.settings import ServerSettings, SettingsError
from turkpoker.server.store_keeper import StoreKeeper
from turkpoker.server.streams import StreamRegister
from turkpoker.server.table_service import TableService
from turkpoker.server.tls import server_credentials
from turkpoker.server.watch import Viewing
from turkpoker.server.wire.errors import translate_error
from turkpoker.table.allowance import Allowance
from turkpoker.table.histories import Histories
from turkpoker.table.operations import Operations
from turkpoker.table.outcome import Outcome
from turkpoker.table.ports import Dealer
from turkpoker.table.tables import Tables
from turkpoker.table.transfers import Bank
from turkpoker.v1 import (
    evaluator_service_pb2,
    hand_history_service_pb2,
    operator_service_pb2,
    session_service_pb2,
    table_service_pb2,
)
from turkpoker.v1.evaluator_service_pb2_grpc import add_EvaluatorServiceServicer_to_server
from turkpoker.v1.hand_history_service_pb2_grpc import add_HandHistoryServiceServicer_to_server
from turkpoker.v1.operator_service_pb2_grpc import add_OperatorServiceServicer_to_server
from turkpoker.v1.session_service_pb2_grpc import add_SessionServiceServicer_to_server
from turkpoker.v1.table_service_pb2_grpc import add_TableServiceServicer_to_server

logger = logging.getLogger(__name__)

#: A signal so soon after the first one is the same wish twice: make and timeout pass on what the whole group
#: of processes gets anyway.
SECOND_SIGNAL_AFTER = timedelta(seconds=1)

SERVICE_NAMES = (
    table_service_pb2.DESCRIPTOR.services_by_name["TableService"].full_name,
    evaluator_service_pb2.DESCRIPTOR.services_by_name["EvaluatorService"].full_name,
    hand_history_service_pb2.DESCRIPTOR.services_by_name["HandHistoryService"].full_name,
    operator_service_pb2.DESCRIPTOR.services_by_name["OperatorService"].full_name,
    session_service_pb2.DESCRIPTOR.services_by_name["SessionService"].full_name,
)
_EVALUATOR = evaluator_service_pb2.DESCRIPTOR.services_by_name["EvaluatorService"].full_name


@dataclass(frozen=True, slots=True)
class Running:
    """A server that serves.

    Attributes:
        address: host:port, with the port that was taken.
        store: where the tables lie, for people.
        key_file: the file of the token key; None when the key came from the settings.
        key_made: the key was made just now.
        rehearsal: decks are scripted.
        streams: what is open now.
        look_at_keys: looks at once whether files or URL hold other keys.
    """

    address: str
    store: str
    key_file: Path | None
    key_made: bool
    rehearsal: bool
    streams: StreamRegister
    look_at_keys: Callable[[], None]


@asynccontextmanager
async def running_server(
    settings: ServerSettings, *, dealer: Dealer | None = None, bank: Bank | None = None
) -> AsyncIterator[Running]:
    """Serve until the block is left, then drain.

    Args:
        settings: the settings.
        dealer: where shuffled decks come from; None: the real one. No setting or variable can bring another,
            and tables made here with another are marked as rehearsals.
        bank: an adapter of the caller's own to a ledger; None: what the settings say, else play money.

    Raises:
        SettingsError: something cannot be used as set: the address is taken, the store cannot be reached.
    """
    async with AsyncExitStack() as stack:
        adapters = await stack.enter_async_context(open_adapters(settings, dealer, bank))
        server, port, parts = _assemble(settings, adapters)
        stack.callback(parts.evaluator.close)
        await parts.keeper.start()
        stack.push_async_callback(parts.keeper.stop)
        if parts.bank_worker is not None:
            parts.bank_worker.start()
            # After the drain: calls under way may still wait for the bank.
            stack.push_async_callback(parts.bank_worker.stop, settings.bank_timeout)
        await server.start()
        stack.push_async_callback(_drain, server, parts, settings)
        parts.clock.start()
        stack.push_async_callback(parts.clock.stop)
        host = settings.listen.rpartition(":")[0]
        yield Running(
            address=f"{host}:{port}",
            store=adapters.store_name,
            key_file=adapters.key_file,
            key_made=adapters.key_made,
            rehearsal=adapters.rehearsal,
            streams=parts.streams,
            look_at_keys=adapters.key_keeper.look_now,
        )


async def serve(settings: ServerSettings, *, announce: object = None) -> None:
    """Serve until SIGTERM or SIGINT, then drain."""
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    first_signal = 0.0

    def stop(number: signal.Signals) -> None:
        nonlocal first_signal
        if not stopping.is_set():
            first_signal = loop.time()
            stopping.set()
        elif loop.time() - first_signal > SECOND_SIGNAL_AFTER.total_seconds():
            # A second signal means it: the default action ends the process at once.
            loop.remove_signal_handler(number)
            signal.raise_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    async with running_server(settings) as running:
        hang_up = getattr(signal, "SIGHUP", None)  # Windows has none
        if hang_up is not None:
            loop.add_signal_handler(hang_up, running.look_at_keys)
        if callable(announce):
            announce(running)
        await stopping.wait()


@dataclass(frozen=True, slots=True)
class _Parts:
    health: health.aio.HealthServicer
    streams: StreamRegister
    clock: ClockKeeper
    keeper: StoreKeeper
    evaluator: EvaluatorService
    bank_worker: BankWorker | None


def _assemble(settings: ServerSettings, adapters: Adapters) -> tuple[grpc.aio.Server, int, _Parts]:
    bank = adapters.bank

    def committed(outcome: Outcome) -> None:
        if outcome.deadline is not None:
            clock.expect(outcome.deadline - outcome.now)
        if outcome.events:
            limits.count_table(outcome.state.table_id)
        if bank_worker is not None:
            bank_worker.committed(outcome)

    tables = Tables(
        adapters.store,
        adapters.dealer,
        rehearsal=adapters.rehearsal,
        bank=bank is not None,
        on_commit=committed,
    )
    bank_worker = None if bank is None else BankWorker(bank, adapters.outbox, tables)
    limits = Limits(settings)
    viewing = Viewing(
        tables=tables,
        feed=adapters.feed,
        delayed=DelayedTables(adapters.feed),
        takeovers=adapters.takeovers,
        tokens=ResumeTokens(adapters.resume_key),
        streams=StreamRegister(settings.max_streams_per_player),
        settings=settings,
        buy_ins=BuyIns(tables, adapters.feed, settings.bank_patience),
        limits=limits,
        allowance=Allowance(adapters.player_tables, settings.max_hosted_tables, settings.max_joined_tables),
    )
    servicer = health.aio.HealthServicer()

    async def tell_health(store_answers: bool) -> None:
        answer = health_pb2.HealthCheckResponse
        for name in ("", *SERVICE_NAMES):
            serves = store_answers or name == _EVALUATOR  # which needs no store
            await servicer.set(name, answer.SERVING if serves else answer.NOT_SERVING)

    keeper = StoreKeeper(adapters.ping, tell_health, adapters.own_store)
    clock = ClockKeeper(keeper.only_with_store(tables.run_due), settings.clock_interval)
    parts = _Parts(
        health=servicer,
        streams=viewing.streams,
        clock=clock,
        keeper=keeper,
        evaluator=EvaluatorService(settings.max_batch_hands),
        bank_worker=bank_worker,
    )
    rules = TokenRules(
        audience=settings.token_audience, issuer=settings.token_issuer, leeway=settings.token_leeway
    )
    authenticator = Authenticator(adapters.keys, rules, adapters.key_keeper.unknown_kid)
    gate = GateInterceptor(authenticator, translate_error, limits)
    server = grpc.aio.server(interceptors=[gate], options=channel_options(settings))
    add_TableServiceServicer_to_server(TableService(viewing), server)
    sessions = SessionService(adapters.keys, rules, limits, settings)
    add_SessionServiceServicer_to_server(sessions, server)
    add_EvaluatorServiceServicer_to_server(parts.evaluator, server)
    operations = Operations(tables, adapters.audit)
    add_OperatorServiceServicer_to_server(OperatorService(operations, viewing.tokens), server)
    add_HandHistoryServiceServicer_to_server(
        HandHistoryService(Histories(adapters.records, tables), operations, viewing.streams), server
    )
    health_pb2_grpc.add_HealthServicer_to_server(parts.health, server)
    reflection.enable_server_reflection(
        (*SERVICE_NAMES, health.SERVICE_NAME, reflection.SERVICE_NAME), server
    )
    secured = server_credentials(settings)
    try:
        if secured is None:
            port = server.add_insecure_port(settings.listen)
        else:
            port = server.add_secure_port(settings.listen, secured)
    except RuntimeError:
        port = 0
    if not port:
        raise SettingsError(f"cannot listen on {settings.listen}: taken, or not an address of this machine")
    return server, port, parts


def channel_options(settings: ServerSettings) -> list[tuple[str, int]]:
    """What grpc is told: limits, and pings that find clients who went without a word."""

    def milliseconds(duration: timedelta) -> int:
        return int(duration / timedelta(milliseconds=1))

    return [
        ("grpc.max_receive_message_length", settings.max_message_bytes),
        ("grpc.max_send_message_length", settings.max_message_bytes),
        # The soft limit refuses some calls below the hard one; both are the same here.
        ("grpc.max_metadata_size", settings.max_metadata_bytes),
        ("grpc.absolute_max_metadata_size", settings.max_metadata_bytes),
        ("grpc.max_concurrent_streams", settings.max_calls_per_connection),
        ("grpc.max_allowed_incoming_connections", settings.max_connections),
        ("grpc.server_handshake_timeout_ms", milliseconds(settings.handshake_timeout)),
        ("grpc.max_connection_idle_ms", milliseconds(settings.connection_idle)),
        ("grpc.keepalive_time_ms", milliseconds(settings.keepalive_time)),
        ("grpc.keepalive_timeout_ms", milliseconds(settings.keepalive_timeout)),
        # The same once more: without it a keepalive ping has a minute whatever the line before says.
        ("grpc.http2.ping_timeout_ms", milliseconds(settings.keepalive_timeout)),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        # Without this the keepalive of quiet clients is punished with too_many_pings.
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 5000),
        # Two servers on one port would share its connections in silence.
        ("grpc.so_reuseport", 0),
    ]


async def _drain(server: grpc.aio.Server, parts: _Parts, settings: ServerSettings) -> None:
    await parts.health.enter_graceful_shutdown()
    # Long enough for a load balancer to look, so that new calls go elsewhere.
    await asyncio.sleep(settings.drain_pause.total_seconds())
    parts.streams.end_all()
    await server.stop(settings.drain_grace.total_seconds())
