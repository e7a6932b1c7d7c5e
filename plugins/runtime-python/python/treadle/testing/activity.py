"""Whether something is under way, and waiting for its end without sleeping."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


class Activity:
    """On the loop's thread only."""

    def __init__(self, under_way: Callable[[], set[int]]) -> None:
        self._under_way = under_way
        self._changed = asyncio.Event()
        #: Handlers that wait for the clock, or for ever.
        self._standing: set[int] = set()

    def touch(self) -> None:
        """Something has happened."""
        self._changed.set()

    async def idle(self, limit_s: float) -> bool:
        """Waits until nothing is under way; False when that takes longer, in seconds."""
        until = time.monotonic() + limit_s
        while self._under_way():
            if not await self._next(until - time.monotonic()):
                return not self._under_way()
        return True

    async def settle(self, silence_s: float) -> None:
        """Waits until nothing is under way but handlers that did nothing for so long."""
        while self._under_way() - self._standing:
            if not await self._next(silence_s):
                self._standing = self._under_way()
        self._standing &= self._under_way()

    async def _next(self, limit_s: float) -> bool:
        self._changed.clear()
        try:
            await asyncio.wait_for(self._changed.wait(), max(0.0, limit_s))
        except asyncio.TimeoutError:
            return False
        return True
