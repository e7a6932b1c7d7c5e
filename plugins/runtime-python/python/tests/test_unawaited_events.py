"""Events of an answer that nobody awaits."""

import asyncio

from treadle.worker.running.event_budget import EventBudget

from .applications import ApplicationTest, received

SSE = """
import asyncio
from treadle import sse
config = {"name": "A", "triggers": [{"type": "http"}]}
"""


class UnawaitedEvents(ApplicationTest):
    async def test_are_sent_in_order_before_the_answer_ends(self) -> None:
        application = await self.application({"steps/a_step.py": SSE + """
async def produce(send):
    for n in range(1000): asyncio.create_task(send("x" * 500 + str(n)))
def handler(): return sse(produce)
"""})
        http = (await application.run("A"))["http"]
        events = (await received(application, http["body"]["stream"])).decode().split("\n\n")
        self.assertEqual(events, ["data: " + "x" * 500 + str(n) for n in range(1000)] + [""])

    async def test_end_the_answer_beyond_a_limit_and_the_log_says_what_to_do(self) -> None:
        application = await self.application({"steps/a_step.py": SSE + """
async def produce(send):
    for n in range(100_000):
        asyncio.create_task(send("x" * 1000)).add_done_callback(lambda task: task.exception())
        if n % 100 == 99: await asyncio.sleep(0)
        if send.signal.aborted: break
    assert n < 10_000, n
    raise ValueError("not told: nobody listens")
def handler(): return sse(produce)
"""})
        http = (await application.run("A"))["http"]
        for _ in range(500):
            chunks = [message for message in application.host.sent if message["type"] == "chunk"]
            if "error" in chunks[-1]:
                break
            await asyncio.sleep(0.01)
        self.assertEqual((chunks[-1]["stream"], chunks[-1]["error"]), (http["body"]["stream"], "the producer of server-sent events failed"))
        for _ in range(500):
            if EventBudget._of_process == 0:
                break
            await asyncio.sleep(0.01)
        self.assertEqual(EventBudget._of_process, 0)
        [(level, message, fields)] = application.logged()
        self.assertEqual((level, message), ("error", "a streamed answer failed"))
        self.assertIn('Step "A" sent events faster than its client reads', fields["error"]["message"])
        self.assertIn("await send()", fields["error"]["message"])
