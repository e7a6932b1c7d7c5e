"""The process of the engine: it runs one test engine after the other."""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import json
import subprocess
import threading
from collections import deque
from typing import Any, Protocol

from treadle.errors import OperationError
from treadle.worker.wire.json_text import encode

#: How long a process gets to end in by itself, in seconds.
_GRACE_S = 2.0
#: Those of this process, whether they serve a test engine now or wait for the next one.
_all: list[EngineProcess] = []


class Taker(Protocol):
    """The test engine that uses a process. On its loop's thread only."""

    def take(self, line: dict[str, Any]) -> None: ...
    def lost(self, reason: str) -> None: ...


class EngineProcess:
    """
    Lines of JSON go in and come out. A thread reads them, so that answers can also be waited for without the event loop. All else
    happens on the loop's thread.
    """

    def __init__(self, command: tuple[str, str]) -> None:
        self.command = command
        #: Of the test engine; milliseconds since the epoch.
        self.now = 0.0
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._changed = threading.Condition()
        self._lines: deque[dict[str, Any]] = deque()
        self._woken = False
        self._last = 0
        #: Answers that a thread waits for, by id.
        self._answers: dict[int, dict[str, Any] | None] = {}
        self._futures: dict[int, tuple[asyncio.Future[Any], type[Exception]]] = {}
        self._gone: str | None = None
        self._taker: Taker | None = None
        #: No test engine uses it.
        self.is_free = True
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = contextvars.copy_context()
        self._reader = threading.Thread(target=self._read, name="treadle-test-engine", daemon=True)
        self._reader.start()

    def begin(self, taker: Taker) -> None:
        """A test engine on the running loop uses it from now on; handlers see the context variables that are set now."""
        self._taker = taker
        self.is_free = False
        # What a closed loop was to do is never done.
        self._woken = False
        self._lines.clear()
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()

    def release(self) -> None:
        """It is free for another test engine."""
        self._taker = None
        self.is_free = True

    @property
    def is_usable(self) -> bool:
        return self._gone is None

    async def ask(self, name: str, args: dict[str, Any], failure: type[Exception]) -> Any:
        """The answer to a command. :raises OperationError: :raises failure: for what went wrong otherwise"""
        id, line = self._command(name, args)
        self.write(line)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._futures[id] = (future, failure)
        return await future

    def ask_now(self, name: str, args: dict[str, Any]) -> Any:
        """The same without the event loop, for what the engine answers by itself. :raises RuntimeError:"""
        id, line = self._command(name, args)
        with self._changed:
            self._answers[id] = None
        self.write(line)
        with self._changed:
            self._changed.wait_for(lambda: self._answers[id] is not None or self._gone is not None)
            answer = self._answers.pop(id)
        if answer is None:
            raise RuntimeError(self._gone)
        if "error" in answer:
            raise _error(answer["error"], RuntimeError)
        return answer["value"]

    def write(self, line: str) -> None:
        """A line, without its end. What is said to a process that has gone concerns nobody."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode("ascii") + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            pass

    def end(self) -> None:
        """Lets it end; one that does not is killed."""
        self._close_input()
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reader.join(_GRACE_S)

    def discard(self) -> None:
        """It is of no use any more, and ends by itself."""
        self._gone = self._gone or "the engine's process was ended"
        self._close_input()
        with self._changed:
            self._changed.notify_all()

    def is_lost(self) -> bool:
        """It has ended, or the loop of its test was closed before its test engine was stopped."""
        return self._gone is not None or (not self.is_free and self._loop is not None and self._loop.is_closed())

    def _command(self, name: str, args: dict[str, Any]) -> tuple[int, str]:
        """Its id and its line."""
        if self._gone is not None:
            raise RuntimeError(self._gone)
        self._last += 1
        return self._last, f'{{"id":{self._last},"do":{encode(name)},"args":{encode(args)}}}'

    def _close_input(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for text in lines:
                self._sort(json.loads(text))
        code = self._process.wait()
        with self._changed:
            self._gone = self._gone or f"the engine's process has ended with exit code {code}; what it said is above"
            self._changed.notify_all()
        self._wake()

    def _sort(self, line: dict[str, Any]) -> None:
        """On the reading thread."""
        self.now = line.pop("now")
        with self._changed:
            if line.get("id") in self._answers:
                self._answers[line["id"]] = line
                self._changed.notify_all()
                return
            if line.keys() != {"moved"}:
                self._lines.append(line)
        self._wake()

    def _wake(self) -> None:
        """On the reading thread."""
        if self._woken or self._loop is None:
            return
        self._woken = True
        try:
            self._loop.call_soon_threadsafe(self._take_all, context=self._context)
        except RuntimeError:
            # The loop is closed: nobody waits.
            self._woken = False

    def _take_all(self) -> None:
        # First, so that a line that is added meanwhile either is seen here or wakes the loop again.
        self._woken = False
        while self._lines:
            self._take(self._lines.popleft())
        if self._gone is not None:
            self._lose(self._gone)

    def _take(self, line: dict[str, Any]) -> None:
        if "alive" in line:
            self.write(f'{{"alive":{line["alive"]}}}')
        elif "id" in line:
            self._settle(line)
        elif self._taker is not None:
            self._taker.take(line)

    def _settle(self, line: dict[str, Any]) -> None:
        future, failure = self._futures.pop(line["id"])
        if future.done():
            return
        if "error" in line:
            future.set_exception(_error(line["error"], failure))
        else:
            future.set_result(line["value"])

    def _lose(self, reason: str) -> None:
        for future, _ in self._futures.values():
            if not future.done():
                future.set_exception(RuntimeError(reason))
        self._futures.clear()
        taker, self._taker = self._taker, None
        if taker is not None:
            taker.lost(reason)


def take_process(command: tuple[str, str]) -> EngineProcess:
    """One that is free, or another one."""
    for process in _all:
        if process.is_lost():
            process.discard()
        elif process.is_free and process.command == command:
            return process
    made = EngineProcess(command)
    _all.append(made)
    return made


def _end_all() -> None:
    for process in _all:
        process.end()


atexit.register(_end_all)


def _error(told: dict[str, str], failure: type[Exception]) -> Exception:
    return OperationError(told["code"], told["message"]) if "code" in told else failure(told["message"])
