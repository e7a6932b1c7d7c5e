"""What spans and measurements may carry; with all of it full they still fit into a frame."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

MAX_ATTRIBUTES, MAX_EVENT_ATTRIBUTES, MAX_LABELS, MAX_EVENTS, MAX_LINKS = 64, 8, 16, 32, 32
MAX_TEXT, MAX_STACK, MAX_NAME = 2048, 8192, 256
_MAX_ITEMS, _MAX_ITEM = 16, 256
#: Most spans that code of one run may make.
MAX_OWN_SPANS = 1000


def short_name(name: Any) -> str:
    """A name, cut to its limit."""
    return str(name)[:MAX_NAME]


def put_attributes(to: dict[str, Any], attributes: Any, most: int) -> None:
    """Puts attributes into ``to``, as many as it may have; a later value replaces an earlier one."""
    if not isinstance(attributes, Mapping):
        return
    for key, raw in attributes.items():
        value, name = _value(raw), short_name(key)
        if value is not None and (name in to or len(to) < most):
            to[name] = value


def _value(raw: Any) -> Any:
    if isinstance(raw, str):
        return raw[: MAX_TEXT if "\n" not in raw else MAX_STACK]
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, (int, float)):
        return raw if math.isfinite(raw) and abs(raw) < 2**53 else str(raw)
    return [str(item)[:_MAX_ITEM] for item in list(raw)[:_MAX_ITEMS]] if isinstance(raw, (list, tuple)) else None
