"""What becomes of runs whose connection to the engine was lost."""

import asyncio
import sys

from .applications import ApplicationTest, step


class LostSessions(ApplicationTest):
    async def test_what_began_over_a_lost_session_says_nothing_in_the_next_one_where_another_run_has_its_id(self) -> None:
        application = await self.application({
            "steps/a_step.py": step("import asyncio\nawait asyncio.sleep(0.05)\nawait ctx.state.set('g', 'k', 1)"),
            "steps/b_step.py": 'import time\nconfig = {"name": "B", "triggers": [{"type": "queue", "topic": "t"}]}\ndef handler(input, ctx):\n  time.sleep(0.05)\n  ctx.state.set("g", "k", 1)\n',
            "steps/c_step.py": "import asyncio\ngo_on = asyncio.Event()\n" + step("await go_on.wait()", "C"),
        })
        runner, old = application.runner, application.host
        go_on = next(module for name, module in sys.modules.items() if name.endswith("c_step")).go_on
        for name, kind in (("A", "http"), ("B", "queue")):
            begun = application.start(name, kind=kind)
            await asyncio.sleep(0.02)
            application.use_next_session()
            self.assertEqual(application.start("C"), begun)
            await asyncio.sleep(0.01)
            self.assertEqual(runner.gate.withdraw(begun), "begun")
            await asyncio.sleep(0.15)
            self.assertEqual((application.host.sent, application.host.calls, runner.gate.withdraw(begun)), ([], [], "begun"))
            go_on.set()
            await application.outcome(begun)
            go_on.clear()
            application.use_next_session(old)

    async def test_what_had_not_begun_when_its_session_was_lost_does_not_begin_after_it(self) -> None:
        application = await self.application({
            "steps/a_step.py": '''
                import threading
                began, released = [], threading.Event()
                config = {"name": "A", "triggers": [{"type": "queue", "topic": "t"}]}
                def handler(input, ctx):
                    began.append(input)
                    released.wait(60)
            ''',
            "steps/b_step.py": '''
                went_on, at_next, told = [], [], []
                def around(input, ctx, next):
                    went_on.append("around")
                    return next()
                async def late(input, ctx, next):
                    at_next.append(input)
                    await ctx.signal.wait()
                    try:
                        return await next()
                    except Exception as error:
                        told.append(str(error))
                def handler(input, ctx): went_on.append("handler")
                async def handle(input, ctx): went_on.append("coroutine")
                config = {"name": "B", "triggers": [{"type": "http", "middleware": [around]}, {"type": "http", "middleware": [late]}]}
            ''',
            "steps/c_step.py": "from .b_step import handle as handler, late\nconfig = {'name': 'C', 'triggers': [{'type': 'http', 'middleware': [late]}]}\n",
        })
        busy, prepared = (next(module for name, module in sys.modules.items() if name.endswith(file)) for file in ("a_step", "b_step"))
        for input in range(5):  # the runner has four threads
            application.start("A", input, kind="queue")
        for name, index in (("B", 0), ("B", 1), ("C", 0)):
            application.start(name, index=index)
        while len(busy.began) < 4 or len(prepared.at_next) < 2:
            await asyncio.sleep(0.01)
        application.use_next_session()
        busy.released.set()
        await asyncio.wait_for(application.runner.idle(), 60)
        self.assertEqual((len(busy.began), prepared.went_on, prepared.told), (4, [], ["the handler was cancelled: engine_lost"] * 2))
        self.assertEqual(application.host.sent, [])

    async def test_what_an_answered_run_left_behind_asks_its_own_session_and_not_the_next_one(self) -> None:
        application = await self.application({
            "steps/a_step.py": 'import asyncio\nleft, go = set(), asyncio.Event()\n' + step("""
                if input.query: go.set(); await asyncio.wait(left); return {"status": 204}
                async def later():
                    await go.wait()
                    await ctx.state.set("g", "k", 1)
                left.add(asyncio.ensure_future(later()))
                return {"status": 200}
            """),
        })
        old = application.host
        answered = application.start("A")
        await application.outcome(answered)
        application.runner.cancel_all("engine_lost")
        application.use_next_session()
        self.assertEqual(application.start("A", {"query": {"go": "1"}}), answered)
        await application.outcome(answered)
        self.assertEqual(([op for op, _ in old.calls], application.host.calls), (["state.set"], []))
