"""Requests and answers as the engine's process takes and gives them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from treadle.worker.wire.json_text import encode

from .records import Answer


def request_of(
    method: str, path: str, body: Any, query: Mapping[str, Any], headers: Mapping[str, str], files: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """:raises ValueError: for a path that does not begin with "/" """
    if not path.startswith("/"):
        raise ValueError(f'the path of a request begins with "/", got "{path}"')
    sent = {name.lower(): str(value) for name, value in headers.items()}
    content = _form(body, files) if files is not None else _content(body, sent)
    written = {name: _written(value) for name, value in query.items() if value is not None}
    return {"method": method, "path": path, "query": written, "headers": sent, **content}


def answer_of(told: Mapping[str, Any]) -> Answer:
    headers: dict[str, str] = told["headers"]
    return Answer(told["status"], headers, _read(base64.b64decode(told["base64"]), headers.get("content-type", "")), told["traceId"])


def _content(body: Any, headers: dict[str, str]) -> dict[str, str]:
    """What goes over the wire, and its content type unless the test names one: JSON for anything but text and bytes."""
    if body is None:
        return {}
    if isinstance(body, (bytes, bytearray)):
        headers.setdefault("content-type", "application/octet-stream")
        return {"base64": _base64(bytes(body))}
    if isinstance(body, str):
        headers.setdefault("content-type", "text/plain; charset=utf-8")
        return {"text": body}
    if headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return {"text": urlencode(body, doseq=True)}
    headers.setdefault("content-type", "application/json")
    return {"text": encode(body)}


def _form(fields: Any, files: Mapping[str, Any]) -> dict[str, Any]:
    texts = [{"field": name, "text": str(value)} for name, value in (fields or {}).items()]
    return {"form": [*texts, *(_file(name, given) for name, given in files.items())]}


def _file(field: str, given: Any) -> dict[str, str]:
    filename, content, *kind = given if isinstance(given, tuple) else (field, given)
    written = content.encode() if isinstance(content, str) else bytes(content)
    return {"field": field, "filename": filename, "base64": _base64(written), "type": kind[0] if kind else "application/octet-stream"}


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return [_written(item) for item in value] if isinstance(value, (list, tuple)) else str(value)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _read(content: bytes, content_type: str) -> Any:
    if not content:
        return None
    if re.match(r"application/(?:[\w.-]+\+)?json\b", content_type):
        return json.loads(content)
    return content.decode("utf-8", "replace") if re.search(r"^text/|charset=", content_type) or content_type == "" else content
