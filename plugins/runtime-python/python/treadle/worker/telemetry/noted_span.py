"""Spans that keep what code says of them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from ..running.failure import stack_of
from .api import open_telemetry
from .limits import MAX_ATTRIBUTES, MAX_EVENT_ATTRIBUTES, MAX_EVENTS, MAX_LINKS, MAX_STACK, MAX_TEXT, put_attributes, short_name


class SpanIdentity:
    """OpenTelemetry's ``SpanContext``, by shape."""

    __slots__ = ("trace_id", "span_id", "trace_flags", "is_remote", "is_valid", "trace_state")

    def __init__(self, trace_id: int, span_id: int, trace_flags: int, is_remote: bool) -> None:
        self.trace_id = trace_id
        self.span_id = span_id
        self.trace_flags = trace_flags
        self.is_remote = is_remote
        self.is_valid = True
        self.trace_state: dict[str, str] = {}


def identity(trace_id: int, span_id: int, flags: int, is_remote: bool) -> Any:
    """What identifies a span, as OpenTelemetry has it where it is installed."""
    trace = open_telemetry()
    if trace is None:
        return SpanIdentity(trace_id, span_id, flags, is_remote)
    return trace.SpanContext(trace_id, span_id, is_remote=is_remote, trace_flags=trace.TraceFlags(flags))


class NotedSpan:
    """A span of OpenTelemetry's API, by shape: keeps what code says of it, within limits."""

    def __init__(self, context: Any, recording: bool) -> None:
        self._identity = context
        self._ended = not recording
        self._attributes: dict[str, Any] = {}
        self._events: list[dict[str, Any]] = []
        self._links: list[str] = []
        self._error: dict[str, str] | None = None
        self._recorded: dict[str, str] | None = None

    def get_span_context(self) -> Any:
        return self._identity

    def is_recording(self) -> bool:
        return not self._ended

    def set_attribute(self, key: str, value: Any) -> None:
        self.set_attributes({key: value})

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        if not self._ended:
            put_attributes(self._attributes, attributes, MAX_ATTRIBUTES)

    def add_event(self, name: str, attributes: Mapping[str, Any] | None = None, timestamp: int | None = None) -> None:
        """``timestamp`` in nanoseconds since the epoch, as in OpenTelemetry's API."""
        if self._ended or len(self._events) >= MAX_EVENTS:
            return
        kept: dict[str, Any] = {}
        put_attributes(kept, attributes, MAX_EVENT_ATTRIBUTES)
        self._events.append({"name": short_name(name), "time": moment(timestamp), **({"attributes": kept} if kept else {})})

    def add_link(self, context: Any, attributes: Any = None) -> None:
        """``context`` identifies the other span."""
        if not self._ended and len(self._links) < MAX_LINKS and getattr(context, "is_valid", False):
            self._links.append(f"00-{context.trace_id:032x}-{context.span_id:016x}-0{context.trace_flags & 1}")

    def add_links(self, links: Iterable[Any]) -> None:
        """OpenTelemetry's ``Link`` objects."""
        for link in links:
            self.add_link(link.context)

    def record_exception(self, exception: BaseException, attributes: Any = None, timestamp: int | None = None, escaped: bool = False) -> None:
        if self._ended:
            return
        told = {"type": short_name(type(exception).__name__), "message": str(exception)[:MAX_TEXT], "stack": stack_of(exception)[:MAX_STACK]}
        self._recorded = told
        event = {"exception.type": told["type"], "exception.message": told["message"], "exception.stacktrace": told["stack"]}
        self.add_event("exception", {**event, **(attributes or {})}, timestamp)

    def set_status(self, status: Any, description: str | None = None) -> None:
        """Only an error is kept; anything else takes it back."""
        code = getattr(status, "status_code", status)
        is_error = str(getattr(code, "name", code)).upper() == "ERROR" or getattr(code, "value", code) == 2
        message = description or getattr(status, "description", None) or ""
        if not self._ended:
            self._error = {"type": "Error", "message": str(message)[:MAX_TEXT]} if is_error else None

    def notes(self) -> dict[str, Any]:
        """What was said so far: ``attributes``, ``events``, ``links`` and ``error``, each only when there is some."""
        said = {"attributes": self._attributes, "events": self._events, "links": self._links, "error": self._told_error()}
        return {key: value for key, value in said.items() if value}

    def _told_error(self) -> dict[str, str] | None:
        if self._error is None or self._recorded is None:
            return self._error
        return {**self._recorded, "message": self._error["message"] or self._recorded["message"]}


def moment(timestamp: int | None) -> float:
    """A given time in nanoseconds, else now, as milliseconds since the epoch."""
    return (time.time_ns() if timestamp is None else timestamp) / 1e6
