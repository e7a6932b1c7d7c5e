"""The application that is tested."""

from __future__ import annotations

import os
import sys

_OWN_FILES = ("package.json", "pyproject.toml")


class ApplicationError(Exception):
    """The application cannot be tested; the message names every file at fault, or what is not installed."""


def application_root(given: str | os.PathLike[str] | None) -> str:
    """The folder of the application: by default the nearest one with a package.json or pyproject.toml. :raises ApplicationError:"""
    if given is not None:
        root = os.path.realpath(given)
        if os.path.isdir(root):
            return root
        raise ApplicationError(f"the application's root {root} is no folder")
    folder = os.path.realpath(os.getcwd())
    while not any(os.path.isfile(os.path.join(folder, name)) for name in _OWN_FILES):
        parent = os.path.dirname(folder)
        if parent == folder:
            raise ApplicationError(f'neither package.json nor pyproject.toml in {os.getcwd()} or above it; give "root"')
        folder = parent
    return folder


class ImportPlace:
    """The root is the first place where imports are looked for while a test engine runs; what was imported from it is forgotten then."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._before = set(sys.modules)
        sys.path.insert(0, root)

    def leave(self) -> None:
        if self._root in sys.path:
            sys.path.remove(self._root)
        for name in set(sys.modules) - self._before:
            module = sys.modules[name]
            places = [getattr(module, "__file__", None), *list(getattr(module, "__path__", None) or ())]
            if any(place is not None and os.path.realpath(place).startswith(self._root + os.sep) for place in places):
                del sys.modules[name]
