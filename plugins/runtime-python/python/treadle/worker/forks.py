"""Processes that handlers fork, for example by multiprocessing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable


def reset_in_forks(names: Iterable[signal.Signals]) -> None:
    """
    From now on a forked process ends on these signals as any other does, instead of doing what this one does; handlers that the application
    puts in their place stay. A signal of the forked process wakes the event loop of this one no more.
    """
    if not hasattr(os, "register_at_fork"):  # Windows
        return
    installed = {name: signal.getsignal(name) for name in names}

    def reset() -> None:
        for name, handler in installed.items():
            if signal.getsignal(name) is handler:
                signal.signal(name, signal.default_int_handler if name == signal.SIGINT else signal.SIG_DFL)
        signal.set_wakeup_fd(-1)

    os.register_at_fork(after_in_child=reset)
