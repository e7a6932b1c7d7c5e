"""Why a request is not answered by its handler: the rows of the engine's error table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from ..invocations import Failure

_STATUSES = frozenset(HTTPStatus)
#: Where Python's names, which change with its versions, are not those of the engine.
_NAMES = {
    413: "Payload Too Large", 414: "URI Too Long", 416: "Range Not Satisfiable", 418: "I'm a Teapot", 422: "Unprocessable Entity", 509: "Bandwidth Limit Exceeded",
}


@dataclass(frozen=True)
class Problem:
    """``error`` is for people, ``code`` for machines."""

    status: int
    code: str
    error: str
    issues: list[dict[str, str]] | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def body(self, trace_id: str) -> dict[str, Any]:
        return {"error": self.error, "code": self.code, "traceId": trace_id, **({} if self.issues is None else {"issues": self.issues})}


def problem(status: int, code: str, error: str) -> Problem:
    return Problem(status, code, error)


def bad_request(error: str) -> Problem:
    return Problem(400, "bad_request", error)


def invalid_json(error: str) -> Problem:
    return Problem(400, "invalid_json", error)


def validation_failed(issues: list[dict[str, str]]) -> Problem:
    return Problem(400, "validation_failed", "Validation failed", issues[:20])


def raised(status: int, sentence: str) -> Problem:
    """For an answer that was raised without a body; the name of the status stands in for the sentence and is the code."""
    name = _NAMES.get(status) or (HTTPStatus(status).phrase if status in _STATUSES else f"HTTP status {status}")
    return Problem(status, re.sub(r"[^a-z0-9]+", "_", name.lower().replace("'", "")), sentence or name)


def unusable(reason: str) -> Problem:
    return Problem(500, "invalid_handler_result", f"The handler gave an unusable result: {reason}")


_UNHANDLED = Problem(500, "unhandled_exception", "Internal Server Error")
_BY_FAILURE = {
    "condition_not_met": Problem(422, "condition_not_met", "The condition of the Step is not met"),
    "handler_timeout": Problem(504, "handler_timeout", "The handler took too long"),
    "invalid_json": invalid_json("The body is not valid JSON"),
    "cancelled": Problem(503, "draining", "The engine is shutting down", headers={"retry-after": "1"}),
    "invalid_handler_result": Problem(500, "invalid_handler_result", "The handler gave an unusable result"),
}


def problem_of(failure: Failure) -> Problem:
    """The table's row; anything unknown is an unhandled exception."""
    if failure.code == "validation_failed":
        return validation_failed(failure.issues or [])
    if failure.code == "unhandled_exception" and failure.name == "QueueFull":
        return Problem(503, "queue_full", "The queue takes no more at the moment", headers={"retry-after": "5"})
    return _BY_FAILURE.get(failure.code, _UNHANDLED)
