"""What a handler's result looks like to a client."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from .problems import Problem, raised, unusable
from .routes import Route

_JSON = "application/json; charset=utf-8"
_KEYS = ("status", "body", "headers")
_FORBIDDEN = frozenset((
    "connection", "content-length", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings",
))


@dataclass(frozen=True)
class Answer:
    """What the application answered."""

    status: int
    #: Lower-case names; repeated ones are joined by ``, ``, those of ``set-cookie`` by a line break.
    headers: dict[str, str]
    #: JSON is read, other text is a string, anything else bytes; None when there is none.
    body: Any
    #: Of the request, and of all that it caused.
    trace_id: str


def problem_answer(found: Problem, trace_id: str) -> Answer:
    """An answer that the engine gives in place of the handler."""
    return Answer(found.status, {"content-type": _JSON, **found.headers, "x-trace-id": trace_id}, found.body(trace_id), trace_id)


def answer_of(result: Mapping[str, Any], route: Route, trace_id: str) -> Answer | Problem:
    """The answer that a result becomes; a problem when it cannot be sent."""
    http = result.get("http") or {"status": 204}
    body = http.get("body") or _thrown_body(http, trace_id)
    checked = "thrown" not in http and "unchecked" not in http
    fault = _keys_fault(http) or (checked and _schema_fault(http["status"], body, route)) or next(
        (f'the header "{name}" is set by the engine' for name in http.get("headers") or {} if name.lower() in _FORBIDDEN), None
    )
    if fault:
        return unusable(fault)
    headers = {name.lower(): _joined(name.lower(), value) for name, value in (http.get("headers") or {}).items()}
    content, default_type = _content(body)
    if content is None or http["status"] in (204, 304):
        return Answer(http["status"], {**headers, "x-trace-id": trace_id}, None, trace_id)
    headers.setdefault("content-type", default_type)
    return Answer(http["status"], {**headers, "x-trace-id": trace_id}, _read(content, headers["content-type"]), trace_id)


def _thrown_body(http: Mapping[str, Any], trace_id: str) -> Any:
    """An answer that was raised without a body has that of the engine's own errors."""
    if "thrown" not in http or any(name.lower() == "content-type" for name in http.get("headers") or {}):
        return None
    return {"kind": "json", "value": raised(http["status"], http["thrown"]).body(trace_id)}


def _keys_fault(http: Mapping[str, Any]) -> str | None:
    """A test engine is strict, as the engine is in development."""
    faults = []
    for key in http.get("unknownKeys") or ():
        meant = get_close_matches(key, _KEYS, n=1)
        faults.append(f'a result has no key "{key}"' + (f'; did you mean "{meant[0]}"?' if meant else f"; it has {', '.join(_KEYS)}"))
    return "; ".join(faults) or None


def _schema_fault(status: int, body: Any, route: Route) -> str | None:
    check = route.responses.get(status)
    if check is None or not route.enforces or (body or {}).get("kind") == "bytes":
        return None
    kind = (body or {}).get("kind")
    if kind is None and status >= 400:
        return None
    issues = check.issues(body["value"] if kind in ("json", "text") else None)
    if not issues:
        return None
    said = "; ".join(f"{issue['path']}: {issue['message']}" if issue["path"] else issue["message"] for issue in issues)
    return f"the body does not fit the responseSchema of {status}: {said}"


def _content(body: Any) -> tuple[bytes | None, str]:
    if body is None:
        return None, ""
    kind, value = body["kind"], body.get("value")
    if kind == "json":
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), _JSON
    if kind == "text":
        return str(value).encode("utf-8", "replace"), "text/plain; charset=utf-8"
    return (value if kind == "bytes" else base64.b64decode(value)), "application/octet-stream"


def _read(content: bytes, content_type: str) -> Any:
    if re.match(r"application/(?:[\w.-]+\+)?json\b", content_type):
        return json.loads(content)
    return content.decode("utf-8", "replace") if re.search(r"^text/|charset=", content_type) else content


def _joined(name: str, value: Any) -> str:
    return ("\n" if name == "set-cookie" else ", ").join(value) if isinstance(value, list) else str(value)
