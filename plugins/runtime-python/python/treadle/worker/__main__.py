"""The program ``python -m treadle.worker [folder]``: a Step process that is started by hand."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from treadle.version import VERSION

from .capture import capture_output
from .child import prepare_imports, watch_loop
from .discover import discover_step_files
from .engine_address import ENGINE_SECRETS, EngineAddressError, socket_url
from .env_files import apply_env_files
from .forks import reset_in_forks
from .loading.catalog import StepCatalog
from .process_end import LOST, MISUSED, UNCONFIGURED, end_process
from .remote import RemoteWorker, absolute, describe_problem, hello_of
from .serving_loop import run_serving
from .step_runner import StepRunner

_HELP = """python -m treadle.worker [folder]   serves the Python Steps of a folder (default: the working directory) to an engine

  ENGINE_URL         the engine: ws, wss, http or https (default ws://127.0.0.1:3110)
  ENGINE_TOKEN       its token
  TREADLE_DATA_DIR   where engine.json and worker.token are when the above are not set (default ./data)
"""


def main(args: Sequence[str] | None = None) -> None:
    """Never returns."""
    given = sys.argv[1:] if args is None else args
    if "--help" in given or "-h" in given:
        sys.stdout.write(_HELP)
        end_process(0)
    if "--version" in given:
        sys.stdout.write(f"{VERSION}\n")
        end_process(0)
    folder = given[0] if given else "."
    run_by_hand(lambda: work_of(folder), _say, folder)


@dataclass(frozen=True)
class Work:
    """What a process that is started by hand serves."""

    #: Absolute folder that the files are relative to, and the first place where they look for imports.
    root: str
    files: Sequence[Mapping[str, str]]
    #: The files and what is served elsewhere are all that the application has.
    whole: bool
    #: What it says of the application and its build.
    hello: Mapping[str, str]
    #: What other processes of the same build serve.
    elsewhere: Sequence[dict[str, Any]] = ()


def work_of(folder: str) -> Work:
    """The sources in a folder. Files of other languages are served elsewhere: then they are not all that there is."""
    root = absolute(folder)
    files, others = discover_step_files(root)
    return Work(root, files, not others, hello_of(root))


def run_by_hand(work: Callable[[], Work], say: Callable[[str], None], folder: str) -> NoReturn:
    """Serves until SIGTERM or SIGINT, or until an engine refuses this process for good, and ends it. ``folder``: where ``.env`` files are."""
    apply_env_files(os.environ, folder)
    try:
        url = os.environ.get("ENGINE_URL")
        if url:
            socket_url(url)
    except EngineAddressError as error:
        say(str(error))
        end_process(MISUSED)
    reason = run_serving(serve(work(), say))
    if reason is None:
        end_process(0)
    say(reason)
    end_process(LOST)


async def serve(work: Work, say: Callable[[str], None], *, threads: int = 128) -> str | None:
    """Serves until SIGTERM or SIGINT. Returns why an engine refused this process for good, if one did."""
    root, cwd, env = work.root, os.getcwd(), dict(os.environ)
    # Handlers get the whole environment but this.
    for name in ENGINE_SECRETS:
        os.environ.pop(name, None)
    prepare_imports(root, "production")
    runner = StepRunner(StepCatalog(root, "production"), threads=threads)
    watch_loop(runner)
    reports = await runner.load(work.files)
    runner.join_telemetry()
    for report in reports:
        if "problem" in report:
            say(describe_problem(report))
    if any(report.get("problem", {}).get("kind") in ("environment", "secret") for report in reports):
        end_process(UNCONFIGURED)
    # The terminal or the container's log is the only other place where somebody may look.
    capture_output(pass_on=True)
    everything = [*reports, *work.elsewhere]
    worker = RemoteWorker(runner, root, everything, work.whole, env=env, cwd=cwd, on_status=say, hello=work.hello)
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(name, worker.stop)
        except NotImplementedError:  # not on Windows
            signal.signal(name, lambda *_: loop.call_soon_threadsafe(worker.stop))
    reset_in_forks((signal.SIGINT, signal.SIGTERM))
    runner.on_reports = lambda renewed: worker.renew([*renewed, *work.elsewhere])
    reason = await worker.run()
    await runner.close()
    return reason


def _say(message: str) -> None:
    sys.stderr.write(f"treadle-worker: {message}\n")


if __name__ == "__main__":
    main()
