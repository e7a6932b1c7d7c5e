"""Bodies that handlers produce bit by bit: where their code runs, and how it is closed."""

import asyncio
import os
import sys
import unittest.mock
from typing import Any

from treadle.worker.exit_guard import guard_exit

from .applications import Application, ApplicationTest, received

HEAD = """
import contextvars, os, threading, time
from treadle import get_context, sse, streamed
own = contextvars.ContextVar("own", default="lost")
def said(): return f"{get_context().step_name} {own.get()};"
def pieces():
    yield said()
    own.set("kept")
    yield said()
async def pieces_async():
    yield said()
async def produce(send): await send(said())
def produce_blocking(send): send(said())
bodies = {"sync": lambda: streamed(pieces()), "async": lambda: streamed(pieces_async()), "sse": lambda: sse(produce), "blocking": lambda: sse(produce_blocking)}
"""
ASYNC = "async def handler(input, ctx):\n    own.set('set')\n    return bodies[input.path]()\n"
BLOCKING = ASYNC.removeprefix("async ")


def trigger(name: str, more: str = "") -> str:
    return f'config = {{"name": "{name}", "triggers": [{{"type": "http"{more}}}]}}\n'


async def body_of(application: Application, step: str, path: str = "") -> str:
    outcome = await application.run(step, {"path": path})
    return (await received(application, outcome["http"]["body"]["stream"])).decode()


class Contexts(ApplicationTest):
    async def test_of_bodies_are_those_of_their_handlers(self) -> None:
        async_around = "async def around(input, ctx, next): return await next()\n"
        blocking_around = "def around(input, ctx, next): return next()\n"
        around = ', "middleware": [around]'
        application = await self.application({
            "steps/a_step.py": HEAD + trigger("A") + ASYNC,
            "steps/b_step.py": HEAD + trigger("B") + BLOCKING,
            "steps/c_step.py": HEAD + async_around + trigger("C", around) + BLOCKING,
            "steps/d_step.py": HEAD + blocking_around + trigger("D", around) + ASYNC,
            "steps/n_step.py": "import time\n" + trigger("N") + "def handler(): time.sleep(0.01)\n",
        })
        for name in ("A", "B", "C", "D"):
            for path in ("sync", "async", "sse", "blocking"):
                with self.subTest(name=name, path=path):
                    # Its end is told in the same turn as that of the other, which is first.
                    application.start("N")
                    told = await body_of(application, name, path)
                    expected = f"{name} set;"
                    self.assertEqual(told, {"sync": f"{expected}{name} kept;", "async": expected}.get(path, f"data: {expected}\n\n"))

    async def test_of_calls_that_threads_ask_the_loop_for_are_none(self) -> None:
        application = await self.application({"steps/b_step.py": trigger("B") + "def handler(): pass\n"})
        from treadle.context import CURRENT

        seen: list[Any] = []
        CURRENT.set(application)  # type: ignore[arg-type]
        application.runner.soon(lambda: seen.append(CURRENT.get(None)))
        await asyncio.sleep(0.01)
        self.assertEqual(seen, [None])

    async def test_of_bodies_keep_them_from_ending_the_process(self) -> None:
        application = await self.application({"steps/b_step.py": HEAD + trigger("B") + """
def dies():
    yield "a"
    os._exit(3)
def handler(): return streamed(dies())
"""})
        with unittest.mock.patch.object(os, "_exit"), unittest.mock.patch.object(os, "abort"):
            guard_exit()
            with self.assertRaisesRegex(AssertionError, "os._exit"):
                await body_of(application, "B")
            await application.runner.idle()


class Ends(ApplicationTest):
    GENERATOR = HEAD + """
ends, ending, turned = [], threading.Event(), threading.Event()
def rest():
    try:
        ending.set()
        if not turned.wait(60): raise TimeoutError("the loop waits for the end of the body")
        ends.append((get_context().step_name, own.get(), threading.current_thread() is not threading.main_thread()))
    except BaseException as error: ends.append(error)
"""
    BODY = """
def body():
    own.set("set")
    try:
        for n in range(1_000_000):
            if n == 3: time.sleep(SLEEP)
            yield b"x" * 65536
    finally: rest()
def handler(): return streamed(body())
"""

    async def closed(self, text: str, end: Any) -> list[Any]:
        """What the end of the body noted, which waits there for a turn of the loop."""
        application = await self.application({"steps/b_step.py": self.GENERATOR + trigger("B") + text})
        module = next(module for name, module in list(sys.modules.items()) if name.endswith("b_step"))
        invocation = application.start("B")
        await application.outcome(invocation)
        await asyncio.sleep(0.02)
        end(application, invocation)
        while not module.ends or application.runner._runs:
            await asyncio.sleep(0.005)
            if module.ending.is_set():
                module.turned.set()
        return module.ends

    async def test_of_generators_are_reached_in_a_thread_when_the_client_goes(self) -> None:
        def gone(application: Application, invocation: int) -> None:
            application.host.streams.handle({"type": "credit", "stream": 1, "chunks": 0})

        ends = await self.closed(self.BODY.replace("SLEEP", "0"), gone)
        self.assertEqual(ends, [("B", "set", True)])

    async def test_of_generators_are_waited_for_while_they_make_their_next_piece(self) -> None:
        def cancelled(application: Application, invocation: int) -> None:
            for task in application.runner._tasks:
                task.cancel()

        ends = await self.closed(self.BODY.replace("SLEEP", "0.2"), cancelled)
        self.assertEqual(ends, [("B", "set", True)])

    async def test_of_async_generators_are_reached_before_the_run_ends(self) -> None:
        def gone(application: Application, invocation: int) -> None:
            application.host.streams.handle({"type": "credit", "stream": 1, "chunks": 0})

        ends = await self.closed("""
import asyncio
async def body():
    try:
        while True: yield b"x" * 65536
    finally:
        await asyncio.sleep(0.05)
        ends.append((get_context().step_name, len(get_context()._run.runner._runs)))
kept = []
def handler():
    kept.append(body())
    return streamed(kept[0])
""", gone)
        self.assertEqual(ends, [("B", 1)])

    async def test_of_what_is_never_sent_are_reached_beside_the_loop(self) -> None:
        application = await self.application({"steps/b_step.py": HEAD + trigger("B") + """
ends = []
class Source:
    def __iter__(self): return self
    def __next__(self): raise StopIteration
    def close(self):
        time.sleep(0.1)
        ends.append((get_context().step_name, threading.current_thread() is not threading.main_thread()))
async def handler(): return {"status": 99, "body": Source()}
"""})
        self.assertEqual((await application.run("B"))["code"], "invalid_handler_result")
        ends = next(module for name, module in list(sys.modules.items()) if name.endswith("b_step")).ends
        for _ in range(100):
            if ends:
                break
            await asyncio.sleep(0.01)
        self.assertEqual(ends, [("B", True)])
