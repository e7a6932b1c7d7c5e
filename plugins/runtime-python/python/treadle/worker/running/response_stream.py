"""Bodies that handlers produce bit by bit."""

from __future__ import annotations

import contextvars
import re
import threading
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from treadle.abort import AbortSignal
from treadle.errors import ClientGone
from treadle.responses import StreamedResponse

from ..wire.json_text import encode, utf8
from ..wire.limits import CHUNK_BYTES, MAX_WAITING_BODY_BYTES
from ..wire.streams import StreamSender
from .event_budget import EventBudget
from .failure import RunError, describe_error
from .runnable import callee
from .step_context import on_event_loop

if TYPE_CHECKING:
    from ..step_runner import Host, StepRunner
    from .run import Run

#: What the engine is told.
_FAILED = "the producer of server-sent events failed"
_UNAWAITED = (
    'Step "{}" sent events faster than its client reads, and they wait in memory beyond the limit: '
    "await send() rather than make tasks of it; it returns when there is room for the next event"
)
_LINE_END = re.compile(r"\r\n|\r|\n")


def open_content(runner: StepRunner, host: Host | None, content: bytes) -> StreamSender:
    """
    A stream for bytes that are too large for a message.

    :raises RunError: ``overloaded`` when too many of this process wait to be sent
    """
    size = len(content)
    if runner.waiting_bytes + size > MAX_WAITING_BODY_BYTES:
        raise RunError("overloaded", "too many large answers of this process wait to be sent")

    def sent(whole: bool) -> None:
        runner.waiting_bytes -= size

    runner.waiting_bytes += size
    return runner.open_stream(host, sent)


async def send_bytes(sender: StreamSender, content: bytes) -> None:
    """Sends bytes that are too large for a message."""
    try:
        await sender.write(content)
        sender.end()
    except ClientGone:
        pass  # nobody wants the rest


async def produce_body(run: Run, response: StreamedResponse, sender: StreamSender) -> None:
    """Sends the body of a streamed answer to its end. Never raises."""
    try:
        if response.produce is not None:
            await run.call(callee(response.produce, 1), EventSender(run, sender))
            await sender.drained()
        else:
            await _send_source(run, response.source, sender)
        sender.end()
    except BaseException as error:  # whatever the producer raises, the run has to end
        if sender.closed:
            # The listener has gone and the producer was told so: this is how it stops.
            run.stream_over(None)
        else:
            failed = _FAILED if response.produce is not None else str(error)
            sender.fail(failed)
            run.stream_over(error)
    else:
        run.stream_over(None)


async def _send_source(run: Run, source: Any, sender: StreamSender) -> None:
    if isinstance(source, (str, bytes, bytearray, memoryview)):
        await sender.write(_piece(source))
    elif isinstance(source, AsyncIterable):
        try:
            async for part in source:
                await sender.write(_piece(part))
        finally:
            close = getattr(source, "aclose", None)
            if callable(close):
                await close()
    else:
        await _send_blocking(run, source, sender)


async def _send_blocking(run: Run, source: Any, sender: StreamSender) -> None:
    """Iterables and files may block, so a thread reads them piece by piece, and closes them, all in the context of the answer."""
    pieces = _pieces_of_file(source) if hasattr(source, "read") else _iterator(source)
    end, context, one_by_one = object(), contextvars.copy_context(), threading.Lock()

    def call(function: Callable[..., Any], *arguments: Any) -> Awaitable[Any]:
        def work() -> Any:
            with one_by_one:
                return context.run(function, *arguments)

        return run.runner.in_thread(work)

    try:
        while (part := await call(next, pieces, end)) is not end:
            await sender.write(_piece(part))
    finally:
        close = getattr(source, "close", None)
        if callable(close):
            # Goes on in its thread though nobody waits for it any more, and waits for a piece that is being made.
            await call(close)


def _iterator(source: Any) -> Iterator[Any]:
    if not isinstance(source, Iterable):
        raise TypeError(f"streamed() takes an iterable, an async iterable or an open file, not a {type(source).__name__}")
    return iter(source)


def _pieces_of_file(source: Any) -> Iterator[Any]:
    while part := source.read(CHUNK_BYTES):
        yield part


def _piece(part: Any) -> bytes:
    if isinstance(part, str):
        return utf8(part)
    if isinstance(part, (bytes, bytearray, memoryview)):
        return bytes(part)
    raise TypeError(f"a stream carries strings and bytes, not a value of type {type(part).__name__}")


class EventSender:
    """What the producer of an ``sse()`` answer is given."""

    def __init__(self, run: Run, sender: StreamSender) -> None:
        self._run = run
        self._sender = sender
        self._budget = EventBudget()

    def __call__(self, data: Any, *, event: str | None = None, id: str | None = None, retry_ms: float | None = None) -> Any:
        return self._write(format_event(data, event, id, retry_ms))

    def comment(self, text: str) -> Any:
        return self._write(_lines("", text) + "\n")

    @property
    def signal(self) -> AbortSignal:
        return self._run.signal

    def _write(self, text: str) -> Any:
        sending = self._send(utf8(text))
        return sending if on_event_loop() else self._run.runner.wait_for(sending)

    async def _send(self, event: bytes) -> None:
        if not self._sender.closed and not self._budget.take(len(event)):
            self._fail()
        if self._sender.closed:
            raise ClientGone
        try:
            await self._sender.write(event)
        finally:
            self._budget.give(len(event))

    def _fail(self) -> None:
        """The producer may still run: it is told like one whose client has gone."""
        error = describe_error(RuntimeError(_UNAWAITED.format(self._run.step.name)))
        self._run.log("error", "a streamed answer failed", {"error": error})
        self._sender.fail(_FAILED)
        self._run.cancel("client_gone")


def format_event(data: Any, event: str | None = None, id: str | None = None, retry_ms: float | None = None) -> str:
    """One event as the HTML standard writes it, section "Server-sent events"."""
    text = data if isinstance(data, str) else encode(data)
    retry = "" if retry_ms is None else f"retry: {round(retry_ms)}\n"
    return f"{_field('event', event)}{_field('id', id)}{retry}{_lines('data', text)}\n"


def _field(name: str, value: str | None) -> str:
    """A line break inside a name would begin another field."""
    return "" if value is None else f"{name}: {' '.join(_LINE_END.split(str(value)))}\n"


def _lines(name: str, text: str) -> str:
    return "".join(f"{name}: {line}\n" for line in _LINE_END.split(text))

