"""Imports Step files and tells what they declare, one JSON line each, without an engine."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from .child import prepare_imports
from .loading.catalog import StepCatalog
from .process_end import end_process, end_with
from .wire.json_text import encode


def main() -> None:
    """Reads ``{root, files}`` from its input. Never returns."""
    # A file may block for ever: whoever asked may be killed meanwhile.
    end_with(os.getppid())
    task: dict[str, Any] = json.loads(sys.stdin.readline())
    # What the files print is not what was asked for.
    output = os.dup(1)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    asyncio.run(_probe(task, output))
    end_process(0)


async def _probe(task: dict[str, Any], output: int) -> None:
    root = os.path.realpath(task["root"])
    prepare_imports(root, "development")
    catalog = StepCatalog(root, "development")
    loaded = []
    for file in task["files"]:
        _say(output, {"loading": file["file"]})
        # Of files that were loaded already the catalog keeps what it has.
        loaded.append(file)
        reports = await catalog.load(loaded)
        _say(output, {"report": next(report for report in reports if report["file"] == file["file"])})


def _say(output: int, message: dict[str, Any]) -> None:
    text = (encode(message) + "\n").encode()
    while text:
        text = text[os.write(output, text) :]
