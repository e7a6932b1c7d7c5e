"""An application that runs inside a test."""

from __future__ import annotations

import asyncio
import copy
import datetime
import os
import time as real_time
from collections.abc import Mapping, Sequence
from typing import Any

from treadle.topics import Topic, topic_name
from treadle.worker.loading.catalog import StepCatalog
from treadle.worker.running.operations import to_messages
from treadle.worker.running.validation import Validate
from treadle.worker.step_runner import StepRunner

from .activity import Activity
from .application import Application, ImportPlace, application_root, load_application
from .blocks.messages import Message
from .blocks.queue import DeadLetter, Delivery, Subscription, TestQueue
from .blocks.state import TestState
from .blocks.streams import TestStreams
from .clients import Clock, CronRun, Log, StateClient, StreamClients
from .clock import FakeTime
from .cron_runs import CronRuns
from .invocations import Failure, Invocation, Invocations, new_origin
from .operations import Operations
from .requests.answer import Answer
from .requests.http import TestHttp

#: A handler that says nothing for so long while time is moved is taken to wait for that; seconds.
_STANDSTILL_S = 1.0
_IDLE_MS = 10_000.0


class TestEngine:
    """Made by ``create_test_engine``. All of it is to be used on one event loop."""

    __test__ = False  # for pytest

    def __init__(self, root: str, place: ImportPlace, now: float, timeout_ms: float) -> None:
        self.root = root
        self._place = place
        self._timeout_ms = timeout_ms
        self._logs: list[Log] = []
        self._stopped = False
        self._steps: Sequence[str] | None = None
        self._time = FakeTime(now)
        self._catalog = StepCatalog(root, "production")
        self._runner = StepRunner(self._catalog, now_ms=self._time.now)
        self._activity = Activity(self._under_way)
        self._pumping = False
        self._requests = 0
        self._queue = TestQueue(self._time, self)
        self._invocations = Invocations(self._runner, self._time, self._operate, self._log, self._touch)
        self.clock = Clock(self._time.now, self._advance)

    def _judge_of(self, stream: str) -> Validate | None:
        declared = self._catalog.step(f"stream:{stream}")
        return declared.judge if declared is not None else None

    async def load(self, steps: Sequence[str] | None) -> None:
        """:raises ApplicationError:"""
        self._steps = steps
        application: Application = await load_application(self._catalog, self.root, steps)
        self._queue.subscriptions = application.subscriptions
        self._streams = TestStreams(self._time.now, application.streams, self._judge_of)
        self._operations = Operations(self._time, self._queue, TestState(self._time.now), self._streams, self._pump_soon)
        self._cron = CronRuns(application.crons, self._time, self._invocations)
        self._http = TestHttp(application.routes, self._invocations)

    async def http(
        self, method: str, path: str, *, body: Any = None, query: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None,
        files: Mapping[str, Any] | None = None,
    ) -> Answer:
        """
        Sends a request through routing, validation and middleware, and gives the whole answer, whatever its status. ``body``: text and
        bytes as they are, anything else as JSON. ``files``: field to content, ``(filename, content)`` or ``(filename, content, type)``.
        """
        self._refuse_stopped()
        self._requests += 1
        try:
            return await self._http.request(method, path, body, query or {}, headers or {}, files)
        finally:
            self._requests -= 1
            self._touch()

    async def enqueue(self, topic: str | Topic, data: Any, **options: Any) -> dict[str, str]:
        """Puts a message into the queue as a Step would: ``delay_ms``, ``at``, ``dedupe_key``, ``message_group_id``, ``headers``."""
        self._refuse_stopped()
        messages = to_messages({"topic": topic, "data": data, **options}, "test", {topic_name(topic)})
        stored: dict[str, str] = self._operations.run("queue.enqueue", {"messages": messages}, new_origin())[0]
        return stored

    async def cron(self, step: str, *, at: float | datetime.datetime | None = None, expression: str | None = None) -> CronRun:
        """
        Starts the cron trigger of a Step and comes back when its handler has ended, in whatever way. ``at``: for which time, milliseconds
        since the epoch or a datetime; default: now. ``expression``: which one, when the Step has several.
        """
        self._refuse_stopped()
        return await self._cron.run_now(step, at.timestamp() * 1000 if isinstance(at, datetime.datetime) else at, expression)

    async def until_idle(self, *, timeout_ms: float | None = None) -> None:
        """
        Comes back when every delivery, also those that it caused, has ended and nothing else runs. What is due later is not waited
        for: see ``clock``. ``timeout_ms``: real time, default 10,000. :raises TimeoutError: naming what still runs
        """
        limit_ms = self._timeout_ms if timeout_ms is None else timeout_ms
        if not await self._activity.idle(limit_ms / 1000):
            running = "; ".join(f"Step {one.step} runs" for one in self._invocations.running.values())
            raise TimeoutError(f"not idle after {limit_ms:g} ms: {running or 'one delivery goes on causing the next'}")

    def messages(self, topic: str | Topic | None = None) -> list[Message]:
        """What was enqueued so far, oldest first; of one topic or of all."""
        return [message for message in self._operations.messages if topic is None or message.topic == topic_name(topic)]

    def logs(self, *, step: str | None = None, level: str | None = None) -> list[Log]:
        """What Steps logged so far, oldest first."""
        return [log for log in self._logs if (step is None or log.step == step) and (level is None or log.level == level)]

    def dead_letters(self, *, step: str | None = None, topic: str | None = None) -> list[DeadLetter]:
        """Messages that were given up, newest first."""
        return [letter for letter in reversed(self._queue.dead) if (step is None or letter.step == step) and (topic is None or letter.topic == topic)]

    def stream_events(self, stream: str | None = None) -> list[dict[str, Any]]:
        """Events that were sent and are not stored, oldest first: ``stream``, ``group_id``, ``id``?, ``type``, ``data``."""
        return [event for event in self._streams.sent if stream is None or event["stream"] == stream]

    @property
    def state(self) -> StateClient:
        """As ``ctx.state``; to be awaited."""
        return StateClient(self._call)

    @property
    def streams(self) -> StreamClients:
        """As ``ctx.streams``; to be awaited."""
        return StreamClients(self._call)

    async def reset(self) -> None:
        """
        Forgets all that is stored, waits or was recorded: state, streams, messages, dead letters and logs, as if the engine had just been
        made. The clock stays where it is; ``clock`` is another object. Handlers that still run are cancelled.
        """
        self._refuse_stopped()
        self._cron.stop()
        self._invocations.cancel_all()
        self._runner.host = None
        catalog = self._catalog
        TestEngine.__init__(self, self.root, self._place, self._time.now(), self._timeout_ms)
        self._catalog = self._runner.catalog = catalog
        await self.load(self._steps)

    async def stop(self) -> None:
        """Ends everything; handlers that still run are cancelled. May be called twice."""
        if not self._stopped:
            self._stopped = True
            self._cron.stop()
            self._invocations.cancel_all()
            self._runner.host = None
            self._place.leave()

    async def __aenter__(self) -> TestEngine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def deliver(self, subscription: Subscription, delivery: Delivery, trigger: tuple[str, int], ended: Any) -> None:
        """For the queue."""
        def settled(outcome: dict[str, Any] | Failure) -> None:
            ended(outcome if isinstance(outcome, Failure) else None)
            self._pump_soon()

        self._invocations.start(
            subscription.step, trigger, copy.deepcopy(delivery.data), delivery.origin, timeout_ms=subscription.settings.timeout_ms, ended=settled,
            attempt=delivery.attempts + 1, message=delivery.facts,
        )

    async def _call(self, op: str, args: dict[str, Any]) -> Any:
        self._refuse_stopped()
        return copy.deepcopy(self._operations.run(op, args, new_origin()))

    def _operate(self, op: str, args: dict[str, Any], invocation: Invocation) -> Any:
        return self._operations.run(op, args, invocation.origin)

    def _log(self, message: dict[str, Any], invocation: Invocation | None) -> None:
        trace_id = invocation.origin.trace_id if invocation is not None else message.get("traceparent", "")[3:35]
        self._logs.append(Log(message["level"], message["message"], message.get("stepName", ""), message.get("fields") or {}, trace_id, message["time"]))

    def _under_way(self) -> set[int]:
        """Ids of handlers; 0 for messages that are about to be delivered, -1 for requests that wait for something else."""
        found = set(self._invocations.running)
        if self._pumping:
            found.add(0)
        return found if found or self._requests == 0 else {-1}

    def _pump_soon(self) -> None:
        if not self._pumping and not self._stopped:
            self._pumping = True
            asyncio.get_running_loop().call_soon(self._pump)

    def _pump(self) -> None:
        self._pumping = False
        if not self._stopped:
            self._queue.pump()
        self._touch()

    def _touch(self) -> None:
        self._activity.touch()

    async def _advance(self, ms: float) -> None:
        self._refuse_stopped()
        if not 0 <= ms < float("inf"):
            raise ValueError(f"time moves by 0 or more milliseconds, got {ms}")
        until = self._time.now() + ms
        await self._activity.settle(_STANDSTILL_S)
        while self._time.step(until):
            await self._activity.settle(_STANDSTILL_S)

    def _refuse_stopped(self) -> None:
        if self._stopped:
            raise RuntimeError("the test engine was stopped")


class Starting:
    """What ``create_test_engine`` gives: to be awaited, or to be entered with ``async with``, which stops the engine at its end."""

    def __init__(self, root: Any, steps: Sequence[str] | None, now: float | datetime.datetime | None, timeout_ms: float) -> None:
        self._root = root
        self._steps = steps
        self._now = now
        self._timeout_ms = timeout_ms
        self._engine: TestEngine | None = None

    def __await__(self) -> Any:
        return self._start().__await__()

    async def __aenter__(self) -> TestEngine:
        self._engine = await self._start()
        return self._engine

    async def __aexit__(self, *_: object) -> None:
        if self._engine is not None:
            await self._engine.stop()

    async def _start(self) -> TestEngine:
        root = application_root(self._root)
        now = self._now.timestamp() * 1000 if isinstance(self._now, datetime.datetime) else self._now
        place = ImportPlace(root)
        try:
            engine = TestEngine(root, place, float(int(real_time.time() * 1000)) if now is None else now, self._timeout_ms)
            await engine.load(self._steps)
        except BaseException:
            place.leave()
            raise
        return engine


def create_test_engine(
    root: str | os.PathLike[str] | None = None, *, steps: Sequence[str] | None = None, now: float | datetime.datetime | None = None,
    timeout_ms: float = _IDLE_MS,
) -> Starting:
    """
    Starts the Python Steps of an application inside a test: in this process, everything that is stored in memory, the clock standing still.

    :param root: folder of the application; default: the nearest one with a package.json or pyproject.toml, from the working directory upwards
    :param steps: files or folders relative to the root; default: all Python Steps. Declarations of streams come along
    :param now: time at which the clock stands at first, milliseconds since the epoch or a datetime; default: now
    :param timeout_ms: how long ``until_idle`` waits, in milliseconds of real time
    :raises ApplicationError: when a file cannot be loaded or a config has an error
    """
    return Starting(root, steps, now, timeout_ms)
