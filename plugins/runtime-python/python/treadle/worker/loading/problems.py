"""Why a file could not be loaded, in terms of the application's files."""

from __future__ import annotations

import os
import re
import traceback
from typing import Any

Problem = dict[str, Any]
#: Absolute path, line and column.
Place = tuple[str, "int | None", "int | None"]


class LoadTimeout(BaseException):
    """A file did not finish loading. No ``Exception``, so that a file's own ``except`` does not take it."""


def load_problem(error: BaseException, root: str, path: str) -> Problem:
    """The ``problem`` of a file's report."""
    if isinstance(error, LoadTimeout):
        return {"kind": "timeout", "message": str(error)}
    if isinstance(error, SyntaxError) and error.filename:
        return _placed("syntax", error.msg, root, path, (error.filename, error.lineno, error.offset))
    if getattr(error, "treadle_missing_secret", False):
        return secret_problem(str(error), root, path, _place(error, root))
    return _placed("import", _message(error), root, path, _place(error, root))


def secret_problem(message: str, root: str, path: str, place: Place | None) -> Problem:
    """A guard has no secret. ``place``: absolute path, line and column of where it is made."""
    return _placed("secret", _with_variable(message, path if place is None else place[0]), root, path, place)


def _with_variable(message: str, path: str) -> str:
    """Names the variable, when the file says beside the key where it is read from."""
    key = re.search(r'"(?:[\w.-]*\.)?([\w-]+)"', message)
    try:
        with open(path, encoding="utf-8") as source:
            text = source.read()
    except (OSError, UnicodeDecodeError):
        return message
    found = key and re.search(rf"\b{re.escape(key[1])}\b[\"']?\s*[=:][^\n]*?\b(?:environ(?:\.get)?|getenv)\s*[\[(]\s*[\"'](\w+)", text)
    return message.replace("set the environment variable that it is read from", f"set the environment variable {found[1]}") if found else message


def _message(error: BaseException) -> str:
    text = str(error)
    name = type(error).__name__
    return text if name == "Exception" and text else f"{name}: {text}" if text else name


def _place(error: BaseException, root: str) -> Place | None:
    """The last place in the application that the traceback names."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if is_local(frame.filename, root):
            return frame.filename, frame.lineno, None
    return None


def _placed(kind: str, message: str, root: str, path: str, place: Place | None) -> Problem:
    problem: Problem = {"kind": kind, "message": message}
    if place is None:
        return problem
    file, line, column = place
    if line:
        problem["line"] = line
    if column and column > 0:
        problem["column"] = column
    if os.path.realpath(file) != os.path.realpath(path) and is_local(file, root):
        problem["at"] = relative(file, root)
    return problem


def is_local(file: str | None, root: str) -> bool:
    """True for a file of the application itself, not of a package that is installed inside its folder."""
    if not file or not file.startswith(root + os.sep):
        return False
    folders = file[len(root) + 1 :].split(os.sep)[:-1]
    return not any(folder in ("site-packages", "node_modules") or folder.startswith(".") for folder in folders)


def relative(file: str, root: str) -> str:
    """A path as the engine writes it."""
    return os.path.relpath(file, root).replace(os.sep, "/")
