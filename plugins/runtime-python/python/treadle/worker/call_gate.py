"""Settles between two threads whether an invocation begins."""

from __future__ import annotations

import threading

#: More than an engine ever has under way in one worker.
_SLOTS = 4096


class CallGate:
    """
    Either the loop's thread enters an invocation, or the heartbeat's thread withdraws it before that. A slot holds the last
    id there, negative when it was withdrawn, so nothing is ever cleared. Ids are positive.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slots = [0] * _SLOTS

    def enter(self, invocation: int) -> bool:
        """To be called right before an invocation begins. False: it was withdrawn."""
        slot = invocation % _SLOTS
        with self._lock:
            seen, self._slots[slot] = self._slots[slot], invocation
        return seen != -invocation

    def withdraw(self, invocation: int) -> bool:
        """True: it has not begun and ``enter`` will refuse it. False: it has begun, or a later one in its slot has."""
        slot = invocation % _SLOTS
        with self._lock:
            seen = self._slots[slot]
            if seen == -invocation:
                return True
            if abs(seen) >= invocation:
                return False
            self._slots[slot] = -invocation
        return True
