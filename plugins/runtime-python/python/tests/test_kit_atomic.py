"""Atomic Steps in ``treadle.testing``."""

from treadle.testing import create_test_engine

from .kit_application import KitTest

ATOMIC = ", 'atomic': True, 'enqueues': ['next']"


class Atomic(KitTest):
    async def test_leave_nothing_when_they_fail_and_all_when_they_do_not(self) -> None:
        self.step("Work", "queue('t', config={'max_attempts': 2, 'backoff': {'delay_ms': 1000, 'jitter': 0}})", """
            await ctx.state.update("g", "count", [{"type": "increment"}])
            await ctx.enqueue({"topic": "next", "data": ctx.attempt})
            if await ctx.state.get("g", "count") != 1: raise NonRetryableError("it does not see what it wrote")
            if ctx.attempt == 1: raise ValueError("not yet")
        """, more=ATOMIC)
        self.step("Next", "queue('next')", "await ctx.state.set('next', str(input), input)")
        async with create_test_engine(self.root) as app:
            await app.enqueue("t", 1)
            await app.until_idle()
            self.assertEqual((await app.state.get("g", "count"), app.messages("next")), (None, []))
            await app.clock.advance(1000)
            self.assertEqual((await app.state.get("g", "count"), await app.state.get("next", "2")), (1, 2))
            self.assertEqual([message.data for message in app.messages("next")], [2])
