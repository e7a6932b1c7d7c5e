"""The program of a child process of the engine: its first line of input says what to do."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
import time
from typing import Any

from treadle.errors import ClientGone

from .capture import capture_output
from .exit_guard import guard_exit
from .forks import reset_in_forks
from .loading.catalog import StepCatalog
from .loading.missing_secrets import note_missing_secrets
from .marks import mark, open_marks
from .process_end import LOST, end_process, end_with, exit_now
from .serving_loop import run_serving
from .session import SessionOptions, WorkerSession
from .step_runner import StepRunner


#: What the loop gets to end in by itself once the engine has gone, in seconds.
_GRACE_S = 2.0


def main(dist: str | None = None) -> None:
    """Runs until the engine lets go of it: serves the sources, or the build in an absolute folder. Never returns."""
    # Handlers get the whole environment but this.
    os.environ.pop("ENGINE_TOKEN", None)
    # Ctrl-C and a stopping service manager reach the whole process group; the engine decides when its children end.
    # No SIG_IGN: what a handler starts would inherit it.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: None)
    reset_in_forks((signal.SIGINT, signal.SIGTERM))
    line = sys.stdin.readline()
    if not line:
        end_process(LOST, "this program is started by the engine; run python -m treadle.worker by hand instead")
    threading.Thread(target=_follow_engine, name="treadle-engine", daemon=True).start()
    start = json.loads(line)
    end_with(start.get("enginePid"))
    open_marks(start.get("marks"))
    work = _try if "trial" in start else _serve
    run_serving(work({**start, "source": dist or start["root"]}))


def _follow_engine() -> None:
    """The engine leaves our input open; its end means that it is gone. A loop that is blocked cannot see that by itself."""
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    time.sleep(_GRACE_S)
    exit_now(LOST)


async def _try(start: dict[str, Any]) -> None:
    """
    Loads files one after the other, each marked before and after, so that the engine knows which one the process did not
    survive. Serves nothing, and waits for its end.
    """
    root = os.path.realpath(start["source"])
    prepare_imports(root, start["mode"])
    catalog = StepCatalog(root, start["mode"])
    files = start["trial"]["files"]
    for count, file in enumerate(files, 1):
        mark({"loading": file["file"]})
        reports = await catalog.load(files[:count])
        problem = reports[-1].get("problem")
        # One that waits without an end would hold up those who serve as well; what else is wrong they find without harm.
        if problem is not None and problem["kind"] == "timeout":
            mark({"faulty": file["file"], "problem": problem})
        await asyncio.sleep(0)
        mark({"loaded": file["file"]})
    await asyncio.sleep(start["trial"]["settleMs"] / 1000)
    mark({"done": True})
    await asyncio.Event().wait()


async def _serve(start: dict[str, Any]) -> None:
    root = os.path.realpath(start["source"])
    prepare_imports(root, start["mode"])
    if start["mode"] == "development":
        note_missing_secrets(root)
    runner = StepRunner(StepCatalog(root, start["mode"]), threads=start.get("threads", 128))
    watch_loop(runner)
    guard_exit()
    capture_output()
    session = WorkerSession(
        runner,
        SessionOptions(
            url=start["socketUrl"], token=start["token"], hello={"childId": start["childId"], "root": start["root"]}, loads=True,
            on_drained=lambda: end_process(0),
            on_lost=lambda reason: end_process(LOST, f"the connection to the engine was lost: {reason.message}"),
        ),
    )
    runner.on_reports = session.register
    await session.open()
    await asyncio.Event().wait()


def prepare_imports(root: str, mode: str) -> None:
    """The root is the first place where imports are looked for, as for a program in it."""
    if root not in sys.path:
        sys.path.insert(0, root)
    if mode == "development":
        # Files of bytecode are only as precise as a second; what is saved twice in one must not come from them.
        sys.dont_write_bytecode = True


def watch_loop(runner: StepRunner) -> None:
    """Errors that nobody awaited are told to the engine."""

    def tell(loop: asyncio.AbstractEventLoop, found: dict[str, Any]) -> None:
        from .running.log_fields import plain_fields

        error = found.get("exception")
        if isinstance(error, ClientGone):
            return  # of an event that nobody awaited
        fields = {"error": error} if error is not None else {"detail": found.get("message")}
        entry = {"time": time.time() * 1000, "level": "error", "message": "an error was raised and nobody caught it", "fields": plain_fields(fields)}
        runner.log(None, entry)

    asyncio.get_running_loop().set_exception_handler(tell)

