"""Body, validation, middleware, condition and handler, in this order."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from treadle.inputs import HttpInput, record

from .bodies import ReceivedFiles, is_stream, placed_body, streamed_body
from .failure import RunError
from .step_context import on_event_loop
from .validation import all_valid

if TYPE_CHECKING:
    from .run import Run

_RECORDS = frozenset(("cron", "state", "stream"))


async def run_prepared(run: Run) -> Any:
    """The whole way of an invocation that has more to do than to call its handler."""
    plan = run.plan
    if plan.type == "http":
        run.input = await _http_input(run)
    else:
        value = run.message.get("input")
        run.input = plan.input(value, "input") if plan.input else record(value) if plan.type in _RECORDS else value
    return await _through(run, 0)


async def _http_input(run: Run) -> HttpInput:
    wire: dict[str, Any] = run.message["input"]
    plan = run.plan
    body = wire.get("body")
    content = await streamed_body(body, run.streams) if is_stream(body) else placed_body(body)
    input = HttpInput(wire, content, plan.coerced)
    if "rawBody" in wire:
        input["raw_body"] = base64.b64decode(wire["rawBody"])
    if wire.get("files"):
        received = ReceivedFiles()
        run.on_finish(received.remove)
        await received.receive(wire["files"], run.streams)
        input["files"] = received.files
    if plan.body or plan.query or plan.headers:
        check_body = None if body is None and plan.body_optional else plan.body
        checks = [(check_body, content, "body"), (plan.query, input["query"], "query"), (plan.headers, input["headers"], "headers")]
        input["body"], query, input["headers"] = all_valid(checks)
        input["query"] = input["query_params"] = query
    return input


async def _through(run: Run, index: int) -> Any:
    """Middleware from ``index`` on, then condition and handler."""
    if index == len(run.plan.middleware):
        run.handled = await _handle(run)
        return run.handled
    inner = _Next(run, index + 1)
    result = await run.call(run.plan.middleware[index], run.input, run.context, inner)
    # A middleware that only looks on need not hand the result through.
    return inner.result if result is None and inner.called else result


class _Next:
    """What a middleware calls to go on: to be awaited in ``async def``; elsewhere it blocks."""

    def __init__(self, run: Run, index: int) -> None:
        self.called = False
        self.result: Any = None
        self._run = run
        self._index = index

    def __call__(self) -> Any:
        if self.called:
            raise RuntimeError("a middleware called next() twice")
        self.called = True
        return self._go() if on_event_loop() else self._run.runner.wait_for(self._go())

    async def _go(self) -> Any:
        self.result = await _through(self._run, self._index)
        return self.result


async def _handle(run: Run) -> Any:
    condition = run.plan.condition
    if condition is not None and await run.call(condition, run.input, run.context) is not True:
        raise RunError("condition_not_met", f'the condition of Step "{run.step.name}" is not met')
    return await run.call(run.step.handler, run.input, run.context)
