"""OpenTelemetry's tracer and its provider. Spans outside a sampled run are not kept, nor is one more than a run may make."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from .api import open_telemetry, span_class
from .handler_span import HandlerSpan
from .own_span import OwnSpan


def _agnostic() -> Callable[..., Any]:
    """The API's own context manager also decorates coroutines; it is not public."""
    try:
        from opentelemetry.util._decorator import _agnosticcontextmanager

        made: Callable[..., Any] = _agnosticcontextmanager
    except ImportError:
        return contextlib.contextmanager
    return made


class RunTracer:
    """Is both, for it knows one application only."""

    def __init__(self) -> None:
        self.start_as_current_span = _agnostic()(self._as_current)

    def get_tracer(self, *_: Any, **__: Any) -> RunTracer:
        return self

    def start_span(
        self, name: str, context: Any = None, kind: Any = 0, attributes: Any = None, links: Any = None, start_time: int | None = None,
        record_exception: bool = True, set_status_on_exception: bool = True,
    ) -> Any:
        trace = open_telemetry()
        parent = trace.get_current_span(context)
        handler = parent.handler if isinstance(parent, OwnSpan) else parent
        if not isinstance(handler, HandlerSpan) or not handler.has_room:
            above = parent.get_span_context()
            return trace.NonRecordingSpan(trace.SpanContext(above.trace_id, above.span_id, is_remote=False, trace_flags=trace.TraceFlags(0)))
        span = span_class(OwnSpan)(name, parent, kind, start_time)
        span.set_attributes(attributes or {})
        span.add_links(links or ())
        return span

    def _as_current(
        self, name: str, context: Any = None, kind: Any = 0, attributes: Any = None, links: Any = None, start_time: int | None = None,
        record_exception: bool = True, set_status_on_exception: bool = True, end_on_exit: bool = True,
    ) -> Iterator[Any]:
        span = self.start_span(name, context, kind, attributes, links, start_time)
        with open_telemetry().use_span(
            span, end_on_exit=end_on_exit, record_exception=record_exception, set_status_on_exception=set_status_on_exception
        ):
            yield span
