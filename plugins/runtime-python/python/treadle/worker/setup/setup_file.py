"""What a ``*_setup.py`` opens."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from treadle.naming import camel

_FORM = 'write "async def setup(context): …; yield value; …"'
_OPEN_TIMEOUT_MS = 10_000
_CLOSE_TIMEOUT_MS = 5_000
_KEYS = ("openTimeoutMs", "closeTimeoutMs")
_END = object()


@dataclass(frozen=True)
class SetupContext:
    """What a setup is given."""

    #: The name that handlers read it by.
    name: str
    #: Variables that ``*_env.py`` declares, checked.
    env: Any
    logger: Any


@dataclass(frozen=True, eq=False)
class SetupDefinition:
    """A function that yields, or returns, what handlers share."""

    function: Callable[..., Any]
    open_timeout_s: float
    close_timeout_s: float

    @property
    def is_async(self) -> bool:
        return inspect.isasyncgenfunction(self.function) or inspect.iscoroutinefunction(self.function)


@dataclass(frozen=True)
class DeclaredSetup:
    """A file of a setup; without a definition it could not be loaded."""

    file: str
    definition: SetupDefinition | None


def setup_name(file: str) -> str:
    """The name that handlers read a setup by: that of its file."""
    return os.path.basename(file).removesuffix("_setup.py")


def find_setup(module: ModuleType) -> SetupDefinition:
    """:raises ValueError: when the file has none"""
    names = vars(module)
    function, config = names.get("setup"), names.get("config", {})
    if not callable(function):
        raise ValueError(f"the file declares no setup; {_FORM}" if function is None else f"setup must be a function; {_FORM}")
    if not isinstance(config, Mapping):
        raise ValueError("config must be a dict")
    given = {camel(str(key)): value for key, value in config.items()}
    for key, value in given.items():
        if key not in _KEYS:
            raise ValueError(f'the config of a setup has no key "{key}"; there are {", ".join(_KEYS)}')
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            raise ValueError(f'"{key}" must be milliseconds above 0')
    timeouts = given.get("openTimeoutMs", _OPEN_TIMEOUT_MS), given.get("closeTimeoutMs", _CLOSE_TIMEOUT_MS)
    return SetupDefinition(function, timeouts[0] / 1000, timeouts[1] / 1000)


#: What was opened, and how it is closed.
Opened = tuple[Any, Callable[[], Awaitable[Any]]]


async def begin(definition: SetupDefinition, context: SetupContext) -> Opened:
    """Opens it: a generator up to its ``yield``, which runs on when it is closed. Functions that are not async run in threads."""
    function = definition.function
    given = (context,) if _takes_context(function) else ()
    if inspect.isasyncgenfunction(function):
        generator = function(*given)
        value = await _first_of(generator)
        return value, lambda: _finish(generator)
    if inspect.isgeneratorfunction(function):
        work = function(*given)
        value = await asyncio.to_thread(next, work, _END)
        if value is _END:
            raise ValueError("setup() yields nothing")
        return value, lambda: asyncio.to_thread(next, work, None)
    if inspect.iscoroutinefunction(function):
        return await function(*given), _nothing
    return await asyncio.to_thread(function, *given), _nothing


async def _first_of(generator: Any) -> Any:
    try:
        return await generator.__anext__()
    except StopAsyncIteration:
        raise ValueError("setup() yields nothing") from None


async def _finish(generator: Any) -> None:
    try:
        await generator.__anext__()
    except StopAsyncIteration:
        return
    raise RuntimeError("setup() yields more than once")


async def _nothing() -> None:
    return None


def _takes_context(function: Callable[..., Any]) -> bool:
    return len(inspect.signature(function).parameters) > 0
