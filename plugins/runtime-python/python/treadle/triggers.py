"""Helpers that make triggers. Options may be written in snake_case or camelCase, as keywords or as a dict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .config import CronOptions, HttpOptions, QueueOptions, StateOptions, StreamOptions, Trigger, Unpack
from .topics import Topic


def http(method: str, path: str, options: HttpOptions | None = None, /, **more: Unpack[HttpOptions]) -> Trigger:
    """A trigger for requests of ``method`` to ``path``."""
    return {**(options or {}), **more, "type": "http", "method": method, "path": path}


def queue(topic: str | Topic, options: QueueOptions | None = None, /, **more: Unpack[QueueOptions]) -> Trigger:
    """A trigger for each message of a topic."""
    return {**(options or {}), **more, "type": "queue", "topic": topic}


def cron(expression: str, options: CronOptions | None = None, /, **more: Unpack[CronOptions]) -> Trigger:
    """A trigger at the times of a cron expression: 5 fields, 6 with seconds, or ``@daily`` and its like."""
    return {**(options or {}), **more, "type": "cron", "expression": expression}


def state(options: StateOptions | None = None, /, **more: Unpack[StateOptions]) -> Trigger:
    """A trigger for changes of state; without options for every one."""
    return {**(options or {}), **more, "type": "state"}


def stream(stream_name: str, options: StreamOptions | None = None, /, **more: Unpack[StreamOptions]) -> Trigger:
    """A trigger for changes of a stream's items."""
    return {**(options or {}), **more, "type": "stream", "streamName": stream_name}


def trigger(kind: str, options: Mapping[str, Any] | None = None, /, **more: Any) -> Trigger:
    """A trigger of a kind that a plugin brings. The engine checks its keys."""
    return {**(options or {}), **more, "type": kind}
