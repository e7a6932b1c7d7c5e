"""Makes what one call prints one record of the log, however many lines it has."""

from __future__ import annotations

import builtins
import functools
import logging
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any

#: Where each prints what it was asked for in one or in many writes.
_CALLS: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (builtins, ("print",)),
    (traceback, ("print_exc", "print_exception", "print_last", "print_list", "print_stack", "print_tb")),
    (logging.StreamHandler, ("emit",)),
    (warnings, ("showwarning", "_showwarnmsg")),
)


class _Depth(threading.local):
    value = 0


_depth = _Depth()


def in_whole_call() -> bool:
    """True while such a call runs on this thread: it may not be over with the line."""
    return _depth.value > 0


def watch_calls(is_captured: Callable[[], bool], ended: Callable[[], None]) -> None:
    """From now on, for the life of the process. ``ended`` is called after the outermost call, where ``is_captured`` says so before it."""
    for owner, names in _CALLS:
        for name in names:
            if hasattr(owner, name):
                setattr(owner, name, _watched(getattr(owner, name), is_captured, ended))


def _watched(function: Callable[..., Any], is_captured: Callable[[], bool], ended: Callable[[], None]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if _depth.value > 0 or not is_captured():
            return function(*arguments, **named)
        _depth.value = 1
        try:
            return function(*arguments, **named)
        finally:
            _depth.value = 0
            ended()

    return call
