"""The Steps of an application, loaded as the worker loads them, and what their configs ask for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from treadle.worker.discover import discover_step_files
from treadle.worker.loading.catalog import StepCatalog
from treadle.worker.remote import describe_problem

from .blocks.delivery_settings import delivery_settings
from .blocks.queue import Subscription
from .requests.routes import Route, RouteTable, route_of
from .schedule.expression import CronSyntaxError
from .schedule.schedule import Schedule
from .schema.schema_check import SchemaCheck

_STEP_KEYS = frozenset(("name", "description", "triggers", "enqueues", "flows", "virtualEnqueues", "virtualSubscribes"))
_TRIGGER_KEYS = {
    "http": (
        "method", "path", "bodySchema", "querySchema", "headersSchema", "responseSchema", "responseValidation", "middleware", "bodyLimit",
        "timeoutMs", "cors", "rawBody",
    ),
    "queue": ("topic", "input", "config"), "cron": ("expression", "timezone", "missed", "catchUpWindowMs", "overlap", "timeoutMs"),
    "state": ("group", "key", "prefix"), "stream": ("streamName", "groupId", "id", "events"),
}
_OWN_FILES = ("package.json", "pyproject.toml")


class ApplicationError(Exception):
    """The application cannot be tested; the message names every file at fault."""


@dataclass
class CronTrigger:
    """A cron trigger of a Step. Milliseconds."""

    step: str
    index: int
    expression: str
    timezone: str
    timeout_ms: float
    #: ``skip``, ``queue`` or ``allow``.
    overlap: str
    schedule: Schedule
    running: int = 0
    #: A tick that waits for the run before it.
    queued: float | None = None


@dataclass
class Application:
    """What a test engine serves."""

    routes: list[Route] = field(default_factory=list)
    subscriptions: list[Subscription] = field(default_factory=list)
    crons: list[CronTrigger] = field(default_factory=list)
    #: Schema by name.
    streams: dict[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)


def application_root(given: str | os.PathLike[str] | None) -> str:
    """The folder of the application: by default the nearest one with a package.json or pyproject.toml. :raises ApplicationError:"""
    if given is not None:
        root = os.path.realpath(given)
        if os.path.isdir(root):
            return root
        raise ApplicationError(f"the application's root {root} is no folder")
    folder = os.path.realpath(os.getcwd())
    while not any(os.path.isfile(os.path.join(folder, name)) for name in _OWN_FILES):
        parent = os.path.dirname(folder)
        if parent == folder:
            raise ApplicationError(f'neither package.json nor pyproject.toml in {os.getcwd()} or above it; give "root"')
        folder = parent
    return folder


async def load_application(catalog: StepCatalog, root: str, steps: Sequence[str] | None) -> Application:
    """Loads the Python files of ``steps`` and ``src``, or those that are named. :raises ApplicationError:"""
    files = _chosen(discover_step_files(root)[0], steps, root)
    reports = await catalog.load(files)
    problems = [describe_problem(report) for report in reports if "problem" in report]
    application = Application()
    for report in reports:
        for declared in report["steps"]:
            try:
                _add(application, declared, report["file"])
            except (ValueError, CronSyntaxError) as error:
                line = declared.get("line")
                problems.append(f"{report['file']}{'' if line is None else f':{line}'}  {error}")
    try:
        RouteTable(application.routes)
    except ValueError as error:
        problems.append(str(error))
    if problems:
        raise ApplicationError("the application has errors:\n" + "\n".join(problems))
    return application


def _chosen(files: list[dict[str, str]], wanted: Sequence[str] | None, root: str) -> list[dict[str, str]]:
    """Declarations belong to every selection: Steps write to streams, and run behind middleware."""
    if wanted is None:
        return files
    names = [name.replace("\\", "/").removeprefix("./").rstrip("/") for name in wanted]
    for name in names:
        if not any(_is_within(file["file"], name) for file in files):
            known = ", ".join(file["file"] for file in files) or 'none in "steps" and "src"'
            raise ApplicationError(f'"{name}" is no Python Step file or folder of {root}; there are {known}')
    return [file for file in files if not file["file"].endswith("_step.py") or any(_is_within(file["file"], name) for name in names)]


def _is_within(file: str, name: str) -> bool:
    return file == name or file.startswith(f"{name}/")


def _add(application: Application, declared: dict[str, Any], file: str) -> None:
    config, role = declared["config"], declared.get("role", "step")
    if role in ("stream-auth", "middleware"):
        return
    name = config.get("name")
    if not isinstance(name, str) or name == "":
        raise ValueError('config.name must be text that is not empty')
    if role == "stream":
        application.streams[name] = config.get("schema")
        return
    if name in application.names:
        raise ValueError(f'another Step is called "{name}"')
    application.names.append(name)
    _refuse_keys(config, _STEP_KEYS, "config")
    triggers = config.get("triggers")
    if not isinstance(triggers, list):
        raise ValueError("config.triggers must be a list")
    for index, trigger in enumerate(triggers):
        _add_trigger(application, name, index, trigger)
    _add_changes(application, name, triggers)


def _add_trigger(application: Application, step: str, index: int, trigger: Any) -> None:
    place = f"triggers[{index}]"
    kind = trigger.get("type") if isinstance(trigger, dict) else None
    if kind not in _TRIGGER_KEYS:
        raise ValueError(f"{place}.type must be {', '.join(_TRIGGER_KEYS)}, got {kind!r}")
    _refuse_keys(trigger, (*_TRIGGER_KEYS[kind], "type", "condition"), place)
    if kind == "http":
        application.routes.append(route_of(step, index, trigger, place))
    elif kind == "queue":
        settings = delivery_settings(trigger.get("config") or {}, place)
        check = None if trigger.get("input") is None else SchemaCheck(trigger["input"], "input")
        application.subscriptions.append(Subscription(step, trigger.get("topic", ""), settings, lambda _: ("queue", index), check))
    elif kind == "cron":
        expression, timezone = trigger.get("expression", ""), trigger.get("timezone", "UTC")
        schedule = Schedule(expression, timezone)
        application.crons.append(
            CronTrigger(step, index, expression, timezone, trigger.get("timeoutMs", 300_000), trigger.get("overlap", "skip"), schedule)
        )


def _add_changes(application: Application, step: str, triggers: list[dict[str, Any]]) -> None:
    """All state and stream triggers of a Step are one subscription."""
    wanted = [(index, trigger) for index, trigger in enumerate(triggers) if trigger.get("type") in ("state", "stream")]

    def trigger_of(change: Any) -> tuple[str, int] | None:
        kind, input = change
        return next(((kind, index) for index, trigger in wanted if trigger["type"] == kind and _selects(trigger, input)), None)

    if wanted:
        application.subscriptions.append(Subscription(step, "", delivery_settings({}, ""), trigger_of))


def _selects(trigger: dict[str, Any], change: dict[str, Any]) -> bool:
    fixed = ("group", "key") if trigger["type"] == "state" else ("streamName", "groupId", "id")
    if any(trigger.get(name) is not None and trigger[name] != change[name] for name in fixed):
        return False
    if trigger["type"] == "state":
        return str(change["key"]).startswith(trigger.get("prefix") or "")
    events = trigger.get("events")
    return events is None or change["event"]["type"] in events


def _refuse_keys(given: dict[str, Any], known: Iterable[str], place: str) -> None:
    for key in given:
        if key not in known:
            raise ValueError(f'{place} has no "{key}"; it has {", ".join(sorted(known))}')


class ImportPlace:
    """The root is the first place where imports are looked for while a test engine runs; what was imported from it is forgotten then."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._before = set(sys.modules)
        sys.path.insert(0, root)

    def leave(self) -> None:
        if self._root in sys.path:
            sys.path.remove(self._root)
        for name in set(sys.modules) - self._before:
            module = sys.modules[name]
            places = [getattr(module, "__file__", None), *list(getattr(module, "__path__", None) or ())]
            if any(place is not None and os.path.realpath(place).startswith(self._root + os.sep) for place in places):
                del sys.modules[name]
