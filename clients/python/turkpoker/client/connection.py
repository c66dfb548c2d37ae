"""The connection below the client: channel, token, stubs, and unary calls that are tried again."""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import grpc
from grpc import aio
from turkpoker.client.errors import TurkpokerError
from turkpoker.client.retries import Retries
from turkpoker.v1 import (
    evaluator_service_pb2_grpc,
    hand_history_service_pb2_grpc,
    operator_service_pb2_grpc,
    session_service_pb2_grpc,
    table_service_pb2_grpc,
)

Token = str | Callable[[], str]
_Request_contra = TypeVar("_Request_contra", contravariant=True)
_Response_co = TypeVar("_Response_co", covariant=True)

_CHANNEL_OPTIONS = [
    # A server that comes back is found within a second or two, not after gRPC's two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A peer that vanished without a word is noticed.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
]


class _Method(Protocol[_Request_contra, _Response_co]):
    def __call__(
        self, request: _Request_contra, /, *, timeout: float | None, metadata: Any
    ) -> Awaitable[_Response_co]: ...


class Connection:
    """A channel to a server with one caller's token; `Client` is the one to use."""

    def __init__(
        self,
        address: str,
        token: Token = "",
        *,
        credentials: grpc.ChannelCredentials | None = None,
        patience: float = 30.0,
        call_timeout: float = 15.0,
        options: list[tuple[str, int | str]] | None = None,
    ) -> None:
        channel_options = [*_CHANNEL_OPTIONS, *(options or [])]
        if credentials is None:
            self._channel = aio.insecure_channel(address, options=channel_options)
        else:
            self._channel = aio.secure_channel(address, credentials, options=channel_options)
        self._token = token
        self.address = address
        self.patience = patience
        self._call_timeout = call_timeout
        self.tables = table_service_pb2_grpc.TableServiceStub(self._channel)
        self.evaluator = evaluator_service_pb2_grpc.EvaluatorServiceStub(self._channel)
        self.history = hand_history_service_pb2_grpc.HandHistoryServiceStub(self._channel)
        self.sessions = session_service_pb2_grpc.SessionServiceStub(self._channel)
        self.operations = operator_service_pb2_grpc.OperatorServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; sessions and watches on it end."""
        await self._channel.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address!r})"  # never the token

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The metadata of a call: who the caller is."""
        token = self._token() if callable(self._token) else self._token
        if not (token.isascii() and token.isprintable()):  # gRPC itself would fail without saying why
            raise TurkpokerError(grpc.StatusCode.UNAUTHENTICATED, "the token holds characters that none has")
        return (("authorization", f"Bearer {token}"),) if token else ()

    async def unary(
        self, method: _Method[_Request_contra, _Response_co], request: _Request_contra
    ) -> _Response_co:
        """One call, tried again while its failure is a passing one and patience lasts."""
        retries = Retries(self.patience)
        while True:
            try:
                return await method(request, timeout=self._call_timeout, metadata=self.metadata())
            except aio.AioRpcError as failure:
                error = TurkpokerError.from_rpc_error(failure)
                if not error.is_passing and error.code is not grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise error from None
                await retries.pause(error)
