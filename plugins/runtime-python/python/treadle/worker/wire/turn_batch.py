"""Collects the messages of one turn of the event loop and writes them as one frame."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .limits import FRAME_TARGET_BYTES


class TurnBatch:
    """
    The one writer of a connection. Messages are JSON texts; they go out in the order in which they were pushed, at the end
    of the turn. To be used on the loop's thread only.
    """

    __slots__ = ("_write", "_loop", "_texts", "_size", "_scheduled")

    def __init__(self, loop: asyncio.AbstractEventLoop, write: Callable[[str], None]) -> None:
        self._write = write
        self._loop = loop
        self._texts: list[str] = []
        self._size = 0
        self._scheduled = False

    def push(self, text: str) -> None:
        """Adds a message."""
        size = len(text) + 1
        if self._size + size >= FRAME_TARGET_BYTES:
            self.flush()
        self._size += size
        self._texts.append(text)
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._turn)

    def flush(self) -> None:
        """Writes what there is now."""
        if not self._texts:
            return
        texts, self._texts = self._texts, []
        self._size = 1
        self._write("[" + ",".join(texts) + "]")

    def _turn(self) -> None:
        self._scheduled = False
        self.flush()
