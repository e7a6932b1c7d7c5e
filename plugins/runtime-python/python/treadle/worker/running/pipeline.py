"""Body, middleware, validation, middleware that is to come after it, condition and handler, in this order."""

from __future__ import annotations

import base64
import contextvars
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from treadle.inputs import HttpInput, record

from .bodies import ReceivedFiles, is_stream, placed_body, streamed_body
from .failure import RunError
from .step_context import add_members, on_event_loop
from .validation import all_valid

if TYPE_CHECKING:
    from .run import Run
    from .runnable import Callee

_Within = Callable[["Run"], Awaitable[Any]]
#: Kinds whose input is an object of ours, with keys that have a snake_case form.
_RECORDS = frozenset(("cron", "state", "stream"))


def take_direct(run: Run) -> bool:
    """Prepares the input at once when nothing has to be waited for."""
    wire = run.message.get("input")
    kind = run.plan.type
    if kind != "http":
        run.input = record(wire) if kind in _RECORDS else wire
        return True
    assert isinstance(wire, dict)
    body = wire.get("body")
    if is_stream(body) or "files" in wire or "rawBody" in wire:
        return False
    run.input = HttpInput(wire, placed_body(body), run.plan.coerced)
    return True


async def run_prepared(run: Run) -> Any:
    """The whole way of an invocation that has more to do than to call its handler."""
    plan = run.plan
    if plan.type == "http":
        run.input = await _http_input(run)
        return await _through(run, plan.middleware, _validated)
    value = run.message.get("input")
    run.input = plan.input(value, "input") if plan.input else record(value) if plan.type in _RECORDS else value
    return await _handled(run)


async def _http_input(run: Run) -> HttpInput:
    wire: dict[str, Any] = run.message["input"]
    body = wire.get("body")
    content = await streamed_body(body, run.streams) if is_stream(body) else placed_body(body)
    input = HttpInput(wire, content, run.plan.coerced)
    if "rawBody" in wire:
        input["raw_body"] = base64.b64decode(wire["rawBody"])
    if wire.get("files"):
        received = ReceivedFiles()
        run.on_finish(received.remove)
        await received.receive(wire["files"], run.streams)
        input["files"] = received.files
    return input


async def _validated(run: Run) -> Any:
    """Validation by the engine and by the Step's own schemas, then what only valid requests get to."""
    plan = run.plan
    wire: dict[str, Any] = run.message["input"]
    refused = wire.get("refused")
    if refused is not None:
        raise RunError(refused["code"], refused["message"], refused.get("issues"))
    if plan.body or plan.query or plan.headers:
        input = run.input
        check_body = None if wire.get("body") is None and plan.body_optional else plan.body
        checks = [(check_body, input["body"], "body"), (plan.query, input["query"], "query"), (plan.headers, input["headers"], "headers")]
        input["body"], query, input["headers"] = all_valid(checks)
        input["query"] = input["query_params"] = query
    return await _through(run, plan.inner, _handled)


async def _through(run: Run, middleware: tuple[Callee, ...], within: _Within) -> Any:
    """The middleware around what comes ``within`` it."""
    if not middleware:
        return await within(run)
    inner = _Next(run, middleware[1:], within)
    result = await run.call(middleware[0], run.input, run.context, inner)
    # A middleware that only looks on need not hand the result through.
    return inner.result if result is None and inner.called else result


async def _handled(run: Run) -> Any:
    run.handled = await _handle(run)
    return run.handled


class _Next:
    """What a middleware calls to go on: to be awaited in ``async def``; elsewhere it blocks. Its keywords are members of the context from then on."""

    def __init__(self, run: Run, middleware: tuple[Callee, ...], within: _Within) -> None:
        self.called = False
        self.result: Any = None
        self._run = run
        self._middleware = middleware
        self._within = within

    def __call__(self, **added: Any) -> Any:
        if self.called:
            raise RuntimeError("a middleware called next() twice")
        if added:
            add_members(self._run.context, added)
        self.called = True
        return self._go() if on_event_loop() else self._run.runner.wait_for(self._go())

    async def _go(self) -> Any:
        self.result = await _through(self._run, self._middleware, self._within)
        return self.result


async def _handle(run: Run) -> Any:
    condition = run.plan.condition
    if condition is not None and await run.call(condition, run.input, run.context) is not True:
        raise RunError("condition_not_met", f'the condition of Step "{run.step.name}" is not met')
    handler = run.step.handler
    context = contextvars.copy_context()
    result = await run.call(handler, run.input, run.context, context=context)
    run.answers_in = contextvars.copy_context() if handler.is_async else context
    return result
