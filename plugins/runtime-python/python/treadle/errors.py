"""What handlers raise to steer retries, and what operations raise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any


class NonRetryableError(Exception):
    """Raised by a handler: the message becomes a dead letter now, without further attempts."""

    def __init__(self, message: str = "not to be tried again") -> None:
        super().__init__(message)


class RetryAfter(Exception):
    """Raised by a handler: the next attempt comes after ``delay_ms`` milliseconds."""

    def __init__(self, delay_ms: float, message: str | None = None) -> None:
        """:raises ValueError: when ``delay_ms`` is not a finite number from 0."""
        if isinstance(delay_ms, bool) or not isinstance(delay_ms, (int, float)) or not math.isfinite(delay_ms) or delay_ms < 0:
            raise ValueError(f"RetryAfter needs milliseconds from 0, got {delay_ms!r}")
        super().__init__(message or f"try again after {delay_ms} ms")
        self.delay_ms = delay_ms


class HandlerExit(Exception):
    """Raised in place of ending the process when a handler calls ``os._exit`` or ``os.abort``: others run in it as well."""

    def __init__(self, call: str) -> None:
        super().__init__(f"the handler called {call}, which would end a process that other Steps run in; raise an error instead")


class HttpError(Exception):
    """
    Raised on the way of a request (middleware, condition, handler): it is answered with this status, body and headers. Without a body, or
    with a sentence in its place, the client gets ``{"error", "code", "traceId"}`` as from the engine itself. Below 500 it is not logged.
    In the handler of another trigger it is an error like any other.
    """

    #: By which other copies of this package know it.
    treadle_http_error = True

    def __init__(self, status: int, body: Any = None, headers: Mapping[str, Any] | None = None) -> None:
        """:raises ValueError: when ``status`` is not an integer from 400 to 599."""
        if isinstance(status, bool) or not isinstance(status, int) or not 400 <= status <= 599:
            raise ValueError(f"HttpError needs a status from 400 to 599, got {status!r}")
        super().__init__(_sentence(status, body))
        self.status = int(status)
        self.body = body
        self.headers = headers


def _sentence(status: int, body: Any) -> str:
    said = body.get("error") if isinstance(body, Mapping) else body
    if isinstance(said, str):
        return said
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return f"HTTP status {status}"


class OperationError(Exception):
    """Raised by ``ctx.state``, ``ctx.streams``, ``ctx.enqueue`` or ``ctx.call``; ``code`` is stable, e.g. ``StaleDelivery`` or ``QueueFull``."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class TopicNotDeclared(OperationError):
    """Raised by ``ctx.enqueue`` for a topic that the Step's ``enqueues`` does not list. Nothing was sent."""

    def __init__(self, step: str, topic: str) -> None:
        super().__init__("TopicNotDeclared", f'Step "{step}" enqueues to "{topic}", which its "enqueues" does not list')


class AbortError(Exception):
    """Raised by ``ctx.signal.throw_if_aborted()`` when the client has gone or the engine stops; over time it is ``TimeoutError``."""


class ClientGone(ConnectionError):
    """Raised by ``send`` of a streamed answer when nobody listens any more."""

    def __init__(self) -> None:
        super().__init__("the client has gone")
