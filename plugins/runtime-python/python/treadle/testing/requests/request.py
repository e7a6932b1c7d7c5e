"""A request as a test writes it, and as the worker gets it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from treadle.worker.wire.json_text import encode

from .problems import Problem, bad_request, invalid_json, problem
from .routes import Route

_MAX_DEPTH = 100
_MAX_PARAMETERS = 256


def body_bytes(body: Any, headers: dict[str, str], files: Mapping[str, Any] | None) -> bytes | None:
    """What goes over the wire, and its content type unless the test names one: JSON for anything but text and bytes."""
    if body is None and files is None:
        return None
    if isinstance(body, (bytes, bytearray)):
        headers.setdefault("content-type", "application/octet-stream")
        return bytes(body)
    if isinstance(body, str):
        headers.setdefault("content-type", "text/plain; charset=utf-8")
        return body.encode()
    if files is not None:
        headers["content-type"] = "multipart/form-data; boundary=test"
        return b""
    if headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return urlencode(body, doseq=True).encode()
    headers.setdefault("content-type", "application/json")
    return encode(body).encode()


def read_query(text: str) -> dict[str, Any] | Problem:
    """Each name to its value, or to its values when it was repeated."""
    if not _is_percent_encoded(text):
        return bad_request("The URI has a bad percent-encoding")
    pairs = parse_qsl(text, keep_blank_values=True)
    if len(pairs) > _MAX_PARAMETERS:
        return bad_request(f"The query has more than {_MAX_PARAMETERS} parameters")
    found: dict[str, Any] = {}
    for name, value in pairs:
        before = found.get(name)
        found[name] = value if before is None else [*(before if isinstance(before, list) else [before]), value]
    return found


def read_body(content: bytes | None, headers: Mapping[str, str], route: Route, form: Any, files: Mapping[str, Any] | None) -> dict[str, Any] | Problem:
    """Members ``body``, ``files`` and ``rawBody`` of the input, and ``value``, which the schema judges."""
    if files is not None:
        return {"body": {"kind": "json", "value": form or {}}, "value": form or {}, "files": [_file(name, given) for name, given in files.items()]}
    if content is None or (content == b"" and "content-type" not in headers):
        return {}
    if len(content) > route.body_limit:
        return problem(413, "body_too_large", "The body is too large")
    content_type = headers.get("content-type", "")
    read = _read(content, content_type)
    if isinstance(read, dict) and read["body"]["kind"] == "base64" and not route.takes_bytes:
        return problem(415, "unsupported_media_type", "The Content-Type of the body is not supported here")
    if isinstance(read, dict) and route.raw_body:
        read["rawBody"] = base64.b64encode(content).decode("ascii")
    return read


_TEXT = re.compile(r"text/.+|.+/xml|.+\+xml|application/(x-ndjson|ndjson|jsonl|x-jsonlines|json-seq)")


def _read(content: bytes, content_type: str) -> dict[str, Any] | Problem:
    kind = content_type.split(";")[0].strip().lower()
    if kind == "application/json" or re.fullmatch(r"[a-z]+/[^\s/]+\+json", kind):
        return _json(content)
    if kind == "application/x-www-form-urlencoded":
        fields = read_query(content.decode("latin-1"))
        return fields if isinstance(fields, Problem) else {"body": {"kind": "json", "value": fields}, "value": fields}
    if _TEXT.fullmatch(kind):
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return bad_request("The body is not valid UTF-8")
        return {"body": {"kind": "text", "value": text}, "value": text}
    return {"body": {"kind": "base64", "value": base64.b64encode(content).decode("ascii")}}


def _json(content: bytes) -> dict[str, Any] | Problem:
    try:
        value = json.loads(content.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return invalid_json("The body is not valid JSON")
    fault = _fault(value, 1)
    return invalid_json(f"Refused: {fault}") if fault else {"body": {"kind": "json", "value": value}, "value": value}


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _fault(value: Any, depth: int) -> str | None:
    if not isinstance(value, (dict, list)):
        return None
    if depth > _MAX_DEPTH:
        return f"the body is nested deeper than {_MAX_DEPTH}"
    if isinstance(value, dict) and "__proto__" in value:
        return 'the body has a key "__proto__"'
    members = value.values() if isinstance(value, dict) else value
    return next((fault for member in members if (fault := _fault(member, depth + 1)) is not None), None)


def _file(field: str, given: Any) -> dict[str, Any]:
    """``content``, ``(filename, content)`` or ``(filename, content, content type)``."""
    filename, content, *kind = given if isinstance(given, tuple) else (field, given)
    data = content.encode() if isinstance(content, str) else bytes(content)
    return {
        "field": field, "filename": filename, "contentType": kind[0] if kind else "application/octet-stream", "size": len(data),
        "body": {"kind": "base64", "value": base64.b64encode(data).decode("ascii")},
    }


def _is_percent_encoded(text: str) -> bool:
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        return False
    try:
        parse_qsl(text, errors="strict")
    except UnicodeDecodeError:
        return False
    return True
