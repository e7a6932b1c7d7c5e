"""What handlers of http triggers return."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treadle.responses import StreamedResponse

from ..wire.json_text import Unwritable, encode, utf8
from ..wire.limits import MAX_INLINE_BODY_BYTES
from .failure import RunError
from .raw_body import BYTES, discard, is_source

if TYPE_CHECKING:
    from .run import Run

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
#: What RFC 9110 does not allow in a field value.
_FORBIDDEN = re.compile("[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]")
#: Characters of all header names and values; no client takes more.
_MAX_HEADERS = 65_536
#: A body of None is JSON null; without the key there is none.
_ABSENT = object()
_KEYS = frozenset(("status", "body", "headers"))
#: Keys without a meaning that are told, and how much of each.
_MAX_KEYS = 5
_MAX_KEY = 100
_SHAPE = 'a handler returns {"status": …, "body"?: …, "headers"?: …}; this one returned '

#: Opens a stream for these bytes and gives its id.
OpenStream = Callable[[bytes], int]


@dataclass(frozen=True)
class StreamedAnswer:
    """An answer whose body is still to be produced."""

    #: Status, headers and what is told beside them, as members of a JSON object.
    head: str
    response: StreamedResponse


def http_answer(value: Any, open_stream: OpenStream, thrown: str | None = None, unchecked: bool = False) -> str | StreamedAnswer:
    """
    The ``http`` member of an answer's ``result`` message, or the answer itself when its body is still to be produced. ``thrown``: it
    was raised, with this sentence for the client. ``unchecked``: the trigger's response schema says nothing of it.

    :raises RunError: ``invalid_handler_result`` with the reason
    """
    mark = ',"unchecked":true' if unchecked else ""
    if value is None:
        return f',"http":{{"status":204{mark}}}'
    if isinstance(value, StreamedResponse):
        return StreamedAnswer(_head_text(value.status, value.headers, value), value)
    status, body, headers = _parts(value)
    notes = _notes_text(value, thrown)
    if is_source(body):
        return _streaming(status, headers, body, notes)
    head = _head_text(status, headers, value) + notes
    content = "" if body is _ABSENT else f',"body":{_body_text(body, headers, open_stream)}'
    return f',"http":{{{head}{mark}{content}}}'


def is_by_middleware(value: Any, run: Run) -> bool:
    """The handler was not asked, or something else is answered than it gave back."""
    if not (run.plan.middleware or run.plan.inner) or value is run.handled:
        return False
    if run.handled is None or value is None or isinstance(value, StreamedResponse) or isinstance(run.handled, StreamedResponse):
        return True
    own, sent = _parts(run.handled), _parts(value)
    return own[0] != sent[0] or own[1] is not sent[1]


def _streaming(status: Any, headers: Any, source: Any, notes: str) -> StreamedAnswer:
    try:
        return StreamedAnswer(_head_text(status, headers, None) + notes, StreamedResponse(status, headers or {}, source=source))
    except RunError:
        discard(source)
        raise


def _head_text(status: Any, headers: Any, value: Any) -> str:
    """Status and headers as members of a JSON object."""
    checked = check_head(status, headers, value)
    return f'"status":{status:d}' if checked is None else f'"status":{status:d},"headers":{encode(checked)}'


def _notes_text(value: Any, thrown: str | None) -> str:
    """What is told beside the answer: keys that mean nothing, and that it was raised."""
    notes = "" if thrown is None else f',"thrown":{encode(thrown)}'
    if not isinstance(value, dict) or value.keys() <= _KEYS:
        return notes
    unknown = [str(key)[:_MAX_KEY] for key in value if key not in _KEYS][:_MAX_KEYS]
    return f'{notes},"unknownKeys":{encode(unknown)}'


def check_head(status: Any, headers: Any, value: Any) -> dict[str, Any] | None:
    """:raises RunError: for a status or header that cannot be sent"""
    if isinstance(status, bool) or not isinstance(status, int):
        if status is None:
            raise _unusable(_SHAPE + _named(value))
        raise _unusable(f"status must be an integer from 200 to 599; it is a {type(status).__name__}")
    if not 200 <= status <= 599:
        raise _unusable(f"status must be an integer from 200 to 599; it is {status:d}")
    return None if headers is None else _check_headers(headers)


def _parts(value: Any) -> tuple[Any, Any, Any]:
    if isinstance(value, Mapping):
        return value.get("status"), value.get("body", _ABSENT), value.get("headers")
    if hasattr(value, "status"):
        return value.status, getattr(value, "body", _ABSENT), getattr(value, "headers", None)
    if isinstance(value, BYTES) or is_source(value):
        return 200, value, None
    raise _unusable(_SHAPE + _named(value))


def _named(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(str(key) for key in list(value)[:5]) + "}"
    return f"a {type(value).__name__}"


def _body_text(body: Any, headers: Any, open_stream: OpenStream) -> str:
    if isinstance(body, BYTES):
        content = bytes(body)
        if len(content) > MAX_INLINE_BODY_BYTES:
            return _streamed(content, "bytes", open_stream)
        return f'{{"kind":"base64","value":"{base64.b64encode(content).decode("ascii")}"}}'
    text = _written(body)
    large = len(text) > MAX_INLINE_BODY_BYTES
    if isinstance(body, str) and headers is not None and any(str(name).lower() == "content-type" for name in headers):
        return _streamed(utf8(body), "text", open_stream) if large else f'{{"kind":"text","value":{text}}}'
    if large:
        return _streamed(text.encode("ascii"), "json", open_stream)
    return f'{{"kind":"json","value":{text}}}'


def _streamed(content: bytes, kind: str, open_stream: OpenStream) -> str:
    """A body that is only too large for the message: the engine puts it together again."""
    return f'{{"kind":"stream","stream":{open_stream(content)},"as":"{kind}","bytes":{len(content)}}}'


def _written(body: Any) -> str:
    try:
        return encode(body)
    except Unwritable as error:
        raise _unusable(f"the body cannot be written as JSON: {error}") from None


def _check_headers(headers: Any) -> dict[str, Any]:
    if not isinstance(headers, Mapping):
        raise _unusable("headers must be a dict")
    checked: dict[str, Any] = {}
    size = 0
    for name, value in headers.items():
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            raise _unusable(f"{name!r} is not a valid header name")
        if value is None:
            continue
        values = [_field(name, item) for item in value] if isinstance(value, (list, tuple)) else _field(name, value)
        size += len(name) + (len(values) if isinstance(values, str) else sum(map(len, values)))
        checked[name] = values
    if size > _MAX_HEADERS:
        raise _unusable(f"the headers have {size} characters; at most {_MAX_HEADERS} are sent")
    return checked


def _field(name: str, value: Any) -> str:
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, (str, int, float)):
        text = str(value)
    else:
        raise _unusable(f'header "{name}" must be a string, a number or a list of them')
    if _FORBIDDEN.search(text):
        raise _unusable(f'header "{name}" has a character that headers cannot carry')
    return text


def _unusable(reason: str) -> RunError:
    return RunError("invalid_handler_result", reason)
