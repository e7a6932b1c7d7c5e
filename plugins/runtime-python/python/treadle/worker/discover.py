"""Finds the Step files of an application; see @treadle/worker, which does the same for all languages."""

from __future__ import annotations

import hashlib
import os
import re

#: Folders below the root in which Step files are looked for.
_FOLDERS = ("steps", "src")
_SKIPPED = frozenset(("node_modules", "dist"))
_PYTHON_FILE = re.compile(r"_(?:step|stream|stream_auth|middleware|setup|env)\.py$")
#: Tests, and setups of test runners: they have such names and are none of ours.
_OF_TESTS = re.compile(r"(?:^|/)(?:(?:jest|vitest|mocha|cypress|playwright|global|tests?)\.(?:setup|env)\.\w+|test_(?:setup|env)\.py)$")
_OTHER_FILE = re.compile(r"\.(?:(?:step|setup|env)\.(?:ts|mts|js|mjs|cjs)|(?:stream|stream-auth|middleware)\.(?:ts|js))$")


def discover_step_files(root: str) -> tuple[list[dict[str, str]], bool]:
    """The Python files, sorted by path, and whether there are files of other languages as well."""
    names = sorted(name for name in _walk(root) if not _OF_TESTS.search(name))
    files = [{"file": name, "version": _version(os.path.join(root, name))} for name in names if _PYTHON_FILE.search(name)]
    return files, any(_OTHER_FILE.search(name) for name in names)


def _walk(root: str) -> list[str]:
    found = []
    for top in _FOLDERS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [name for name in folders if name not in _SKIPPED and not name.startswith(".")]
            paths = (os.path.relpath(os.path.join(folder, name), root) for name in names if not name.startswith("."))
            found += [path.replace(os.sep, "/") for path in paths]
    return found


def _version(path: str) -> str:
    with open(path, "rb") as source:
        return hashlib.sha256(source.read()).hexdigest()[:32]
