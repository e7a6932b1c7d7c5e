"""The worker protocol with the engine's process, for handlers in the process of the test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from treadle.errors import OperationError
from treadle.worker.call_gate import CallGate
from treadle.worker.operation_calls import OperationCalls
from treadle.worker.step_runner import StepRunner
from treadle.worker.wire.json_text import encode
from treadle.worker.wire.streams import StreamSender, StreamTable
from treadle.worker.wire.turn_batch import TurnBatch


class TestSession:
    """One engine's side of a runner. All of it on the loop's thread."""

    __test__ = False  # for pytest

    def __init__(self, runner: StepRunner, write: Callable[[str], None]) -> None:
        self._runner = runner
        self._write = write
        self._closed = False
        self._batch = TurnBatch(asyncio.get_running_loop(), self._send)
        self._streams = StreamTable(self.push)
        self._calls = OperationCalls(self.push)
        runner.host = self
        self._gate = runner.gate = CallGate()
        runner.on_reports = self._register
        self._takers: dict[str, Callable[[dict[str, Any]], object]] = {
            "invoke": self._invoke, "reply": self._calls.take, "chunk": self._streams.handle, "credit": self._streams.handle,
            "cancel": lambda message: runner.cancel(message["id"], message["reason"]),
            "load": lambda message: runner.spawn(self._load(message["files"])),
            "ping": lambda message: self.push('{"type":"pong"}'),
        }

    def begin_with(self, chunks: int) -> None:
        """How many chunks of a stream may be under way at first."""
        self._streams.begin_with(chunks)

    def take(self, messages: list[dict[str, Any]]) -> None:
        """A frame of the engine."""
        for message in messages:
            taker = self._takers.get(message["type"])
            if taker is not None:
                taker(message)

    @property
    def waiting(self) -> int:
        """Nothing ever waits: the engine's process takes what is written."""
        return 0

    def push(self, text: str) -> None:
        self._batch.push(text)

    def flush(self) -> None:
        """Writes what waits for the end of the turn."""
        self._batch.flush()

    def open_stream(self, on_close: Callable[[bool], None]) -> StreamSender:
        sender = self._streams.send(on_close)
        if self._closed:
            sender.stop()
        return sender

    def begin_operation(self, invocation: int, op: str, args: dict[str, Any]) -> asyncio.Future[Any]:
        """Sends a ``call``; the future has its reply. :raises OperationError:"""
        if self._closed:
            problem = f"{op} was called after the engine of its test was closed or restarted; nothing was done: wait for what the handler began before that"
            raise OperationError("EngineLost", problem)
        return self._calls.begin(invocation, op, args)

    def close(self, reason: str) -> None:
        """The engine has gone; nobody waits for what still runs, and what it says must not reach the next engine."""
        self._closed = True
        self._gate.close()
        self._write = lambda line: None
        if self._runner.host is self:
            self._runner.host = None
        self._streams.close(reason)
        self._calls.lose()
        self._runner.cancel_all("drain")

    def _send(self, frame: str) -> None:
        self._write(f'{{"worker":{frame}}}')

    def _invoke(self, message: dict[str, Any]) -> None:
        self._runner.start(message, [self._streams.receive(stream) for stream in message.get("streams") or ()])

    async def _load(self, files: list[dict[str, str]]) -> None:
        self._register(await self._runner.load(files))

    def _register(self, reports: list[dict[str, Any]]) -> None:
        self.push(encode({"type": "register", "reports": reports, "complete": True}))
