"""What pydantic finds wrong with a value, in the form that clients read: one issue for each fault, at its place in the value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..wire.limits import MAX_ISSUES

Issue = dict[str, str]
#: Characters of one issue's text.
_MAX_TEXT = 1_000
#: Findings that are looked at; of a value with more of them the rest is not told.
_MAX_FINDINGS = 1_000
#: Types of findings that say that a value is not the one that is asked for.
_OTHER_VALUE = frozenset(("literal_error", "enum"))


class _Finding(NamedTuple):
    #: Where in the value.
    path: tuple[str, ...]
    #: Branches of unions that it was found in: how long the path to the union is, and the name of the branch.
    branches: tuple[tuple[int, str], ...]
    type: str
    message: str


def issues_of(error: ValueError, value: Any, where: str) -> list[Issue]:
    """The issues of a refusal by pydantic, or the one that any other error is."""
    found = getattr(error, "errors", None)
    if not callable(found):
        return [{"in": where, "path": "", "message": str(error)[:_MAX_TEXT], "code": "invalid"}]
    details = found(include_url=False, include_context=False, include_input=False)[:_MAX_FINDINGS]
    findings = [_finding(detail, value) for detail in details]
    return [
        {"in": where, "path": ".".join(finding.path)[:_MAX_TEXT], "message": finding.message[:_MAX_TEXT], "code": finding.type}
        for finding in _one_each(findings, 0)[:MAX_ISSUES]
    ]


def _finding(detail: Any, value: Any) -> _Finding:
    """pydantic names branches of unions and the like among the keys of a place; the client's value has no such keys."""
    path: list[str] = []
    branches: list[tuple[int, str]] = []
    location: Sequence[Any] = detail["loc"]
    for index, part in enumerate(location):
        is_last = index == len(location) - 1
        if isinstance(value, dict) and (part in value or str(part) in value):
            value = value[part] if part in value else value[str(part)]
            path.append(str(part))
        elif isinstance(value, (list, tuple)) and isinstance(part, int) and part < len(value):
            value = value[part]
            path.append(str(part))
        elif is_last and detail["type"] == "missing":
            path.append(str(part))
        else:
            branches.append((len(path), str(part)))
    return _Finding(tuple(path), tuple(branches), str(detail["type"]), str(detail["msg"]))


def _one_each(findings: list[_Finding], level: int) -> list[_Finding]:
    """Of each union the findings of the branch that the value was meant for; without such a branch one that says what all of them want."""
    unions: dict[tuple[str, ...], dict[str, list[_Finding]]] = {}
    told: list[_Finding | tuple[str, ...]] = []
    for finding in findings:
        if level >= len(finding.branches):
            told.append(finding)
            continue
        depth, branch = finding.branches[level]
        place = finding.path[:depth]
        if place not in unions:
            unions[place] = {}
            told.append(place)
        unions[place].setdefault(branch, []).append(finding)
    return [each for one in told for each in ([one] if isinstance(one, _Finding) else _of_union(one, unions[one], level))]


def _of_union(place: tuple[str, ...], branches: dict[str, list[_Finding]], level: int) -> list[_Finding]:
    lists = list(branches.values())
    if len(lists) == 1:
        return _one_each(lists[0], level + 1)
    fitting = [findings for findings in lists if not any(finding.path == place for finding in findings)]
    meant = fitting[0] if len(fitting) == 1 else _by_tag(lists, len(place))
    if meant is not None:
        return _one_each(meant, level + 1)
    return _in_common(lists) or _one_each(min(lists, key=len), level + 1)


def _in_common(lists: list[list[_Finding]]) -> list[_Finding]:
    """One finding for the first place that every branch refuses, with what each wants there."""
    for first in lists[0]:
        said = [next((finding.message for finding in findings if finding.path == first.path), None) for findings in lists]
        if None not in said:
            return [_Finding(first.path, (), first.type, " or ".join(dict.fromkeys(str(message) for message in said)))]
    return []


def _by_tag(lists: list[list[_Finding]], depth: int) -> list[_Finding] | None:
    """The only branch that does not want another value of a member, such as ``kind``, than it has."""
    tags = [{finding.path for finding in findings if finding.type in _OTHER_VALUE and len(finding.path) > depth} for findings in lists]
    for path in sorted(set().union(*tags)):
        meant = [findings for findings, refused in zip(lists, tags, strict=True) if path not in refused]
        if len(meant) == 1:
            return meant[0]
    return None
