"""One run of a handler, from its start until its answer is complete."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treadle.abort import AbortSignal, abort_reason
from treadle.context import CURRENT
from treadle.errors import OperationError

from ..telemetry.api import open_telemetry
from ..telemetry.handler_span import HandlerSpan, enter_span, make_span
from ..wire.json_text import encode
from ..wire.streams import StreamReceiver
from .answer import Answer
from .failure import describe_error, log_fields
from .http_result import http_answer
from .pipeline import run_prepared, take_direct
from .raw_body import has_pending_body
from .runnable import Callee, RunnableStep, TriggerPlan
from .step_context import HandlerContext, on_event_loop

if TYPE_CHECKING:
    from ..step_runner import StepRunner


class Run:
    """Everything of one invocation. Apart from the handler itself its parts run on the loop's thread."""

    __slots__ = (
        "runner", "step", "plan", "message", "id", "streams", "context", "started_at", "input", "handled", "over", "cancelled",
        "answer", "answers_in", "host", "open", "_signal", "_on_finish", "_span", "_began", "_task", "_gate", "__weakref__",
    )

    def __init__(self, runner: StepRunner, step: RunnableStep, message: dict[str, Any], streams: list[StreamReceiver]) -> None:
        self.runner = runner
        self.step = step
        self.plan: TriggerPlan = step.plans[message["trigger"]["index"]]
        self.message = message
        self.id: int = message["id"]
        self.streams = streams
        #: The session that it came over: in the next one another run has its id.
        self.host = runner.host
        self._gate = runner.gate
        #: What was open when it began.
        self.open = runner.setups.current
        self.open.enter()
        self.context = HandlerContext(self)
        self.started_at = runner.now_ms()
        self.input = self.handled = None  # type: Any
        #: Handler and streamed answer are over.
        self.over = False
        self._signal: AbortSignal | None = None
        #: Why its result is no longer wanted.
        self.cancelled: str | None = None
        self.answer = Answer(self)
        self._on_finish: list[Callable[[], object]] = []
        self._span: HandlerSpan | None = None
        self._began = 0.0
        #: Context of a handler that had more around it than its task or thread; a body that is still to be produced belongs there.
        self.answers_in: contextvars.Context | None = None
        #: Kept, for the loop itself does not.
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Starts it."""
        if self.plan.direct and take_direct(self):
            handler = self.step.asked_for(self.input)
            if handler.is_async:
                self._task = self.runner.begin(self._run_direct(handler))
            else:
                self.runner.submit(lambda: self._run_in_thread(handler))
        else:
            self.runner.spawn(self._run_prepared())

    @property
    def signal(self) -> AbortSignal:
        if self._signal is None:
            self._signal = AbortSignal(lambda error: self.log("error", "a listener of ctx.signal failed", log_fields(error)))
            if self.cancelled is not None:
                self._signal.abort(self.cancelled)
        return self._signal

    @property
    def span(self) -> HandlerSpan:
        """The handler's span; keeps nothing when the trace is not sampled."""
        if self._span is None:
            self._span = make_span(self.message["traceparent"], self.runner, self.step.name)
            if self.answer.given:
                self._span.close()
        return self._span

    def cancel(self, reason: str) -> None:
        """Tells the handler that its result is no longer wanted, and ends a streamed answer."""
        if self.cancelled is not None:
            return
        self.cancelled = reason
        if self._signal is not None:
            self._signal.abort(reason)
        if self.answer.streams:
            # Later: when the client has gone, the same frame says that nobody reads the stream either.
            self.runner.soon(self.answer.end_stream)

    def on_finish(self, task: Callable[[], object]) -> None:
        """``task`` runs when handler and streamed answer are over; it must not raise."""
        self._on_finish.append(task)

    def operate(self, op: str, args: dict[str, Any]) -> Any:
        """Calls an operation of the engine: a coroutine on an event loop, else the result, waited for."""
        return self.runner.operate(lambda: self._begin_operation(op, args), on_event_loop())

    def _begin_operation(self, op: str, args: dict[str, Any]) -> asyncio.Future[Any]:
        if self.host is None:
            raise OperationError("EngineLost", "there is no connection to the engine")
        return self.host.begin_operation(self.id, op, args)

    def log(self, level: str, message: str, fields: dict[str, Any] | None = None) -> None:
        """Writes a record; from any thread."""
        entry: dict[str, Any] = {"time": self.runner.now_ms(), "level": level, "message": message, "stepName": self.step.name}
        if fields is not None:
            entry["fields"] = fields
        if self.answer.given or self.cancelled is not None:
            # The engine has forgotten the invocation by then.
            entry["traceparent"] = self.message["traceparent"]
        self.runner.log(self.id, entry)

    async def call(self, callee: Callee, *given: Any, context: contextvars.Context | None = None) -> Any:
        """
        Calls a function of the application where it belongs: on the loop, or in a thread in ``context``, by default a copy of the caller's.

        :raises AbortError: when the session is over before it begins: the engine has given the invocation to another worker
        """
        arguments = callee.arguments(*given)
        if callee.is_async:
            self._require_session()
            return await callee.function(*arguments)
        run_in = (context or contextvars.copy_context()).run

        def work() -> Any:
            self._require_session()
            return run_in(callee.function, *arguments)

        result = await self.runner.in_thread(work)
        return await result if inspect.isawaitable(result) else result

    def _require_session(self) -> None:
        if self._gate.closed:
            raise abort_reason("engine_lost")

    def _enter(self) -> bool:
        """False: the engine has taken it back, and nobody waits for an answer."""
        if not self._gate.enter(self.id):
            self.runner.soon(self.finish)
            return False
        self._began = time.perf_counter()
        CURRENT.set(self.context)
        if open_telemetry() is not None:
            enter_span(self.span)
        return True

    async def _run_direct(self, handler: Callee) -> None:
        if not self._enter():
            return
        try:
            value = await handler.function(*handler.arguments(self.input, self.context))
        except BaseException as error:  # a handler must not end the process by sys.exit() or a cancellation of its own
            self.answer.fail(error)
        else:
            self.answer.succeed(value)

    async def _run_prepared(self) -> None:
        if self._enter():
            await self.answer.wait_for(run_prepared(self), self.answer.succeed)

    def _run_in_thread(self, handler: Callee) -> None:
        """In a thread of the pool: also the answer is written there, so that the loop has less to do."""
        context = contextvars.copy_context()
        if not context.run(self._enter):
            return
        try:
            value = context.run(handler.function, *handler.arguments(self.input, self.context))
            waits = inspect.isawaitable(value) or has_pending_body(value)
            if waits or self.plan.type != "http":
                self._leave_thread(lambda: self._continue(value, context), ended=not waits)
                return
            answer = http_answer(value, lambda content: self.runner.on_loop(lambda: self.answer.open_stream(content)))
        except BaseException as error:  # as above
            raised = error
            self._leave_thread(lambda: self.answer.fail(raised))
        else:
            self._leave_thread(lambda: context.run(self.answer.send, answer))

    def _leave_thread(self, task: Callable[[], object], ended: bool = True) -> None:
        """The loop has the rest to do; another handler may block it."""
        if ended:
            self._gate.leave(self.id)
        self.runner.soon(task)

    def _continue(self, value: Any, context: contextvars.Context) -> None:
        if inspect.isawaitable(value):
            context.run(self.runner.spawn, self.answer.wait_for(value, self.answer.succeed))
        else:
            context.run(self.answer.succeed, value)

    def settle(self) -> str:
        """Its answer is there: gives what the message tells of it in a sampled trace."""
        self._gate.leave(self.id)
        said = self._span.close() if self._span is not None else None
        span = "" if said is None else f',"span":{encode(said)}'
        sampled = self.message["traceparent"][54:55] == "1"
        ms = f',"ms":{(time.perf_counter() - self._began) * 1000:.3f}' if sampled and self._began else ""
        return ms + span

    def heed_drain(self) -> None:
        """
        A handler that was told that the engine stops may have left the rest of its work to the next engine.

        :raises AbortError: when it was told
        """
        if self.cancelled == "drain" and self._signal is not None:
            self._signal.throw_if_aborted()

    def stream_over(self, error: BaseException | None) -> None:
        """The producer of a streamed answer has ended."""
        if error is not None:
            self.log("error", "a streamed answer failed", {"error": describe_error(error)})
        self.finish()

    def finish(self) -> None:
        """Handler and answer are over. Idempotent."""
        if self.over:
            return
        self.over = True
        for stream in self.streams:
            stream.destroy()
        for task in self._on_finish:
            task()
        self.open.leave()
        self.runner.forget(self)
