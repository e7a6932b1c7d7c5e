"""What a build wrote down about itself, as ``core/protocol/src/build-lock.ts`` has it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

_NAME = "treadle.lock.json"
_FORMAT = 1
_RUNTIMES = ("node", "python")


class BuildLockError(Exception):
    """A build that cannot be run; the message says why."""


def read_build_lock(dist: str) -> dict[str, Any]:
    """What the build in a folder consists of. :raises BuildLockError: when that cannot be told"""
    file = os.path.join(dist, _NAME)
    try:
        lock = _object_in(file)
    except FileNotFoundError:
        raise BuildLockError(f"{file} is missing; it belongs to the build, copy the whole folder or run \"treadle build\" again") from None
    except (OSError, ValueError) as error:
        raise BuildLockError(f"{file}: {error}; run \"treadle build\" again") from error
    if lock.get("format") != _FORMAT:
        raise BuildLockError(f"{file}: it has format {lock.get('format')}, not {_FORMAT}; run \"treadle build\" again")
    whole = all(_is_text(lock.get(key)) for key in ("name", "build")) and all(_are_files(lock.get(key)) for key in ("steps", "streams"))
    if not whole or not isinstance(lock.get("sources"), dict):
        raise BuildLockError(f"{file}: it does not say what the build consists of; run \"treadle build\" again")
    return lock


def read_lock_file(root: str) -> dict[str, str]:
    """``name`` and ``build`` of the file in ``dist``, else of the one at the root; one without a name is none. Empty where neither can be read."""
    for folder in (os.path.join(root, "dist"), root):
        try:
            lock = _object_in(os.path.join(folder, _NAME))
        except (OSError, ValueError):
            continue  # one that is broken says nothing that could be relied on
        if _is_text(lock.get("name")):
            return {key: lock[key] for key in ("name", "build") if _is_text(lock.get(key))}
    return {}


def application_name(root: str, lock: Mapping[str, str]) -> str:
    """What the lock file says, else the folder's name."""
    return lock.get("name") or os.path.basename(root) or "application"


def _object_in(file: str) -> dict[str, Any]:
    with open(file, encoding="utf-8") as source:
        text = source.read()
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    return value


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _are_files(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(file, dict) and all(_is_text(file.get(key)) for key in ("file", "hash", "module")) and file.get("runtime") in _RUNTIMES for file in value
    )
