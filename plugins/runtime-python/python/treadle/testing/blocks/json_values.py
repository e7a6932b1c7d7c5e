"""What may be stored, as the engine sees it."""

from __future__ import annotations

import base64
import json
from typing import Any

from treadle.errors import OperationError
from treadle.worker.running.json_value import check_json
from treadle.worker.wire.json_text import encode

_MAX_BYTES = 1_000_000
_MAX_NAME_BYTES = 512


def stored(value: Any) -> Any:
    """A copy of a value that is JSON through and through. :raises OperationError: ``InvalidValue``"""
    check_json(value, "the value")
    copy = json.loads(encode(value))
    size = len(json.dumps(copy, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
    if size > _MAX_BYTES:
        raise OperationError("InvalidValue", f"the value has {size} bytes as JSON; at most {_MAX_BYTES} are stored")
    return copy


def check_name(code: str, what: str, value: Any) -> str:
    """:raises OperationError: with the code, for what cannot be a name"""
    if not isinstance(value, str):
        raise OperationError(code, f"{what} must be text, got {type_name(value)}")
    if value == "":
        raise OperationError(code, f"{what} must not be empty")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise OperationError(code, f"{what} holds half of a surrogate pair, which is no text") from None
    if size > _MAX_NAME_BYTES:
        raise OperationError(code, f"{what} has {size} bytes; at most {_MAX_NAME_BYTES} are allowed")
    return value


def type_name(value: Any) -> str:
    """A type as JSON names it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "a list" if isinstance(value, list) else "object"


def page_of(code: str, names: list[str], options: dict[str, Any]) -> tuple[list[str], str | None]:
    """The names of one page, in the order of their bytes, and where the next one begins. :raises OperationError:"""
    prefix, limit, cursor = options.get("prefix") or "", options.get("limit"), options.get("cursor")
    if prefix != "":
        check_name(code, "prefix", prefix)
    if cursor is not None and (not isinstance(cursor, str) or cursor == ""):
        raise OperationError(code, f"cursor must be one that a former page gave, got {_shown(cursor)}")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 1000):
        raise OperationError(code, f"limit must be a whole number from 1 to 1000, got {_shown(limit)}")
    size = 100 if limit is None else limit
    after = b"" if cursor is None else _read_cursor(code, cursor)
    found = [name for name in sorted(names, key=str.encode) if name.startswith(prefix) and name.encode() > after]
    return found[:size], _cursor(found[size - 1]) if len(found) > size else None


def _cursor(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode("ascii").rstrip("=")


def _read_cursor(code: str, cursor: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError:
        raise OperationError(code, "cursor must be one that a former page gave") from None


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else type_name(value)
