"""Atomic updates of a value by a list of operations."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treadle.errors import OperationError

from .json_values import stored, type_name

#: Nothing is there.
MISSING = object()
_MAX_OPERATIONS, _MAX_PATH = 1000, 100
_KEYS = frozenset(("type", "path", "value", "by"))


@dataclass(frozen=True)
class Operation:
    """An operation whose form has been checked."""

    type: str
    path: tuple[str, ...]
    value: Any = None
    by: float = 0


class _Misfit(Exception):
    pass


def check_operations(operations: Any) -> list[Operation]:
    """:raises OperationError: ``InvalidUpdate``, naming the index of the operation"""
    if not isinstance(operations, (list, tuple)):
        raise OperationError("InvalidUpdate", "an update takes a list of operations")
    if len(operations) > _MAX_OPERATIONS:
        raise OperationError("InvalidUpdate", f"an update takes at most {_MAX_OPERATIONS} operations, got {len(operations)}")
    checked = []
    for index, operation in enumerate(operations):
        try:
            checked.append(_checked(operation))
        except (_Misfit, OperationError) as error:
            raise OperationError("InvalidUpdate", f"operation {index}: {error}") from None
    return checked


def apply_update(value: Any, operations: Sequence[Operation]) -> Any:
    """What the operations make of a value, which is left alone; ``MISSING`` stands for none. :raises OperationError:"""
    result = value
    for index, operation in enumerate(operations):
        try:
            result = _change(result, operation, 0)
        except _Misfit as error:
            raise OperationError("InvalidUpdate", f"operation {index}: {error}") from None
    return result if result is MISSING else stored(result)


def _checked(operation: Any) -> Operation:
    if not isinstance(operation, dict):
        raise _Misfit("an operation is an object with a type")
    unknown = next((key for key in operation if key not in _KEYS), None)
    if unknown is not None:
        raise _Misfit(f"an operation has no {json.dumps(unknown, ensure_ascii=False)}; it takes type, path, value and by")
    kind, path = operation.get("type"), _path(operation.get("path"))
    if kind in ("set", "append"):
        if "value" not in operation:
            raise _Misfit("the value is not JSON: undefined")
        return Operation(kind, path, stored(operation["value"]))
    if kind == "merge":
        value = stored(operation.get("value"))
        if not isinstance(value, dict):
            raise _Misfit("merge needs an object as value")
        return Operation(kind, path, value)
    if kind in ("increment", "decrement"):
        by = _amount(operation.get("by"))
        return Operation("increment", path, by=by if kind == "increment" else -by)
    if kind == "remove":
        return Operation(kind, path)
    raise _Misfit(f"type must be set, merge, increment, decrement, append or remove, got {json.dumps(kind) if kind is not None else 'undefined'}")


def _path(path: Any) -> tuple[str, ...]:
    if path is None:
        return ()
    parts = path.split(".") if isinstance(path, str) else path
    if not isinstance(parts, (list, tuple)):
        raise _Misfit("path must be text with dots or a list of keys")
    if len(parts) > _MAX_PATH:
        raise _Misfit(f"path has {len(parts)} parts; at most {_MAX_PATH} are allowed")
    if isinstance(path, str) and "" in parts:
        raise _Misfit(f"path {json.dumps(path)} has an empty part; write a list of keys when a key is empty")
    return tuple(_part(part) for part in parts)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, int) and not isinstance(part, bool) and part >= 0:
        return str(part)
    raise _Misfit("a part of path must be text or a whole number from 0")


def _amount(by: Any) -> float:
    if by is None:
        return 1
    if isinstance(by, (int, float)) and not isinstance(by, bool) and math.isfinite(by):
        return by
    raise _Misfit(f"by must be a finite number, got {'object' if isinstance(by, list) else type_name(by)}")


def _change(target: Any, operation: Operation, depth: int) -> Any:
    """Changes what lies at the rest of the path, copying only the objects on the way."""
    if depth == len(operation.path):
        return _change_here(target, operation)
    if target is MISSING and operation.type == "remove":
        return MISSING
    parent = {} if target is MISSING else target
    if isinstance(parent, list):
        return _change_item(parent, operation, depth)
    if not isinstance(parent, dict):
        raise _Misfit(f'{_place(operation, depth)} is {_named(parent)}, which has no "{operation.path[depth]}"')
    part = operation.path[depth]
    after = _change(parent.get(part, MISSING), operation, depth + 1)
    if after is MISSING:
        return {key: member for key, member in parent.items() if key != part}
    return {**parent, part: after}


def _change_item(parent: list[Any], operation: Operation, depth: int) -> Any:
    part = operation.path[depth]
    if not re.fullmatch(r"0|[1-9][0-9]{0,9}", part):
        raise _Misfit(f'{_place(operation, depth)} is a list, which has no "{part}"')
    index = int(part)
    if operation.type == "remove" and index >= len(parent):
        return parent
    if index > len(parent):
        raise _Misfit(f"{_place(operation, depth)} has {len(parent)} items; item {index} would leave a gap")
    after = _change(parent[index] if index < len(parent) else MISSING, operation, depth + 1)
    return [*parent[:index], *([] if after is MISSING else [after]), *parent[index + 1 :]]


def _change_here(target: Any, operation: Operation) -> Any:
    if operation.type == "set":
        return operation.value
    if operation.type == "remove":
        return MISSING
    if operation.type == "merge":
        return {**_expected(target, operation, dict, {}, "merge needs an object there"), **operation.value}
    if operation.type == "append":
        return [*_expected(target, operation, list, [], "append needs a list there"), operation.value]
    if isinstance(target, bool):
        raise _Misfit(f"{_place(operation)} is {_named(target)}; increment and decrement need a number there")
    total = _expected(target, operation, (int, float), 0, "increment and decrement need a number there") + operation.by
    if math.isfinite(total):
        return total
    raise _Misfit(f"{_place(operation)} would become {'' if total > 0 else '-'}Infinity")


def _expected(target: Any, operation: Operation, kind: Any, empty: Any, needs: str) -> Any:
    if target is MISSING:
        return empty
    if isinstance(target, kind):
        return target
    raise _Misfit(f"{_place(operation)} is {_named(target)}; {needs}")


def _place(operation: Operation, depth: int | None = None) -> str:
    parts = operation.path[:depth]
    return json.dumps(".".join(parts), ensure_ascii=False) if parts else "the value"


def _named(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else f"a {type_name(value)}"
