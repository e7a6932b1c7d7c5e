"""Settles between threads whether an invocation begins."""

from __future__ import annotations

import threading
from typing import Literal


#: Withdrawn ids that are remembered: more than an engine ever has under way in one worker.
_REMEMBERED = 4096

Withdrawal = Literal["withdrawn", "begun", "ended"]


class CallGate:
    """
    Either the thread of a handler enters an invocation, or the heartbeat's thread withdraws it before that. Invocations are
    received in the order of their ids and begin in any: functions wait for threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._waiting: set[int] = set()
        self._running: set[int] = set()
        #: In the order in which they were withdrawn. Kept: an answer may be lost and asked for again.
        self._withdrawn: dict[int, None] = {}
        #: The session is over: the engine has given what had not begun to others.
        self.closed = False

    def receive(self, invocation: int) -> bool:
        """False: it was withdrawn before it came, or the session is over."""
        with self._lock:
            self._last = invocation
            if self.closed or invocation in self._withdrawn:
                return False
            self._waiting.add(invocation)
        return True

    def enter(self, invocation: int) -> bool:
        """To be called right before its handler begins. False: it was withdrawn, or the session is over."""
        with self._lock:
            if invocation not in self._waiting:
                return False
            self._waiting.remove(invocation)
            self._running.add(invocation)
        return True

    def leave(self, invocation: int) -> None:
        """Its handler has ended, or will not begin; nothing happens the second time."""
        with self._lock:
            self._waiting.discard(invocation)
            self._running.discard(invocation)

    def close(self) -> None:
        """The session is over: nothing begins any more."""
        with self._lock:
            self.closed = True
            self._waiting.clear()

    def withdraw(self, invocation: int) -> Withdrawal:
        """``withdrawn``: it has not begun and ``enter`` will refuse it."""
        with self._lock:
            if invocation in self._running:
                return "begun"
            if invocation not in self._withdrawn:
                if invocation <= self._last and invocation not in self._waiting:
                    return "ended"
                self._waiting.discard(invocation)
                self._remember(invocation)
        return "withdrawn"

    def _remember(self, invocation: int) -> None:
        self._withdrawn[invocation] = None
        if len(self._withdrawn) > _REMEMBERED:
            del self._withdrawn[next(iter(self._withdrawn))]
