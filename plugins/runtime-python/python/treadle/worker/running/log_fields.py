"""Log fields as plain JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from ..wire.json_text import encode, plain
from .failure import stack_of

_MAX_DEPTH = 8
_MAX_ITEMS = 200
#: Longest text of a record, in characters.
_MAX_MESSAGE = 64 * 1024
#: Longest fields of a record as JSON, in characters.
_MAX_FIELDS = 256 * 1024


def plain_fields(fields: Any) -> dict[str, Any] | None:
    """A copy of log fields. Never raises: errors, cycles and what JSON cannot hold are written out as text."""
    if fields is None:
        return None
    copy = _plain(fields, 0, ())
    return copy if isinstance(copy, dict) else {"value": copy}


def log_text(invocation: int | None, entry: dict[str, Any]) -> str:
    """The ``log`` message of a record. What is too long is cut, for a record must never end the session."""
    message = {"type": "log", **entry, "message": entry["message"][:_MAX_MESSAGE]}
    if invocation is not None:
        message["id"] = invocation
    text = encode(message)
    if len(text) <= _MAX_FIELDS or not message.get("fields"):
        return text
    return encode({**message, "fields": {"dropped": "the fields were too large"}})


def _plain(value: Any, depth: int, above: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if id(value) in above:
        return "[circular]"
    if depth >= _MAX_DEPTH:
        return "[too deep]"
    try:
        return _object(value, depth, (*above, id(value)))
    except Exception as error:
        # Something of the application raised: the record is still worth writing.
        return f"[unreadable: {type(error).__name__}]"


def _object(value: Any, depth: int, above: tuple[int, ...]) -> Any:
    if isinstance(value, BaseException):
        own = {key: _plain(member, depth + 1, above) for key, member in vars(value).items()}
        return {"name": type(value).__name__, "message": str(value), "stack": stack_of(value), **own}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"[{len(value)} bytes]"
    if isinstance(value, Mapping):
        return {str(key): _plain(value[key], depth + 1, above) for key in list(value)[:_MAX_ITEMS]}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item, depth + 1, above) for item in list(value)[:_MAX_ITEMS]]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name), depth + 1, above) for field in dataclasses.fields(value)}
    try:
        return _plain(plain(value), depth + 1, above)
    except TypeError:
        return repr(value)[:1000]
