"""Messages as ``enqueue`` takes them."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import dataclass, field
from typing import Any

from treadle.errors import OperationError
from treadle.worker.running.json_value import check_json
from treadle.worker.wire.json_text import encode

from .json_values import type_name

_TOPIC = re.compile(r"[A-Za-z0-9._:/-]{1,200}", re.ASCII)
_MEMBERS = ("topic", "data", "delayMs", "at", "dedupeKey", "messageGroupId", "headers")
_MAX_DELAY_MS = 100 * 365 * 86_400_000
_MAX_BATCH, _MAX_BYTES, _MAX_KEY_BYTES = 10_000, 1_000_000, 512


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
class NewMessage:
    """A message whose form has been checked."""

    topic: str
    data: Any
    headers: dict[str, str]
    group: str | None
    dedupe_key: str | None
    due_at: float | None


def check_messages(messages: Any, now: float) -> list[NewMessage]:
    """``now``: milliseconds since the epoch. :raises OperationError: ``QueueInvalidArgument``, ``InvalidValue``"""
    if not isinstance(messages, list):
        raise _invalid("enqueue takes a message or a list of messages")
    if len(messages) > _MAX_BATCH:
        raise _invalid(f"a batch has at most {_MAX_BATCH} messages, got {len(messages)}")
    return [_checked(message, now) for message in messages]


def _checked(message: dict[str, Any], now: float) -> NewMessage:
    for name in message:
        if name not in _MEMBERS:
            raise _invalid(f'a message has no "{name}"; it has {", ".join(_MEMBERS)}')
    topic = message.get("topic")
    if not isinstance(topic, str) or not _TOPIC.fullmatch(topic):
        shown = f'"{topic}"' if isinstance(topic, str) else type_name(topic)
        raise _invalid(f'{shown} cannot be a topic: use 1 to 200 letters, digits, ".", "_", ":", "/" or "-"')
    return NewMessage(
        topic, _data(message.get("data"), topic), _headers(message.get("headers")), _key("messageGroupId", message.get("messageGroupId")),
        _key("dedupeKey", message.get("dedupeKey")), _due(message.get("delayMs"), message.get("at"), now),
    )


def _data(data: Any, topic: str) -> Any:
    check_json(data, f'the data for topic "{topic}"')
    copy = json.loads(encode(data))
    size = len(json.dumps(copy, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
    if size > _MAX_BYTES:
        raise OperationError("InvalidValue", f'the data for topic "{topic}" has {size} bytes as JSON; at most {_MAX_BYTES} are taken')
    return copy


def _headers(headers: Any) -> dict[str, str]:
    if headers is None:
        return {}
    if not isinstance(headers, dict):
        raise _invalid(f"headers must be an object of texts, got {type_name(headers)}")
    for name, value in headers.items():
        if not isinstance(value, str):
            raise _invalid(f'header "{name}" must be text, got {type_name(value)}')
    return dict(headers)


def _key(name: str, key: Any) -> str | None:
    if key is None:
        return None
    if not isinstance(key, str) or key == "":
        raise _invalid(f"{name} must be text that is not empty, got {_shown(key)}")
    if len(key.encode("utf-8", "surrogatepass")) > _MAX_KEY_BYTES:
        raise _invalid(f"{name} has {len(key.encode())} bytes; at most {_MAX_KEY_BYTES} are allowed")
    return key


def _due(delay_ms: Any, at: Any, now: float) -> float | None:
    if delay_ms is None:
        return None if at is None else _instant(at, now)
    if at is not None:
        raise _invalid("a message has delayMs or at, not both")
    if isinstance(delay_ms, bool) or not isinstance(delay_ms, (int, float)) or not 0 <= delay_ms <= _MAX_DELAY_MS:
        raise _invalid(f"delayMs must be milliseconds from 0 to {_MAX_DELAY_MS}, got {_shown(delay_ms)}")
    return None if delay_ms == 0 else now + delay_ms


def _instant(at: Any, now: float) -> float | None:
    ms = _parsed(at) if isinstance(at, str) else at
    if isinstance(ms, bool) or not isinstance(ms, (int, float)) or not 0 <= ms <= now + _MAX_DELAY_MS:
        raise _invalid(f"at must be an ISO 8601 time or milliseconds since 1970, at most 100 years ahead, got {_shown(at)}")
    return None if ms <= now else ms


def _parsed(text: str) -> float | None:
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000
    except ValueError:
        return None


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value[:100], ensure_ascii=False)
    return str(value).lower() if isinstance(value, (int, float)) else type_name(value)


def _invalid(message: str) -> OperationError:
    return OperationError("QueueInvalidArgument", message)
