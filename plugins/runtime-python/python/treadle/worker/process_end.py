"""How the programs of this package end."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from typing import NoReturn

#: Exit code when the engine cannot be reached or goes away.
LOST = 69
#: Exit code when ENGINE_URL can be no address: trying again would not mend it.
MISUSED = 64
#: Exit code when variables that the application declares are missing or wrong, or a guard has no secret.
UNCONFIGURED = 78


#: Of prctl(2).
_PR_SET_PDEATHSIG = 1
#: Ends this process at once. Handlers cannot call it any more, see ``exit_guard``.
exit_now = os._exit


def end_with(parent: int | None) -> None:
    """
    Ends this process when its parent ends, even while code keeps the interpreter's lock for ever. Where only Linux can do
    that, the thread that reads our input sees the end of the engine as long as other threads get to run.
    """
    if parent is None or not sys.platform.startswith("linux"):
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (ImportError, OSError, AttributeError):  # an interpreter without ctypes, a system without prctl
        return
    try:
        os.kill(parent, 0)
    except OSError:
        # It has ended before we could ask.
        exit_now(LOST)


def end_process(code: int, message: str | None = None) -> NoReturn:
    """Ends at once: handlers may have left threads behind that never end. What the application registered still runs."""
    run_exit_functions = getattr(atexit, "_run_exitfuncs", None)
    try:
        if message is not None:
            # Nobody may be left to read it: an engine that was killed has taken the other end along.
            os.write(2, f"treadle worker: {message}\n".encode())
    except OSError:
        pass
    try:
        if run_exit_functions is not None:
            run_exit_functions()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # whatever the application registered, and whoever is gone, the process ends
        pass
    exit_now(code)
