"""What every call passes: credentials, decoding, and the mapping of errors to codes.

Requests are decoded here and not by grpc, because grpc would answer bytes that are no message with INTERNAL,
and INTERNAL is for faults of the server only. Streaming handlers are coroutines that write to the context: a
time limit or a task of theirs then ends in the frame in which it began.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from turkpoker.server.access import access_of
from turkpoker.server.auth import Authenticator, require_role, set_caller
from turkpoker.server.errors import STATUS_DETAILS_KEY, ServiceError, code_number
from turkpoker.server.limits import Limits, written_table

logger = logging.getLogger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]
Translate = Callable[[Exception], ServiceError | None]


class GateInterceptor(grpc.aio.ServerInterceptor):
    """Lets a call in when its token is good, decodes its requests, answers every failure with a clear status.

    Args:
        authenticator: checks the tokens.
        translate: makes refusals of the inner layers into a ServiceError; None for what it does not know.
        limits: how much one may ask for.
    """

    def __init__(self, authenticator: Authenticator, translate: Translate, limits: Limits) -> None:
        self._authenticator = authenticator
        self._translate = translate
        self._limits = limits

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(handler_call_details)
        method: str = handler_call_details.method
        if handler is None or not method.startswith("/turkpoker."):
            return handler
        return self._guarded(handler, method)

    def _guarded(self, handler: Any, method: str) -> Any:
        decode = handler.request_deserializer
        if handler.response_streaming:
            behaviour = handler.stream_stream if handler.request_streaming else handler.unary_stream

            async def stream(request: Any, context: Context) -> None:
                try:
                    await self._let_in(context, method)
                    decoded = (
                        _decoded_stream(decode, request) if handler.request_streaming else decode(request)
                    )
                    await behaviour(decoded, context)
                except Exception as error:
                    await self._refuse(error, context, method)

            make = (
                grpc.stream_stream_rpc_method_handler
                if handler.request_streaming
                else grpc.unary_stream_rpc_method_handler
            )
            return make(stream, response_serializer=handler.response_serializer)

        async def unary(request: bytes, context: Context) -> Any:
            try:
                await self._let_in(context, method)
                decoded = decode(request)
                table = written_table(method, decoded)
                if table is None:
                    return await handler.unary_unary(decoded, context)
                self._limits.check_table(table)
                return await handler.unary_unary(decoded, context)
            except Exception as error:
                await self._refuse(error, context, method)

        return grpc.unary_unary_rpc_method_handler(unary, response_serializer=handler.response_serializer)

    async def _let_in(self, context: Context, method: str) -> None:
        access = access_of(method)
        if access.open:
            self._limits.check_stranger(context)
            return
        identity = await self._authenticator.identify(
            context.invocation_metadata() or (), lambda: self._limits.check_sign_in(context)
        )
        self._limits.check_call(method, identity.player)
        set_caller(identity)
        if access.roles:
            require_role(*access.roles)

    async def _refuse(self, error: Exception, context: Context, method: str) -> None:
        if isinstance(error, grpc.aio.AbortError):
            raise error
        if isinstance(error, grpc.aio.InternalError):
            # A write to a client that has gone meanwhile; there is nobody to answer.
            logger.debug("%s: the client has gone", method)
            return
        if isinstance(error, DecodeError):
            error = ServiceError("INVALID_FIELD", "the request is not a message of this method")
        refusal = error if isinstance(error, ServiceError) else self._translate(error)
        if refusal is None:
            # Without the text of the error, which might quote a hidden card or a token.
            where = "".join(traceback.format_tb(error.__traceback__))
            logger.error("%s failed with %s\n%s", method, type(error).__name__, where)
            await context.abort(grpc.StatusCode.INTERNAL, "internal error")
        await abort(context, refusal)


async def abort(context: Context, refusal: ServiceError) -> None:
    """End a call with a refusal and its details."""
    details = ((STATUS_DETAILS_KEY, refusal.to_status().SerializeToString()),)
    logger.debug("refused: %s %d", refusal.reason, code_number(refusal.code))
    await context.abort(refusal.code, refusal.message, details)


async def _decoded_stream(
    decode: Callable[[bytes], Any], requests: AsyncIterator[bytes]
) -> AsyncIterator[Any]:
    async for request in requests:
        yield decode(request)
