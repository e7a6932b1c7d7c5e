"""What the keywords of JSON Schema say of a value."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .formats import FORMATS
from .finding import Finding, Path
from .patterns import compiled
from .references import resolved
from .unions import Place, of_union

def findings(schema: Any, value: Any, path: Path, root: Any) -> Iterator[Finding]:
    """Everything that does not fit, in the order in which the engine looks."""
    if schema is True or schema == {}:
        return
    if schema is False:
        yield Finding("false schema", path, "boolean schema is false")
        return
    types = schema.get("type")
    if types is not None:
        wanted = [types] if isinstance(types, str) else list(types)
        if not any(matches_type(value, kind) for kind in wanted):
            yield Finding("type", path, f"must be {','.join(wanted)}")
    if "$ref" in schema:
        yield from findings(resolved(schema["$ref"], root), value, path, root)
    yield from _own(schema, value, path, root)
    yield from _combined(schema, value, path, root)


def fits(schema: Any, value: Any, root: Any) -> bool:
    """Nothing is to be found."""
    return next(findings(schema, value, (), root), None) is None


def matches_type(value: Any, kind: str) -> bool:
    """Whether a JSON value has a type."""
    if kind == "null":
        return value is None
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    kinds: Mapping[str, Any] = {"number": (int, float), "string": str, "array": list, "object": dict}
    return kind in kinds and isinstance(value, kinds[kind])


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: True is not 1."""
    return json.dumps(_canonical(one), sort_keys=True) == json.dumps(_canonical(other), sort_keys=True)


def _canonical(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _canonical(member) for key, member in value.items()}
    return [_canonical(item) for item in value] if isinstance(value, list) else value


def _own(schema: Mapping[str, Any], value: Any, path: Path, root: Any) -> Iterator[Finding]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield from _number(schema, value, path)
    elif isinstance(value, str):
        yield from _text(schema, value, path)
    elif isinstance(value, list):
        yield from _items(schema, value, path, root)
    elif isinstance(value, dict):
        yield from _members(schema, value, path, root)


_BOUNDS: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("maximum", "<=", lambda value, bound: value <= bound), ("minimum", ">=", lambda value, bound: value >= bound),
    ("exclusiveMaximum", "<", lambda value, bound: value < bound), ("exclusiveMinimum", ">", lambda value, bound: value > bound),
)


def _number(schema: Mapping[str, Any], value: float, path: Path) -> Iterator[Finding]:
    for keyword, sign, holds in _BOUNDS:
        if keyword in schema and not holds(value, schema[keyword]):
            yield Finding(keyword, path, f"must be {sign} {schema[keyword]}")
    if "multipleOf" in schema and not _is_multiple(value, schema["multipleOf"]):
        yield Finding("multipleOf", path, f"must be multiple of {schema['multipleOf']}")


def _is_multiple(value: float, of: float) -> bool:
    quotient = value / of
    return math.isfinite(quotient) and quotient == int(quotient)


def _size(schema: Mapping[str, Any], what: str, size: int, path: Path, unit: str) -> Iterator[Finding]:
    if f"max{what}" in schema and size > schema[f"max{what}"]:
        yield Finding(f"max{what}", path, f"must NOT have more than {schema[f'max{what}']} {unit}")
    if f"min{what}" in schema and size < schema[f"min{what}"]:
        yield Finding(f"min{what}", path, f"must NOT have fewer than {schema[f'min{what}']} {unit}")


def _text(schema: Mapping[str, Any], value: str, path: Path) -> Iterator[Finding]:
    yield from _size(schema, "Length", len(value), path, "characters")
    holds = FORMATS.get(schema.get("format", ""))
    if holds is not None and not holds(value):
        yield Finding("format", path, f'must match format "{schema["format"]}"')
    elif "pattern" in schema and not compiled(schema["pattern"]).search(value):
        # A format and its pattern are one demand.
        yield Finding("pattern", path, f'must match pattern "{schema["pattern"]}"')


def _items(schema: Mapping[str, Any], value: list[Any], path: Path, root: Any) -> Iterator[Finding]:
    yield from _size(schema, "Items", len(value), path, "items")
    first = schema.get("prefixItems", [])
    for index, item in enumerate(value):
        part = first[index] if index < len(first) else schema.get("items", True)
        yield from findings(part, item, (*path, index), root)
    if "contains" in schema:
        yield from _contains(schema, value, path, root)
    if schema.get("uniqueItems") and (twice := _duplicates(value)) is not None:
        yield Finding("uniqueItems", path, f"must NOT have duplicate items (items ## {twice[0]} and {twice[1]} are identical)")


def _duplicates(items: list[Any]) -> tuple[int, int] | None:
    """The pair that the engine names: the first item that repeats one before it; where only numbers repeat, the least of them."""
    pairs = [(earlier, later) for later in range(len(items)) for earlier in range(later) if same(items[later], items[earlier])]
    others = [pair for pair in pairs if not _is_number(items[pair[0]])]
    return others[0] if others else min(pairs, key=lambda pair: (items[pair[0]], pair), default=None)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _contains(schema: Mapping[str, Any], value: list[Any], path: Path, root: Any) -> Iterator[Finding]:
    count = sum(fits(schema["contains"], item, root) for item in value)
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if count < least or (most is not None and count > most):
        bounds = f"at least {least}" if most is None else f"at least {least} and no more than {most}"
        yield Finding("contains", path, f"must contain {bounds} valid item(s)")


def _members(schema: Mapping[str, Any], value: dict[str, Any], path: Path, root: Any) -> Iterator[Finding]:
    yield from _size(schema, "Properties", len(value), path, "properties")
    for name in schema.get("required", ()):
        if name not in value:
            yield Finding("required", (*path, name), f"must have required property '{name}'")
    for name, needed in schema.get("dependentRequired", {}).items():
        for missing in needed if name in value else ():
            if missing not in value:
                yield Finding("dependentRequired", (*path, missing), f"must have propert{'y' if len(needed) == 1 else 'ies'} {', '.join(needed)} when property {name} is present")
    for name, part in schema.get("dependentSchemas", {}).items():
        if name in value:
            yield from findings(part, value, path, root)
    if "propertyNames" in schema:
        for name in value:
            if not fits(schema["propertyNames"], name, root):
                yield Finding("propertyNames", path, "property name must be valid")
    yield from _properties(schema, value, path, root)


def _properties(schema: Mapping[str, Any], value: dict[str, Any], path: Path, root: Any) -> Iterator[Finding]:
    properties, patterns, others = schema.get("properties", {}), schema.get("patternProperties", {}), schema.get("additionalProperties", True)
    for name, member in value.items():
        if name in properties or any(compiled(pattern).search(name) for pattern in patterns):
            continue
        if others is False:
            yield Finding("additionalProperties", (*path, name), "must NOT have additional properties")
        else:
            yield from findings(others, member, (*path, name), root)
    for name, part in properties.items():
        if name in value:
            yield from findings(part, value[name], (*path, name), root)
    for pattern, part in patterns.items():
        for name, member in value.items():
            if compiled(pattern).search(name):
                yield from findings(part, member, (*path, name), root)


def _combined(schema: Mapping[str, Any], value: Any, path: Path, root: Any) -> Iterator[Finding]:
    if "not" in schema and fits(schema["not"], value, root):
        yield Finding("not", path, "must NOT be valid")
    for keyword, says in (("anyOf", "must match a schema in anyOf"), ("oneOf", "must match exactly one schema in oneOf")):
        if keyword in schema:
            count = sum(fits(part, value, root) for part in schema[keyword])
            if count == 0:
                yield from of_union(schema, keyword, Place(value, path, root), says, findings)
            elif keyword == "oneOf" and count > 1:
                yield Finding(keyword, path, says)
    for part in schema.get("allOf", ()):
        yield from findings(part, value, path, root)
    if "if" in schema:
        yield from findings(schema.get("then" if fits(schema["if"], value, root) else "else", True), value, path, root)
    if "const" in schema and not same(value, schema["const"]):
        yield Finding("const", path, "must be equal to constant")
    if "enum" in schema and not any(same(value, item) for item in schema["enum"]):
        yield Finding("enum", path, "must be equal to one of the allowed values")


