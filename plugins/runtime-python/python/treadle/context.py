"""Second argument of a handler, as types, and where the current one is kept."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from .abort import AbortSignal
from .inputs import Record

Json = Any
Ops = Sequence[Mapping[str, Any]]

#: The context of the handler that runs. One per process, set by those who run handlers.
CURRENT: contextvars.ContextVar[Any] = contextvars.ContextVar("treadle.context")


class Logger(Protocol):
    """
    Writes structured records in the name of the Step and its trace. Fields are an object, keywords, or both. An exception in the
    place of the message keeps its name and stack; a dict there is fields.
    """

    def debug(self, message: Any, fields: Any = None, **more: Any) -> None: ...
    def info(self, message: Any, fields: Any = None, **more: Any) -> None: ...
    def warn(self, message: Any, fields: Any = None, **more: Any) -> None: ...
    def warning(self, message: Any, fields: Any = None, **more: Any) -> None: ...
    def error(self, message: Any, fields: Any = None, **more: Any) -> None: ...


class State(Protocol):
    """
    Key-value store, organised by group and key. To be awaited in ``async def``; in other functions each call blocks and
    returns its result. Each call is durable and visible when it is over.
    """

    def get(self, group: str, key: str) -> Any:
        """The value, or None."""

    def set(self, group: str, key: str, value: Json, *, ttl_ms: float | None = None) -> Any:
        """The stored value. ``ttl_ms``: milliseconds until it disappears."""

    def delete(self, group: str, key: str) -> Any: ...

    def update(self, group: str, key: str, ops: Ops) -> Any:
        """``{"value", "revision"}``; atomic per key under any concurrency."""

    def list(self, group: str, *, prefix: str | None = None, limit: int | None = None, cursor: str | None = None) -> Any:
        """``{"items": [{"key", "value", "revision"}], "cursor"?}``"""

    def list_groups(self, *, prefix: str | None = None, limit: int | None = None, cursor: str | None = None) -> Any:
        """``{"items": [name], "cursor"?}``"""

    def clear(self, group: str) -> Any:
        """How many keys there were."""

    def get_entry(self, group: str, key: str) -> Any:
        """``{"key", "value", "revision"}``, or None."""

    def compare_and_set(self, group: str, key: str, revision: int, value: Json) -> Any:
        """:raises OperationError: when the revision is not the current one any more."""


class StreamClient(Protocol):
    """``ctx.streams.<name>``. To be awaited in ``async def``; in other functions each call blocks."""

    def get(self, group_id: str, id: str) -> Any: ...
    def set(self, group_id: str, id: str, item: Json) -> Any: ...
    def delete(self, group_id: str, id: str) -> Any: ...
    def update(self, group_id: str, id: str, ops: Ops) -> Any: ...
    def list(self, group_id: str) -> Any: ...
    def list_groups(self, *, prefix: str | None = None, limit: int | None = None, cursor: str | None = None) -> Any: ...

    def send(self, channel: Mapping[str, str], event: Mapping[str, Any]) -> Any:
        """An event that is not stored; ``channel`` is ``{"group_id", "id"?}``, ``event`` is ``{"type", "data"}``."""


class Streams(Protocol):
    """A client for each stream, by name."""

    def __getattr__(self, name: str) -> StreamClient: ...
    def __getitem__(self, name: str) -> StreamClient: ...


class Guards(Protocol):
    """``ctx.is_.http()`` and its like: whether a trigger of that kind started the handler."""

    def __getattr__(self, kind: str) -> Callable[..., bool]: ...


class Context(Protocol):
    """
    Second argument of a handler. Calls of ``enqueue``, ``state``, ``streams`` and ``call`` are to be awaited in ``async def``; in
    other functions, which run in threads of their own, they block and return their result. Members are found in
    camelCase as well. What middleware adds by ``next(auth=…)`` is typed by a protocol of your own:
    ``class Signed(Context, Protocol): auth: User``.
    """

    @property
    def logger(self) -> Logger: ...
    @property
    def state(self) -> State: ...
    @property
    def streams(self) -> Streams: ...

    @property
    def setup(self) -> Any:
        """What files ``*_setup.py`` have opened in this process, by their names. To be typed by a protocol of your own."""

    @property
    def env(self) -> Any:
        """The environment variables that ``*_env.py`` declares, by attribute or key. To be typed by a protocol of your own."""

    def enqueue(self, message: Any = None, /, **parts: Any) -> Any:
        """
        Publishes ``{"topic", "data", "delay_ms"?, "at"?, "dedupe_key"?, "message_group_id"?, "headers"?}``; gives
        ``{"messageId"}`` when it is durable. A list is stored as a whole or not at all, and gives a list.
        """

    def call(self, name: str, args: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
        """
        Calls an operation that a plugin brings: ``ctx.call("mqtt.publish", topic="t", payload="p")``. Arguments that are no Python names,
        such as ``from``, are given as one mapping. Gives what the operation gives.

        :raises OperationError: ``OPERATION_UNAVAILABLE`` when no module serves the name, ``InvalidValue`` for arguments that it does not
            take, ``OPERATION_FAILED`` when it failed, or a code of the plugin's own
        """

    @property
    def trace_id(self) -> str:
        """32 hex digits."""

    @property
    def trigger(self) -> Any:
        """Which trigger fired: ``type`` and ``index``."""

    def match(self, cases: Mapping[str, Callable[..., Any]] | None = None, /, **more: Callable[..., Any]) -> Any:
        """
        Runs the function of the trigger kind that fired, else ``default``, and gives its result. As a handler, it takes the input and the
        context, the input alone, or nothing.
        """

    @property
    def is_(self) -> Guards: ...

    def get_data(self) -> Any:
        """Body of a request, data of a message, else the input itself."""

    @property
    def signal(self) -> AbortSignal:
        """Aborts on timeout, cancellation and when the client has gone."""

    @property
    def message(self) -> Record | None:
        """
        The message that is delivered: ``id`` (the same for all attempts), ``topic``, ``headers``, ``enqueued_at`` (milliseconds since the
        Unix epoch) and ``attempt``; None for other triggers.
        """

    def now(self) -> float:
        """Milliseconds since the Unix epoch, by the engine's clock: a test that moves its clock moves this, too."""

    @property
    def ip(self) -> str | None:
        """Address of the client that sent the request; None for other triggers."""

    @property
    def cookies(self) -> dict[str, str]:
        """Cookies of the request, by name; none for other triggers."""

    @property
    def attempt(self) -> int:
        """From 1."""

    @property
    def deadline(self) -> float:
        """Milliseconds since the Unix epoch at which time is up."""

    @property
    def step_name(self) -> str: ...

    @property
    def trace(self) -> Any:
        """The span of this run: OpenTelemetry's where its API is installed, else one with the same methods."""


def get_context() -> Context:
    """
    The context of the handler that the caller runs in, anywhere below it. Threads that a handler starts by itself need
    ``contextvars.copy_context().run``; ``asyncio.to_thread`` and tasks have it.

    :raises RuntimeError: outside a handler
    """
    context: Context | None = CURRENT.get(None)
    if context is None:
        raise RuntimeError("get_context() was called outside a handler; it works while a Step's handler runs")
    return context


getContext = get_context
