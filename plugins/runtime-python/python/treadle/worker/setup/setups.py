"""The setups and the environment of a process: opened before its handlers, closed after them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..marks import mark
from ..running.failure import describe_error
from ..running.level_logger import LevelLogger
from ..running.log_fields import plain_fields
from .env_file import DeclaredEnv, check_env
from .generation import Generation, OpenSetup, Variables
from .setup_file import DeclaredSetup, Opened, SetupContext, SetupDefinition, begin, setup_name

Report = dict[str, Any]
Log = Callable[[dict[str, Any]], None]
#: How long the engine waits to hear of files whose setups are being opened, in seconds: what takes longer is told later, and Steps are held until then.
PATIENCE_S = 2.5
#: Pauses between attempts to open, in seconds; the last one again and again.
_PAUSES_S = (1, 2, 5, 10, 30)
_NOT_LOADED = "its file could not be loaded"


class FileLogger(LevelLogger):
    """Writes in the name of a file that is no Step's."""

    def __init__(self, file: str, log: Log) -> None:
        self._file = file
        self._log = log

    def _write(self, level: str, message: Any, fields: Any, more: dict[str, Any]) -> None:
        written = {**(plain_fields(fields) or {}), **(plain_fields(more) or {}), "file": self._file}
        self._log({"time": time.time() * 1000, "level": level, "message": str(message), "fields": written})


class SetupResource:
    """One setup: opens what its file declares, again when that came to nothing, and anew when the file has changed."""

    def __init__(self, file: str, name: str, logger: FileLogger, on_change: Callable[[], None]) -> None:
        self._file = file
        self._name = name
        self._logger = logger
        self._on_change = on_change
        #: What handlers use; the one before stays until the new one is open.
        self.opened: OpenSetup | None = None
        #: Why it is not open as its file says now.
        self.failure: str | None = None
        self._definition: SetupDefinition | None = None
        self._work: asyncio.Task[None] | None = None

    async def define(self, definition: SetupDefinition, env: Any) -> None:
        """Opens it as its file says; the same definition is opened once. Comes back when that has come to something."""
        if definition is self._definition:
            return
        self.end()
        self._definition = definition
        first = asyncio.get_running_loop().create_future()
        self._work = asyncio.ensure_future(self._keep_opening(definition, env, first))
        await first

    def refuse(self, failure: str) -> None:
        """It cannot be opened now. Whatever is open stays."""
        self.end()
        self.failure = failure

    def end(self) -> None:
        """No more attempts. What is open is closed by those who use it."""
        if self._work is not None:
            self._work.cancel()
        self._definition = self._work = None

    async def _keep_opening(self, definition: SetupDefinition, env: Any, first: asyncio.Future[None]) -> None:
        try:
            for attempt in range(1_000_000_000):
                await self._open(definition, env)
                if first.done():
                    self._on_change()
                else:
                    first.set_result(None)
                if self.failure is None:
                    return
                pause = _PAUSES_S[min(attempt, len(_PAUSES_S) - 1)]
                self._logger.error(f'the setup "{self._name}" cannot be opened; it is tried again', {"error": self.failure, "inMs": pause * 1000})
                await asyncio.sleep(pause)
        finally:
            if not first.done():
                first.set_result(None)

    async def _open(self, definition: SetupDefinition, env: Any) -> None:
        mark({"opening": self._file})
        work = asyncio.ensure_future(_begun(definition, SetupContext(self._name, env, self._logger)))
        work.add_done_callback(lambda _: mark({"opened": self._file}))
        try:
            done, _ = await asyncio.wait([work], timeout=definition.open_timeout_s)
        except asyncio.CancelledError:
            self._close_late(work, definition)
            raise
        if not done:
            self._close_late(work, definition)
            self.failure = f"it did not come to an end in {definition.open_timeout_s:g} s"
        elif work.exception() is not None:
            self.failure = describe_error(work.exception())["message"]
        else:
            self.opened = self._of(work.result(), definition)
            self.failure = None

    def _close_late(self, work: asyncio.Future[Any], definition: SetupDefinition) -> None:
        """What a thread opens in the end, though nobody waits for it any more; a coroutine is cancelled."""

        def close(done: asyncio.Future[Any]) -> None:
            if not done.cancelled() and done.exception() is None:
                asyncio.ensure_future(self._of(done.result(), definition).close())

        work.add_done_callback(close)
        if definition.is_async:
            work.cancel()

    def _of(self, opened: Any, definition: SetupDefinition) -> OpenSetup:
        def failed(error: BaseException) -> None:
            self._logger.error(f'the setup "{self._name}" cannot be closed in order', {"error": error})

        return OpenSetup(opened, definition.close_timeout_s, failed)


class Setups:
    """What a process declares beside its Steps. On the loop's thread."""

    def __init__(
        self, log: Log, on_change: Callable[[], None], given: Mapping[str, Any] | None = None,
        variables: Mapping[str, str] | None = None, patience_s: float | None = PATIENCE_S,
    ) -> None:
        """``patience_s``: how long those who load files wait for what is opened; None: to the end."""
        self._patience_s = patience_s
        self._log = log
        self._on_change = on_change
        self._given = {name: OpenSetup((value, _nothing), 1.0, lambda error: None) for name, value in (given or {}).items()}
        self._variables: Mapping[str, str] = os.environ if variables is None else variables
        self._resources: dict[str, SetupResource] = {}
        self._closing: set[asyncio.Future[None]] = set()
        self._setups: Sequence[DeclaredSetup] = ()
        self._lacking: Sequence[str] = ()
        self._env: Mapping[str, Any] = {}
        self._env_faults: dict[str, str] = {}
        self._absent: dict[str, str] = {}
        self._ended = False
        #: Nothing is missing: every Step may run.
        self.is_whole = True
        #: What a handler that begins now uses.
        self.current = self._generation(self._given, {})

    async def apply(self, setups: Sequence[DeclaredSetup], envs: Sequence[DeclaredEnv], lacking: Sequence[str]) -> None:
        """Opens what is declared and has changed, beside each other, and lets go of what is not declared any more."""
        if self._ended:
            return
        self._setups, self._lacking = setups, lacking
        checked = {each.file: check_env(each, self._variables) for each in envs}
        self._env_faults = {file: "; ".join(found.faults) for file, found in checked.items() if found.faults}
        self._env = {name: value for found in checked.values() for name, value in found.value.items()}
        for file in [file for file in self._resources if all(each.file != file for each in setups)]:
            self._resources.pop(file).end()
        opening = asyncio.gather(*(self._define(each) for each in setups))
        done, _ = await asyncio.wait([opening], timeout=self._patience_s)
        if not done:
            opening.add_done_callback(lambda _: self._settled())
        self._renew()

    def reason_against(self, file: str) -> str | None:
        """Why the Steps of a file must not run now; None when they may."""
        for lacking in self._lacking:
            return f"{lacking}: {_NOT_LOADED}"
        for at, fault in self._env_faults.items():
            return f"{at}: {fault}"
        for at, reason in self._absent.items():
            if _holds_for(at, file):
                return f'the setup "{setup_name(at)}" ({at}) is not open: {reason}'
        return None

    def annotate(self, reports: Sequence[Report]) -> list[Report]:
        """The reports on files with what is wrong with setups and variables; Steps that must not run are held."""
        return [self._annotated(report) for report in reports]

    async def close(self) -> None:
        """Closes everything. Handlers must have ended; comes back when nothing is open."""
        self._ended = True
        for resource in self._resources.values():
            resource.end()
        self._resources.clear()
        self._replace({}, {})
        if self._closing:
            await asyncio.wait(self._closing)

    def _annotated(self, report: Report) -> Report:
        if report.get("problem") is not None:
            return report
        problem = self._problem_of(report["file"])
        if problem is not None:
            return {**report, "steps": [], "problem": problem}
        return report if self.is_whole or self.reason_against(report["file"]) is None else {**report, "held": True}

    async def _define(self, declared: DeclaredSetup) -> None:
        file, name = declared.file, setup_name(declared.file)
        if name in self._given:
            return
        resource = self._resources.get(file)
        if resource is None:
            resource = self._resources[file] = SetupResource(file, name, FileLogger(file, self._log), self._settled)
        twin = min(each.file for each in self._setups if setup_name(each.file) == name)
        if declared.definition is None:
            resource.refuse(_NOT_LOADED)
        elif self._env_faults:
            resource.refuse("variables are missing or wrong")
        elif twin != file:
            resource.refuse(f"{twin} has the same name")
        else:
            await resource.define(declared.definition, Variables(self._env))

    def _settled(self) -> None:
        if not self._ended:
            self._renew()
            self._on_change()

    def _renew(self) -> None:
        if self._ended:
            return
        opened = dict(self._given)
        self._absent = {}
        for file, resource in self._resources.items():
            if resource.opened is not None:
                opened[setup_name(file)] = resource.opened
            else:
                self._absent[file] = resource.failure or "it is being opened"
        self.is_whole = not (self._absent or self._env_faults or self._lacking)
        self._replace(opened, {setup_name(file): reason for file, reason in self._absent.items()})

    def _replace(self, opened: Mapping[str, OpenSetup], absent: Mapping[str, str]) -> None:
        """The new one holds what it shares with the old one before that lets go of it."""
        before = self.current
        self.current = self._generation(opened, absent)
        before.retire()

    def _generation(self, opened: Mapping[str, OpenSetup], absent: Mapping[str, str]) -> Generation:
        return Generation(opened, absent, self._env, self._close)

    def _close(self, unused: Iterable[OpenSetup]) -> None:
        for each in unused:
            closing = asyncio.ensure_future(each.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _problem_of(self, file: str) -> dict[str, Any] | None:
        fault = self._env_faults.get(file)
        if fault is not None:
            return {"kind": "environment", "message": fault}
        resource = self._resources.get(file)
        if resource is None or resource.failure is None:
            return None
        return {"kind": "setup", "message": f"setup(): {resource.failure}"}


async def _begun(definition: SetupDefinition, context: SetupContext) -> Opened:
    """What would end the process is an error of the setup like any other."""
    try:
        return await begin(definition, context)
    except (SystemExit, KeyboardInterrupt) as error:
        raise RuntimeError(f"it raised {type(error).__name__}") from error


async def _nothing() -> None:
    return None


def _holds_for(setup: str, step: str) -> bool:
    """A setup in a folder that is searched holds for the whole application, one further down for the Steps of its folder and below."""
    folder = setup[: setup.rfind("/") + 1]
    return folder.count("/") <= 1 or step.startswith(folder)
