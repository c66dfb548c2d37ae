"""Load on a turkpoker server: players who play hands through Play, callers who have batches evaluated.

Each player is one Locust user with a connection, an identity and a Play stream of his own, and decides like
the bots of the demo. What is measured: the time from an action to its result (`Play` and the action's
name), of a whole hand (`table`, `hand`, told once a hand), and of a batch of evaluations.

See README.md for how to run it.
"""

import contextlib
import random
import secrets
import time
from collections.abc import Iterator
from typing import Any

import gevent
import grpc
import grpc.experimental.gevent as grpc_gevent
from gevent.lock import Semaphore
from gevent.queue import Queue
from google.protobuf import duration_pb2
from locust import User, constant, events, task
from locust.argument_parser import LocustArgumentParser
from locust.env import Environment
from locust.exception import StopUser
from turkpoker.client import Decision, TableView, TurkpokerError, make_action, rules
from turkpoker.client.bots import TEMPERAMENTS, Bot
from turkpoker.server.cli.keys import token_for
from turkpoker.v1 import (
    evaluator_service_pb2,
    evaluator_service_pb2_grpc,
    table_service_pb2,
    table_service_pb2_grpc,
)

grpc_gevent.init_gevent()  # before any channel is made

RUN = secrets.token_hex(3)
QUIET_SECONDS = 60.0
CALL_SECONDS = 20.0


@events.init_command_line_parser.add_listener
def add_arguments(parser: LocustArgumentParser) -> None:
    """Our own arguments, besides Locust's."""
    parser.add_argument("--seats", type=int, default=4, help="Seats of a table, 2 to 5.")
    parser.add_argument("--think", type=float, default=0.0, help="Seconds a player thinks before he acts.")
    parser.add_argument("--batch", type=int, default=10_000, help="Hands of one batch, at most 500,000.")


@events.quitting.add_listener
def no_hand_is_a_failure(environment: Environment, **_: Any) -> None:
    """A run in which nothing was played or evaluated has failed, whatever else it did."""
    if environment.parsed_options is not None and environment.parsed_options.worker:
        return
    stats = environment.stats
    asked = {name for user in environment.user_classes for name in user.measures}
    for method, name in asked:
        if not stats.get(name, method).num_requests:
            print(f"nothing was measured for {method} {name}")
            environment.process_exit_code = 1


class Lobby:
    """Where the players of this process find a table with a free seat; the first of each table makes it."""

    def __init__(self) -> None:
        self._lock = Semaphore()
        self._name = ""
        self._free = 0

    def seat(self, tables: table_service_pb2_grpc.TableServiceStub, metadata: Any, seats: int) -> str:
        """The name of a table with a seat kept for the caller."""
        with self._lock:
            if not self._free:
                request = table_service_pb2.CreateTableRequest(
                    request_id=secrets.token_hex(8),
                    display_name=f"load {RUN}",
                    rules=rules("turkish", ante=1),
                    seat_count=seats,
                    hand_pause=duration_pb2.Duration(),
                )
                answer = tables.CreateTable(request, metadata=metadata, timeout=CALL_SECONDS)
                self._name, self._free = answer.table.name, seats
            self._free -= 1
            return self._name


lobby = Lobby()
numbers = iter(range(1_000_000_000))


class CallingUser(User):
    """A user with a connection of his own and a way to report what he measured."""

    abstract = True
    wait_time = constant(0)
    #: What must have been measured at the end, as (method, name).
    measures: tuple[tuple[str, str], ...] = ()

    def on_start(self) -> None:
        """Connect."""
        options = [("grpc.use_local_subchannel_pool", 1)]  # else all users would share one connection
        address = (self.host or "localhost:50051").removeprefix("http://")
        self.channel = grpc.insecure_channel(address, options=options)

    def on_stop(self) -> None:
        """Disconnect."""
        self.channel.close()

    def report(
        self, method: str, name: str, began: float, *, size: int = 0, error: Exception | None = None
    ) -> None:
        """Tell Locust of one thing done."""
        self.environment.events.request.fire(
            request_type=method,
            name=name,
            response_time=(time.perf_counter() - began) * 1000,
            response_length=size,
            exception=error,
            context={},
        )


class Player(CallingUser):
    """Plays hands through one Play stream."""

    weight = 6
    measures = (("table", "hand"),)

    def on_start(self) -> None:
        """Take a seat and open the stream."""
        super().on_start()
        number = next(numbers)
        name = f"load-{RUN}-{number}"
        self.metadata = (("authorization", f"Bearer {token_for(name)}"),)
        self.bot = Bot(name, temperament=TEMPERAMENTS[number % len(TEMPERAMENTS)])
        self.tables = table_service_pb2_grpc.TableServiceStub(self.channel)
        self.table = self.lobby_call()
        self.stream: Any = None
        self.join()

    def lobby_call(self) -> str:
        """A table to play at; without one this user cannot go on."""
        began = time.perf_counter()
        try:
            return lobby.seat(self.tables, self.metadata, self.environment.parsed_options.seats)
        except grpc.RpcError as failure:
            self.report("call", "CreateTable", began, error=TurkpokerError.from_rpc_error(failure))
            raise StopUser from failure

    def join(self) -> None:
        """Buy in and open a new stream."""
        began = time.perf_counter()
        request = table_service_pb2.JoinTableRequest(request_id=secrets.token_hex(8), name=self.table)
        try:
            self.tables.JoinTable(request, metadata=self.metadata, timeout=CALL_SECONDS)
        except grpc.RpcError as failure:
            self.report("call", "JoinTable", began, error=TurkpokerError.from_rpc_error(failure))
            raise StopUser from failure
        self.report("call", "JoinTable", began)
        self.outgoing: Queue[table_service_pb2.PlayRequest | None] = Queue()
        self.outgoing.put(table_service_pb2.PlayRequest(start=table_service_pb2.PlayStart(name=self.table)))
        self.stream = self.tables.Play(self.requests(self.outgoing), metadata=self.metadata)
        self.view: TableView | None = None
        self.answered = ""
        self.bought_version = 0
        self.sent: dict[str, tuple[str, float]] = {}
        self.hand_began = 0.0

    @staticmethod
    def requests(
        outgoing: "Queue[table_service_pb2.PlayRequest | None]",
    ) -> Iterator[table_service_pb2.PlayRequest]:
        """What is written to the stream, until None."""
        while (request := outgoing.get()) is not None:
            yield request

    def leave(self) -> None:
        """End the stream and give the seat up."""
        self.outgoing.put(None)
        self.stream.cancel()
        request = table_service_pb2.LeaveTableRequest(request_id=secrets.token_hex(8), name=self.table)
        self.tables.LeaveTable(request, metadata=self.metadata, timeout=CALL_SECONDS)

    def on_stop(self) -> None:
        """Go home; a server that is gone by then is no fault of the run."""
        if self.stream is not None:
            with contextlib.suppress(grpc.RpcError):
                self.leave()
        super().on_stop()

    @task
    def one_message(self) -> None:
        """Take one message of the stream and answer the decision that it may bring."""
        began = time.perf_counter()
        try:
            with gevent.Timeout(QUIET_SECONDS):
                response = next(self.stream)
        except StopIteration:
            self.join()
            return
        except grpc.RpcError as failure:
            self.report("Play", "stream", began, error=TurkpokerError.from_rpc_error(failure))
            self.join()
            return
        except gevent.Timeout:
            self.report("Play", "stream", began, error=TimeoutError(f"silent for {QUIET_SECONDS:.0f} s"))
            return
        if response.WhichOneof("response") == "result":
            self.take_result(response.result)
        else:
            self.take_update(response.update)

    def take_result(self, result: table_service_pb2.PlayResult) -> None:
        """Report an action."""
        action, began = self.sent.pop(result.request_id)
        refused = result.WhichOneof("outcome") == "refused"
        error = TurkpokerError.from_status(result.refused) if refused else None
        self.report("Play", action, began, size=result.ByteSize(), error=error)

    def take_update(self, update: table_service_pb2.TableUpdate) -> None:
        """Follow the table, and play."""
        kind = update.WhichOneof("update")
        if kind == "snapshot":
            self.view = TableView.from_wire(update.snapshot)
        if self.view is None:
            return
        if kind == "events":
            for event in update.events.events:
                name = self.view.apply(event)
                if name == "hand_started":
                    self.hand_began = time.perf_counter()
                elif name == "hand_ended" and self.hand_began and self.view.your_seat == min(self.view.seats):
                    self.report("table", "hand", self.hand_began)
        if self.is_bust():
            self.buy()
        decision = self.view.decision
        if decision is not None and decision.id != self.answered:
            self.answered = decision.id
            self.act(decision)

    def is_bust(self) -> bool:
        """Without chips and in no running hand, as far as is known since the last purchase."""
        view = self.view
        if view is None or view.version < self.bought_version or view.your_seat not in view.seats:
            return False
        seat = view.seats[view.your_seat]
        playing = view.hand is not None and view.hand.phase != "over" and view.me is not None
        return not seat.stack and not seat.pending and not playing

    def buy(self) -> None:
        """Buy as many chips as at the start."""
        began = time.perf_counter()
        error: Exception | None = None
        request = table_service_pb2.AddChipsRequest(request_id=secrets.token_hex(8), name=self.table)
        try:
            answer = self.tables.AddChips(request, metadata=self.metadata, timeout=CALL_SECONDS)
            self.bought_version = answer.table.version
        except grpc.RpcError as failure:
            error = TurkpokerError.from_rpc_error(failure)
        self.report("call", "AddChips", began, error=error)

    def act(self, decision: Decision) -> None:
        """Answer a decision as the bot would."""
        assert self.view is not None
        move = self.bot.decide(decision, self.view)
        if self.environment.parsed_options.think:
            gevent.sleep(self.environment.parsed_options.think)
        request_id = secrets.token_hex(8)
        self.sent[request_id] = (move.action, time.perf_counter())
        self.outgoing.put(
            table_service_pb2.PlayRequest(
                action=table_service_pb2.PlayAction(
                    request_id=request_id,
                    decision_id=decision.id,
                    action=make_action(move.action, to=move.to, cards=move.cards),
                )
            )
        )


class Evaluations(CallingUser):
    """Has batches of random hands evaluated."""

    weight = 1
    measures = (("call", "BatchEvaluateHands"),)

    def on_start(self) -> None:
        """Make a batch once: what is measured is the server."""
        super().on_start()
        self.evaluator = evaluator_service_pb2_grpc.EvaluatorServiceStub(self.channel)
        deck = range(16, 52)
        chance = random.Random(1)
        hands = b"".join(bytes(chance.sample(deck, 5)) for _ in range(1000))
        batch = self.environment.parsed_options.batch
        self.request = evaluator_service_pb2.BatchEvaluateHandsRequest(
            hands=(hands * (batch // 1000 + 1))[: 5 * batch]
        )

    @task
    def batch(self) -> None:
        """One batch."""
        began = time.perf_counter()
        error: Exception | None = None
        size = 0
        try:
            answer = self.evaluator.BatchEvaluateHands(self.request, timeout=CALL_SECONDS)
            size = len(answer.strengths)
            if size != 2 * len(self.request.hands) // 5:
                error = ValueError("the answer has another number of hands")
        except grpc.RpcError as failure:
            error = TurkpokerError.from_rpc_error(failure)
        self.report("call", "BatchEvaluateHands", began, size=size, error=error)
        gevent.sleep(0.2)
