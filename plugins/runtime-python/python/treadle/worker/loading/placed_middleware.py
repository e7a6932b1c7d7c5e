"""Middleware of ``*_middleware.py`` files, and the Steps behind it; see placement.ts of @treadle/worker, which has the same rules."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from treadle.errors import HttpError

from ..running.runnable import Callee, RunnableStep, TriggerPlan, callee, is_middleware, middleware_of

#: A file that may hold for more than its folder says so.
_HOLDS_ELSEWHERE = re.compile(r"\bconfig\b|\bimport\s*\*")


@dataclass(frozen=True)
class PlacedMiddleware:
    """What a file holds for, and its middleware."""

    file: str
    #: Prefixes of routes; None: the Steps in its folder and below.
    paths: tuple[str, ...] | None
    outer: tuple[Callee, ...]
    #: After validation.
    inner: tuple[Callee, ...]


def is_middleware_file(file: str) -> bool:
    """True for a file of middleware."""
    return file.endswith("_middleware.py")


def find_middleware(module: ModuleType) -> tuple[Mapping[str, Any], Any]:
    """
    Config and functions of a file of middleware.

    :raises ValueError: when it has none
    """
    names = vars(module)
    config, functions = names.get("config", {}), names.get("middleware")
    items = functions if isinstance(functions, (list, tuple)) else [functions]
    if not isinstance(config, Mapping):
        raise ValueError("config must be a dict")
    if not items or not all(is_middleware(item) for item in items):
        raise ValueError('the file declares no middleware; write "async def middleware(request, ctx, next)"')
    return config, functions


def placed(file: str, config: Mapping[str, Any], functions: Any) -> PlacedMiddleware:
    """Middleware of a file, ready to run."""
    path = config.get("path")
    paths = None if path is None else tuple(path) if isinstance(path, (list, tuple)) else (str(path),)
    outer, inner = middleware_of(functions)
    return PlacedMiddleware(file, paths, (), (*inner, *outer)) if config.get("after") == "validation" else PlacedMiddleware(file, paths, outer, inner)


def missing(file: str, root: str) -> PlacedMiddleware:
    """In place of middleware that could not be loaded: nothing is served without it."""
    refuse = _refusal(f"{file} could not be loaded; the routes behind it answer 503", file)
    try:
        with open(os.path.join(root, *file.split("/")), encoding="utf-8") as source:
            text = source.read()
    except (OSError, UnicodeDecodeError):
        text = ""
    return PlacedMiddleware(file, ("/",) if _HOLDS_ELSEWHERE.search(text) else None, (refuse,), ())


def refusing(file: str, problem: Mapping[str, Any], step: RunnableStep | None, middleware: PlacedMiddleware | None) -> tuple[RunnableStep | None, PlacedMiddleware | None]:
    """What is served of a file whose guard lacks a secret, in development: its routes, and those behind its middleware, answer 503 and say why."""
    at, line = problem.get("at", file), problem.get("line")
    reason = f"{at}{'' if line is None else f':{line}'}: {problem['message']}"
    refuse = _refusal(reason, file, {"message": reason})
    if step is not None:
        plans = tuple(plan if plan.route is None else dataclasses.replace(plan, middleware=(refuse,), direct=False) for plan in step.plans)
        step = dataclasses.replace(step, plans=plans)
    return step, middleware and dataclasses.replace(middleware, outer=(refuse,), inner=())


def _refusal(reason: str, file: str, told: Mapping[str, str] | None = None) -> Callee:
    """Middleware that answers 503. ``told``: further members of the answer."""

    def refuse(_request: Any, ctx: Any) -> Any:
        ctx.logger.error(reason, {"file": file})
        raise HttpError(503, {"error": "Service Unavailable", "code": "no_worker", **(told or {})})

    return callee(refuse, 3)


def behind(step: RunnableStep, file: str, everything: Iterable[PlacedMiddleware]) -> RunnableStep:
    """A Step of a file with the middleware that holds for its routes; the Step itself when there is none."""
    ordered = sorted(everything, key=lambda each: (each.file.count("/"), each.file))
    plans = tuple(_plan_behind(plan, file, ordered) for plan in step.plans)
    return step if plans == step.plans else dataclasses.replace(step, plans=plans)


def _plan_behind(plan: TriggerPlan, file: str, ordered: Sequence[PlacedMiddleware]) -> TriggerPlan:
    holding = [] if plan.route is None else [each for each in ordered if _covers(each, file, plan.route)]
    if not holding:
        return plan
    outer = tuple(function for each in holding for function in each.outer)
    inner = tuple(function for each in holding for function in each.inner)
    return dataclasses.replace(plan, middleware=outer + plan.middleware, inner=inner + plan.inner, direct=False)


def _covers(middleware: PlacedMiddleware, step: str, route: str) -> bool:
    if middleware.paths is None:
        return step.startswith(middleware.file[: middleware.file.rfind("/") + 1])
    return any(_is_below(_segments(prefix), _segments(route)) for prefix in middleware.paths)


def _is_below(prefix: Sequence[str], route: Sequence[str]) -> bool:
    """Whole segments count. A parameter in the prefix stands for any segment."""
    return len(prefix) <= len(route) and all(mine.startswith(":") or mine == theirs for mine, theirs in zip(prefix, route))


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment]
