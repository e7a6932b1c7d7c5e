"""JSON as the wire carries it: ASCII only, so that text and bytes have one length and nothing cannot be encoded."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import pathlib
import re
import uuid
from collections.abc import Callable
from typing import Any

from treadle.topics import Topic

#: Largest integer that a JSON number keeps on its way through the engine.
MAX_INTEGER = 2**53 - 1
_LONG_DIGITS = re.compile(r"\d{16,}")


class Unwritable(ValueError):
    """A value that JSON cannot carry; the message says why."""


def plain(value: Any) -> Any:
    """The JSON form of objects that have an obvious one. :raises TypeError: for all others"""
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, pathlib.PurePath, Topic)):
        return str(value)
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if callable(getattr(value, "model_dump", None)) and not isinstance(value, type):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError(f"an object of type {type(value).__name__} has no JSON form")


def _encoder() -> Callable[[Any], str]:
    """
    ``JSONEncoder`` makes its inner encoder anew for each value, which costs as much as a small value itself. The inner one is
    the same in all versions that there are; should it change, the outer one does.
    """
    usual = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=plain).encode
    try:
        text_of: Callable[[str], str] = json.encoder.encode_basestring_ascii
        make: Any = getattr(json.encoder, "c_make_encoder")
        inner = make(None, plain, text_of, None, ":", ",", False, False, False)

        def encode_directly(value: Any) -> str:
            return text_of(value) if isinstance(value, str) else "".join(inner(value, 0))

        sample = {"a": [1, "\u00e4", None, True, 1.5, {}], "b": []}
        return encode_directly if encode_directly(sample) == usual(sample) else usual
    except (AttributeError, TypeError, ValueError):
        return usual


_encode = _encoder()


def encode(value: Any) -> str:
    """The JSON text of any value. :raises Unwritable:"""
    try:
        text: str = _encode(value)
    except RecursionError:
        raise Unwritable("it is nested too deep, or a cycle") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise Unwritable(str(error).replace("Circular reference detected", "it contains a cycle")) from None
    if _LONG_DIGITS.search(text):
        _refuse_large_integers(value, 0)
    return text


def _refuse_large_integers(value: Any, depth: int) -> None:
    """Numbers travel as doubles: one that would change silently on its way is refused."""
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise Unwritable(f"the integer {value} is too large for a JSON number to keep; send it as a string")
    elif isinstance(value, dict):
        for member in value.values():
            _refuse_large_integers(member, depth + 1)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for member in value:
            _refuse_large_integers(member, depth + 1)
    elif value is not None and not isinstance(value, (str, float)):
        _refuse_large_integers(plain(value), depth + 1)


def utf8(text: str) -> bytes:
    """UTF-8 bytes; halves of surrogate pairs, which JSON may hold, become replacement characters."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")
