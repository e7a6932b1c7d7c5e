"""Which Step answers a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from ..schema.schema_check import SchemaCheck

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_ANNOTATIONS = frozenset(("$schema", "$id", "$comment", "$defs", "title", "description", "examples", "deprecated", "contentMediaType"))
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
_FORBIDDEN = re.compile(r"[:*?#%()\[\]{}\\<>\"^`|;\s\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Route:
    """An http trigger of a Step."""

    step: str
    index: int
    method: str
    path: str
    segments: tuple[str, ...]
    timeout_ms: float
    body_limit: int
    raw_body: bool
    #: The body schema describes no JSON, or there is none.
    takes_bytes: bool
    body: SchemaCheck | None
    query: SchemaCheck | None
    headers: SchemaCheck | None
    #: By status.
    responses: Mapping[int, SchemaCheck] = field(default_factory=dict)
    #: A result that does not fit its schema is a fault.
    enforces: bool = True


def route_of(step: str, index: int, trigger: Mapping[str, Any], place: str) -> Route:
    """``trigger`` with keys in camelCase, schemas as JSON Schema. :raises ValueError:"""
    method, path = trigger.get("method"), trigger.get("path")
    if method not in _METHODS:
        raise ValueError(f"{place}.method must be GET, HEAD, POST, PUT, PATCH or DELETE, got {method!r}")

    def check(key: str, where: str) -> SchemaCheck | None:
        schema = trigger.get(key)
        return None if schema is None else SchemaCheck(_lower_case(schema) if where == "headers" else schema, where)

    validation = trigger.get("responseValidation", "enforce")
    responses = {} if validation == "off" else {
        int(status): SchemaCheck(schema, "response") for status, schema in (trigger.get("responseSchema") or {}).items()
    }
    return Route(
        step, index, str(method), str(path), _segments(path, place), trigger.get("timeoutMs", 30_000), trigger.get("bodyLimit", 1_048_576),
        trigger.get("rawBody", False), _takes_bytes(trigger.get("bodySchema")), check("bodySchema", "body"), check("querySchema", "query"), check("headersSchema", "headers"), responses,
        validation == "enforce",
    )


def _takes_bytes(schema: Any) -> bool:
    """A schema that asks for nothing may be that of bytes, which JSON Schema cannot describe."""
    if schema is None or isinstance(schema, bool):
        return schema is not False
    return (schema.get("type"), schema.get("format")) == ("string", "binary") or _asked(schema) <= _ANNOTATIONS


def _asked(schema: dict[str, Any]) -> set[str]:
    """Keywords of a schema without the engine's own marks."""
    return {key for key in schema if not key.startswith("x-treadle-")}


class RouteTable:
    """Fixed segments before parameters, these before ``*rest``."""

    def __init__(self, routes: list[Route]) -> None:
        """:raises ValueError: for two routes that answer the same requests"""
        self._routes = sorted(routes, key=lambda route: [_rank(segment) for segment in route.segments])
        seen: dict[tuple[str, ...], Route] = {}
        for route in routes:
            shape = (route.method, *(segment[:1] if segment[:1] in (":", "*") else f"={segment}" for segment in route.segments))
            other = seen.setdefault(shape, route)
            if other is not route:
                raise ValueError(f"{route.method} {route.path} is declared twice: by Step {other.step} and by Step {route.step}")

    def match(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """The route and the parameters of its path. HEAD falls back to GET."""
        segments = path[1:].split("/")
        for route in self._routes:
            if route.method == method:
                parameters = _parameters(route.segments, segments)
                if parameters is not None:
                    return route, parameters
        return self.match("GET", path) if method == "HEAD" else None

    def allowed(self, path: str) -> list[str]:
        """Methods that the path answers; empty when it is unknown."""
        methods = [method for method in _METHODS if self.match(method, path) is not None]
        return [*methods, "OPTIONS"] if methods else []


def _segments(path: Any, place: str) -> tuple[str, ...]:
    if not isinstance(path, str) or not path.startswith("/"):
        raise ValueError(f'{place}.path must begin with "/", got {path!r}')
    segments = tuple(path[1:].split("/"))
    names = [segment[1:] for segment in segments if segment[:1] in (":", "*")]
    if any(segment.startswith("*") for segment in segments[:-1]) or len(set(names)) < len(names):
        raise ValueError(f'{place}.path "{path}" repeats a parameter or goes on after "*rest"')
    for segment in segments:
        known = _NAME.fullmatch(segment[1:]) if segment[:1] in (":", "*") else not _FORBIDDEN.search(segment)
        if not known:
            raise ValueError(f'{place}.path "{path}": "{segment}" cannot be a segment; only ":name" and a final "*rest" are special')
    return segments


def _parameters(pattern: tuple[str, ...], segments: list[str]) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for index, part in enumerate(pattern):
        if part.startswith("*"):
            rest = "/".join(segments[index:])
            return {**found, part[1:]: unquote(rest)} if index < len(segments) else None
        if index >= len(segments):
            return None
        if part.startswith(":"):
            if segments[index] == "":
                return None
            found[part[1:]] = unquote(segments[index])
        elif part != unquote(segments[index]):
            return None
    return found if len(pattern) == len(segments) else None


def _rank(segment: str) -> int:
    return {":": 1, "*": 2}.get(segment[:1], 0)


def _lower_case(schema: Any) -> Any:
    """Header names are case-insensitive and arrive in lower case."""
    if not isinstance(schema, Mapping):
        return schema
    made = dict(schema)
    if "properties" in made:
        made["properties"] = {name.lower(): value for name, value in made["properties"].items()}
    if "required" in made:
        made["required"] = [name.lower() for name in made["required"]]
    return made
