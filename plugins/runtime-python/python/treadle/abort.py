"""Tells a handler that its result is no longer wanted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from .errors import AbortError


class AbortSignal:
    """Aborts on timeout, cancellation and when the client has gone. Usable from any thread."""

    __slots__ = ("_event", "_listeners", "_lock", "_reason")

    def __init__(self) -> None:
        self._event = threading.Event()
        self._listeners: list[Callable[[], object]] = []
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
        """Calls ``listener`` once when it aborts, at once when it has. Returns how to stop listening."""
        with self._lock:
            if not self._event.is_set():
                self._listeners.append(listener)
                return lambda: self._forget(listener)
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
        """For those who run handlers."""
        with self._lock:
            if self._event.is_set():
                return
            self._reason = abort_reason(reason)
            self._event.set()
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

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

    def _forget(self, listener: Callable[[], object]) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)


def abort_reason(reason: str) -> Exception:
    """The exception for a reason of the protocol."""
    if reason == "timeout":
        return TimeoutError("the handler is over its time")
    return AbortError(f"the handler was cancelled: {reason}")
