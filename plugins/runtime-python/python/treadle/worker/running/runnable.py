"""Steps ready to run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from treadle.naming import camel
from treadle.topics import Topic, topic_name

from .validation import Validate, headers_validator_of, validator_of

Function = Callable[..., Any]


@dataclass(frozen=True)
class Callee:
    """A function of the application and how it is to be called."""

    function: Function
    #: It is ``async def``: it runs on the event loop, everything else in a thread.
    is_async: bool
    #: How many arguments it takes of those that there are.
    arity: int

    def arguments(self, *given: Any) -> tuple[Any, ...]:
        """As many of the arguments as it takes."""
        return given[: self.arity]


@dataclass(frozen=True)
class TriggerPlan:
    """What one trigger of a Step asks for before the handler runs, found once when the file is loaded."""

    type: str
    body: Validate | None
    query: Validate | None
    headers: Validate | None
    input: Validate | None
    #: Around validation and all that follows.
    middleware: tuple[Callee, ...]
    #: Around the condition and the handler, for what is valid.
    inner: tuple[Callee, ...]
    condition: Callee | None
    #: The engine has coerced the query with a query schema.
    coerced: bool
    #: Nothing of the above stands between the request and the handler.
    direct: bool
    #: What the handler gives back goes to the engine.
    answers: bool = False
    #: A request without a body is not checked.
    body_optional: bool = False
    #: Path of an http trigger.
    route: str | None = None
    #: Of a queue trigger.
    topic: str | None = None


@dataclass(frozen=True)
class RunnableStep:
    """A Step ready to run."""

    name: str
    handler: Callee
    plans: tuple[TriggerPlan, ...]
    enqueues: frozenset[str]
    #: Of a stream: judges an item when the engine asks it to. A coroutine, as all validation is done on the loop: each thread may wait for it.
    judge: Callee | None = None

    def asked_for(self, input: Any) -> Callee:
        """What an invocation with this input calls."""
        return self.judge if self.judge is not None and input.get("hook") == "schema" else self.handler


def callee(function: Function, most: int) -> Callee:
    """Finds out how to call a function with at most so many arguments."""
    called = function if inspect.isroutine(function) else getattr(function, "__call__", function)
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)
    return Callee(function, is_async, min(most, _arity(function)))


def _arity(function: Function) -> int:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return 1_000
    return sum(parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD) for parameter in parameters)


def to_runnable(config: Mapping[str, Any], handler: Function) -> RunnableStep | None:
    """Makes a Step runnable from its config as the file declares it; None when it has no name to be called by."""
    name = config.get("name")
    if not isinstance(name, str) or name == "":
        return None
    triggers = config.get("triggers")
    enqueues = config.get("enqueues")
    plans = tuple(_plan(trigger) for trigger in triggers) if isinstance(triggers, (list, tuple)) else ()
    topics = frozenset(topic_name(topic) for topic in enqueues) if isinstance(enqueues, (list, tuple)) else frozenset()
    return RunnableStep(name, callee(handler, 2), plans, topics)


def answering_step(name: str, trigger: str, handler: Function, judge: Function | None = None) -> RunnableStep:
    """A function of a declaration, called under a name by its one trigger; what it gives back goes to the engine."""
    plan = TriggerPlan(trigger, None, None, None, None, (), (), None, False, True, answers=True)
    return RunnableStep(name, callee(handler, 2), (plan,), frozenset(), None if judge is None else callee(judge, 1))


def _plan(trigger: Any) -> TriggerPlan:
    keys = {camel(str(key)): value for key, value in trigger.items()} if isinstance(trigger, Mapping) else {}
    topic = keys.get("topic")
    body, query, headers = validator_of(keys.get("bodySchema")), validator_of(keys.get("querySchema")), headers_validator_of(keys.get("headersSchema"))
    input = validator_of(keys["input"] if keys.get("input") is not None else topic.schema if isinstance(topic, Topic) else None)
    middleware, inner = middleware_of(keys.get("middleware"))
    condition = callee(keys["condition"], 2) if callable(keys.get("condition")) else None
    direct = not (body or query or headers or input or middleware or inner or condition)
    return TriggerPlan(
        str(keys.get("type")), body, query, headers, input, middleware, inner, condition, keys.get("querySchema") is not None, direct,
        body_optional=keys.get("method") in ("GET", "HEAD"), route=_route(keys),
        topic=None if topic is None else topic_name(topic),
    )


def _route(keys: Mapping[str, Any]) -> str | None:
    path = keys.get("path")
    return path if keys.get("type") == "http" and isinstance(path, str) else None


def is_middleware(item: Any) -> bool:
    """A function, or ``{"run": function, "after": "validation"}``."""
    return callable(item) or _is_later(item)


def _is_later(item: Any) -> bool:
    return isinstance(item, Mapping) and callable(item.get("run")) and item.get("after") == "validation"


def middleware_of(value: Any) -> tuple[tuple[Callee, ...], tuple[Callee, ...]]:
    """Those before validation, and those after it."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return tuple(callee(item, 3) for item in items if callable(item)), tuple(callee(item["run"], 3) for item in items if _is_later(item))
