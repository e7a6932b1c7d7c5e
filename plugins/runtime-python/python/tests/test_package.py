"""The package as type checkers and readers see it."""

import importlib
import inspect
import os
import pkgutil
import typing
import unittest
from types import ModuleType

import treadle
import treadle.testing
from treadle.inputs import HttpInput
from treadle.naming import camel
from treadle.worker.running.operations import StateClient, StreamClient
from treadle.worker.running.step_context import HandlerContext, StepLogger

PLACE = os.path.dirname(os.path.abspath(treadle.__file__))
#: What only type checkers import, to be found where hints are resolved.
ONLY_FOR_HINTS = ("treadle.abort", "treadle.worker.step_runner", "treadle.worker.running.run", "treadle.worker.running.runnable", "treadle.context")


def modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.walk_packages([PLACE], "treadle.")]
    return [treadle, *(importlib.import_module(name) for name in names if not name.endswith("__main__"))]


class Hints(unittest.TestCase):
    def test_all_resolve(self) -> None:
        known = {name: value for place in ONLY_FOR_HINTS for name, value in vars(importlib.import_module(place)).items() if inspect.isclass(value)}
        checked = 0
        for module in modules():
            for name, value in vars(module).items():
                if getattr(value, "__module__", None) != module.__name__ or not (inspect.isclass(value) or inspect.isfunction(value)):
                    continue
                with self.subTest(f"{module.__name__}.{name}"):
                    typing.get_type_hints(value, localns=known)
                    for member in vars(value).values() if inspect.isclass(value) else ():
                        if inspect.isfunction(member):
                            typing.get_type_hints(member, localns=known)
                            checked += 1
        self.assertGreater(checked, 300)

    def test_are_there_for_every_argument_and_result(self) -> None:
        bare = []
        for module in modules():
            for value in vars(module).values():
                if not inspect.isfunction(value) or value.__module__ != module.__name__:
                    continue
                names = [name for name in inspect.signature(value).parameters if name != "self"]
                bare += [f"{module.__name__}.{value.__name__}({name})" for name in [*names, "return"] if name not in value.__annotations__]
        self.assertEqual(bare, [])

    def test_are_told_to_type_checkers(self) -> None:
        self.assertTrue(os.path.isfile(os.path.join(PLACE, "py.typed")))

    def test_belong_to_sources_that_compile(self) -> None:
        for folder, _, files in os.walk(PLACE):
            for file in files:
                if file.endswith(".py"):
                    with open(os.path.join(folder, file), encoding="utf-8") as source:
                        compile(source.read(), file, "exec", dont_inherit=True, optimize=2)


class Members(unittest.TestCase):
    def test_of_the_package_are_what_it_says(self) -> None:
        for package in (treadle, treadle.testing):
            self.assertEqual([name for name in package.__all__ if not hasattr(package, name)], [])
        for helper in ("http", "queue", "cron", "state", "stream", "topic", "step", "sse", "streamed", "get_context", "getContext"):
            self.assertTrue(callable(getattr(treadle, helper)), helper)

    def test_of_the_context_are_those_of_its_type(self) -> None:
        for declared, real in (
            (treadle.Context, HandlerContext), (treadle.State, StateClient), (treadle.StreamClient, StreamClient), (treadle.Logger, StepLogger),
        ):
            names = [name for name in vars(declared) if not name.startswith("_") and name != "is_"]
            self.assertGreater(len(names), 3)
            self.assertEqual([name for name in names if not hasattr(real, name)], [], declared.__name__)

    def test_are_found_in_both_ways_of_writing(self) -> None:
        wire = {"method": "GET", "path": "/", "headers": {}, "query": {"a": "1"}}
        input = HttpInput(wire, None, False)
        for name in ("path_params", "query_params", "query_all", "headers_all"):
            self.assertEqual((input[name], getattr(input, name)), (input[camel(name)], getattr(input, camel(name))))
        client = StateClient(lambda op, args: op)
        self.assertEqual((client.getEntry("g", "k"), client.compareAndSet("g", "k", 0, 1), client.listGroups()),
                         ("state.getEntry", "state.compareAndSet", "state.listGroups"))


#: What product users write, and what comes out of it on the wire.
HELPERS = {
    "http": (treadle.http("GET", "/a", timeout_ms=1), {"type": "http", "method": "GET", "path": "/a", "timeout_ms": 1}),
    "queue": (treadle.queue("t", {"input": True}), {"type": "queue", "topic": "t", "input": True}),
    "cron": (treadle.cron("@daily"), {"type": "cron", "expression": "@daily"}),
    "state": (treadle.state(group="g"), {"type": "state", "group": "g"}),
    "stream": (treadle.stream("s", group_id="g"), {"type": "stream", "streamName": "s", "group_id": "g"}),
}


class Helpers(unittest.TestCase):
    def test_make_triggers(self) -> None:
        for name, (made, expected) in HELPERS.items():
            self.assertEqual(made, expected, name)

    def test_errors_say_what_they_mean(self) -> None:
        self.assertEqual((treadle.RetryAfter(5).delay_ms, str(treadle.RetryAfter(5, "later"))), (5, "later"))
        for wrong in (-1, float("nan"), "5", True):
            with self.assertRaisesRegex(ValueError, "RetryAfter needs milliseconds from 0"):
                treadle.RetryAfter(wrong)  # type: ignore[arg-type]
        self.assertEqual(treadle.OperationError("StateConflict", "late").code, "StateConflict")
        self.assertIsInstance(treadle.TopicNotDeclared("A", "t"), treadle.OperationError)
