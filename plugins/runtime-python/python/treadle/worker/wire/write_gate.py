"""Lets the streams of a connection write as fast as its socket takes what they write."""

from __future__ import annotations

import asyncio
from collections import deque


class WriteGate:
    """
    Closed while the socket has not taken what was written before. Those who wait go in the order in which they came, each after the
    one before it has written: all at once they would only fill the socket's buffer again. Who comes while others wait goes after them,
    else a stream with much to say would keep them waiting. On the loop's thread only.
    """

    def __init__(self) -> None:
        self.open = True
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def passed(self) -> None:
        """Returns when it may be written; ``written`` has to be called afterwards."""
        if self.open and not self._waiting:
            return
        waiting = self._waiter()
        self._waiting.append(waiting)
        await self._called(waiting)
        while not self.open:  # closed again before it could go: it keeps its place
            waiting = self._waiter()
            self._waiting.appendleft(waiting)
            await self._called(waiting)

    async def _called(self, waiting: asyncio.Future[None]) -> None:
        try:
            await waiting
        except asyncio.CancelledError:
            self.written()
            raise

    @staticmethod
    def _waiter() -> asyncio.Future[None]:
        return asyncio.get_running_loop().create_future()

    def written(self) -> None:
        """The next one may go, unless the socket is full again."""
        if self.open:
            self._next()

    def set(self, is_open: bool) -> None:
        """Told by the connection."""
        self.open = is_open
        self.written()

    def close(self) -> None:
        """The connection is gone: nobody waits any more."""
        self.open = True
        while self._waiting:
            self._next()

    def _next(self) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(None)
                return
