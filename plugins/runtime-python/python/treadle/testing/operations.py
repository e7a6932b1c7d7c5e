"""What handlers and tests call: state, streams and enqueue of a test engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from treadle.errors import OperationError

from .blocks.messages import Message, check_messages
from .blocks.queue import TestQueue
from .blocks.state import TestState
from .blocks.streams import TestStreams
from .blocks.updates import MISSING
from .clock import FakeTime
from .invocations import Origin


class Operations:
    """Carries operations out at once; the queue is pumped by whoever calls."""

    def __init__(self, time: FakeTime, queue: TestQueue, state: TestState, streams: TestStreams, changed: Callable[[], None]) -> None:
        self.messages: list[Message] = []
        self._time = time
        self._queue = queue
        self._state = state
        self._streams = streams
        self._changed = changed
        self._count = itertools.count(1)

    def run(self, op: str, args: dict[str, Any], origin: Origin) -> Any:
        """:raises OperationError:"""
        area, _, verb = op.partition(".")
        try:
            if area == "state":
                return self._state.call(verb, args, lambda *change: self._state_change(origin, *change))
            if area == "stream":
                return self._streams.call(verb, args, lambda *change: self._stream_change(origin, *change))
        except KeyError:
            raise OperationError("OPERATION_UNAVAILABLE", f'the test engine has no operation "{op}"') from None
        if op == "queue.enqueue":
            return self._enqueue(args.get("messages"), origin)
        raise OperationError("OPERATION_UNAVAILABLE", f'the test engine has no operation "{op}"')

    def _enqueue(self, messages: Any, origin: Origin) -> list[dict[str, str]]:
        return [self._store(message, origin) for message in check_messages(messages, self._time.now())]

    def _store(self, message: Any, origin: Origin) -> dict[str, str]:
        known = self._queue.known(message.topic, message.dedupe_key)
        if known is not None:
            return {"messageId": known}
        message_id = self._id()
        self.messages.append(Message(message_id, message.topic, message.data, origin.trace_id, message.headers, message.group, message.due_at))
        # What a handler does to its input must not change what the test sees.
        self._queue.add(
            message_id, message.topic, message.data, Origin(origin.trace_id), group=message.group, due_at=message.due_at, dedupe_key=message.dedupe_key,
            headers=message.headers,
        )
        self._changed()
        return {"messageId": message_id}

    def _state_change(self, origin: Origin, group: str, key: str, old: Any, new: Any) -> None:
        kind = "create" if old is MISSING else "delete" if new is MISSING else "update"
        input = {"type": kind, "group": group, "key": key, "oldValue": None if old is MISSING else old, "newValue": None if new is MISSING else new}
        self._add_change("state", input, origin)

    def _stream_change(self, origin: Origin, stream: str, group: str, id: str, kind: str, item: Any) -> None:
        self._add_change("stream", {"streamName": stream, "groupId": group, "id": id, "event": {"type": kind, "data": item}}, origin)

    def _add_change(self, kind: str, input: dict[str, Any], origin: Origin) -> None:
        self._queue.add_change(self._id(), kind, input, Origin(origin.trace_id, origin.hops + 1))
        self._changed()

    def _id(self) -> str:
        return f"test-{next(self._count)}"
