"""Why a call was refused, as one exception with typed parts.

The server puts `google.rpc.ErrorInfo`, `BadRequest`, `RetryInfo` and `turkpoker.v1.ActionRefusal` into the
details of a status; nobody should have to take them apart himself.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import ClassVar

import grpc
from google.rpc import error_details_pb2, status_pb2
from turkpoker.client.decisions import Decision, LegalActions
from turkpoker.v1 import errors_pb2

DOMAIN = "turkpoker"
_DETAILS_KEY = "grpc-status-details-bin"
_CODES = {code.value[0]: code for code in grpc.StatusCode}


class TurkpokerError(Exception):
    """A refusal by the server, or a failure on the way to it.

    code: the gRPC status code.
    reason: the name of a `v1.ErrorReason` without its prefix (`"STALE_DECISION"`), empty when the server gave
        none (a connection that failed, a proxy).
    message: the server's words.
    field: the field of the request that is wrong, if one is.
    metadata: further facts of the server, by name.
    retry_after: how long the server asks to wait, if it does.
    decision: the caller's open decision as the server knows it, if he has one.
    legal: what that decision allows; empty without one.
    """

    _classes: ClassVar[dict[str, type["TurkpokerError"]]] = {}

    def __init_subclass__(cls, *, reason: str = "", **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if reason:
            TurkpokerError._classes[reason] = cls

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        *,
        reason: str = "",
        field: str | None = None,
        metadata: dict[str, str] | None = None,
        retry_after: timedelta | None = None,
        decision: Decision | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.field = field
        self.metadata = metadata or {}
        self.retry_after = retry_after
        self.decision = decision

    @property
    def legal(self) -> LegalActions:
        """What the open decision allows, `{}` without one."""
        return self.decision.legal if self.decision else {}

    @property
    def is_passing(self) -> bool:
        """True when the same request, with the same request id, may be sent again a little later."""
        if self.code is grpc.StatusCode.RESOURCE_EXHAUSTED:  # without these it is a message that is too large
            return self.reason == "TOO_MANY_REQUESTS" or self.retry_after is not None
        return self.code is grpc.StatusCode.UNAVAILABLE

    def __str__(self) -> str:
        where = f" (field {self.field})" if self.field else ""
        return f"{self.reason or self.code.name}: {self.message}{where}"

    @classmethod
    def from_status(cls, status: status_pb2.Status) -> "TurkpokerError":
        """The error that a `google.rpc.Status` describes."""
        code = _CODES.get(status.code, grpc.StatusCode.UNKNOWN)
        reason, field, retry_after, decision = "", None, None, None
        metadata: dict[str, str] = {}
        for detail in status.details:
            info = error_details_pb2.ErrorInfo()
            bad_request = error_details_pb2.BadRequest()
            retry = error_details_pb2.RetryInfo()
            refusal = errors_pb2.ActionRefusal()
            if detail.Unpack(info):
                if info.domain == DOMAIN:
                    reason, metadata = info.reason, dict(info.metadata)
            elif detail.Unpack(bad_request):
                if bad_request.field_violations:
                    field = bad_request.field_violations[0].field
            elif detail.Unpack(retry):
                retry_after = retry.retry_delay.ToTimedelta()
            elif detail.Unpack(refusal):
                reason = reason or errors_pb2.ErrorReason.Name(refusal.reason).removeprefix("ERROR_REASON_")
                if refusal.HasField("decision"):
                    decision = Decision.from_wire(refusal.decision)
        return TurkpokerError._classes.get(reason, TurkpokerError)(
            code,
            status.message,
            reason=reason,
            field=field or metadata.get("field"),
            metadata=metadata,
            retry_after=retry_after,
            decision=decision,
        )

    @classmethod
    def from_rpc_error(cls, error: grpc.RpcError) -> "TurkpokerError":
        """The error behind what grpc raised (synchronous or asyncio)."""
        code: grpc.StatusCode = error.code()
        message = str(error.details() or "")
        trailing: Iterable[tuple[str, str | bytes]] = error.trailing_metadata() or ()  # type: ignore[assignment]
        for key, value in trailing:
            if key == _DETAILS_KEY and isinstance(value, bytes):
                status = status_pb2.Status.FromString(value)
                if status.code == code.value[0]:
                    return cls.from_status(status)
        return TurkpokerError(code, message)


class StaleDecisionError(TurkpokerError, reason="STALE_DECISION"):
    """The decision has been answered (perhaps by the clock) or is gone."""


class ReplacedError(TurkpokerError, reason="REPLACED"):
    """A newer stream of the same player at the same table has taken over. Never retried."""


class ActionNotLegalError(TurkpokerError, reason="ACTION_NOT_LEGAL"):
    """The rules do not allow this action now; `legal` tells what they allow."""


class AmountOutOfRangeError(TurkpokerError, reason="AMOUNT_OUT_OF_RANGE"):
    """The amount lies outside the legal range; `legal` tells the range."""


class NotYourTurnError(TurkpokerError, reason="NOT_YOUR_TURN"):
    """The decision is somebody else's."""
