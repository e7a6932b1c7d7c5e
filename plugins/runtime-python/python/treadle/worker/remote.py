"""Serves Steps to an engine elsewhere, and comes back when the connection is lost."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .build_lock import application_name, read_lock_file
from .engine_address import EngineAddressError, find_engine
from .session import ClosedReason, SessionOptions, WorkerSession
from .step_runner import StepRunner
from .wire.limits import CLOSE_PROTOCOL_VERSION

_FIRST_S = 0.1
_ABSENT_S, _REFUSED_S = 2.0, 30.0
_STOPPING = "draining"


class Ending(NamedTuple):
    """Why an attempt is over. ``final``: another one would end the same way; ``refused``: the engine did not want this worker."""

    reason: str
    final: bool = False
    refused: bool = False


class Backoff:
    """Growing pauses between attempts: 100 ms, doubled each time up to 2 s or, after a refusal, 30 s, half of each at random. Seconds."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._attempt = 0

    def next(self, refused: bool) -> float:
        """The next pause. An engine that is not there may be back any moment; one that refuses has said what it wants."""
        full = min(_FIRST_S * 2.0**self._attempt, _REFUSED_S if refused else _ABSENT_S)
        self._attempt += 1
        return full / 2 + full / 2 * self._chance()

    def reset(self) -> None:
        """It has worked."""
        self._attempt = 0


class RemoteWorker:
    """``run`` goes on until ``stop``, or until an engine refuses this worker for good."""

    def __init__(
        self, runner: StepRunner, root: str, reports: Sequence[dict[str, Any]], whole: bool, *, env: Mapping[str, str], cwd: str,
        on_status: Callable[[str], None], hello: Mapping[str, str] | None = None,
    ) -> None:
        self._runner = runner
        self._reports = reports
        self._whole = whole
        self._env = env
        self._cwd = cwd
        self._on_status = on_status
        self._backoff = Backoff()
        self._session: WorkerSession | None = None
        self._stopping = asyncio.Event()
        self._hello = hello_of(root) if hello is None else dict(hello)

    async def run(self) -> str | None:
        """Returns why an engine refused this worker for good; None after ``stop``."""
        while not self._stopping.is_set():
            ending = await self._attempt()
            if ending.final:
                return ending.reason
            if not self._stopping.is_set():
                await self._pause(ending)
        return None

    def renew(self, reports: Sequence[dict[str, Any]]) -> None:
        """What is said of the files has changed."""
        self._reports = reports
        if self._session is not None:
            self._session.register(reports, self._whole)

    def stop(self) -> None:
        """Ends in order: nothing new, running handlers finish."""
        self._stopping.set()

    async def _attempt(self) -> Ending:
        """The address and the token are looked up each time: another engine may have taken over meanwhile."""
        try:
            engine = find_engine(self._env, self._cwd)
        except EngineAddressError as error:
            return Ending(str(error))
        over: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        session = WorkerSession(
            self._runner,
            SessionOptions(
                url=engine.url, token=engine.token, hello=self._hello, loads=False,
                on_welcome=lambda welcome: self._welcome(session, engine.url),
                on_drained=lambda: _settle(over, Ending("the engine is stopping")),
                on_lost=lambda reason: _settle(over, _lost(reason)),
            ),
        )
        self._session = session
        await session.open()
        stopping = asyncio.ensure_future(self._stopping.wait())
        waiting: list[asyncio.Future[Any]] = [over, stopping]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        self._session = None
        if over.done():
            return over.result()
        await session.leave()
        return Ending("stopped")

    def _welcome(self, session: WorkerSession, url: str) -> None:
        self._backoff.reset()
        session.register(self._reports, self._whole)
        self._on_status(f"connected to {url}")

    async def _pause(self, ending: Ending) -> None:
        seconds = self._backoff.next(ending.refused)
        self._on_status(f"{ending.reason}; next attempt in {seconds:.1f} s")
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except asyncio.TimeoutError:
            pass


def hello_of(root: str) -> dict[str, str]:
    """What a worker says of the application whose sources it serves."""
    lock = read_lock_file(root)
    hello = {"root": root, "application": application_name(root, lock)}
    return {**hello, "build": lock["build"]} if "build" in lock else hello


def _settle(over: asyncio.Future[Ending], how: Ending) -> None:
    if not over.done():
        over.set_result(how)


def _lost(reason: ClosedReason) -> Ending:
    if reason.code == CLOSE_PROTOCOL_VERSION:
        return Ending(reason.message, final=True)
    if reason.refused is None:
        return Ending(reason.message)
    return Ending(f"the engine refused this worker ({reason.refused}): {reason.message}", refused=reason.refused != _STOPPING)


def describe_problem(report: Mapping[str, Any]) -> str:
    """One line for a file that could not be loaded."""
    problem = report["problem"]
    place = [problem.get("at", report["file"]), problem.get("line"), problem.get("column")]
    return f"{':'.join(str(part) for part in place if part is not None)}  {problem['message']}"


def absolute(root: str) -> str:
    """The root without links, as modules see their files."""
    return os.path.realpath(root)
