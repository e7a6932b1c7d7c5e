"""What may be stored or sent."""

from __future__ import annotations

import math
from typing import Any

from treadle.errors import OperationError

from ..wire.json_text import MAX_INTEGER, plain
from .value_parts import ValueParts

#: Deepest nesting of a stored value.
_MAX_DEPTH = 100


def check_json(value: Any, what: str, wrapping: int = 0, batch: ValueParts | None = None) -> None:
    """
    Refuses what JSON would silently change or drop in a value that is to be stored or sent. ``wrapping``: levels around
    what is stored, which do not count. ``batch``: what else is sent with it.

    :raises OperationError: ``InvalidValue``, naming the place; also for more than 100,000 members and elements, or
        20,000 different keys
    """
    problem = _problem(value, "", -wrapping, ValueParts(what, batch))
    if problem is not None:
        raise OperationError("InvalidValue", f"{what} is not JSON: {problem}")


def _problem(value: Any, path: str, depth: int, parts: ValueParts) -> str | None:
    if value is None or isinstance(value, (str, bool)):
        return None
    if isinstance(value, int):
        return None if abs(value) <= MAX_INTEGER else _at(path, f"the integer {value} is too large; write it as a string")
    if isinstance(value, float):
        return None if math.isfinite(value) else _at(path, f"{value} is no JSON number")
    if isinstance(value, (set, frozenset)):
        return _at(path, f"a {type(value).__name__}")
    if depth >= _MAX_DEPTH:
        return _at(".".join(path.split(".")[:7]), f"nested deeper than {_MAX_DEPTH}, or a cycle, below here")
    if isinstance(value, dict):
        return _in_dict(value, path, depth, parts)
    if isinstance(value, (list, tuple)):
        return _in_list(value, path, depth, parts)
    return _in_object(value, path, depth, parts)


def _in_dict(value: dict[Any, Any], path: str, depth: int, parts: ValueParts) -> str | None:
    parts.add_members(value)
    for key, member in value.items():
        if not isinstance(key, str):
            return _at(path, f"the key {key!r} is no string")
        problem = _problem(member, f"{path}.{key}", depth + 1, parts)
        if problem is not None:
            return problem
    return None


def _in_list(items: Any, path: str, depth: int, parts: ValueParts) -> str | None:
    parts.add_elements(len(items))
    for index, item in enumerate(items):
        problem = _problem(item, f"{path}.{index}", depth + 1, parts)
        if problem is not None:
            return problem
    return None


def _in_object(value: Any, path: str, depth: int, parts: ValueParts) -> str | None:
    try:
        return _problem(plain(value), path, depth, parts)
    except TypeError as error:
        return _at(path, str(error))


def _at(path: str, problem: str) -> str:
    return problem if path == "" else f"{problem} at {path[1:]}"
