"""The Step process of a build: ``python dist/index_production.py`` calls ``main`` with the folder that it is in."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from . import child
from .__main__ import Work, run_by_hand
from .build_lock import BuildLockError, read_build_lock
from .process_end import end_process

_HELP = """python index_production.py   serves the Python Steps of this build to an engine

  ENGINE_URL         the engine: ws, wss, http or https (default ws://127.0.0.1:3110)
  ENGINE_TOKEN       its token
  TREADLE_DATA_DIR   where engine.json and worker.token are when the above are not set (default ./data)
"""

#: Exit code of a build that cannot be run.
_FAULTY = 65


def main(dist: str, args: Sequence[str] | None = None) -> None:
    """Serves the build in a folder, to the engine that started this process or to one elsewhere. Never returns."""
    given = sys.argv[1:] if args is None else args
    if "--help" in given or "-h" in given:
        sys.stdout.write(_HELP)
        end_process(0)
    folder = os.path.realpath(dist)
    try:
        lock = read_build_lock(folder)
    except BuildLockError as error:
        _say(str(error))
        end_process(_FAULTY)
    if "--version" in given:
        sys.stdout.write(f"{lock['name']} {lock['build']}\n")
        end_process(0)
    if "--child" in given:
        child.main(folder)
    run_by_hand(lambda: work_of_build(folder, lock), _say, os.path.dirname(folder))


def work_of_build(dist: str, lock: dict[str, Any]) -> Work:
    """The Python files of a build; those of other languages are registered as served elsewhere."""
    entries: list[dict[str, Any]] = sorted([*lock["steps"], *lock["streams"]], key=lambda entry: str(entry["file"]))
    files = [{"file": entry["file"], "version": entry["hash"]} for entry in entries if entry["runtime"] == "python"]
    hello = {"root": os.path.dirname(dist), "application": lock["name"], "build": lock["build"]}
    return Work(dist, files, True, hello, [_report(entry) for entry in entries if entry["runtime"] != "python"])


def _report(entry: dict[str, Any]) -> dict[str, Any]:
    declared = {key: entry[key] for key in ("config", "line", "role") if key in entry}
    return {"file": entry["file"], "version": entry["hash"], "elsewhere": True, "steps": [declared]}


def _say(message: str) -> None:
    sys.stderr.write(f"index_production: {message}\n")
