"""Guards whose secret is not set, in development: their files are loaded, and nothing is served behind them."""

from __future__ import annotations

import traceback
from collections.abc import Iterable

from treadle import auth

from .problems import Place, Problem, is_local, secret_problem

_roots: set[str] = set()
_noted: list[tuple[str, Place]] = []


def note_missing_secrets(root: str) -> None:
    """
    From now on a guard whose secret is not set does not keep the files of this application from being loaded in this process: the
    Steps that import it keep their routes, and what is missing is found by the files that they import.
    """
    _roots.add(root)
    auth.takes_note = _take


def missing_secret_of(path: str, imports: Iterable[str], root: str) -> Problem | None:
    """What a file that could be loaded lacks, or one of those that it imports; all are absolute paths."""
    files = {path, *imports}
    for message, place in _noted:
        if place[0] in files:
            return secret_problem(message, root, path, place)
    return None


def forget_missing_secrets(path: str) -> None:
    """The file is executed anew."""
    _noted[:] = [each for each in _noted if each[1][0] != path]


def _take(message: str) -> bool:
    for frame in reversed(traceback.extract_stack()):
        if any(is_local(frame.filename, root) for root in _roots):
            _noted.append((message, (frame.filename, frame.lineno, None)))
            return True
    return False
