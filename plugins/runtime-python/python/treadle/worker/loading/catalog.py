"""Step files as they are loaded now."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from ..running.runnable import RunnableStep
from ..setup.env_file import DeclaredEnv
from ..setup.setup_file import DeclaredSetup, SetupDefinition
from .config_json import ConfigError, config_json
from .config_line import config_line
from .declared import Declared, DeclarationError, find_declared, role_of_file
from .module_loader import ModuleLoader
from .missing_secrets import missing_secret_of
from .guard_facts import guards_of
from .placed_middleware import PlacedMiddleware, behind, is_middleware_file, missing, placed, refusing
from .problems import load_problem, relative

Report = dict[str, Any]
#: Of a file that is held only what is loaded counts.
File = Mapping[str, Any]


@dataclass(frozen=True)
class _Entry:
    version: str
    report: Report
    #: What is served: of the last version that could be loaded.
    step: RunnableStep | None
    #: Of a file of middleware: of the last version that could be loaded.
    middleware: PlacedMiddleware | None = None
    #: Of a file of a setup, in the same way.
    setup: SetupDefinition | None = None
    #: Of a file of the environment, in the same way.
    env: DeclaredEnv | None = None


class StepCatalog:
    """Loads and keeps what the engine asks for. On the main thread."""

    def __init__(self, root: str, mode: str, *, import_timeout_s: float = 10.0) -> None:
        self._root = root
        self._development = mode == "development"
        self._loader = ModuleLoader(root, import_timeout_s, self._development)
        self._entries: dict[str, _Entry] = {}
        self._steps: dict[str, RunnableStep] = {}
        #: The same behind their middleware.
        self._served: dict[str, RunnableStep] = {}
        self._files: list[str] = []
        self._turn = asyncio.Lock()

    def step(self, name: str) -> RunnableStep | None:
        """The Step that serves a name."""
        return self._served.get(name)

    def file_of(self, name: str) -> str:
        """The file that a Step comes from."""
        step = self._steps.get(name)
        return next((file for file, entry in self._entries.items() if entry.step is step), "")

    def declarations(self) -> tuple[list[DeclaredSetup], list[DeclaredEnv], list[str]]:
        """Setups, variables, and files of variables that could not be loaded."""
        setups, envs, lacking = [], [], []
        for file in self._files:
            role, entry = role_of_file(file), self._entries.get(file)
            if role == "setup":
                setups.append(DeclaredSetup(file, None if entry is None else entry.setup))
            elif role == "env" and entry is not None and entry.env is not None:
                envs.append(entry.env)
            elif role == "env":
                lacking.append(file)
        return setups, envs, lacking

    async def load(self, files: Sequence[File]) -> list[Report]:
        """
        Serves exactly these files, one report for each. What did not change keeps its instance; a broken new version leaves
        the last good one serving in development.
        """
        async with self._turn:
            due = self._due(files)
            entries: dict[str, _Entry] = {}
            for file in files:
                name = file["file"]
                if name in due:
                    entries[name] = self._load(name, file["version"])
                    # Between two files there is time for everything else.
                    await asyncio.sleep(0)
                elif name in self._entries:
                    entries[name] = self._entries[name]
            self._entries = entries
            self._files = [file["file"] for file in files]
            self._serve(self._files)
            return [entry.report for entry in entries.values()]

    def _serve(self, files: Sequence[str]) -> None:
        """Each name is served by one Step, behind the middleware of files that were loaded and in place of those that were not."""
        entries = self._entries
        self._steps = _by_name(entries, self._steps)
        loaded = {name: entry.middleware for name, entry in entries.items()}
        everything = [loaded.get(name) or missing(name, self._root) for name in files if is_middleware_file(name)]
        of = {id(entry.step): name for name, entry in entries.items()}
        self._served = {name: behind(step, of[id(step)], everything) for name, step in self._steps.items()}

    def _due(self, files: Sequence[File]) -> set[str]:
        """Files that are new, changed, import something that changed, or could not be imported; none that is held."""
        files = [file for file in files if not file.get("held")]
        known = [file["file"] for file in files if file["file"] in self._entries]
        stale = self._loader.renew([self._path(name) for name in known]) if known else set()
        names = {file["file"] for file in files}
        due = {relative(path, self._root) for path in stale} & names
        for file in files:
            entry = self._entries.get(file["file"])
            if entry is None or entry.version != file["version"]:
                due.add(file["file"])
        return due

    def _load(self, file: str, version: str) -> _Entry:
        path = self._path(file)
        previous = self._entries.get(file)
        try:
            module = self._loader.load(path)
            described, declared = _describe(file, module, _line_of(path))
        except _Faulty as faulty:
            problem = faulty.problem
        except BaseException as error:  # a file may raise anything, SystemExit too; it is the only one that is disabled
            problem = load_problem(error, self._root, path)
        else:
            report = {"file": file, "version": version, "steps": [described], **self._imports(path, None)}
            functions = declared.middleware
            middleware = None if functions is None else placed(file, declared.config, functions)
            step = declared.runnable
            lacking = missing_secret_of(path, self._loader.imports(path), self._root)
            if lacking is not None:
                report["problem"] = lacking
                step, middleware = refusing(file, lacking, step, middleware)
            return _Entry(version, report, step, middleware, declared.setup, _env_of(file, declared, described))
        # What the last version imported is watched on: the error may well be mended there.
        report = {"file": file, "version": version, "steps": [], "problem": problem, **self._imports(path, previous)}
        if previous is None or not self._development:
            return _Entry(version, report, None)
        return replace(previous, version=version, report=report)

    def _imports(self, path: str, previous: _Entry | None) -> dict[str, Any]:
        if not self._development:
            return {}
        found = [relative(file, self._root) for file in self._loader.imports(path)]
        before = previous.report.get("imports", []) if previous else []
        return {"imports": list(dict.fromkeys([*found, *before]))}

    def _path(self, file: str) -> str:
        return os.path.join(self._root, *file.split("/"))


class _Faulty(Exception):
    def __init__(self, kind: str, message: str, line: int | None) -> None:
        super().__init__(message)
        self.problem: dict[str, Any] = {"kind": kind, "message": message, **({} if line is None else {"line": line})}


def _describe(file: str, module: ModuleType, line: int | None) -> tuple[dict[str, Any], Declared]:
    role = role_of_file(file)
    try:
        declared = find_declared(role, module)
        config = config_json(declared.config)
    except DeclarationError as error:
        raise _Faulty(error.kind, str(error), line) from error
    except ConfigError as error:
        raise _Faulty("schema", str(error), line) from error
    described: dict[str, Any] = {"config": config}
    if line is not None:
        described["line"] = line
    if role != "step":
        described["role"] = role
    if declared.idle:
        described["idle"] = True
    guards = guards_of(declared)
    if any(guards):
        described["guards"] = guards
    return described, declared


def _env_of(file: str, declared: Declared, described: Mapping[str, Any]) -> DeclaredEnv | None:
    if role_of_file(file) != "env":
        return None
    properties = described["config"].get("schema", {}).get("properties")
    return DeclaredEnv(file, declared.config["schema"], None if properties is None else tuple(properties))


def _line_of(path: str) -> int | None:
    try:
        with open(path, encoding="utf-8") as source:
            return config_line(source.read())
    except (OSError, UnicodeDecodeError):
        return None  # removed since: then there is no line to tell


def _by_name(entries: Mapping[str, _Entry], before: Mapping[str, RunnableStep]) -> dict[str, RunnableStep]:
    """Of files that declare the same name the one that already serves it goes on, else the first by path."""
    steps: dict[str, RunnableStep] = {}
    for _, entry in sorted(entries.items()):
        step = entry.step
        if step is not None and (step.name not in steps or before.get(step.name) is step):
            steps[step.name] = step
    return steps
