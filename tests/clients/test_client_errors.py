"""Status details become one typed error."""

from datetime import timedelta

import grpc
import pytest
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from turkpoker.client import AmountOutOfRangeError, ReplacedError, StaleDecisionError, TurkpokerError
from turkpoker.client.backoff import Backoff
from turkpoker.client.retries import stream_may_resume
from turkpoker.v1 import actions_pb2, errors_pb2


def status(code: grpc.StatusCode, message: str, *details: Message) -> status_pb2.Status:
    packed = []
    for detail in details:
        any_detail = any_pb2.Any()
        any_detail.Pack(detail)
        packed.append(any_detail)
    return status_pb2.Status(code=code.value[0], message=message, details=packed)


def info(reason: str, domain: str = "turkpoker", **metadata: str) -> error_details_pb2.ErrorInfo:
    return error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata)


def test_a_refused_amount_tells_what_is_legal() -> None:
    decision = actions_pb2.Decision(
        decision_id="h3.round1.s1.d2",
        seat=1,
        phase=actions_pb2.PHASE_ROUND1,
        legal_actions=[
            actions_pb2.LegalAction(type=actions_pb2.ACTION_TYPE_FOLD),
            actions_pb2.LegalAction(type=actions_pb2.ACTION_TYPE_CALL, call_amount=12),
            actions_pb2.LegalAction(type=actions_pb2.ACTION_TYPE_RAISE, min_to=20, max_to=60),
        ],
    )
    refusal = errors_pb2.ActionRefusal(reason=errors_pb2.ERROR_REASON_AMOUNT_OUT_OF_RANGE, decision=decision)
    error = TurkpokerError.from_status(
        status(
            grpc.StatusCode.FAILED_PRECONDITION,
            "70 is too much",
            info("AMOUNT_OUT_OF_RANGE", min="20", max="60"),
            refusal,
        )
    )
    assert isinstance(error, AmountOutOfRangeError)
    assert error.code is grpc.StatusCode.FAILED_PRECONDITION
    assert error.metadata == {"min": "20", "max": "60"}
    assert error.legal == {"fold": True, "call": 12, "raise": (20, 60)}
    assert error.decision is not None
    assert (error.decision.id, error.decision.phase) == ("h3.round1.s1.d2", "round1")
    assert not error.is_passing


def test_a_bad_field_is_named() -> None:
    violations = error_details_pb2.BadRequest(
        field_violations=[error_details_pb2.BadRequest.FieldViolation(field="buy_in", description="negative")]
    )
    error = TurkpokerError.from_status(
        status(grpc.StatusCode.INVALID_ARGUMENT, "no such amount", info("INVALID_FIELD"), violations)
    )
    assert error.field == "buy_in"
    assert "buy_in" in str(error)
    assert error.legal == {}


def test_a_stranger_s_details_are_no_reason() -> None:
    error = TurkpokerError.from_status(
        status(grpc.StatusCode.UNAVAILABLE, "proxy", info("STALE_DECISION", domain="example.org"))
    )
    assert error.reason == ""
    assert not isinstance(error, StaleDecisionError)


@pytest.mark.parametrize(
    ("code", "reason", "retry", "passing", "resumes"),
    [
        (grpc.StatusCode.UNAVAILABLE, "", None, True, True),
        (grpc.StatusCode.UNAVAILABLE, "STORE_AWAY", 2.0, True, True),
        (grpc.StatusCode.UNAVAILABLE, "STREAM_EXPIRED", None, True, True),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS", 1.0, True, True),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "", None, False, False),
        (grpc.StatusCode.ABORTED, "REPLACED", None, False, False),
        (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT", None, False, False),
        (grpc.StatusCode.ABORTED, "STALE_DECISION", None, False, False),
        (grpc.StatusCode.UNAUTHENTICATED, "NO_CREDENTIALS", None, False, False),
        (grpc.StatusCode.INTERNAL, "", None, False, True),
    ],
)
def test_what_is_tried_again(
    code: grpc.StatusCode, reason: str, retry: float | None, passing: bool, resumes: bool
) -> None:
    details: list[Message] = [info(reason)] if reason else []
    if retry is not None:
        delay = duration_pb2.Duration()
        delay.FromTimedelta(timedelta(seconds=retry))
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    error = TurkpokerError.from_status(status(code, "", *details))
    assert error.is_passing is passing
    assert stream_may_resume(error) is resumes
    assert error.retry_after == (timedelta(seconds=retry) if retry is not None else None)
    assert isinstance(error, ReplacedError) is (reason == "REPLACED")


def test_backoff_grows_stays_below_its_ceiling_and_minds_the_server() -> None:
    backoff = Backoff(first=0.1, most=2.0)
    waits = [backoff.next() for _ in range(200)]
    for step, wait in enumerate(waits):
        ceiling = min(2.0, 0.1 * 2**step)
        assert ceiling / 2 <= wait <= ceiling
    assert len(set(waits[10:])) > 50
    backoff.reset()
    assert backoff.next() <= 0.1
    assert 7.0 <= backoff.next(at_least=7.0) <= 8.75
