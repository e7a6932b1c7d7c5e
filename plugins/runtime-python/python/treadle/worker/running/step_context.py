"""Second argument of a handler."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from treadle.abort import AbortSignal
from treadle.inputs import Record
from treadle.naming import snake

from .failure import log_fields
from .level_logger import LevelLogger
from .log_fields import plain_fields
from .operations import StateClient, StreamClients, call_operation, to_messages
from .runnable import callee

if TYPE_CHECKING:
    from .run import Run


def on_event_loop() -> bool:
    """True where one can await; elsewhere calls block."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class StepLogger(LevelLogger):
    """``ctx.logger``."""

    __slots__ = ("_run",)

    def __init__(self, run: Run) -> None:
        self._run = run

    def _write(self, level: str, message: Any, fields: Any, more: dict[str, Any]) -> None:
        text, written = _said(message, fields)
        self._run.log(level, text, {**(written or {}), **(plain_fields(more) or {})} if more else written)


#: Longest message that is made of a dict, in characters.
_MAX_SHOWN = 200


def _said(message: Any, fields: Any) -> tuple[str, dict[str, Any] | None]:
    """A message and fields; an error, whose name and stack become fields; or fields alone, or before the message."""
    if isinstance(message, BaseException):
        said = log_fields(message)
        if isinstance(fields, str):
            return fields, said
        error = said.pop("error")
        return error, {**said, **(plain_fields(fields) or {})}
    if not isinstance(message, dict):
        return str(message), plain_fields(fields)
    written = plain_fields(message) or {}
    if isinstance(fields, str):
        return fields, written
    texts = (written.get(name) for name in ("message", "msg"))
    text = next((text for text in texts if isinstance(text, str)), None)
    return text if text is not None else str(written)[:_MAX_SHOWN], {**written, **(plain_fields(fields) or {})}


class KindGuards:
    """``ctx.is_``: ``ctx.is_.http()``."""

    __slots__ = ("_kind",)

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __getattr__(self, kind: str) -> Callable[..., bool]:
        return lambda *_: kind == self._kind


class HandlerContext:
    """Its members are made when they are first asked for: most handlers use two or three of them."""

    #: What middleware adds has a dict, which is there once something was added.
    __slots__ = ("_run", "__dict__")

    def __init__(self, run: Run) -> None:
        self._run = run

    def __getattr__(self, name: str) -> Any:
        written = snake(name)
        if written == name or name.startswith("_"):
            raise AttributeError(f"the context has no {name!r}")
        return getattr(self, written)

    @property
    def logger(self) -> StepLogger:
        return StepLogger(self._run)

    @property
    def state(self) -> StateClient:
        return StateClient(self._run.operate)

    @property
    def streams(self) -> StreamClients:
        return StreamClients(self._run.operate)

    def call(self, name: str, args: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
        return call_operation(self._run.operate, name, args, more)

    @property
    def setup(self) -> Any:
        return self._run.open.setup

    @property
    def env(self) -> Any:
        return self._run.open.env

    def enqueue(self, message: Any = None, /, **parts: Any) -> Any:
        run = self._run
        several = isinstance(message, (list, tuple))
        whole = message if several else {**(message or {}), **parts} if isinstance(message, (Mapping, type(None))) else message
        messages = to_messages(whole, run.step.name, run.step.enqueues)
        if not messages:
            return _given([]) if on_event_loop() else []
        ids = run.operate("queue.enqueue", {"messages": messages})
        if several:
            return ids
        return _first(ids) if inspect.isawaitable(ids) else ids[0]

    @property
    def trace_id(self) -> str:
        traceparent: str = self._run.message["traceparent"]
        return traceparent[3:35]

    @property
    def trigger(self) -> Record:
        return Record(self._run.message["trigger"])

    def match(self, cases: Mapping[str, Callable[..., Any]] | None = None, /, **more: Callable[..., Any]) -> Any:
        kind = self._run.plan.type
        table = {**(cases or {}), **more}
        chosen = table.get(kind, table.get("default"))
        if chosen is None:
            raise ValueError(f'ctx.match has no case for trigger kind "{kind}" and no default')
        result = chosen(*callee(chosen, 2).arguments(self._run.input, self))
        if on_event_loop():
            return result if inspect.isawaitable(result) else _given(result)
        return self._run.runner.wait_for(result) if inspect.isawaitable(result) else result

    @property
    def is_(self) -> KindGuards:
        return KindGuards(self._run.plan.type)

    def get_data(self) -> Any:
        run = self._run
        return run.input["body"] if run.plan.type == "http" else run.input

    @property
    def signal(self) -> AbortSignal:
        return self._run.signal

    @property
    def message(self) -> Record | None:
        run = self._run
        facts = run.message.get("message")
        if facts is None:
            return None
        return Record(id=facts["id"], topic=run.plan.topic, headers=facts.get("headers", {}), enqueued_at=facts["enqueuedAt"], attempt=run.message["attempt"])

    def now(self) -> float:
        return self._run.runner.now_ms()

    @property
    def ip(self) -> str | None:
        run = self._run
        return run.input.ip if run.plan.type == "http" else None

    @property
    def cookies(self) -> dict[str, str]:
        run = self._run
        return run.input.cookies if run.plan.type == "http" else {}

    @property
    def attempt(self) -> int:
        attempt: int = self._run.message["attempt"]
        return attempt

    @property
    def deadline(self) -> float:
        timeout_ms: float = self._run.message["timeoutMs"]
        return self._run.started_at + timeout_ms

    @property
    def step_name(self) -> str:
        return self._run.step.name

    @property
    def trace(self) -> Any:
        return self._run.span


def add_members(context: HandlerContext, added: Mapping[str, Any]) -> None:
    """
    Gives a context the members that a middleware handed to ``next()``.

    :raises TypeError: for a name that every context has
    """
    for name, value in added.items():
        if hasattr(HandlerContext, name) or hasattr(HandlerContext, snake(name)):
            raise TypeError(f'next() was given "{name}", which every context has; choose another name')
        setattr(context, name, value)


async def _first(ids: Any) -> Any:
    return (await ids)[0]


async def _given(value: Any) -> Any:
    return value
