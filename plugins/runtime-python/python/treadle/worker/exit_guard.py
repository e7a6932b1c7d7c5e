"""Keeps a handler from ending the process that other handlers run in."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from treadle.context import CURRENT
from treadle.errors import HandlerExit


def guard_exit() -> None:
    """
    ``os._exit`` and ``os.abort`` raise ``HandlerExit`` where a handler calls them, in this process but not in one that it forks.
    ``end_process`` ends the process whoever calls. ``sys.exit`` needs no guard: it raises ``SystemExit``, which fails the
    handler, and ``run_serving`` goes on with what a task of its raises.
    """
    own, abort, exit_now = os.getpid(), os.abort, os._exit

    def refuse(call: str) -> None:
        if CURRENT.get(None) is not None and os.getpid() == own:
            raise HandlerExit(call)

    def guarded_exit(*args: Any, **named: Any) -> NoReturn:
        refuse("os._exit")
        exit_now(*args, **named)

    def guarded_abort() -> NoReturn:
        refuse("os.abort")
        abort()

    setattr(os, "_exit", guarded_exit)
    setattr(os, "abort", guarded_abort)
