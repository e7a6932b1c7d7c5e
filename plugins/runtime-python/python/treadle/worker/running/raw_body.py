"""Bodies that are no JSON: bytes, and where bytes come from."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterable, Iterator, Mapping
from typing import Any

from treadle.inputs import UploadedFile

from .step_context import on_event_loop

BYTES = (bytes, bytearray, memoryview)
#: Types of nearly all bodies.
_DATA = frozenset((dict, list, tuple, str, int, float, bool, type(None)))


def is_source(value: Any) -> bool:
    """True for generators and other iterators, async iterables and open files; other iterables are data."""
    if type(value) in _DATA:
        return False
    if isinstance(value, (AsyncIterable, Iterator)):
        return True
    return callable(getattr(value, "read", None)) and not isinstance(value, UploadedFile)


def has_pending_body(value: Any) -> bool:
    """True for a result whose body has to be awaited."""
    return isinstance(value, Mapping) and hasattr(value.get("body"), "__await__")


def discard(source: Any) -> None:
    """
    What nobody will read lets go of its file, in a thread where the caller is on the event loop; what cannot be closed has nothing to let
    go of.
    """
    close = getattr(source, "close", None)
    if not callable(close):
        return
    if on_event_loop():
        asyncio.get_running_loop().run_in_executor(None, contextvars.copy_context().run, close)
    else:
        close()
