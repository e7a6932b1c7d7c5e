"""Loads Step files and runs their handlers."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from .call_gate import CallGate
from .loading.catalog import StepCatalog
from .log_outlet import LogOutlet
from .running.failure import error_text
from .running.run import Run
from .running.threads import ThreadPool
from .setup.setups import PATIENCE_S, Setups
from .telemetry.join import join_open_telemetry
from .telemetry.meter import RunMeter
from .wire.streams import StreamReceiver, StreamSender


def _eager_task() -> Callable[..., asyncio.Task[None]] | None:
    """Python 3.12 can run a coroutine before it gives it to the loop, which most handlers never need."""
    task: Any = asyncio.Task
    return partial(task, eager_start=True) if sys.version_info >= (3, 12) else None


_EAGER = _eager_task()


def _wall_clock_ms() -> float:
    return time.time() * 1000


class Host(Protocol):
    """What a runner needs from its surroundings: a connection to an engine. On the loop's thread only."""

    @property
    def waiting(self) -> int: ...
    def push(self, text: str) -> None: ...
    def open_stream(self, on_close: Callable[[bool], None]) -> StreamSender: ...
    def begin_operation(self, invocation: int, op: str, args: dict[str, Any]) -> asyncio.Future[Any]: ...


class StepRunner:
    """Runs what ``StepCatalog`` has loaded, coroutines on the loop and everything else in threads."""

    def __init__(
        self, catalog: StepCatalog, *, threads: int = 128, now_ms: Callable[[], float] = _wall_clock_ms,
        given: Mapping[str, Any] | None = None, variables: Mapping[str, str] | None = None, patience_s: float | None = PATIENCE_S,
    ) -> None:
        """
        ``given``: values in the place of setups. ``variables``: in the place of the environment of the process. ``patience_s``: how long ``load``
        waits for what is opened; None: to the end.
        """
        self.catalog = catalog
        #: Milliseconds since the Unix epoch.
        self.now_ms = now_ms
        self.host: Host | None = None
        #: Of the session.
        self.gate = CallGate()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._pool = ThreadPool(threads)
        self._runs: dict[int, Run] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._soon: deque[Callable[[], object]] = deque()
        self._woken = False
        #: Of what runs on the loop for many: not that of the run that happens to ask first.
        self._no_context = contextvars.Context()
        self._idle: list[asyncio.Future[None]] = []
        self._joined = False
        self._meter: RunMeter | None = None
        self._logs = LogOutlet(self._tell_log, lambda: 0 if self.host is None else self.host.waiting, self._loop)
        #: Bytes of bodies that were too large for a message and wait for the engine.
        self.waiting_bytes = 0
        self.setups = Setups(lambda entry: self.log(None, entry), self._renewed, given, variables, patience_s)
        #: What is said of the files has changed since they were loaded.
        self.on_reports: Callable[[list[dict[str, Any]]], None] = lambda reports: None
        self._reports: list[dict[str, Any]] = []

    def start(self, message: dict[str, Any], streams: list[StreamReceiver]) -> None:
        """Runs a handler; exactly one ``result`` or ``error`` follows, unless the engine has taken it back. Never raises."""
        if not self.gate.receive(message["id"]):
            return
        step = self.catalog.step(message["step"])
        trigger = message["trigger"]
        if step is None or trigger["index"] >= len(step.plans) or step.plans[trigger["index"]].type != trigger["type"]:
            self._refuse(message["id"], _not_served(message, step is not None), streams)
            return
        held = None if self.setups.is_whole else self.setups.reason_against(self.catalog.file_of(message["step"]))
        if held is not None:
            self._refuse(message["id"], held, streams)
            return
        run = self._runs[message["id"]] = Run(self, step, message, streams)
        run.begin()

    def _refuse(self, invocation: int, reason: str, streams: list[StreamReceiver]) -> None:
        for stream in streams:
            stream.destroy()
        self.gate.leave(invocation)
        self.push(error_text(invocation, {"code": "no_worker", "message": reason}))

    async def load(self, files: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Serves exactly these files, one report for each, once what they need is open or cannot be."""
        self._reports = await self.catalog.load(files)
        await self.setups.apply(*self.catalog.declarations())
        return self.setups.annotate(self._reports)

    async def close(self) -> None:
        """Closes what was opened for handlers; all of them must have ended."""
        await self.setups.close()

    def _renewed(self) -> None:
        self.on_reports(self.setups.annotate(self._reports))

    def cancel(self, invocation: int, reason: str) -> None:
        """Aborts the handler's signal and ends a streamed answer. Unknown ids crossed their result."""
        run = self._runs.get(invocation)
        if run is not None:
            run.cancel(reason)

    def cancel_all(self, reason: str) -> None:
        """Aborts everything that runs, e.g. because the engine has gone."""
        for run in list(self._runs.values()):
            run.cancel(reason)

    async def idle(self) -> None:
        """Returns when nothing runs, streamed answers included."""
        if self._runs:
            waiting = self._loop.create_future()
            self._idle.append(waiting)
            await waiting

    def forget(self, run: Run) -> None:
        """A run is over."""
        if self._runs.get(run.id) is run:
            del self._runs[run.id]
        if not self._runs:
            waiting, self._idle = self._idle, []
            for each in waiting:
                if not each.done():
                    each.set_result(None)

    def push(self, text: str) -> None:
        """Sends a message; what is said after the connection went away concerns nobody any more."""
        if self.host is not None:
            self.host.push(text)

    @staticmethod
    def open_stream(host: Host | None, on_close: Callable[[bool], None]) -> StreamSender:
        """Opens a stream to the engine; one that is closed already when there is no connection."""
        if host is not None:
            return host.open_stream(on_close)
        sender = StreamSender(1, lambda text: None, on_close)
        sender.stop()
        return sender

    def log(self, invocation: int | None, entry: dict[str, Any]) -> None:
        """Sends a log record, unless too many wait for the engine; from any thread."""
        self._logs.log(invocation, entry)

    def _tell_log(self, text: str) -> None:
        def take() -> None:
            self._logs.taken(len(text))
            self.push(text)

        if threading.get_ident() == self._thread:
            take()
        else:
            self.soon(take)

    def tell(self, text: str) -> None:
        """Sends a message; from any thread."""
        if threading.get_ident() == self._thread:
            self.push(text)
        else:
            self.soon(lambda: self.push(text))

    def operate(self, begin: Callable[[], asyncio.Future[Any]], awaitable: bool) -> Any:
        """Calls an operation of the engine: ``begin`` sends it, on the loop. Awaitable, or the thread waits here."""
        if threading.get_ident() == self._thread:
            return _reply(begin())

        async def operation() -> Any:
            return await begin()

        done = asyncio.run_coroutine_threadsafe(operation(), self._loop)
        return asyncio.wrap_future(done) if awaitable else done.result()

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Starts a coroutine whose task the caller keeps. Where Python can, it runs up to its first wait at once."""
        return _EAGER(work, loop=self._loop) if _EAGER is not None else self._loop.create_task(work)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Starts a coroutine on the loop."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def submit(self, task: Callable[[], None]) -> None:
        """Runs a function that does not raise in a thread."""
        self._pool.submit(task)

    def soon(self, task: Callable[[], object]) -> None:
        """Runs a function on the loop, in order; from any thread. The loop is woken once for many of them."""
        self._soon.append(task)
        if not self._woken:
            self._woken = True
            self._loop.call_soon_threadsafe(self._run_soon, context=self._no_context)

    def later(self, seconds: float, task: Callable[[], object]) -> None:
        """Runs a function on the loop after a time. On the loop's thread."""
        self._loop.call_later(seconds, task)

    def join_telemetry(self) -> None:
        """Once the Steps are loaded: what they measure through OpenTelemetry's API goes to the engine."""
        if not self._joined:
            self._joined = True
            self._meter = join_open_telemetry(self)

    def flush_measurements(self) -> None:
        """Sends what waits to be sent."""
        if self._meter is not None:
            self._meter.flush()

    def on_loop(self, task: Callable[[], Any]) -> Any:
        """Runs a function on the loop and waits for what it returns; from a thread of the pool."""

        async def run() -> Any:
            return task()

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result()

    def in_thread(self, task: Callable[[], Any]) -> asyncio.Future[Any]:
        """Runs a function in a thread; the future has what it returns or raises."""
        done: asyncio.Future[Any] = self._loop.create_future()

        def work() -> None:
            try:
                result = task()
            except StopIteration as error:
                # A future takes no StopIteration.
                failed: BaseException = RuntimeError(f"StopIteration: {error}")
                self.soon(lambda: _settle(done, None, failed))
            except BaseException as error:
                raised = error
                self.soon(lambda: _settle(done, None, raised))
            else:
                self.soon(lambda: _settle(done, result, None))

        self._pool.submit(work)
        return done

    def wait_for(self, work: Any) -> Any:
        """Runs an awaitable on the loop and waits for it; from a thread of the pool."""

        async def run() -> tuple[Any, BaseException | None]:
            try:
                return await work, None
            except (SystemExit, KeyboardInterrupt) as error:  # asyncio would raise it out of the loop, too
                return None, error

        with self._pool.blocked():
            result, error = asyncio.run_coroutine_threadsafe(run(), self._loop).result()
        if error is not None:
            raise error
        return result

    def _run_soon(self) -> None:
        # First, so that a task that is added meanwhile either is seen here or wakes the loop again.
        self._woken = False
        while self._soon:
            self._soon.popleft()()


async def _reply(future: asyncio.Future[Any]) -> Any:
    return await future


def _settle(done: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)


def _not_served(message: dict[str, Any], known: bool) -> str:
    name, trigger = message["step"], message["trigger"]
    if not known:
        return f'this worker does not serve Step "{name}"'
    return f'Step "{name}" has no {trigger["type"]} trigger at {trigger["index"]} in this worker'
