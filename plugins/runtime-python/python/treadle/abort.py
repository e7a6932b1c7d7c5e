"""Tells a handler that its result is no longer wanted."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from .errors import AbortError


class AbortSignal:
    """Aborts on timeout, cancellation and when the client has gone. Usable from any thread."""

    __slots__ = ("_event", "_listeners", "_lock", "_on_failure", "_reason")

    def __init__(self, on_failure: Callable[[BaseException], object] | None = None) -> None:
        """``on_failure`` is given what a listener raises; default: it is written to standard error."""
        self._event = threading.Event()
        #: Each in the context in which it was added.
        self._listeners: list[Callable[[], object]] = []
        self._on_failure = on_failure or _print_failure
        self._lock = threading.Lock()
        self._reason: Exception | None = None

    @property
    def aborted(self) -> bool:
        """True once the result is no longer wanted."""
        return self._event.is_set()

    @property
    def reason(self) -> Exception | None:
        """Why: ``TimeoutError`` when the handler is over its time, else ``AbortError``."""
        return self._reason

    def throw_if_aborted(self) -> None:
        """:raises TimeoutError, AbortError: when it is aborted"""
        if self._reason is not None:
            raise self._reason

    def add_listener(self, listener: Callable[[], object]) -> Callable[[], None]:
        """
        Calls ``listener`` once when it aborts, at once when it has. Returns how to stop listening. What a listener raises that is called
        when it aborts reaches neither the other listeners nor the handler: it is logged.
        """
        call = partial(contextvars.copy_context().run, listener)
        with self._lock:
            if not self._event.is_set():
                self._listeners.append(call)
                return lambda: self._forget(call)
        listener()
        return lambda: None

    def wait(self, timeout: float | None = None) -> Any:
        """
        Waits until it aborts, at most ``timeout`` seconds; the result says whether it has. To be awaited in ``async def``;
        elsewhere it blocks.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._event.wait(timeout)
        return self._wait(timeout)

    def abort(self, reason: str) -> None:
        """For those who run handlers. Raises nothing, whatever listeners raise."""
        with self._lock:
            if self._event.is_set():
                return
            self._reason = abort_reason(reason)
            self._event.set()
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            try:
                listener()
            except BaseException as error:  # also sys.exit(): who aborts has more to do than to tell this one
                self._on_failure(error)

    async def _wait(self, timeout: float | None) -> bool:
        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        stop = self.add_listener(lambda: loop.call_soon_threadsafe(done.set))
        try:
            await asyncio.wait_for(done.wait(), timeout)
        except asyncio.TimeoutError:
            pass
        finally:
            stop()
        return self.aborted

    def _forget(self, call: Callable[[], object]) -> None:
        with self._lock:
            if call in self._listeners:
                self._listeners.remove(call)


def _print_failure(error: BaseException) -> None:
    sys.excepthook(type(error), error, error.__traceback__)


def abort_reason(reason: str) -> Exception:
    """The exception for a reason of the protocol."""
    if reason == "timeout":
        return TimeoutError("the handler is over its time")
    return AbortError(f"the handler was cancelled: {reason}")
