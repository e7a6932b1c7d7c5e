"""What is open, and who uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from treadle.errors import HttpError
from treadle.inputs import Record

from .setup_file import Opened


class OpenSetup:
    """A value that was opened, until nobody uses it any more. On the loop's thread."""

    def __init__(self, opened: Opened, close_timeout_s: float, on_close_failed: Callable[[BaseException], None]) -> None:
        self.value = opened[0]
        self._finish = opened[1]
        self._timeout_s = close_timeout_s
        self._on_close_failed = on_close_failed
        self.users = 0
        self._closed = False

    async def close(self) -> None:
        """Once; raises nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            await asyncio.wait_for(self._finish(), self._timeout_s)
        except asyncio.TimeoutError:
            self._on_close_failed(TimeoutError(f"it did not come to an end in {self._timeout_s:g} s"))
        except Exception as error:
            self._on_close_failed(error)


class Values:
    """``ctx.setup``: what is open, by attribute or key. It shows no values: connections have no text."""

    __slots__ = ("_open", "_absent")

    def __init__(self, open: Mapping[str, OpenSetup], absent: Mapping[str, str]) -> None:
        self._open = open
        self._absent = absent

    def __getattr__(self, name: str) -> Any:
        found = self._open.get(name)
        if found is not None:
            return found.value
        reason = self._absent.get(name)
        if reason is None:
            raise AttributeError(f'there is no setup "{name}"; there are {", ".join(self._open) or "none"}')
        raise _NotOpen(name, reason)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __iter__(self) -> Any:
        return iter(self._open)

    def __repr__(self) -> str:
        return f"<setups: {', '.join(self._open)}>"


class _NotOpen(HttpError):
    """A request that needs it is answered with 503; what else needs it fails."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(503, {"error": "Service Unavailable", "code": "no_worker"}, {"retry-after": "1"})
        self.args = (f"ctx.setup.{name} is not open: {reason}",)


class Variables(Record):
    """``ctx.env``: variables by attribute or key. It shows no values: they hold secrets."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<variables: {', '.join(self)}>"


class Generation:
    """
    What handlers that begin now find open. A handler keeps the generation that it began with; what only an older one has is closed when
    the last of its handlers has ended. On the loop's thread.
    """

    __slots__ = ("setup", "env", "_open", "_running", "_retired", "_close")

    def __init__(
        self, open: Mapping[str, OpenSetup], absent: Mapping[str, str], env: Mapping[str, Any], close: Callable[[Iterable[OpenSetup]], None],
    ) -> None:
        for each in open.values():
            each.users += 1
        self.setup = Values(open, absent)
        self.env = Variables(env)
        self._open = open
        self._running = 0
        self._retired = False
        self._close = close

    def enter(self) -> None:
        self._running += 1

    def leave(self) -> None:
        self._running -= 1
        if self._running == 0 and self._retired:
            self._release()

    def retire(self) -> None:
        """Another one has taken its place."""
        self._retired = True
        if self._running == 0:
            self._release()

    def _release(self) -> None:
        for each in self._open.values():
            each.users -= 1
        self._close([each for each in self._open.values() if each.users == 0])
