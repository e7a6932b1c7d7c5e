"""How a process that is started by hand finds its engine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

#: Where the engine listens unless said otherwise.
_DEFAULT_URL = "ws://127.0.0.1:3110"
_DEFAULT_DATA_DIR = "data"


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
    """The worker channel in engine.json, as ``core/protocol/src/engine-record.ts`` has it: the local socket, else the port."""
    try:
        with open(os.path.join(folder, "engine.json"), encoding="utf-8") as source:
            record = json.load(source)
    except (OSError, ValueError):
        return None  # none, or torn by a crash of the machine
    if not isinstance(record, dict) or not re.fullmatch("[0-9a-f]{16}", str(record.get("id"))) or not isinstance(record.get("lock"), str):
        return None  # written by something else
    addresses = record.get("addresses")
    told = [addresses.get(name) for name in ("worker", "worker-tcp")] if isinstance(addresses, dict) else []
    return next((address for address in told if isinstance(address, str) and address), None)


def _token(folder: str) -> str:
    file = os.path.join(folder, "worker.token")
    reason = "it is empty"
    try:
        with open(file, encoding="utf-8") as source:
            if token := source.read().strip():
                return token
    except FileNotFoundError:
        reason = "the file does not exist"
    except OSError as error:
        reason = str(error)
    raise EngineAddressError(f"no token for the engine: ENGINE_TOKEN is not set, and {file} cannot be read: {reason}")
