"""The config of a Step or a stream as plain JSON, for the engine's diagnostics to check."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from treadle.naming import camel
from treadle.topics import Topic

from ..running.runnable import is_middleware
from ..schemas import json_schema
from ..wire.json_text import MAX_INTEGER, plain

#: Keys of a trigger that hold one schema.
_SCHEMAS = frozenset(("bodySchema", "querySchema", "headersSchema", "input"))
#: Keys of a trigger whose value has keys of ours, all the way down.
_NESTED = frozenset(("config", "cors"))
_MAX_DEPTH = 100


class ConfigError(Exception):
    """A config cannot be told to the engine; the message names the key."""


def config_json(config: Mapping[str, Any]) -> dict[str, Any]:
    """
    Keys in camelCase, unknown ones are kept; schemas become JSON Schema, topics their names, functions ``True``, middleware
    its count.

    :raises ConfigError:
    """
    return {key: _config_key(key, value) for key, value in _camel_keys(config, "").items()}


def _config_key(key: str, value: Any) -> Any:
    if key == "triggers" and isinstance(value, (list, tuple)):
        return [_trigger(trigger, f"triggers[{index}]") for index, trigger in enumerate(value)]
    # Of a stream; a Step has no such key, and is told so.
    return _schema(value, key) if key == "schema" else _simple(key, value)


def _trigger(trigger: Any, path: str) -> Any:
    if not isinstance(trigger, Mapping):
        return _simple(path, trigger)
    given = _camel_keys(trigger, path)
    written = {key: _trigger_key(key, value, f"{path}.{key}") for key, value in given.items()}
    topic = given.get("topic")
    # A typed topic checks its messages as "input" would.
    if isinstance(topic, Topic) and topic.schema is not None and written.get("input") is None:
        written["input"] = _schema(topic.schema, f"{path}.topic")
    return written


def _trigger_key(key: str, value: Any, path: str) -> Any:
    if key in _SCHEMAS:
        return _schema(value, path)
    if key == "middleware":
        return _count_functions(value, path)
    if key == "responseSchema" and isinstance(value, Mapping):
        return {str(status): _schema(schema, f"{path}.{status}") for status, schema in value.items()}
    return _simple(path, _camel_deep(value) if key in _NESTED else value)


def _schema(schema: Any, path: str) -> Any:
    try:
        written = json_schema(schema)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error
    return _simple(path, written)


def _count_functions(value: Any, path: str) -> Any:
    functions = value if isinstance(value, (list, tuple)) else [value]
    return len(functions) if all(is_middleware(item) for item in functions) else _simple(path, value)


def _camel_keys(value: Mapping[Any, Any], path: str) -> dict[str, Any]:
    """Without members that are None: they are not written."""
    keys: dict[str, Any] = {}
    for key, member in value.items():
        name = camel(str(key))
        if name in keys:
            raise ConfigError(f"{path + '.' if path else ''}{name}: it is written twice, also as {key}")
        if member is not None:
            keys[name] = member
    return keys


def _camel_deep(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {camel(str(key)): _camel_deep(member) for key, member in value.items() if member is not None}
    return [_camel_deep(item) for item in value] if isinstance(value, (list, tuple)) else value


def _simple(path: str, value: Any) -> Any:
    return plain_json(value, path, 0)


def plain_json(value: Any, path: str, depth: int) -> Any:
    """A copy that holds nothing but JSON; functions become ``True``."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth > _MAX_DEPTH:
        raise ConfigError(f"{path}: nested deeper than {_MAX_DEPTH}, or a cycle")
    if isinstance(value, Mapping):
        return {str(key): plain_json(member, path, depth + 1) for key, member in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_json(item, path, depth + 1) for item in value]
    return _other(value, path, depth)


def _other(value: Any, path: str, depth: int) -> Any:
    try:
        return plain_json(plain(value), path, depth + 1)
    except TypeError:
        return True if callable(value) else repr(value)[:200]
