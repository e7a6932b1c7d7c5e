"""Which keywords of JSON Schema are understood; the others are refused instead of being passed over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .formats import FORMATS, FOREIGN_FORMATS
from .patterns import compiled

_ONE = frozenset(("not", "if", "then", "else", "items", "additionalProperties", "contains", "propertyNames"))
_LIST = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_MAP = frozenset(("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"))
_VALUES = frozenset((
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
    "pattern", "format", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "required", "minProperties",
    "maxProperties", "dependentRequired", "$ref",
))
#: They say something of a value without deciding about it.
_NOTES = frozenset((
    "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$id",
    "contentMediaType", "contentEncoding", "discriminator",
))
_MAX_DEPTH = 100


def refuse_unknown(schema: Any, place: str, depth: int = 0) -> None:
    """:raises ValueError: naming the keyword and where it stands"""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        raise ValueError(f"{place}: a schema must be a dict or a bool, not a {type(schema).__name__}")
    if depth > _MAX_DEPTH:
        raise ValueError(f"{place}: nested deeper than {_MAX_DEPTH}")
    for keyword, value in schema.items():
        _check(keyword, value, f"{place}.{keyword}", depth + 1)


def _check(keyword: str, value: Any, place: str, depth: int) -> None:
    if keyword in _ONE:
        refuse_unknown(value, place, depth)
    elif keyword in _LIST:
        for index, part in enumerate(value):
            refuse_unknown(part, f"{place}.{index}", depth)
    elif keyword in _MAP:
        for name, part in value.items():
            refuse_unknown(part, f"{place}.{name}", depth)
    elif keyword == "pattern":
        compiled(value)
    elif keyword == "format" and value in FOREIGN_FORMATS and value not in FORMATS:
        raise ValueError(_unknown(f'the format "{value}"', place))
    elif keyword == "$ref" and not re.match(r"#(?:/|$)", str(value)):
        raise ValueError(_unknown(f'the reference "{value}" to another document', place))
    elif keyword not in _VALUES and keyword not in _NOTES and not keyword.startswith("x-"):
        raise ValueError(_unknown(f'"{keyword}"', place))


def _unknown(what: str, place: str) -> str:
    return f"{place}: the test engine does not know {what}; write it with other keywords, or test this Step with an engine"
