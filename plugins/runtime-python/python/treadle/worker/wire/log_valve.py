"""Bounds what a log may pile up when nobody reads it."""

from __future__ import annotations

from collections.abc import Callable


class LogValve:
    """
    Drops records and counts them; never reorders any. Once closed it opens when half of what may wait was read. Warnings and errors pass
    until twice as much waits.
    """

    def __init__(self, limit: int, waiting: Callable[[], int]) -> None:
        self.dropped = 0
        self._limit = limit
        self._waiting = waiting
        self._closed = False
        self._told = 0

    @property
    def has_untold(self) -> bool:
        """Records were dropped that nobody was told of yet."""
        return self.dropped != self._told

    def admits(self, level: str) -> bool:
        """False: the record is dropped."""
        waiting = self._waiting()
        if waiting <= (self._limit // 2 if self._closed else self._limit):
            self._closed = False
            return True
        self._closed = True
        if level in ("warn", "error") and waiting <= 2 * self._limit:
            return True
        self.dropped += 1
        return False

    def untold(self) -> int:
        """How many were dropped that nobody was told of yet; 0 while the log does not flow. From now on they count as told."""
        count = self.dropped - self._told
        if count == 0 or self._waiting() > self._limit // 2:
            return 0
        self._told = self.dropped
        return count
