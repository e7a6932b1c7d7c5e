"""How the programs of this package end."""

from __future__ import annotations

import atexit
import os
import sys
from typing import NoReturn

#: Exit code when the engine cannot be reached or goes away.
LOST = 69
#: Exit code when ENGINE_URL can be no address: trying again would not mend it.
MISUSED = 64


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
    os._exit(code)
