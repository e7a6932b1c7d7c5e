"""Where the engine is installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from .application import ApplicationError

_PROGRAM = os.path.join("@treadle", "engine", "bin", "testing-program.js")


def engine_command(root: str) -> tuple[str, str]:
    """
    Node.js and the program that it runs: of the engine that the application at ``root`` has installed, else of the one that this
    package came with, else of the command ``treadle``.

    :raises ApplicationError: naming what is to be installed
    """
    node = shutil.which("node")
    if node is None:
        raise ApplicationError(
            'treadle.testing runs the engine, which needs Node.js 20.19 or newer: there is no "node" on the PATH; install it from https://nodejs.org'
        )
    for folder in _folders(root):
        program = os.path.join(folder, _PROGRAM)
        if os.path.isfile(program):
            return node, program
    raise ApplicationError(f"treadle.testing runs the engine, which is not installed in {root}: npm install --save-dev @treadle/engine")


def _folders(root: str) -> Iterator[str]:
    """Folders of installed packages, the application's own first."""
    yield from _above(root)
    # Where packages are links, the engine lies beside the one that depends on it.
    for name in ("engine", "cli"):
        yield from _above(os.path.realpath(os.path.join(root, "node_modules", "@treadle", name)))
    yield from _above(os.path.dirname(os.path.realpath(__file__)))
    command = shutil.which("treadle")
    if command is not None:
        yield from _above(os.path.realpath(command))


def _above(path: str) -> Iterator[str]:
    folder = path
    while True:
        yield folder if os.path.basename(folder) == "node_modules" else os.path.join(folder, "node_modules")
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent
