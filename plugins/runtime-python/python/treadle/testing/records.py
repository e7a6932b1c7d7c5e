"""What a test engine tells."""

from __future__ import annotations

import datetime
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the application answered."""

    status: int
    #: Lower-case names; repeated ones are joined by ``, ``, those of ``set-cookie`` by a line break.
    headers: dict[str, str]
    #: JSON is read, other text is a string, anything else bytes; None when there is none.
    body: Any
    #: Of the request, and of all that it caused.
    trace_id: str


@dataclass(frozen=True)
class Message:
    """A message that was enqueued, by a Step or by the test."""

    message_id: str
    topic: str
    data: Any
    trace_id: str
    headers: dict[str, str] = field(default_factory=dict)
    message_group_id: str | None = None
    #: When it is to be delivered, for one that was delayed; milliseconds since the epoch.
    due_at: float | None = None


@dataclass(frozen=True)
class DeadLetter:
    """A message that was given up."""

    message_id: str
    step: str
    topic: str
    data: Any
    #: ``max_attempts``, ``non_retryable``, ``invalid_input`` or ``loop_limit``.
    reason: str
    #: Attempts that failed.
    attempts: int
    #: The last ones of them: ``message``, ``code`` and, of the handler's own, ``name``.
    errors: list[dict[str, Any]]
    #: Milliseconds since the epoch.
    dead_at: float
    trace_id: str


@dataclass(frozen=True)
class Log:
    """A record that a Step's handler logged, or the engine about the Step."""

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


def message_of(told: Mapping[str, Any]) -> Message:
    headers = told.get("headers") or {}
    return Message(told["messageId"], told["topic"], told["data"], told["traceId"], headers, told.get("messageGroupId"), told.get("dueAt"))


def letter_of(told: Mapping[str, Any]) -> DeadLetter:
    return DeadLetter(
        told["messageId"], told["step"], told["topic"], told["data"], told["reason"], told["attempts"], told["errors"], told["deadAt"],
        told["traceId"],
    )


def log_of(told: Mapping[str, Any]) -> Log:
    time = datetime.datetime.fromisoformat(told["timestamp"].replace("Z", "+00:00")).timestamp() * 1000
    return Log(told["level"], told["message"], told["step"], told["fields"], told["traceId"], round(time))


def event_of(told: Mapping[str, Any]) -> dict[str, Any]:
    return {"group_id" if name == "groupId" else name: value for name, value in told.items()}


def milliseconds(time: float | datetime.datetime | None) -> float | None:
    """Since the epoch."""
    return time.timestamp() * 1000 if isinstance(time, datetime.datetime) else time
