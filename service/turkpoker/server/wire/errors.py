"""Refusals of the inner layers as refusals of the service."""

from __future__ import annotations

import logging
from datetime import timedelta

from google.protobuf.message import Message
from turkpoker.server.errors import ServiceError
from turkpoker.server.wire.actions import decision_to_wire
from turkpoker.table.errors import Reason, StoreAway, StoreError, TableError
from turkpoker.v1 import errors_pb2

logger = logging.getLogger(__name__)

#: When trying again makes sense while the store is away.
STORE_RETRY = timedelta(seconds=1)
#: When trying again makes sense while an operator lets no table be made.
DRAIN_RETRY = timedelta(seconds=30)

# With these the answer lists what the caller may do instead.
_ACTION_REASONS = frozenset(
    {"STALE_DECISION", "NOT_YOUR_TURN", "ACTION_NOT_LEGAL", "AMOUNT_OUT_OF_RANGE", "BAD_DISCARD"}
)


def translate_error(error: Exception) -> ServiceError | None:
    """The refusal that an error of table or storage stands for; None for what no client can cause."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, StoreError):
        if not isinstance(error, StoreAway):
            # The operator has to see to it: another seal key, say. The texts of the store hold nothing
            # secret.
            logger.error("the store cannot be used: %s", error)
        return ServiceError("STORE_AWAY", "the store cannot be reached", retry_after=STORE_RETRY)
    if not isinstance(error, TableError):
        return None
    details: list[Message] = []
    if error.reason in _ACTION_REASONS:
        refusal = errors_pb2.ActionRefusal(
            reason=errors_pb2.ErrorReason.Value(f"ERROR_REASON_{error.reason}"),
        )
        if error.decision is not None:
            # The table puts in the caller's own question only.
            refusal.decision.CopyFrom(decision_to_wire(error.decision))
        details.append(refusal)
    return ServiceError(
        error.reason,
        error.message,
        field=error.field,
        metadata=error.metadata,
        retry_after=DRAIN_RETRY if error.reason is Reason.DRAINING else None,
        details=details,
    )
