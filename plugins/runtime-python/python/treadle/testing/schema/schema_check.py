"""Holds values to a JSON Schema and tells what does not fit, in the words of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.worker.schemas import LIBRARY_MARK

from .coercion import coerced
from .keywords import Finding, findings, matches_type
from .known_keywords import refuse_unknown

#: Most findings that are reported.
_MAX_ISSUES = 20
#: Codes in the vocabulary that both stages of validation share.
_CODES = {
    **dict.fromkeys(("type", "required", "dependentRequired"), "invalid_type"),
    **dict.fromkeys(
        ("minLength", "minimum", "exclusiveMinimum", "minItems", "minProperties", "minContains", "contains"), "too_small"
    ),
    **dict.fromkeys(("maxLength", "maximum", "exclusiveMaximum", "maxItems", "maxProperties", "maxContains"), "too_big"),
    **dict.fromkeys(("format", "pattern"), "invalid_format"), "multipleOf": "not_multiple_of",
    "additionalProperties": "unrecognized_keys", "enum": "invalid_value", "const": "invalid_value", "anyOf": "invalid_union",
    "oneOf": "invalid_union", "propertyNames": "invalid_key",
}

Issue = dict[str, str]


class SchemaCheck:
    """One schema. ``place`` is the ``in`` of its issues."""

    def __init__(self, schema: Any, place: str) -> None:
        """:raises ValueError: for a schema with a keyword that is not known here"""
        refuse_unknown(schema, place)
        self._schema = schema
        self._place = place

    def refusals(self, value: Any) -> list[Issue]:
        """What the engine refuses by itself: nothing where a library has the last word."""
        return [] if isinstance(self._schema, Mapping) and LIBRARY_MARK in self._schema else self.issues(value)

    def issues(self, value: Any) -> list[Issue]:
        """What does not fit; empty when all does."""
        found = [finding for finding in findings(self._schema, value, (), self._schema) if finding.keyword != "if"]
        return [self._issue(finding) for finding in found[:_MAX_ISSUES]]

    def coerce(self, query: dict[str, Any]) -> dict[str, Any]:
        """The texts of a query in the types that the schema asks for, where they can be had."""
        return coerced(query, self._schema, matches_type)

    def _issue(self, finding: Finding) -> Issue:
        path = ".".join(str(part) for part in finding.path)[:200]
        message = "is required" if finding.keyword == "required" else finding.message
        return {"in": self._place, "path": path, "message": message, "code": _CODES.get(finding.keyword, "custom")}
