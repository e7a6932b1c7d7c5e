"""Answers whose body comes bit by bit, and those that send the client elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

if TYPE_CHECKING:
    from .abort import AbortSignal


class Send(Protocol):
    """
    Sends one event; strings as they are, anything else as JSON. To be awaited in ``async def``; elsewhere it blocks. Tasks that send
    without waiting have their order and a limit: beyond 4 MiB of an answer, or 64 MiB of the process, the answer ends with an error in
    the log. :raises ClientGone: when the answer is over or its client has gone
    """

    def __call__(
        self, data: Any, *, event: str | None = None, id: str | None = None, retry_ms: float | None = None
    ) -> Any: ...

    def comment(self, text: str) -> Any:
        """A line that clients ignore; keeps proxies from closing an idle connection."""

    @property
    def signal(self) -> AbortSignal:
        """Aborts when the client has gone or time is up."""


class Readable(Protocol):
    """An open file or anything else that is read piece by piece."""

    def read(self, size: int = ..., /) -> str | bytes: ...


Source = AsyncIterable[str | bytes] | Iterable[str | bytes] | Readable | bytes | str
Headers = Mapping[str, Any]


class StreamedResponse:
    """Made by ``sse()`` and ``streamed()``; exactly one of ``source`` and ``produce`` is there."""

    __slots__ = ("status", "headers", "source", "produce")

    def __init__(
        self, status: int, headers: Headers, *, source: Source | None = None, produce: Callable[[Send], Any] | None = None
    ) -> None:
        self.status = status
        self.headers = headers
        self.source = source
        self.produce = produce


def sse(produce: Callable[[Send], Any], *, status: int = 200, headers: Headers | None = None) -> StreamedResponse:
    """Answers with server-sent events for as long as ``produce(send)``, sync or async, runs."""
    defaults = {"content-type": "text/event-stream", "cache-control": "no-cache, no-transform"}
    return StreamedResponse(status, {**defaults, **(headers or {})}, produce=produce)


def streamed(source: Source, *, status: int = 200, headers: Headers | None = None) -> StreamedResponse:
    """Answers with the pieces of an iterable, an async iterable or an open file. Default content type: ``application/octet-stream``."""
    return StreamedResponse(status, {"content-type": "application/octet-stream", **(headers or {})}, source=source)


def redirect(location: str, status: int = 302, headers: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """
    A result that sends the client elsewhere; further headers such as ``set-cookie`` go along. 303: whatever the method was, the client
    asks with GET; 307 and 308 keep the method. Never redirect to what a client has sent without a look at it.

    :raises ValueError: for a status that sends nobody elsewhere
    """
    if status not in (301, 302, 303, 307, 308):
        raise ValueError(f"redirect() needs status 301, 302, 303, 307 or 308, got {status!r}")
    # Headers are ASCII; what is encoded already stays.
    target = quote(location, safe="".join(chr(code) for code in range(0x21, 0x7F)))
    return {"status": status, "headers": {**(headers or {}), "location": target}}
