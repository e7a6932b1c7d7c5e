"""How handlers fail, and how they are called back."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import unittest
import unittest.mock

from treadle.errors import OperationError
from treadle.worker.exit_guard import guard_exit
from treadle.worker.serving_loop import run_serving

from .applications import ApplicationTest, step


class Failures(ApplicationTest):
    async def test_tell_the_error_and_where_it_happened(self) -> None:
        application = await self.application({
            "steps/a_step.py": step("""
                from treadle import NonRetryableError, OperationError, RetryAfter
                raise eval(input.path)
            """),
            "steps/b_step.py": 'from treadle import *\nconfig = {"name": "B", "triggers": [{"type": "http"}]}\ndef handler(input):\n  raise eval(input.path)\n',
        })
        for name, line in (("A", 5), ("B", 4)):
            for source, expected in {
                "KeyError('k')": {"name": "KeyError", "message": "'k'"},
                "NonRetryableError('never')": {"name": "NonRetryableError", "message": "never", "nonRetryable": True},
                "RetryAfter(50)": {"name": "RetryAfter", "message": "try again after 50 ms", "retryAfterMs": 50},
                "OperationError('QueueFull', 'full')": {"name": "QueueFull", "message": "full"},
                "SystemExit(1)": {"name": "SystemExit", "message": "1"},
                "StopIteration()": {"name": "RuntimeError" if name == "A" else "StopIteration"},
            }.items():
                with self.subTest(source):
                    outcome = await application.run(name, {"path": source})
                    self.assertEqual(outcome["code"], "unhandled_exception")
                    self.assertLessEqual(expected.items(), outcome.items())
                    self.assertIn(f'_step.py", line {line}, in handler', outcome["stack"])
                    if outcome["name"] != "RuntimeError":
                        self.assertNotIn("treadle/worker", outcome["stack"])

    async def test_of_a_step_or_trigger_that_is_not_served_say_so(self) -> None:
        application = await self.application({"steps/a_step.py": step("pass")})
        self.assertEqual((await application.run("X"))["message"], 'this worker does not serve Step "X"')
        self.assertEqual((await application.run("A", kind="queue"))["message"], 'Step "A" has no queue trigger at 0 in this worker')

    async def test_cancellation_reaches_the_signal_of_coroutines_and_threads(self) -> None:
        application = await self.application({
            "steps/a_step.py": step("await ctx.signal.wait()\nctx.signal.throw_if_aborted()"),
            "steps/b_step.py": 'config = {"name": "B", "triggers": [{"type": "http"}]}\ndef handler(input, ctx):\n  ctx.signal.wait(5)\n  raise ctx.signal.reason\n',
        })
        for name in ("A", "B"):
            for reason, error in (("timeout", "TimeoutError"), ("client_gone", "AbortError")):
                invocation = application.start(name)
                await asyncio.sleep(0.05)
                application.runner.cancel(invocation, reason)
                self.assertEqual((await application.outcome(invocation))["name"], error)

    async def test_listeners_that_raise_are_logged_and_keep_no_other_from_hearing_of_the_cancellation(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            import asyncio, os, sys
            from treadle import get_context
            loop, heard = asyncio.get_running_loop(), []
            def fails(): raise asyncio.InvalidStateError("late")
            stop = ctx.signal.add_listener(lambda: heard.append("stopped"))
            for listener in (fails, sys.exit, lambda: os._exit(3), lambda: heard.append(get_context().step_name)):
                ctx.signal.add_listener(listener)
            stop()
            await ctx.signal.wait()
            return {"status": 200, "body": heard}
        """)})
        with unittest.mock.patch.object(os, "_exit"), unittest.mock.patch.object(os, "abort"):
            guard_exit()
            first, second = application.start("A"), application.start("A")
            await asyncio.sleep(0.05)
            application.runner.cancel(first, "client_gone")
            application.runner.cancel_all("engine_lost")
        for invocation in (first, second):
            self.assertEqual((await application.outcome(invocation))["http"]["body"]["value"], ["A"])
        said = [(level, message, fields["errorName"]) for level, message, fields in application.logged()]
        failed = ("error", "a listener of ctx.signal failed")
        self.assertEqual(said, [(*failed, "InvalidStateError"), (*failed, "SystemExit"), (*failed, "HandlerExit")] * 2)

    async def test_sys_exit_below_a_middleware_that_is_no_coroutine_fails_the_invocation(self) -> None:
        application = await self.application({"steps/a_step.py": """
            import sys
            def around(input, ctx, next): return next()
            config = {"name": "A", "triggers": [{"type": "http", "middleware": [around]}]}
            async def handler(input, ctx): sys.exit(3)
        """})
        outcome = await application.run("A")
        self.assertEqual((outcome["code"], outcome["name"], outcome["message"]), ("unhandled_exception", "SystemExit", "3"))

    async def test_a_delivery_that_was_asked_to_give_up_is_done_only_when_its_handler_could_not_know(self) -> None:
        application = await self.application({
            "steps/blind_step.py": 'import asyncio\nconfig = {"name": "Blind", "triggers": [{"type": "queue", "topic": "t"}]}\nasync def handler(input, ctx):\n  await asyncio.sleep(0.05)\n',
            "steps/warned_step.py": 'config = {"name": "Warned", "triggers": [{"type": "queue", "topic": "t"}]}\nasync def handler(input, ctx):\n  await ctx.signal.wait()\n',
        })
        for name, kind in (("Blind", "result"), ("Warned", "error")):
            invocation = application.start(name, kind="queue")
            await asyncio.sleep(0.02)
            application.runner.cancel(invocation, "drain")
            await application.runner.idle()
            [told] = [message for message in application.host.sent if message.get("id") == invocation]
            self.assertEqual((told["type"], told.get("error", told).get("name")), (kind, None if kind == "result" else "AbortError"))


class Exits(unittest.TestCase):
    """What raises SystemExit out of the loop."""

    def test_of_tasks_reach_those_who_await_them_and_the_loop_goes_on(self) -> None:
        async def leave(error: BaseException) -> None:
            await asyncio.sleep(0)
            raise error

        async def work() -> list[str]:
            others = asyncio.create_task(asyncio.sleep(0.05, "whole"))
            gone = await asyncio.gather(leave(SystemExit(3)), leave(KeyboardInterrupt()), return_exceptions=True)
            return [*(type(each).__name__ for each in gone), await others]

        with unittest.mock.patch("signal.getsignal", return_value=None):
            self.assertEqual(run_serving(work()), ["SystemExit", "KeyboardInterrupt", "whole"])

    def test_of_callbacks_and_of_tasks_that_nobody_awaits_are_told(self) -> None:
        told: list[str] = []

        async def leave() -> None:
            sys.exit("task")

        async def work() -> str:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, found: told.append(str(found["exception"])))
            loop.call_soon(sys.exit, "callback")
            asyncio.ensure_future(leave())
            await asyncio.sleep(0.05)
            gc.collect()
            return "whole"

        self.assertEqual((run_serving(work()), sorted(told)), ("whole", ["callback", "task"]))

    def test_of_the_work_itself_and_an_interrupt_that_nobody_handles_end_it(self) -> None:
        ended: list[str] = []

        async def leave(error: type[BaseException]) -> None:
            try:
                raise error
            finally:
                await asyncio.sleep(0)

        async def wait() -> None:
            asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
            try:
                await asyncio.sleep(10)
            finally:
                ended.append("cancelled")

        with self.assertRaises(SystemExit):
            run_serving(leave(SystemExit))
        with self.assertRaises(KeyboardInterrupt):
            run_serving(wait())
        self.assertEqual(ended, ["cancelled"])


FORKS = """
import asyncio, multiprocessing, signal, sys, threading, time
async def main():
    stopped = asyncio.Event()
    if sys.argv[1] == "loop": asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    else: signal.signal(signal.SIGTERM, lambda *_: None)
    RESET
    def handler():
        forked = multiprocessing.get_context("fork").Process(target=time.sleep, args=(10,))
        forked.start()
        time.sleep(0.1)
        forked.terminate()
        forked.join(2)
        return forked.exitcode
    print(await asyncio.to_thread(handler), stopped.is_set())
asyncio.run(main())
""".replace("RESET", "from treadle.worker.forks import reset_in_forks; reset_in_forks([signal.SIGTERM])")


@unittest.skipUnless(hasattr(os, "register_at_fork"), "there is no fork")
class Forks(unittest.TestCase):
    def test_end_on_the_signals_that_their_process_leaves_to_the_engine(self) -> None:
        for way in ("loop", "handler"):
            ran = subprocess.run([sys.executable, "-c", FORKS, way], capture_output=True, text=True, timeout=30, check=False)
            self.assertEqual(ran.stdout, "-15 False\n", ran.stderr)


class Withdrawals(ApplicationTest):
    async def test_reach_what_waits_for_a_thread_and_not_what_has_one(self) -> None:
        application = await self.application({"steps/a_step.py": """
            import threading
            released = threading.Event()
            config = {"name": "A", "triggers": [{"type": "queue", "topic": "t"}]}
            def handler(input, ctx):
                ctx.logger.info("began")
                released.wait(10)
        """})
        running = [application.start("A", kind="queue") for _ in range(4)]  # the runner has four threads
        waiting = [application.start("A", kind="queue") for _ in range(2)]
        while len(application.logged()) < 4:
            await asyncio.sleep(0.01)
        self.assertEqual([application.runner.gate.withdraw(each) for each in (running[0], waiting[0])], ["begun", "withdrawn"])
        next(module for name, module in sys.modules.items() if name.endswith("a_step")).released.set()
        await application.runner.idle()
        answered = {message["id"] for message in application.host.sent if message["type"] == "result"}
        self.assertEqual(answered, {*running, waiting[1]})

    async def test_find_what_has_ended_in_a_thread_though_its_answer_waits_for_the_loop(self) -> None:
        application = await self.application({"steps/a_step.py": """
            import threading
            passed = threading.Event()
            config = {"name": "A", "triggers": [{"type": "queue", "topic": "t"}]}
            def handler(input, ctx):
                passed.set()
        """})
        invocation = application.start("A", kind="queue")
        # Nothing is awaited here, so the loop is as good as blocked.
        next(module for name, module in sys.modules.items() if name.endswith("a_step")).passed.wait(10)
        while application.runner.gate.withdraw(invocation) == "begun":
            pass
        self.assertEqual((application.runner.gate.withdraw(invocation), application.host.sent), ("ended", []))
        await application.runner.idle()
        self.assertEqual([message["id"] for message in application.host.sent], [invocation])

    async def test_reach_what_the_loop_has_not_begun(self) -> None:
        application = await self.application({"steps/a_step.py": step('ctx.logger.info("began")')})
        application.runner.gate.withdraw(1)
        taken, kept = application.start("A"), application.start("A")
        await application.runner.idle()
        self.assertEqual({message["id"] for message in application.host.sent}, {kept})
        self.assertNotEqual(taken, kept)
