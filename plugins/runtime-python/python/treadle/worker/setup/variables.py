"""Checks environment variables against a JSON Schema; see variables.ts of @treadle/worker."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

_Check = tuple[Callable[[Any, Any], bool], Callable[[Any], str]]


def _is_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.scheme != "" and (parts.netloc != "" or parts.path != "")


#: Keywords that say something of a value, with what is wrong otherwise.
_CHECKS: Mapping[str, _Check] = {
    "enum": (lambda value, limit: value in limit, lambda limit: f"must be one of {', '.join(json.dumps(each) for each in limit)}"),
    "const": (lambda value, limit: value == limit, lambda limit: f"must be {json.dumps(limit)}"),
    "pattern": (lambda value, limit: re.search(limit, value) is not None, lambda limit: f"must match {limit}"),
    "minLength": (lambda value, limit: len(value) >= limit, lambda limit: f"must have {limit} characters or more"),
    "maxLength": (lambda value, limit: len(value) <= limit, lambda limit: f"must have at most {limit} characters"),
    "minimum": (lambda value, limit: value >= limit, lambda limit: f"must be {limit} or more"),
    "maximum": (lambda value, limit: value <= limit, lambda limit: f"must be at most {limit}"),
    "format": (lambda value, limit: limit != "uri" or _is_address(value), lambda limit: f"must be a {'URL' if limit == 'uri' else limit}"),
}
_SAYS_NOTHING = frozenset(("type", "default", "title", "description", "examples", "$comment"))
_TYPES = ("string", "number", "integer", "boolean")
_NAMES = {"integer": "an integer", "boolean": "true or false", "number": "a number"}


class Checked(NamedTuple):
    """What a check of an environment came to."""

    value: dict[str, Any]
    #: One sentence for each variable that is missing or wrong; without any value.
    faults: list[str]


def unusable_variables(schema: Mapping[str, Any]) -> str | None:
    """What of a JSON Schema of variables cannot be checked: they are texts, numbers and booleans by name."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return 'the schema has no "properties": write one for each variable'
    for name, given in properties.items():
        member = given if isinstance(given, Mapping) else {}
        if member.get("type", "string") not in _TYPES:
            return f'{name}: "type" must be {", ".join(_TYPES)}'
        unknown = next((key for key in member if key not in _CHECKS and key not in _SAYS_NOTHING), None)
        if unknown is not None:
            return f'{name}: "{unknown}" is not checked for variables; there are {", ".join(_CHECKS)}'
    return None


def check_variables(schema: Mapping[str, Any], variables: Mapping[str, str]) -> Checked:
    """Texts become numbers and booleans where the schema asks for them."""
    found = Checked({}, [])
    for name, member in schema.get("properties", {}).items():
        given = variables.get(name, member.get("default"))
        if given is None:
            if name in schema.get("required", ()):
                found.faults.append(f"{name} is not set")
            continue
        kind = member.get("type", "string")
        made = _coerced(given, kind)
        fault = f"must be {_NAMES[kind]}" if made is None else _fault_of(made, member)
        if fault is None:
            found.value[name] = made
        else:
            found.faults.append(f"{name} {fault}")
    return found


def _fault_of(value: Any, member: Mapping[str, Any]) -> str | None:
    for key, (holds, text) in _CHECKS.items():
        if key in member and not holds(value, member[key]):
            return text(member[key])
    return None


def _coerced(value: Any, kind: str) -> Any:
    """None for a text that says nothing of the type."""
    if not isinstance(value, str) or kind == "string":
        return value
    if kind == "boolean":
        return {"true": True, "1": True, "false": False, "0": False}.get(value)
    try:
        number = float(value)
    except ValueError:
        return None
    if not math.isfinite(number) or (kind == "integer" and number != int(number)):
        return None
    return int(number) if number == int(number) else number
