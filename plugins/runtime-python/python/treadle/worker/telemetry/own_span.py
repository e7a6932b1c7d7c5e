"""Spans that code of handlers makes through OpenTelemetry's API."""

from __future__ import annotations

import secrets
from typing import Any

from ..wire.json_text import encode
from .handler_span import HandlerSpan
from .limits import short_name
from .noted_span import NotedSpan, identity, moment

_KINDS = ("internal", "server", "client", "producer", "consumer")


class OwnSpan(NotedSpan):
    """Goes to the engine when it ends."""

    def __init__(self, name: str, parent: HandlerSpan | OwnSpan, kind: Any, start_time: int | None) -> None:
        above = parent.get_span_context()
        super().__init__(identity(above.trace_id, secrets.randbits(64) or 1, 1, False), True)
        #: Of the run that it belongs to.
        self.handler: HandlerSpan = parent.handler if isinstance(parent, OwnSpan) else parent
        self.handler.made += 1
        self._parent_id = above.span_id
        self._name = short_name(name)
        number = getattr(kind, "value", kind)
        self._kind = _KINDS[number] if isinstance(number, int) and 0 <= number < len(_KINDS) else "internal"
        self._began = moment(start_time)

    def update_name(self, name: str) -> None:
        if not self._ended:
            self._name = short_name(name)

    def end(self, end_time: int | None = None) -> None:
        """The first time counts; ``end_time`` in nanoseconds since the epoch."""
        if self._ended:
            return
        self._ended = True
        own = self.get_span_context()
        told = {
            "traceId": f"{own.trace_id:032x}", "spanId": f"{own.span_id:016x}", "parentSpanId": f"{self._parent_id:016x}", "name": self._name,
            "kind": self._kind, "startTime": self._began, "durationMs": max(0.0, moment(end_time) - self._began),
            "stepName": self.handler.step_name, "attributes": {}, **self.notes(),
        }
        self.handler.runner.tell('{"type":"spans","spans":[' + encode(told) + "]}")
