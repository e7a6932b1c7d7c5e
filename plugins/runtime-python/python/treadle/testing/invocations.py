"""Runs handlers as the worker does, and hears what they say."""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treadle.errors import OperationError
from treadle.worker.step_runner import StepRunner
from treadle.worker.wire.streams import StreamSender, StreamTable

from .clock import FakeTime, Timer

Operation = Callable[[str, dict[str, Any], "Invocation"], Any]


@dataclass(frozen=True)
class Origin:
    """In whose trace something happens, and after how many changes that set each other off."""

    trace_id: str
    hops: int = 0


def new_origin() -> Origin:
    """A trace of its own."""
    return Origin(secrets.token_hex(16))


@dataclass(frozen=True)
class Failure:
    """Why an invocation gave no result; ``code`` is one of the protocol."""

    code: str
    message: str
    name: str | None = None
    issues: list[dict[str, str]] | None = None
    non_retryable: bool = False
    retry_after_ms: float | None = None


@dataclass
class Invocation:
    """One run of a handler."""

    id: int
    step: str
    origin: Origin
    #: The result message, or why there is none. Called once.
    ended: Callable[[dict[str, Any] | Failure], None]
    timer: Timer | None = None
    #: Of a streamed answer.
    stream: int | None = None
    pieces: bytearray | None = None
    result: dict[str, Any] | None = None
    #: Operations of an attempt that is over are refused.
    over: bool = False


class Invocations:
    """The engine's side of a connection with a runner in the same process."""

    def __init__(self, runner: StepRunner, time: FakeTime, operate: Operation, on_log: Callable[[dict[str, Any], Invocation | None], None], on_change: Callable[[], None]) -> None:
        self.running: dict[int, Invocation] = {}
        self._runner = runner
        self._time = time
        self._operate = operate
        self._on_log = on_log
        self._on_change = on_change
        self._streams = StreamTable(self.push)
        self._early: list[dict[str, Any]] = []
        self._last = 0
        runner.host = self

    def start(
        self, step: str, trigger: tuple[str, int], input: Any, origin: Origin, *, timeout_ms: float, ended: Callable[[dict[str, Any] | Failure], None], attempt: int = 1,
        message: dict[str, Any] | None = None,
    ) -> None:
        """Runs a handler; over ``timeout_ms`` of the fake time it has failed."""
        self._last += 1
        invocation = self.running[self._last] = Invocation(self._last, step, origin, ended)
        invocation.timer = self._time.after(timeout_ms, lambda: self._late(invocation))
        self._on_change()
        self._runner.start({
            "type": "invoke", "id": invocation.id, "step": step, "trigger": {"type": trigger[0], "index": trigger[1]}, "input": input,
            "traceparent": f"00-{origin.trace_id}-{secrets.token_hex(8)}-00", "timeoutMs": timeout_ms, "attempt": attempt,
            **({} if message is None else {"message": message}),
        }, [])

    @property
    def waiting(self) -> int:
        """Nothing ever waits: messages are taken at once."""
        return 0

    def push(self, text: str) -> None:
        """A message of the worker."""
        message: dict[str, Any] = json.loads(text)
        kind = message["type"]
        if kind == "chunk":
            self._chunk(message)
        elif kind == "log":
            self._on_log(message, self.running.get(message.get("id", 0)))
        elif kind in ("result", "error") and message["id"] in self.running:
            self._answered(self.running[message["id"]], message)

    def open_stream(self, on_close: Callable[[bool], None]) -> StreamSender:
        return self._streams.send(on_close)

    def begin_operation(self, invocation: int, op: str, args: dict[str, Any]) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        found = self.running.get(invocation)
        try:
            if found is None or found.over:
                raise OperationError("StaleDelivery", f"{op} was called by an attempt that is over")
            future.set_result(self._operate(op, args, found))
        except OperationError as error:
            future.set_exception(error)
        self._on_change()
        return future

    def cancel_all(self) -> None:
        """Nobody waits for what still runs."""
        for invocation in list(self.running.values()):
            self._end(invocation, Failure("cancelled", "the test engine was stopped"))
        self._runner.cancel_all("drain")

    def _answered(self, invocation: Invocation, message: dict[str, Any]) -> None:
        if message["type"] == "error":
            self._end(invocation, Failure(
                message["code"], message["message"], message.get("name"), message.get("issues"), message.get("nonRetryable", False), message.get("retryAfterMs"),
            ))
            return
        body = (message.get("http") or {}).get("body") or {}
        if body.get("kind") == "stream":
            # The first byte has come: the time limit is kept.
            invocation.result, invocation.stream, invocation.pieces = message, body["stream"], bytearray()
            if invocation.timer is not None:
                invocation.timer.cancel()
            early, self._early = self._early, []
            for chunk in early:
                self._chunk(chunk)
        else:
            self._end(invocation, message)

    def _chunk(self, message: dict[str, Any]) -> None:
        invocation = next((one for one in self.running.values() if one.stream == message["stream"]), None)
        if invocation is None or invocation.pieces is None or invocation.result is None:
            # The message that names its stream is still being written in a thread.
            self._early.append(message)
            return
        invocation.pieces += base64.b64decode(message["data"])
        if "error" in message:
            self._end(invocation, Failure("stream_failed", message["error"]))
        elif message.get("end"):
            invocation.result["http"]["body"] = {"kind": "bytes", "value": bytes(invocation.pieces)}
            self._end(invocation, invocation.result)
        else:
            self._streams.handle({"type": "credit", "stream": message["stream"], "chunks": 1})
            self._on_change()

    def _late(self, invocation: Invocation) -> None:
        if invocation.id in self.running:
            self._end(invocation, Failure("handler_timeout", "the handler is over its time"))
            self._runner.cancel(invocation.id, "timeout")

    def _end(self, invocation: Invocation, outcome: dict[str, Any] | Failure) -> None:
        if self.running.pop(invocation.id, None) is None:
            return
        invocation.over = True
        if invocation.timer is not None:
            invocation.timer.cancel()
        invocation.ended(outcome)
        self._on_change()
