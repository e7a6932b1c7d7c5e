"""Texts of a query in the types that a schema asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)


def coerced(query: Mapping[str, Any], schema: Any, matches: Callable[[Any, str], bool]) -> dict[str, Any]:
    """A copy whose members have the type that their property asks for, where a text says one. Lists for lists, else the last value."""
    properties = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    made = {}
    for name, given in query.items():
        wanted = _resolved(properties.get(name, True), schema)
        types = _types(wanted, schema)
        if "array" in types:
            items = _resolved(wanted.get("items", True) if isinstance(wanted, Mapping) else True, schema)
            made[name] = [_scalar(item, _types(items, schema), matches) for item in (given if isinstance(given, list) else [given])]
        else:
            made[name] = _scalar(given[-1] if isinstance(given, list) else given, types, matches)
    return made


def _scalar(text: Any, types: list[str], matches: Callable[[Any, str], bool]) -> Any:
    if not types or not isinstance(text, str) or any(matches(text, kind) for kind in types):
        return text
    for kind in types:
        if kind in ("number", "integer") and _NUMBER.fullmatch(text):
            value = float(text)
            if kind == "number" or value.is_integer():
                return int(value) if value.is_integer() else value
        elif kind == "boolean" and text in ("true", "false"):
            return text == "true"
        elif kind == "null" and text == "":
            return None
    return text


def _types(schema: Any, root: Any, depth: int = 0) -> list[str]:
    if not isinstance(schema, Mapping) or depth > 8:
        return []
    given = schema.get("type")
    if given is not None:
        return [given] if isinstance(given, str) else list(given)
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    parts = [part for keyword in ("anyOf", "oneOf", "allOf") for part in schema.get(keyword, ())]
    return [kind for part in parts for kind in _types(_resolved(part, root), root, depth + 1)]


def _resolved(schema: Any, root: Any) -> Any:
    from .keywords import resolved

    return resolved(schema["$ref"], root) if isinstance(schema, Mapping) and "$ref" in schema else schema
