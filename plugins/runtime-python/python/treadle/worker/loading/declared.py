"""Finds what a file declares among the names of its module."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from treadle.inputs import record
from treadle.naming import camel
from treadle.steps import MADE_HERE, Step

from ..running.runnable import RunnableStep, answering_step, callee, to_runnable
from ..running.validation import Validate, validator_of
from ..setup.env_file import find_env
from ..setup.setup_file import SetupDefinition, find_setup
from .placed_middleware import find_middleware, is_middleware_file

_STEP_FORMS = 'write "config = {…}" and "def handler(input, ctx)", or "step(config, handler)"'
_STREAM_FORM = 'write "config = {"name": …, "schema": …}"'
_AUTH_FORM = 'write "def authenticate(request)"'
_HOOKS = ("canAccess", "onJoin", "onLeave")


class DeclarationError(Exception):
    """A file declares nothing that could be served."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Declared:
    """The config, and how it is run; None when it has no name to be called by, or nothing starts it."""

    config: Mapping[str, Any]
    runnable: RunnableStep | None
    #: Of a file of middleware: its functions.
    middleware: Any = None
    #: Of a file of a setup.
    setup: SetupDefinition | None = None
    #: It has a handler, and no trigger that would start it.
    idle: bool = False


def role_of_file(file: str) -> str:
    """The role of a file; it is in its name."""
    if file.endswith("_stream_auth.py"):
        return "stream-auth"
    if is_middleware_file(file):
        return "middleware"
    if file.endswith("_setup.py"):
        return "setup"
    if file.endswith("_env.py"):
        return "env"
    return "stream" if file.endswith("_stream.py") else "step"


def find_declared(role: str, module: ModuleType) -> Declared:
    """:raises DeclarationError:"""
    if role == "stream":
        return _find_stream(module)
    if role == "stream-auth":
        return _find_authentication(module)
    if role == "middleware":
        return _find_middleware(module)
    if role in ("setup", "env"):
        return _find_part(role, module)
    config, handler = _find_step(module)
    idle = handler is not None and config.get("type") != "noop" and _is_drawn(config)
    return Declared(config, None if handler is None else to_runnable(config, handler), idle=idle)


def _find_middleware(module: ModuleType) -> Declared:
    try:
        config, functions = find_middleware(module)
    except ValueError as error:
        raise DeclarationError("missing_handler", str(error)) from error
    return Declared(config, None, functions)


def _find_part(role: str, module: ModuleType) -> Declared:
    try:
        if role == "setup":
            return Declared({}, None, setup=find_setup(module))
        return Declared(find_env(module), None)
    except ValueError as error:
        raise DeclarationError("missing_handler" if role == "setup" else "missing_config", str(error)) from error


def _find_step(module: ModuleType) -> tuple[Mapping[str, Any], Any]:
    names = vars(module)
    config, handler = names.get("config"), names.get("handler")
    if config is None:
        pair = _made_step(module)
        if pair is not None:
            config, handler = pair.config, pair.handler
    elif isinstance(handler, Step):
        handler = handler.handler
    if not isinstance(config, Mapping):
        missing = f"the file declares no config; {_STEP_FORMS}"
        raise DeclarationError("missing_config", missing if config is None else f"config must be a dict, not {_article(config)}")
    if handler is None and _is_drawn(config):
        return config, None
    if not callable(handler):
        missing = f"the file declares no handler; {_STEP_FORMS}"
        raise DeclarationError("missing_handler", missing if handler is None else f"handler must be a function, not {_article(handler)}")
    return config, handler


def _is_drawn(config: Mapping[str, Any]) -> bool:
    """Nothing starts it: it stands in diagrams for something outside. What tells of triggers in another form is not meant."""
    triggers = config.get("triggers")
    if config.get("type") == "noop":
        return True
    return len(triggers) == 0 if isinstance(triggers, (list, tuple)) else triggers is None and "type" not in config


def _made_step(module: ModuleType) -> Step | None:
    """The one Step that ``step()`` made: here, or, by a function elsewhere, for a name of this module."""
    made = {id(step): step for step in vars(module).get(MADE_HERE, ())}
    if not made:
        made = {id(value): value for value in vars(module).values() if isinstance(value, Step)}
    if len(made) > 1:
        raise DeclarationError("missing_config", f"the file declares {len(made)} Steps; one file is one Step")
    return next(iter(made.values()), None)


def _find_stream(module: ModuleType) -> Declared:
    config = vars(module).get("config")
    if not isinstance(config, Mapping):
        missing = f"the file declares no config; {_STREAM_FORM}"
        raise DeclarationError("missing_config", missing if config is None else f"config must be a dict, not {_article(config)}")
    name = config.get("name")
    if not isinstance(name, str) or name == "":
        return Declared(config, None)
    return Declared(config, _stream_step(name, config))


def _find_authentication(module: ModuleType) -> Declared:
    names = vars(module)
    config = names.get("config")
    authenticate = names.get("authenticate")
    if authenticate is None and isinstance(config, Mapping):
        authenticate = config.get("authenticate")
    if not callable(authenticate):
        missing = f"the file declares no authenticate; {_AUTH_FORM}"
        problem = missing if authenticate is None else f"authenticate must be a function, not {_article(authenticate)}"
        raise DeclarationError("missing_authenticate", problem)
    handler = _calling(authenticate, lambda input: (record(input.get("request")),))
    return Declared({"authenticate": authenticate}, answering_step("stream-auth", "stream.authentication", handler))


def _stream_step(name: str, config: Mapping[str, Any]) -> RunnableStep:
    judge = validator_of(config.get("schema"))
    return answering_step(f"stream:{name}", "stream.declaration", _hooks(name, config), _judging(judge))


def _judging(judge: Validate | None) -> Any:
    """Lets the library of the schema judge an item when the engine asks it; what it makes of it is not stored."""

    async def run_async(input: Mapping[str, Any]) -> None:
        if judge is not None:
            judge(input.get("item"), "item")

    return run_async


def _hooks(name: str, config: Mapping[str, Any]) -> Any:
    """Runs the function that the engine asks for; in a thread unless all of them are coroutines."""
    functions = {camel(str(key)): value for key, value in config.items() if camel(str(key)) in _HOOKS and callable(value)}

    def arguments(input: Mapping[str, Any]) -> tuple[Any, ...]:
        return record(input.get("subscription")), input.get("auth")

    def chosen(input: Mapping[str, Any]) -> Any:
        function = functions.get(str(input.get("hook")))
        if function is None:
            raise ValueError(f'stream "{name}" declares no function "{input.get("hook")}"')
        return function

    if functions and all(inspect.iscoroutinefunction(function) for function in functions.values()):

        async def run_async(input: Mapping[str, Any]) -> Any:
            called = callee(chosen(input), 2)
            return await called.function(*called.arguments(*arguments(input)))

        return run_async

    def run(input: Mapping[str, Any]) -> Any:
        called = callee(chosen(input), 2)
        return called.function(*called.arguments(*arguments(input)))

    return run


def _calling(function: Any, arguments: Any) -> Any:
    called = callee(function, 1)
    if called.is_async:

        async def run_async(input: Mapping[str, Any]) -> Any:
            return await function(*called.arguments(*arguments(input)))

        return run_async
    return lambda input: function(*called.arguments(*arguments(input)))


def _article(value: Any) -> str:
    name = type(value).__name__
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"
