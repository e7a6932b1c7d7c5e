"""An application that runs inside a test."""

from __future__ import annotations

import asyncio
import datetime
import os
import platform
import time as real_time
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple

from treadle.topics import Topic, topic_name
from treadle.version import VERSION
from treadle.worker.loading.catalog import StepCatalog
from treadle.worker.running.operations import StateClient, StreamClients, to_messages
from treadle.worker.step_runner import StepRunner
from treadle.worker.wire.limits import PROTOCOL_VERSION

from .application import ApplicationError, ImportPlace, application_root
from .engine_process import EngineProcess, take_process
from .fakes import faked
from .find_engine import engine_command
from .records import Answer, Clock, CronRun, DeadLetter, Log, Message, event_of, letter_of, log_of, message_of, milliseconds
from .requests import answer_of, request_of
from .session import TestSession

#: What handlers get to end in when nobody waits for them any more, in seconds.
_GRACE_S = 0.5


class Given(NamedTuple):
    """What a test gives in the place of what the application has."""

    setups: Mapping[str, Any] | None
    env: Mapping[str, str] | None
    operations: Mapping[str, Callable[..., Any]] | None


class TestEngine:
    """Made by ``create_test_engine``. All of it is to be used on one event loop."""

    __test__ = False  # for pytest

    def __init__(
        self, root: str, place: ImportPlace, process: EngineProcess, given: Given,
    ) -> None:
        self.root = root
        self._place = place
        self._process = process
        self._given = given
        self._catalog = StepCatalog(root, "production")
        self._runner = self._make_runner()
        self._session = TestSession(self._runner, process.write)
        self._stopped = False
        self.clock = Clock(lambda: process.now, self._advance)
        process.begin(self)

    async def start(self, options: Mapping[str, Any]) -> None:
        """:raises ApplicationError:"""
        worker = {"protocol": PROTOCOL_VERSION, "runtimeVersion": platform.python_version(), "sdkVersion": VERSION, "pid": os.getpid()}
        env = dict(os.environ if self._given.env is None else self._given.env)
        try:
            await self._process.ask("start", {"root": self.root, "env": env, "worker": worker, **options}, ApplicationError)
        except RuntimeError as error:
            raise ApplicationError(f"the engine could not be started: {error}") from None

    async def http(
        self, method: str, path: str, *, body: Any = None, query: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None,
        files: Mapping[str, Any] | None = None,
    ) -> Answer:
        """
        Sends a request through routing, validation and middleware, and gives the whole answer, whatever its status. ``body``: text and
        bytes as they are, anything else as JSON. ``files``: field to content, ``(filename, content)`` or ``(filename, content, type)``.
        """
        return answer_of(await self._ask("http", request_of(method, path, body, query or {}, headers or {}, files)))

    async def enqueue(self, topic: str | Topic, data: Any, **options: Any) -> dict[str, str]:
        """Puts a message into the queue as a Step would: ``delay_ms``, ``at``, ``dedupe_key``, ``message_group_id``, ``headers``."""
        stored: dict[str, str] = await self._ask("enqueue", to_messages({"topic": topic, "data": data, **options}, "test", {topic_name(topic)})[0])
        return stored

    async def deliver(
        self, step: str, type: str, key: str, input: Any, *, dedupe_key: str | None = None, group_id: str | None = None,
    ) -> dict[str, str]:
        """
        Delivers to a Step's trigger of a plugin's kind, as the plugin does: the trigger with that type and key. Comes back when it is
        stored, not when it is processed. :raises OperationError: ``NoSuchTrigger``
        """
        more = _given(dedupeKey=dedupe_key, groupId=group_id)
        stored: dict[str, str] = await self._ask("deliver", {"step": step, "trigger": {"type": type, "key": key}, "input": input, **more})
        return stored

    async def cron(self, step: str, *, at: float | datetime.datetime | None = None, expression: str | None = None) -> CronRun:
        """
        Starts the cron trigger of a Step and comes back when its handler has ended, in whatever way. ``at``: for which time, milliseconds
        since the epoch or a datetime; default: now. ``expression``: which one, when the Step has several.
        """
        run = await self._ask("cron", _given(step=step, at=milliseconds(at), trigger=expression))
        return CronRun(run["status"], run["traceId"], run.get("error"))

    async def until_idle(self, *, timeout_ms: float | None = None) -> None:
        """
        Comes back when every delivery, also those that it caused, has ended and nothing else runs. What is due later is not waited
        for: see ``clock``. ``timeout_ms``: real time, default 10,000. :raises TimeoutError: naming what still runs
        """
        await self._ask("untilIdle", _given(timeoutMs=timeout_ms), TimeoutError)

    def messages(self, topic: str | Topic | None = None) -> list[Message]:
        """What was enqueued so far, oldest first; of one topic or of all."""
        return [message_of(told) for told in self._ask_now("messages", _given(topic=None if topic is None else topic_name(topic)))]

    def logs(self, *, step: str | None = None, level: str | None = None) -> list[Log]:
        """What Steps logged so far, and the engine about them, oldest first."""
        return [log_of(told) for told in self._ask_now("logs", _given(step=step, level=level))]

    def dead_letters(self, *, step: str | None = None, topic: str | None = None) -> list[DeadLetter]:
        """Messages that were given up, newest first."""
        return [letter_of(told) for told in self._ask_now("deadLetters", _given(step=step, topic=topic))]

    def stream_events(self, stream: str | None = None) -> list[dict[str, Any]]:
        """Events that were sent and are not stored, oldest first: ``stream``, ``group_id``, ``id``?, ``type``, ``data``."""
        return [event_of(told) for told in self._ask_now("streamEvents", _given(stream=stream))]

    def spans(self, trace_id: str | None = None) -> list[dict[str, Any]]:
        """Spans that have ended, of one trace or of all, as the engine keeps them."""
        spans: list[dict[str, Any]] = self._ask_now("spans", _given(traceId=trace_id))
        return spans

    def url(self, name: str) -> str:
        """Address of a port that is open for the test: ``http``, or ``stream`` for WebSocket clients. :raises RuntimeError: when there is none"""
        address: str = self._ask_now("url", {"name": name})
        return address

    @property
    def state(self) -> StateClient:
        """As ``ctx.state``; to be awaited."""
        return StateClient(self._operate)

    @property
    def streams(self) -> StreamClients:
        """As ``ctx.streams``; to be awaited."""
        return StreamClients(self._operate)

    async def reset(self) -> None:
        """
        Forgets all that is stored, waits or was recorded: state, streams, messages, dead letters and logs, as if the engine had just been
        made; the clock goes back to where it stood at first. Setups are opened anew. Handlers that still run are cancelled.
        """
        self._refuse_stopped()
        await self._end_runs()
        self._session.close("the test engine was reset")
        await self._runner.close()
        self._runner = self._make_runner()
        await self._ask("reset", {}, ApplicationError)

    async def stop(self) -> None:
        """Ends everything; handlers that still run are cancelled. May be called twice."""
        if self._stopped:
            return
        self._stopped = True
        await self._end_runs()
        self._session.close("the test engine was stopped")
        try:
            if self._process.is_usable:
                await self._process.ask("stop", {}, RuntimeError)
        finally:
            self._process.release()
            await self._runner.close()
            self._place.leave()

    async def __aenter__(self) -> TestEngine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def take(self, line: dict[str, Any]) -> None:
        """For the process: what an engine says to its worker. It begins with how many chunks a stream may have under way."""
        if "chunks" in line:
            self._session = TestSession(self._runner, self._process.write)
            self._session.begin_with(line["chunks"])
        elif "worker" in line:
            self._session.take(line["worker"])
        elif "fake" in line:
            self._runner.spawn(self._stand_in(line["fake"], line["op"], line["args"]))

    def lost(self, reason: str) -> None:
        """For the process: it has ended."""
        self._session.close(reason)

    async def _stand_in(self, question: int, op: str, args: dict[str, Any]) -> None:
        """Answers for an operation, by a function of the test."""
        told = await faked(op, (self._given.operations or {})[op], args)
        # What handlers have said until now is known before the answer.
        self._session.flush()
        self._process.write(f'{{"fake":{question},{told}}}')

    async def _end_runs(self) -> None:
        self._runner.cancel_all("drain")
        try:
            await asyncio.wait_for(self._runner.idle(), _GRACE_S)
        except asyncio.TimeoutError:
            pass  # Its calls are refused from now on.

    def _make_runner(self) -> StepRunner:
        process = self._process
        return StepRunner(self._catalog, now_ms=lambda: process.now, given=self._given.setups, variables=self._given.env, patience_s=None)

    async def _operate(self, op: str, args: dict[str, Any]) -> Any:
        return await self._ask("operation", {"op": op, "args": args})

    async def _advance(self, ms: float) -> None:
        if not 0 <= ms < float("inf"):
            raise ValueError(f"time moves by 0 or more milliseconds, got {ms}")
        await self._ask("advance", {"ms": ms})

    async def _ask(self, name: str, args: dict[str, Any], failure: type[Exception] = ValueError) -> Any:
        self._refuse_stopped()
        # What handlers have said until now is known before the answer.
        self._session.flush()
        return await self._process.ask(name, args, failure)

    def _ask_now(self, name: str, args: dict[str, Any]) -> Any:
        self._refuse_stopped()
        self._session.flush()
        return self._process.ask_now(name, args)

    def _refuse_stopped(self) -> None:
        if self._stopped:
            raise RuntimeError("the test engine was stopped")


class Starting:
    """What ``create_test_engine`` gives: to be awaited, or to be entered with ``async with``, which stops the engine at its end."""

    def __init__(
        self, root: str | os.PathLike[str] | None, options: Mapping[str, Any], given: Given,
    ) -> None:
        self._root = root
        self._options = options
        self._given = given
        self._engine: TestEngine | None = None

    def __await__(self) -> Generator[Any, None, TestEngine]:
        return self._start().__await__()

    async def __aenter__(self) -> TestEngine:
        self._engine = await self._start()
        return self._engine

    async def __aexit__(self, *_: object) -> None:
        if self._engine is not None:
            await self._engine.stop()

    async def _start(self) -> TestEngine:
        root = application_root(self._root)
        process = take_process(engine_command(root))
        engine = TestEngine(root, ImportPlace(root), process, self._given)
        try:
            await engine.start(self._options)
        except BaseException as error:
            if not isinstance(error, ApplicationError):
                process.discard()
            await engine.stop()
            raise
        return engine


def create_test_engine(
    root: str | os.PathLike[str] | None = None, *, steps: Sequence[str] | None = None, now: float | datetime.datetime | None = None,
    timeout_ms: float = 10_000, config: str | None = None, setups: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None,
    operations: Mapping[str, Callable[..., Any]] | None = None, without: Sequence[str] | None = None,
) -> Starting:
    """
    Starts an engine for the Python Steps of an application: the handlers run in this process, on the running loop; everything that
    is stored is in memory, and the clock stands still. The engine runs in a process of Node.js, which serves one test after the other.

    :param root: folder of the application; default: the nearest one with a package.json or pyproject.toml, from the working directory upwards
    :param steps: files or folders relative to the root; default: all Python Steps. Declarations of streams come along
    :param now: time at which the clock stands at first, milliseconds since the epoch or a datetime; default: now
    :param timeout_ms: how long ``until_idle`` waits, in milliseconds of real time
    :param config: configuration file, relative to the root; default: ``config.yaml`` when there is one
    :param setups: values in the place of what ``*_setup.py`` would open, by name; default: setups are opened now, and closed by ``stop``
    :param env: variables in the place of the environment of the process, for the configuration and ``*_env.py``
    :param operations: functions in the place of operations that handlers call by ``ctx.call``, by name: called with the arguments by keyword
    :param without: class IDs of modules that the test does without, such as one that would open a connection: their trigger kinds and
        operations stay known, but nothing of them runs
    :raises ApplicationError: when a file cannot be loaded, a config has an error, or Node.js or the engine is not installed
    """
    began = milliseconds(now)
    options = _given(
        steps=None if steps is None else list(steps), now=real_time.time() * 1000 // 1 if began is None else began, timeoutMs=timeout_ms, config=config,
        without=None if without is None else list(without), operations=None if operations is None else list(operations),
    )
    return Starting(root, options, Given(setups, env, operations))


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
