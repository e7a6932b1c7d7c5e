"""The span of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .api import open_telemetry, span_class
from .limits import MAX_OWN_SPANS
from .noted_span import NotedSpan, identity

if TYPE_CHECKING:
    from ..step_runner import StepRunner


class HandlerSpan(NotedSpan):
    """
    ``ctx.trace``: the engine begins, names and ends it, code adds to it. When the trace is not sampled it is there all the
    same and keeps nothing, so that code need not ask.
    """

    def __init__(self, traceparent: str, runner: StepRunner, step_name: str) -> None:
        flags = int(traceparent[53:55], 16)
        #: Spans below it are kept.
        self.sampled = flags & 1 == 1
        super().__init__(identity(int(traceparent[3:35], 16), int(traceparent[36:52], 16), flags, True), self.sampled)
        self.runner = runner
        self.step_name = step_name
        #: Spans that code of the run has made so far.
        self.made = 0

    @property
    def has_room(self) -> bool:
        """The run may make one more span."""
        return self.sampled and self.made < MAX_OWN_SPANS

    def update_name(self, name: str) -> None:
        """Its name is the engine's."""

    def end(self, end_time: int | None = None) -> None:
        """It ends with the handler."""

    def close(self) -> dict[str, Any] | None:
        """Nothing is taken after the handler's answer. Returns what was said; None when it was nothing."""
        self._ended = True
        return self.notes() or None


def make_span(traceparent: str, runner: StepRunner, step_name: str) -> HandlerSpan:
    """The span of a run."""
    made: HandlerSpan = span_class(HandlerSpan)(traceparent, runner, step_name)
    return made


def enter_span(span: HandlerSpan) -> None:
    """Makes it the current span of the calling context, so that spans of the application join its trace."""
    trace = open_telemetry()
    if trace is not None:
        from opentelemetry import context

        context.attach(trace.set_span_in_context(span))
