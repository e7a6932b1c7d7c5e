"""The time of a test engine."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable


class Timer:
    """Something that is to happen at a time."""

    __slots__ = ("due", "task", "cancelled")

    def __init__(self, due: float, task: Callable[[], object]) -> None:
        self.due = due
        self.task = task
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeTime:
    """Stands still until it is moved. Milliseconds since the epoch."""

    def __init__(self, began: float) -> None:
        self._now = began
        self._timers: list[tuple[float, int, Timer]] = []
        self._count = itertools.count()

    def now(self) -> float:
        return self._now

    def at(self, due: float, task: Callable[[], object]) -> Timer:
        """Runs a task when the time has come to be moved there; those of one moment in the order in which they were set."""
        timer = Timer(due, task)
        heapq.heappush(self._timers, (due, next(self._count), timer))
        return timer

    def after(self, ms: float, task: Callable[[], object]) -> Timer:
        return self.at(self._now + ms, task)

    def step(self, until: float) -> bool:
        """Moves on to the next moment at which something is due, and runs that. False: nothing is until then, and it is then."""
        while self._timers and self._timers[0][2].cancelled:
            heapq.heappop(self._timers)
        if not self._timers or self._timers[0][0] > until:
            self._now = max(self._now, until)
            return False
        self._now = max(self._now, self._timers[0][0])
        due = []
        while self._timers and self._timers[0][0] <= self._now:
            due.append(heapq.heappop(self._timers)[2])
        for timer in due:
            if not timer.cancelled:
                timer.task()
        return True
