"""``ctx.state``, ``ctx.streams`` and ``ctx.enqueue``: what they do is decided by the module that serves the operation."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from treadle.errors import OperationError, TopicNotDeclared
from treadle.naming import camel, snake
from treadle.topics import topic_name

from .json_value import check_json
from .value_parts import ValueParts

#: Calls an operation of the engine: awaitable on an event loop, else it blocks and gives the result.
Operate = Callable[[str, dict[str, Any]], Any]


class _Client:
    """Methods are found in camelCase as well."""

    __slots__ = ("_operate",)

    def __init__(self, operate: Operate) -> None:
        self._operate = operate

    def __getattr__(self, name: str) -> Any:
        written = snake(name)
        if written == name or name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no {name!r}")
        return getattr(self, written)


def _options(options: Mapping[str, Any] | None, more: Mapping[str, Any]) -> dict[str, Any]:
    merged = {camel(key): value for key, value in {**(options or {}), **more}.items() if value is not None}
    check_json(merged, "an option")
    return merged


class StateClient(_Client):
    """``ctx.state``."""

    __slots__ = ()

    def get(self, group: str, key: str) -> Any:
        return self._operate("state.get", {"group": group, "key": key})

    def set(self, group: str, key: str, value: Any, options: Mapping[str, Any] | None = None, **more: Any) -> Any:
        check_json(value, "the value")
        return self._operate("state.set", {**_options(options, more), "group": group, "key": key, "value": value})

    def delete(self, group: str, key: str) -> Any:
        return self._operate("state.delete", {"group": group, "key": key})

    def update(self, group: str, key: str, ops: Sequence[Mapping[str, Any]]) -> Any:
        return self._operate("state.update", {"group": group, "key": key, "ops": _ops(ops)})

    def list(self, group: str, options: Mapping[str, Any] | None = None, **more: Any) -> Any:
        return self._operate("state.list", {"group": group, **_options(options, more)})

    def list_groups(self, options: Mapping[str, Any] | None = None, **more: Any) -> Any:
        return self._operate("state.listGroups", _options(options, more))

    def clear(self, group: str) -> Any:
        return self._operate("state.clear", {"group": group})

    def get_entry(self, group: str, key: str) -> Any:
        return self._operate("state.getEntry", {"group": group, "key": key})

    def compare_and_set(self, group: str, key: str, revision: int, value: Any) -> Any:
        check_json(value, "the value")
        return self._operate("state.compareAndSet", {"group": group, "key": key, "revision": revision, "value": value})


class StreamClient(_Client):
    """``ctx.streams.<name>``."""

    __slots__ = ("_stream",)

    def __init__(self, stream: str, operate: Operate) -> None:
        super().__init__(operate)
        self._stream = stream

    def get(self, group_id: str, id: str) -> Any:
        return self._call("get", {"groupId": group_id, "id": id})

    def set(self, group_id: str, id: str, item: Any) -> Any:
        check_json(item, "the item")
        return self._call("set", {"groupId": group_id, "id": id, "item": item})

    def delete(self, group_id: str, id: str) -> Any:
        return self._call("delete", {"groupId": group_id, "id": id})

    def update(self, group_id: str, id: str, ops: Sequence[Mapping[str, Any]]) -> Any:
        return self._call("update", {"groupId": group_id, "id": id, "ops": _ops(ops)})

    def list(self, group_id: str) -> Any:
        return self._call("list", {"groupId": group_id})

    def list_groups(self, options: Mapping[str, Any] | None = None, **more: Any) -> Any:
        return self._call("listGroups", _options(options, more))

    def send(self, channel: Mapping[str, Any], event: Mapping[str, Any]) -> Any:
        check_json(event, "the event")
        return self._call("send", {**_options(channel, {}), "event": event})

    def _call(self, verb: str, args: dict[str, Any]) -> Any:
        return self._operate(f"stream.{verb}", {"stream": self._stream, **args})


class StreamClients:
    """``ctx.streams``: any name is a client; whether there is such a stream is the engine's to say."""

    __slots__ = ("_operate", "_clients")

    def __init__(self, operate: Operate) -> None:
        self._operate = operate
        self._clients: dict[str, StreamClient] = {}

    def __getattr__(self, name: str) -> StreamClient:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> StreamClient:
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = StreamClient(name, self._operate)
        return client


#: Operations behind members of the context, which check what they are given.
_MEMBERS = {"queue": "ctx.enqueue", "state": "ctx.state", "stream": "ctx.streams"}


def call_operation(operate: Operate, name: Any, args: Any, more: Mapping[str, Any]) -> Any:
    """
    ``ctx.call``: any operation that a module of a plugin serves. Names of arguments stay as they are written.

    :raises OperationError: ``InvalidValue``, ``OPERATION_UNAVAILABLE``
    """
    if not isinstance(name, str) or name == "":
        raise OperationError("InvalidValue", 'call takes the name of an operation, e.g. "mqtt.publish", and its arguments')
    member = _MEMBERS.get(name.split(".", 1)[0])
    if member is not None:
        raise OperationError("OPERATION_UNAVAILABLE", f'"{name}" is not for call: use {member}')
    if args is not None and not isinstance(args, Mapping):
        raise OperationError("InvalidValue", f'call takes the arguments of "{name}" by keyword, or as one mapping')
    given = {**(args or {}), **more}
    check_json(given, f'what "{name}" is called with', wrapping=1)
    return operate(name, given)


def _ops(ops: Any) -> list[Any]:
    if isinstance(ops, (str, bytes, Mapping)) or not isinstance(ops, Sequence):
        raise OperationError("InvalidValue", "update takes a list of ops, e.g. [{'type': 'increment', 'path': 'count'}]")
    check_json(list(ops), "an op", wrapping=2)
    return list(ops)


def to_messages(input: Any, step: str, enqueues: Collection[str]) -> list[dict[str, Any]]:
    """
    The messages of ``ctx.enqueue``. A topic that the Step does not declare is refused before anything is sent.

    :raises OperationError: ``TopicNotDeclared``, ``InvalidValue``
    """
    if not isinstance(input, (list, tuple)):
        return [_message(input, step, enqueues, None)]
    batch = ValueParts.of_batch()
    return [_message(message, step, enqueues, batch) for message in input]


def _message(message: Any, step: str, enqueues: Collection[str], batch: ValueParts | None) -> dict[str, Any]:
    if not isinstance(message, Mapping):
        raise OperationError("InvalidValue", 'enqueue takes {"topic": …, "data": …}')
    parts = {camel(key): value for key, value in message.items() if value is not None or key == "data"}
    topic = topic_name(parts.get("topic"))
    if topic not in enqueues:
        raise TopicNotDeclared(step, topic)
    if "data" not in parts:
        raise OperationError("InvalidValue", f'the message for topic "{topic}" has no "data"')
    data = parts.pop("data")
    check_json(data, f'the data for topic "{topic}"', batch=batch)
    if isinstance(parts.get("at"), datetime.datetime):
        # One without a time zone is local time.
        parts["at"] = parts["at"].astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    check_json({key: value for key, value in parts.items() if key != "topic"}, f'an option for topic "{topic}"')
    return {**parts, "topic": topic, "data": data}
