"""What is told of anything that was raised."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from treadle.errors import NonRetryableError, OperationError, RetryAfter

from ..wire.json_text import encode
from ..wire.limits import MAX_ISSUES

#: Bounds of what is told of an error, in characters: whatever a handler raises has to fit into a message.
_MAX_STACK = 16_384
_MAX_MESSAGE = 16_384
_MAX_NAME = 256
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep

Failure = dict[str, Any]


class RunError(Exception):
    """Ends an invocation with a code of the protocol in place of ``unhandled_exception``. Raised inside the worker only."""

    def __init__(self, code: str, message: str, issues: Sequence[dict[str, str]] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.issues = None if issues is None else list(issues[:MAX_ISSUES])


def to_failure(raised: BaseException) -> Failure:
    """The members of an ``error`` message. Never raises."""
    if isinstance(raised, RunError):
        return {"code": raised.code, "message": str(raised), **({} if raised.issues is None else {"issues": raised.issues})}
    failure = {"code": "unhandled_exception", **describe_error(raised)}
    if isinstance(raised, NonRetryableError):
        failure["nonRetryable"] = True
    elif isinstance(raised, RetryAfter):
        failure["retryAfterMs"] = raised.delay_ms
    elif isinstance(raised, OperationError):
        # Which operation refused is in the code: the engine answers some of them with a status of their own.
        failure["name"] = raised.code
    return failure


def error_text(invocation: int, failure: Failure) -> str:
    """The ``error`` message as JSON text."""
    return encode({"type": "error", "id": invocation, **failure})


def failure_members(failure: Failure) -> str:
    """Members of an ``error`` message, each after a comma."""
    return "," + encode(failure)[1:-1]


def describe_error(raised: BaseException) -> Failure:
    """Message, class name and stack of anything that was raised. Never raises."""
    try:
        return {
            "message": (str(raised) or type(raised).__name__)[:_MAX_MESSAGE],
            "name": type(raised).__name__[:_MAX_NAME],
            "stack": stack_of(raised),
        }
    except Exception:
        # A hostile __str__; the invocation must still end.
        return {"message": "an error that cannot be read", "name": type(raised).__name__[:_MAX_NAME]}


def log_fields(raised: BaseException) -> dict[str, Any]:
    """Of the record of a handler that failed."""
    said = describe_error(raised)
    return {"error": said["message"], "errorName": said.get("name"), "stack": said.get("stack")}


def stack_of(raised: BaseException) -> str:
    """A traceback as the application's author expects it: from the first frame outside this package on."""
    chain = traceback.TracebackException(type(raised), raised, _own_frames_skipped(raised.__traceback__))
    return "".join(chain.format())[:_MAX_STACK].rstrip()


def _own_frames_skipped(trace: TracebackType | None) -> TracebackType | None:
    found = trace
    while found is not None and found.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        found = found.tb_next
    return found or trace
