"""Answers that were raised instead of returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treadle.errors import HttpError

#: Longest sentence of an error that a client gets, in characters.
_MAX_SENTENCE = 2048


@dataclass(frozen=True)
class ThrownAnswer:
    """What an error asks to be answered with."""

    status: int
    #: ``{"status", "body"?, "headers"?}``, as a handler would return it.
    result: dict[str, Any]
    #: For the client, where there is no body; empty: the name of the status.
    sentence: str


def thrown_answer(raised: BaseException) -> ThrownAnswer | None:
    """
    Of an ``HttpError``, or of another package's error with a ``status`` or ``status_code`` that it exposes, or that is the client's
    fault. None for every other error.
    """
    if getattr(raised, "treadle_http_error", False) is True:
        return _of_http_error(raised)  # type: ignore[arg-type]
    return _of_foreign(raised) if isinstance(raised, Exception) else None


def _of_http_error(error: HttpError) -> ThrownAnswer:
    result: dict[str, Any] = {"status": error.status, "headers": error.headers}
    typed = any(str(name).lower() == "content-type" for name in error.headers or ())
    if error.body is not None and (typed or not isinstance(error.body, str)):
        result["body"] = error.body
    return ThrownAnswer(error.status, result, str(error)[:_MAX_SENTENCE])


def _of_foreign(error: Exception) -> ThrownAnswer | None:
    """Its words and headers reach the client only where it says so: errors of HTTP clients carry what another server said."""
    status = next((value for value in (getattr(error, name, None) for name in ("status", "status_code")) if _is_status(value)), None)
    exposed = getattr(error, "expose", None) is True
    if status is None or (status >= 500 and not exposed):
        return None
    headers = getattr(error, "headers", None) if exposed else None
    result = {"status": int(status), "headers": headers if isinstance(headers, Mapping) else None}
    return ThrownAnswer(int(status), result, str(error)[:_MAX_SENTENCE] if exposed else "")


def _is_status(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 400 <= value <= 599
