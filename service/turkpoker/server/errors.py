"""Why a call is refused: one exception, which becomes a google.rpc.Status with machine-readable details.

Every refusal names an ``ErrorReason`` of the contract, and the reason alone decides the code, so that the
unary calls and the streams cannot differ. Messages are for people and never hold a card, a token or a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

DOMAIN = "turkpoker"
STATUS_DETAILS_KEY = "grpc-status-details-bin"

_INVALID = grpc.StatusCode.INVALID_ARGUMENT
_PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION

#: The code of each reason; names are those of ``ErrorReason`` without the prefix.
CODES: Mapping[str, grpc.StatusCode] = {
    "INVALID_FIELD": _INVALID,
    "REQUEST_ID_REUSED": _INVALID,
    "RULES_NOT_PLAYABLE": _INVALID,
    "BUY_IN_OUT_OF_RANGE": _INVALID,
    "NOT_CARRIED_OUT": grpc.StatusCode.UNIMPLEMENTED,
    "NO_CREDENTIALS": grpc.StatusCode.UNAUTHENTICATED,
    "NOT_YOUR_SEAT": grpc.StatusCode.PERMISSION_DENIED,
    "NOT_THE_HOST": grpc.StatusCode.PERMISSION_DENIED,
    "TABLE_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "HAND_NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "SEAT_TAKEN": grpc.StatusCode.ALREADY_EXISTS,
    "ALREADY_SEATED": grpc.StatusCode.ALREADY_EXISTS,
    "TABLE_FULL": _PRECONDITION,
    "TABLE_CLOSED": _PRECONDITION,
    "STALE_DECISION": grpc.StatusCode.ABORTED,
    "NOT_YOUR_TURN": _PRECONDITION,
    "ACTION_NOT_LEGAL": _PRECONDITION,
    "AMOUNT_OUT_OF_RANGE": _PRECONDITION,
    "BAD_DISCARD": _PRECONDITION,
    "REPLACED": grpc.StatusCode.ABORTED,
    "TOO_MANY_REQUESTS": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "STORE_AWAY": grpc.StatusCode.UNAVAILABLE,
    "SHUTTING_DOWN": grpc.StatusCode.UNAVAILABLE,
    "STREAM_EXPIRED": grpc.StatusCode.UNAVAILABLE,
    "NOT_NOW": _PRECONDITION,
    "NOT_INVITED": grpc.StatusCode.PERMISSION_DENIED,
    "ROLE_MISSING": grpc.StatusCode.PERMISSION_DENIED,
    "REMOVED": grpc.StatusCode.PERMISSION_DENIED,
    "TOO_MANY_TABLES": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "GUESTS_OFF": _PRECONDITION,
    "BANK_REFUSED": _PRECONDITION,
    "DRAINING": grpc.StatusCode.UNAVAILABLE,
    "TABLE_NOT_FULL": _PRECONDITION,
    "TOO_MANY_STREAMS": grpc.StatusCode.RESOURCE_EXHAUSTED,
}


class ServiceError(Exception):
    """A call is refused.

    Args:
        reason: a key of ``CODES``.
        message: one sentence for a person.
        field: the request field that is to blame; becomes a BadRequest field violation.
        metadata: facts for programs, as in the examples of errors.proto.
        retry_after: when trying again makes sense; becomes RetryInfo.
        details: further messages for the status details.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        field: str | None = None,
        metadata: Mapping[str, str] | None = None,
        retry_after: timedelta | None = None,
        details: Iterable[Message] = (),
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.field = field
        self.metadata = dict(metadata or {})
        self.retry_after = retry_after
        self.details = tuple(details)

    @property
    def code(self) -> grpc.StatusCode:
        """The gRPC code of the reason."""
        return CODES[self.reason]

    def to_status(self) -> status_pb2.Status:
        """The refusal as it goes over the wire, also inside the result of a Play action."""
        metadata = dict(self.metadata)
        if self.field is not None:
            metadata.setdefault("field", self.field)
        parts: list[Message] = [
            error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN, metadata=metadata)
        ]
        if self.field is not None:
            violation = error_details_pb2.BadRequest.FieldViolation(
                field=self.field, description=self.message
            )
            parts.append(error_details_pb2.BadRequest(field_violations=[violation]))
        if self.retry_after is not None:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromTimedelta(self.retry_after)
            parts.append(retry)
        status = status_pb2.Status(code=code_number(self.code), message=self.message)
        for part in (*parts, *self.details):
            packed = any_pb2.Any()
            packed.Pack(part)
            status.details.append(packed)
        return status


def code_number(code: grpc.StatusCode) -> int:
    """The number that stands for a code in google.rpc.Status."""
    number: int = code.value[0]
    return number


def invalid(field: str, message: str, **metadata: str) -> ServiceError:
    """The refusal of one field of a request."""
    return ServiceError("INVALID_FIELD", message, field=field, metadata=metadata)
