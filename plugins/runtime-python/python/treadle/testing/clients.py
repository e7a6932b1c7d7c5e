"""``app.state``, ``app.streams``, ``app.clock``, and records of what the application said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from treadle.worker.running.operations import StateClient, StreamClients

__all__ = ["Clock", "CronRun", "Log", "StateClient", "StreamClients"]


@dataclass(frozen=True)
class Log:
    """A record that a Step's handler logged."""

    level: str
    message: str
    step: str
    fields: dict[str, Any]
    trace_id: str
    #: Milliseconds since the epoch, by the test engine's clock.
    time: float


@dataclass(frozen=True)
class CronRun:
    """How a run that a test asked for has ended: ``succeeded``, ``failed`` or ``skipped`` (its condition was not met)."""

    status: str
    trace_id: str
    #: What the handler raised.
    error: str | None = None


class Clock:
    """The time of the test engine, which stands still. The application's own use of ``time`` and ``datetime`` is not touched."""

    def __init__(self, now: Callable[[], float], advance: Callable[[float], Awaitable[None]]) -> None:
        self._now = now
        self._advance = advance

    def now(self) -> float:
        """Milliseconds since the epoch."""
        return self._now()

    async def advance(self, ms: float) -> None:
        """
        Moves time on: whatever is due meanwhile happens at its own time and in order (delayed messages, retries, cron ticks, time
        limits, values that expire), each one to its end before the next.
        """
        await self._advance(ms)
