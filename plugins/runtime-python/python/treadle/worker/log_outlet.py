"""Sends log records to the engine."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from .running.log_fields import log_text
from .wire.log_valve import LogValve

#: Bytes that may wait for the engine before log records are dropped.
_MAX_WAITING_BYTES = 8 * 1024 * 1024
#: How often it is looked whether the log flows again, in seconds.
_LOOK_S = 0.5


class LogOutlet:
    """Handlers that log faster than the engine reads lose records rather than fill the memory of their process. From any thread."""

    def __init__(self, tell: Callable[[str], None], waiting: Callable[[], int], loop: asyncio.AbstractEventLoop) -> None:
        self._tell = tell
        self._loop = loop
        self._lock = threading.Lock()
        #: Handed over by other threads, and not yet taken by the loop; in characters.
        self._under_way = 0
        self._valve = LogValve(_MAX_WAITING_BYTES, lambda: waiting() + self._under_way)
        self._looking = False

    def log(self, invocation: int | None, entry: dict[str, Any]) -> None:
        """Sends a record, or drops it and counts it."""
        with self._lock:
            if not self._valve.admits(entry["level"]):
                if not self._looking:
                    self._looking = True
                    self._loop.call_soon_threadsafe(self._look_later)
                return
            missing = self._valve.untold() if self._valve.has_untold else 0
        if missing:
            self._send(_notice(missing))
        self._send(log_text(invocation, entry))

    def taken(self, size: int) -> None:
        """The loop has taken so many characters of records over."""
        with self._lock:
            self._under_way -= size

    def _send(self, text: str) -> None:
        with self._lock:
            self._under_way += len(text)
        self._tell(text)

    def _look_later(self) -> None:
        self._loop.call_later(_LOOK_S, self._look)

    def _look(self) -> None:
        """One record says how many are missing, even if no other follows."""
        with self._lock:
            missing = self._valve.untold()
            self._looking = self._valve.has_untold
            again = self._looking
        if missing:
            self._send(_notice(missing))
        if again:
            self._look_later()


def _notice(dropped: int) -> str:
    message = "log records were dropped: there were more than the engine could read"
    return log_text(None, {"time": int(time.time() * 1000), "level": "warn", "message": message, "fields": {"dropped": dropped}})
