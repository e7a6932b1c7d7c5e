"""What pydantic says of a value: the last word about it. JSON Schema the engine has checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ..schemas import adapter_of, json_schema
from .failure import RunError
from .issues import issues_of

#: Gives what the schema makes of a value. Takes the value and where it stands.
Validate = Callable[[Any, str], Any]


def validator_of(schema: Any) -> Validate | None:
    """The validation that a schema brings; None for JSON Schema."""
    adapter = adapter_of(schema)
    if adapter is None:
        return None

    has_strict_parts = lru_cache(maxsize=1)(lambda: _has_strict_parts(getattr(adapter, "core_schema", None)))

    def validate(value: Any, where: str) -> Any:
        try:
            return _checked(adapter, value, has_strict_parts)
        except ValueError as error:
            raise RunError("validation_failed", f"{where} failed its schema", issues_of(error, value, where)) from None

    return validate


def _checked(adapter: Any, value: Any, has_strict_parts: Callable[[], bool]) -> Any:
    """What is strict takes text for times and UUIDs, and lists for sets, only where it is told that they come from JSON."""
    try:
        return adapter.validate_python(value)
    except ValueError:
        if not has_strict_parts():
            raise
        try:
            text = json.dumps(value)
        except (TypeError, ValueError, RecursionError):
            text = None  # e.g. the bytes of a body
        if text is None:
            raise
    return adapter.validate_json(text)


def _has_strict_parts(core_schema: Any) -> bool:
    """Looks at nothing but what pydantic makes itself: a default, and whatever else the application put in, may raise when it is looked at."""
    seen: set[int] = set()
    left = [core_schema]
    while left:
        part = left.pop()
        if type(part) not in (dict, list, tuple) or id(part) in seen:
            continue
        seen.add(id(part))
        if type(part) is not dict:
            left.extend(part)
        elif part.get("strict") is True:
            return True
        else:
            left.extend(part.values())
    return False


def headers_validator_of(schema: Any) -> Validate | None:
    """As ``validator_of``; the schema finds headers, whose names arrive in small letters, under the names that it declares."""
    validate = validator_of(schema)
    if validate is None:
        return None
    try:
        names = [name for name in json_schema(schema).get("properties", {}) if name != name.lower()]
    except ValueError:
        # Said where the file is loaded: such a Step is not served.
        return validate

    def renamed(value: Mapping[str, Any], where: str) -> Any:
        headers = dict(value)
        for name in names:
            if name.lower() in headers:
                headers[name] = headers.pop(name.lower())
        return validate(headers, where)

    return renamed if names else validate


def all_valid(checks: list[tuple[Validate | None, Any, str]]) -> list[Any]:
    """
    What each schema makes of its value, so that a client is told of every fault at once.

    :raises RunError: with the issues of all of them
    """
    made: list[Any] = []
    refusals: list[RunError] = []
    for validate, value, where in checks:
        try:
            made.append(validate(value, where) if validate else value)
        except RunError as error:
            refusals.append(error)
    if len(refusals) == 1:
        raise refusals[0]
    if refusals:
        issues = [issue for refusal in refusals for issue in refusal.issues or ()]
        raise RunError("validation_failed", "; ".join(str(refusal) for refusal in refusals), issues)
    return made
