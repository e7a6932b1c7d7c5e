"""Bounds what events may take in memory that are sent without waiting for room."""

from __future__ import annotations

#: For one answer, in bytes.
_MOST_OF_ANSWER = 4 * 1024 * 1024
#: For all answers of this process.
_MOST_OF_PROCESS = 64 * 1024 * 1024
#: What every answer may have, whatever the others take.
_LEAST = 64 * 1024
#: What a task takes that sends one event.
_OVERHEAD = 2048


class EventBudget:
    """Events of one answer that are under way. On the loop's thread only."""

    _of_process = 0

    def __init__(self) -> None:
        self._held = 0

    def take(self, size: int) -> bool:
        """Counts an event. False: there is no room for it. One alone may have any size."""
        size += _OVERHEAD
        held = self._held + size
        alone = self._held == 0
        if not alone and held > _LEAST and (held > _MOST_OF_ANSWER or EventBudget._of_process + size > _MOST_OF_PROCESS):
            return False
        self._add(size)
        return True

    def give(self, size: int) -> None:
        """The event was sent, or nobody wants it."""
        self._add(-size - _OVERHEAD)

    def _add(self, size: int) -> None:
        self._held += size
        EventBudget._of_process += size
