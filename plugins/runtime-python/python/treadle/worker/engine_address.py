"""How a process that is started by hand finds its engine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Where the engine listens unless said otherwise.
_DEFAULT_URL = "ws://127.0.0.1:3110"
_DEFAULT_DATA_DIR = "data"
#: In the order of preference, relative to the application's root.
_LOCK_FILES = ("dist/treadle.lock.json", "treadle.lock.json")


#: Variables with the engine's own secrets: a Step has no business with them.
ENGINE_SECRETS = ("ENGINE_TOKEN", "ADMIN_TOKEN")


class EngineAddressError(Exception):
    """The engine cannot be found; the message says what is missing."""


@dataclass(frozen=True)
class EngineAddress:
    """``ws:``, ``wss:`` or ``ws+unix:``, and the token."""

    url: str
    token: str


def find_engine(env: Mapping[str, str], cwd: str) -> EngineAddress:
    """
    What ``ENGINE_URL`` and ``ENGINE_TOKEN`` say, else what ``engine.json`` and ``worker.token`` in ``TREADLE_DATA_DIR`` say.

    :raises EngineAddressError:
    """
    folder = os.path.join(cwd, env.get("TREADLE_DATA_DIR") or _DEFAULT_DATA_DIR)
    url = env.get("ENGINE_URL") or _announced(folder)
    return EngineAddress(socket_url(url) if url else _DEFAULT_URL, env.get("ENGINE_TOKEN") or _token(folder))


def socket_url(address: str) -> str:
    """The WebSocket URL of an engine's address. :raises EngineAddressError: when it is no URL of a known kind"""
    if address.startswith("ws+unix:"):
        return address
    if not re.match(r"(?:wss?|https?)://[^/]", address, re.IGNORECASE):
        raise EngineAddressError(f'ENGINE_URL "{address}" is no ws, wss, http or https URL')
    return re.sub(r"^http", "ws", address, flags=re.IGNORECASE)


def _announced(folder: str) -> str | None:
    """The worker channel in engine.json: the local socket, else the port."""
    addresses = _json(os.path.join(folder, "engine.json")).get("addresses")
    if not isinstance(addresses, dict):
        return None
    found = addresses.get("worker") or addresses.get("worker-tcp")
    return found if isinstance(found, str) else None


def _token(folder: str) -> str:
    file = os.path.join(folder, "worker.token")
    try:
        with open(file, encoding="utf-8") as source:
            return source.read().strip()
    except OSError as error:
        reason = "the file does not exist" if isinstance(error, FileNotFoundError) else str(error)
        raise EngineAddressError(f"no token for the engine: ENGINE_TOKEN is not set, and {file} cannot be read: {reason}") from None


def read_lock_file(root: str) -> dict[str, str]:
    """``name`` and ``build`` of an application's lock file; empty when there is none that can be read."""
    for place in _LOCK_FILES:
        lock = _json(os.path.join(root, place))
        found = {key: lock[key] for key in ("name", "build") if isinstance(lock.get(key), str) and lock[key]}
        if lock:
            return found
    return {}


def application_name(root: str, lock: Mapping[str, str]) -> str:
    """What the lock file says, else the folder's name."""
    return lock.get("name") or os.path.basename(root) or "application"


def _json(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as source:
            value = json.load(source)
    except (OSError, ValueError):
        return {}  # none, being written, or not ours
    return value if isinstance(value, dict) else {}
