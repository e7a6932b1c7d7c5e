"""What functions of declarations give back."""

from __future__ import annotations

from typing import Any

from ..wire.json_text import Unwritable, encode
from .failure import RunError

#: Longest value of a declaration as JSON, in characters: it is kept for as long as a client of a stream is connected.
_MAX_VALUE = 256 * 1024


def value_text(value: Any) -> str:
    """The member of a result that holds it; nothing stays nothing. :raises RunError:"""
    if value is None:
        return ""
    try:
        text = encode(value)
    except Unwritable as error:
        raise RunError("invalid_handler_result", f"what it gave back cannot be sent as JSON: {error}") from None
    if len(text) > _MAX_VALUE:
        problem = f"it has {len(text)} characters as JSON; at most {_MAX_VALUE} are taken"
        raise RunError("invalid_handler_result", f"what it gave back cannot be sent as JSON: {problem}")
    return f',"value":{text}'
