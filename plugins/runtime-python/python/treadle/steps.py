"""A Step: a config with its handler."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, overload

from .config import StepConfig

Handler = Callable[..., Any]

#: Name under which a module keeps the Steps that it made, so that a bare ``step(config, handler)`` is found as well.
MADE_HERE = "__treadle_steps__"


class Step:
    """A config with its handler; unpacks into both."""

    __slots__ = ("config", "handler")

    def __init__(self, config: StepConfig, handler: Handler) -> None:
        self.config = config
        self.handler = handler

    def __iter__(self) -> Iterator[Any]:
        return iter((self.config, self.handler))

    def __call__(self, *arguments: Any) -> Any:
        """Calls the handler, so that a decorated function can still be called."""
        return self.handler(*arguments)


@overload
def step(config: StepConfig, handler: Handler) -> Step: ...


@overload
def step(config: StepConfig) -> Callable[[Handler], Step]: ...


def step(config: StepConfig, handler: Handler | None = None) -> Any:
    """Pairs a config with its handler; without a handler it is a decorator for one."""
    made = sys._getframe(1).f_globals.setdefault(MADE_HERE, [])
    if handler is None:
        return lambda function: _pair(made, config, function)
    return _pair(made, config, handler)


def _pair(made: list[Step], config: StepConfig, handler: Handler) -> Step:
    pair = Step(config, handler)
    made.append(pair)
    return pair
