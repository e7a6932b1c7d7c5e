"""One finding for each fault of a value that fits no branch of a union, as the engine tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .finding import Finding, Path
from .references import resolved

#: Finds what does not fit: schema, value, path and root.
Find = Callable[[Any, Any, Path, Any], Iterator[Finding]]
#: Keywords that say that a value is altogether another one than a branch wants.
_OTHER_VALUE = frozenset(("type", "const", "enum"))


class Place(NamedTuple):
    """A value, where it stands, and the whole schema."""

    value: Any
    path: Path
    root: Any


def of_union(schema: Mapping[str, Any], keyword: str, place: Place, says: str, find: Find) -> list[Finding]:
    """What the branch says that the value was meant for, or the union itself. The value fits no branch."""
    value, path, root = place
    branches = schema[keyword]
    tag = _common_tag(schema, keyword, [_target(branch, root) for branch in branches])
    if tag is not None:
        return _of_tagged(schema, tag, branches, place, find)
    each = [list(find(branch, value, path, root)) for branch in branches]
    others = [finding for found in each for finding in found if finding.keyword in _OTHER_VALUE and finding.path == path]
    meant = [left for found in each if (left := [finding for finding in found if finding not in others])]
    if not meant and others and all(finding.keyword == "type" for finding in others):
        types = dict.fromkeys(name for finding in others for name in finding.message.removeprefix("must be ").split(","))
        return [Finding("type", path, f"must be {' or '.join(types)}")]
    return meant[0] if others and len(meant) == 1 else [Finding(keyword, path, says)]


def _of_tagged(schema: Mapping[str, Any], tag: str, branches: Sequence[Any], place: Place, find: Find) -> list[Finding]:
    value, path, root = place
    if not isinstance(value, dict):
        return [] if schema.get("type") == "object" else [Finding("type", path, "must be object")]
    if not isinstance(value.get(tag), str):
        return [Finding("const", (*path, tag), "must be string" if tag in value else "is required")]
    for branch in branches:
        if value[tag] in _texts(_target(branch, root), tag):
            return list(find(branch, value, path, root))
    return [Finding("const", (*path, tag), "must be equal to one of the allowed values")]


def _target(branch: Any, root: Any) -> Mapping[str, Any]:
    """A branch itself, or the part of the schema that it stands for."""
    if isinstance(branch, Mapping) and "$ref" in branch:
        branch = resolved(branch["$ref"], root) if len(branch) == 1 else {}
    return branch if isinstance(branch, Mapping) and "$ref" not in branch else {}


def _common_tag(schema: Mapping[str, Any], keyword: str, branches: list[Mapping[str, Any]]) -> str | None:
    """Name of a member that each branch requires with texts of its own."""
    other = "oneOf" if keyword == "anyOf" else "anyOf"
    if len(branches) < 2 or other in schema or schema.get("type", "object") != "object":
        return None
    for name in _required(branches[0]):
        texts = [_texts(branch, name) if name in _required(branch) else [] for branch in branches]
        flat = [text for found in texts for text in found]
        if all(texts) and len(set(flat)) == len(flat):
            return name
    return None


def _required(branch: Mapping[str, Any]) -> list[str]:
    return list(branch.get("required", ())) if branch.get("type") == "object" else []


def _texts(branch: Mapping[str, Any], name: str) -> list[str]:
    member = branch.get("properties", {}).get(name)
    if not isinstance(member, Mapping):
        return []
    texts = member.get("enum", [member.get("const")])
    return list(texts) if all(isinstance(text, str) for text in texts) else []
