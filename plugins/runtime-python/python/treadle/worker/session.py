"""One session with an engine: hands its messages to the runner and the runner's to it."""

from __future__ import annotations

import asyncio
import json
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from treadle.errors import OperationError
from treadle.version import VERSION

from .call_gate import CallGate
from .connect_fault import connect_fault, strange_peer
from .heartbeat import Heartbeat
from .operation_calls import OperationCalls
from .step_runner import StepRunner
from .wire.connection import Connection, connect, parse_address
from .wire.json_text import encode
from .wire.limits import CLOSE_BAD_MESSAGE, INITIAL_CREDITS, PROTOCOL_VERSION
from .wire.streams import StreamSender, StreamTable
from .wire.turn_batch import TurnBatch

#: Time to reach the engine and be greeted by it, in seconds.
_GREETING_S = 10.0
#: The heartbeat begins with the first catalog, or this long after the greeting; in seconds.
_HEARTBEAT_DELAY_S = 1.0
#: How long an engine may take to say that it sends nothing more; in seconds.
_FAREWELL_S = 2.0


@dataclass(frozen=True)
class ClosedReason:
    """Why a connection ended."""

    #: WebSocket close code; 1006 when there was none.
    code: int
    message: str
    #: The engine's refusal, e.g. ``bad_token``.
    refused: str | None = None


@dataclass(frozen=True)
class SessionOptions:
    """What a session is made with."""

    #: ``ws:``, ``wss:`` or ``ws+unix:``.
    url: str
    token: str
    #: Further members of ``hello``.
    hello: dict[str, Any]
    #: Only children are told what to load.
    loads: bool
    #: Everything that ran has finished after ``drain``; the connection is closed.
    on_drained: Callable[[], None]
    #: The connection ended otherwise. Called at most once.
    on_lost: Callable[[ClosedReason], None]
    #: The session began; register what is served.
    on_welcome: Callable[[dict[str, Any]], None] = field(default=lambda welcome: None)


def hello_message(role: str, token: str, more: dict[str, Any]) -> str:
    """The first frame of a connection."""
    return encode([
        {
            "type": "hello", "role": role, "protocol": PROTOCOL_VERSION, "runtime": "python",
            "runtimeVersion": platform.python_version(), "sdkVersion": VERSION, "token": token, "pid": os.getpid(), "withdraws": True,
            **more,
        }
    ])


class WorkerSession:
    """All of it runs on the loop's thread."""

    def __init__(self, runner: StepRunner, options: SessionOptions) -> None:
        self._runner = runner
        self._options = options
        self._loop = asyncio.get_running_loop()
        self._connection: Connection | None = None
        self._batch = TurnBatch(self._loop, self._write)
        self.streams = StreamTable(self._batch.push)
        self._calls = OperationCalls(self.push)
        #: Of this session alone: ids begin again with another engine.
        self._gate = CallGate()
        self._welcome: dict[str, Any] | None = None
        self._refused: tuple[str, str] | None = None
        self._heartbeat: Heartbeat | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._draining = False
        self._farewell: asyncio.Future[None] | None = None
        self._gone: asyncio.Future[None] = self._loop.create_future()
        #: This side has closed the connection.
        self._left = False
        self._lost = False
        self._takers: dict[str, Callable[[dict[str, Any]], object]] = {
            "invoke": self._invoke, "reply": self._calls.take, "chunk": self.streams.handle, "credit": self.streams.handle,
            "cancel": lambda message: runner.cancel(message["id"], message["reason"]),
            "load": lambda message: runner.spawn(self._load(message["files"])),
            "ping": lambda message: self.push('{"type":"pong"}'), "drain": lambda message: self._drain(),
        }

    async def open(self) -> None:
        """Connects. What happens then is told by the callbacks, also that it could not be done."""
        self._runner.host = self
        self._runner.gate = self._gate
        self._timers.append(self._loop.call_later(_GREETING_S, self._give_up))
        address = parse_address(self._options.url)
        try:
            # Kept as soon as it is made: the upgrade may be over before the coroutine that connects goes on.
            self._connection = Connection(address, self._greet, self._receive, self._closed)
            self._connection.on_writable = self.streams.gate.set
            await asyncio.wait_for(connect(address, self._connection), _GREETING_S)
        except (OSError, asyncio.TimeoutError) as error:
            self._closed(1006, str(error) or "the engine does not answer")

    def push(self, text: str) -> None:
        """Sends a message at the end of the turn."""
        if self._connection is not None and self._connection.open:
            self._batch.push(text)

    @property
    def waiting(self) -> int:
        """Bytes that the system has not taken yet."""
        return 0 if self._connection is None else self._connection.waiting

    def flush(self) -> None:
        """Writes what waits for the end of the turn."""
        self._batch.flush()

    def open_stream(self, on_close: Callable[[bool], None]) -> StreamSender:
        """Opens a stream to the engine."""
        sender = self.streams.send(on_close)
        if self._lost:
            sender.stop()
        return sender

    def begin_operation(self, invocation: int, op: str, args: dict[str, Any]) -> asyncio.Future[Any]:
        """Sends a ``call``; the future has its reply. :raises OperationError:"""
        if self._lost:
            raise OperationError("EngineLost", "there is no connection to the engine")
        return self._calls.begin(invocation, op, args)

    def register(self, reports: Sequence[dict[str, Any]], whole: bool = True) -> None:
        """Tells the engine the whole catalog. ``whole``: the application has no other files."""
        complete = whole and all("problem" not in report for report in reports)
        self.push(encode({"type": "register", "reports": list(reports), "complete": complete}))
        self._start_heartbeat()

    async def leave(self) -> None:
        """
        Leaves in order: nothing new is served, what runs finishes, the connection is closed. The engine answers with
        ``drain``; until then invocations may be on their way, which would be lost with the connection.
        """
        self.push('{"type":"register","reports":[],"complete":false}')
        if self._welcome is not None and not self._lost and not self._draining:
            self._farewell = self._loop.create_future()
            await asyncio.wait([self._farewell], timeout=_FAREWELL_S)
        await self._finish()

    def _write(self, text: str) -> None:
        if self._connection is not None:
            self._connection.send_text(text)

    def _greet(self) -> None:
        self._write(hello_message("main", self._options.token, self._options.hello))

    def _receive(self, payload: bytes) -> None:
        try:
            frame = json.loads(payload)
        except (ValueError, RecursionError):
            frame = None
        if not isinstance(frame, list) or not all(isinstance(message, dict) for message in frame):
            assert self._connection is not None
            if self._welcome is None:
                self._closed(CLOSE_BAD_MESSAGE, strange_peer(self._options.url))
            self._connection.close(CLOSE_BAD_MESSAGE, "a frame is a JSON array of messages")
            return
        for message in frame:
            self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if self._welcome is not None:
            taker = self._takers.get(str(kind))
            if taker is not None:
                taker(message)
        elif kind == "welcome":
            self._begin(message)
        elif kind == "refused":
            self._refused = (message["code"], message["message"])

    def _begin(self, welcome: dict[str, Any]) -> None:
        self._welcome = welcome
        self.streams.begin_with(welcome.get("chunks", INITIAL_CREDITS))
        self._cancel_timers()
        # Its thread would compete with the loading of the Steps, which everybody waits for.
        self._timers.append(self._loop.call_later(_HEARTBEAT_DELAY_S, self._start_heartbeat))
        self._options.on_welcome(welcome)

    def _invoke(self, message: dict[str, Any]) -> None:
        streams = message.get("streams")
        self._runner.start(message, [self.streams.receive(stream) for stream in streams] if streams else [])

    async def _load(self, files: list[dict[str, str]]) -> None:
        if self._options.loads:
            reports = await self._runner.load(files)
            self._runner.join_telemetry()
            self.register(reports)

    def _drain(self) -> None:
        if self._farewell is not None:
            if not self._farewell.done():
                self._farewell.set_result(None)
        elif not self._draining:
            self._draining = True
            self._runner.spawn(self._finish_drain())

    async def _finish_drain(self) -> None:
        await self._finish()
        self._options.on_drained()

    async def _finish(self) -> None:
        await self._runner.idle()
        if self._options.loads:  # a process that was started by hand goes on with the next engine
            await self._runner.close()
        self._draining = self._left = True
        self._stop_heartbeat()
        self._runner.flush_measurements()
        self.flush()
        if self._connection is not None:
            self._connection.close()
            # The last answers may still be on their way out.
            await asyncio.wait([self._gone], timeout=_FAREWELL_S)

    def _start_heartbeat(self) -> None:
        if self._heartbeat is not None or self._welcome is None or self._lost or self._draining:
            return
        session, interval_ms = self._welcome["session"], self._welcome["heartbeatMs"]
        first = hello_message("heartbeat", self._options.token, {**self._options.hello, "session": session})
        self._heartbeat = Heartbeat(self._loop, parse_address(self._options.url), first, interval_ms / 1000, self._gate)

    def _stop_heartbeat(self) -> None:
        self._cancel_timers()
        if self._heartbeat is not None:
            self._heartbeat.stop()

    def _cancel_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _give_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate("the engine did not greet this worker")

    def _closed(self, code: int, reason: str) -> None:
        if self._lost:
            return
        self._lost = True
        if self._welcome is None:
            reason = connect_fault(self._options.url, reason)
        self._gone.set_result(None)
        try:
            self._let_go()
        finally:
            # Lost while draining: nobody waits for what still runs.
            if not self._left:
                refused, message = self._refused or (None, reason)
                self._options.on_lost(ClosedReason(code, message, refused))

    def _let_go(self) -> None:
        """Nothing goes on that needs the connection."""
        # First: a thread that becomes free meanwhile must find it closed.
        self._gate.close()
        self._stop_heartbeat()
        self.streams.close("the connection to the engine was lost")
        if self._farewell is not None and not self._farewell.done():
            self._farewell.set_result(None)
        self._calls.lose()
        self._runner.cancel_all("engine_lost")
        if self._runner.host is self:
            self._runner.host = None
