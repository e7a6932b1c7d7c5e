"""What the guards of a file say of themselves, for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.auth import Guard
from treadle.naming import camel

from .declared import Declared


def guards_of(declared: Declared) -> list[list[dict[str, Any]]]:
    """The guards that a file declares, by the index of a trigger; those of a file of middleware as the first."""
    if declared.middleware is not None:
        return [_among(declared.middleware)]
    triggers = {camel(str(key)): value for key, value in declared.config.items()}.get("triggers")
    return [_among(_middleware(trigger)) for trigger in triggers] if isinstance(triggers, (list, tuple)) else []


def _middleware(trigger: Any) -> Any:
    return trigger.get("middleware") if isinstance(trigger, Mapping) else None


def _among(functions: Any) -> list[dict[str, Any]]:
    items = functions if isinstance(functions, (list, tuple)) else [functions]
    return [facts for item in items if (facts := _facts(item.get("run") if isinstance(item, Mapping) else item)) is not None]


def _facts(function: Any) -> dict[str, Any] | None:
    if isinstance(function, Guard):
        return {"schemes": list(function.schemes)}
    guard = getattr(function, "__self__", None)
    if isinstance(guard, Guard) and function == guard.optional:
        return {"schemes": list(guard.schemes), "optional": True}
    return None
