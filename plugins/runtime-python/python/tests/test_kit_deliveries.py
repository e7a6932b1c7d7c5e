"""Messages and time in ``treadle.testing``."""

import asyncio
import signal
import sys

from treadle import OperationError, topic
from treadle.testing import create_test_engine

from .kit_application import KitTest, NINE


class Messages(KitTest):
    async def test_tell_their_handler_who_they_are_by_the_engine_s_time(self) -> None:
        self.step("Tell", "queue('t')", """
            await ctx.state.set("seen", str(ctx.attempt), [ctx.message, ctx.message.enqueued_at, ctx.now()])
            if ctx.attempt == 1: raise RetryAfter(1000)
        """)
        self.step("Other", "http('GET', '/other')", "return {'status': 200, 'body': ctx.message}")
        async with create_test_engine(root=self.root, now=NINE) as app:
            begin = NINE.timestamp() * 1000
            sent = await app.enqueue("t", 1, headers={"a": "b"})
            await app.until_idle()
            await app.clock.advance(1000)
            facts = {"id": sent["messageId"], "topic": "t", "headers": {"a": "b"}, "enqueued_at": begin}
            self.assertEqual(await app.state.get("seen", "1"), [{**facts, "attempt": 1}, begin, begin])
            self.assertEqual(await app.state.get("seen", "2"), [{**facts, "attempt": 2}, begin, begin + 1000])
            self.assertIsNone((await app.http("GET", "/other")).body)

    async def test_are_forgotten_by_reset_with_all_that_is_stored_or_recorded(self) -> None:
        self.step("Keep", "queue('t')", "ctx.logger.info('kept'); await ctx.state.set('kept', str(input), input)")
        async with create_test_engine(root=self.root, now=NINE) as app:
            await app.enqueue("t", 1)
            await app.enqueue("t", 2, delay_ms=60_000)
            await app.until_idle()
            await app.clock.advance(1000)
            self.assertEqual(await app.state.get("kept", "1"), 1)
            await app.reset()
            self.assertEqual((await app.state.get("kept", "1"), app.messages(), app.logs(), app.dead_letters()), (None, [], [], []))
            self.assertEqual(app.clock.now(), NINE.timestamp() * 1000)
            await app.clock.advance(120_000)
            self.assertIsNone(await app.state.get("kept", "2"))
            await app.enqueue("t", 3)
            await app.until_idle()
            self.assertEqual(await app.state.get("kept", "3"), 3)


class Deliveries(KitTest):
    async def test_keep_the_trace_and_are_captured_with_logs(self) -> None:
        self.step("First", "http('POST', '/first')", "await ctx.enqueue({'topic': 't', 'data': input.body}); ctx.logger.info('sent', n=1)", more=", 'enqueues': ['t']")
        self.step("Second", "queue('t')", "ctx.logger.warn('got', input); ctx.state.set('g', 'k', {'trace': ctx.trace_id})", "def handler(input, ctx):")
        async with create_test_engine(self.root) as app:
            answer = await app.http("POST", "/first", body={"a": 1})
            await app.until_idle()
            self.assertEqual((answer.status, answer.body), (204, None))
            (message,) = app.messages("t")
            self.assertEqual((message.data, message.trace_id, app.messages(topic("t", {})), app.messages("u")), ({"a": 1}, answer.trace_id, [message], []))
            # Both run at once: who logs first is not said.
            self.assertEqual(sorted((log.step, log.message, log.fields, log.trace_id) for log in app.logs()),
                             [("First", "sent", {"n": 1}, answer.trace_id), ("Second", "got", {"a": 1}, answer.trace_id)])
            self.assertEqual(len(app.logs(step="Second", level="warn")), 1)
            self.assertEqual(await app.state.get("g", "k"), {"trace": answer.trace_id})

    async def test_keep_the_trace_of_what_is_logged_after_the_answer(self) -> None:
        self.step("Hasty", "http('GET', '/a')", """
            import asyncio, sys
            from treadle.worker.capture import CapturedStream
            async def late():
                for _ in range(20): await asyncio.sleep(0)
                ctx.logger.info('late')
                print('printed', file=CapturedStream('stdout', sys.stdout, False))
            ctx.task = asyncio.ensure_future(late())
        """)
        async with create_test_engine(self.root) as app:
            answer = await app.http("GET", "/a")
            for _ in range(100):
                await asyncio.sleep(0)
            self.assertEqual([(log.message, log.trace_id) for log in app.logs()], [("late", answer.trace_id), ("printed", answer.trace_id)])

    async def test_come_again_when_the_clock_says_so_and_end_as_dead_letters(self) -> None:
        config = "{'max_attempts': 3, 'backoff': {'delay_ms': 1000, 'factor': 10, 'jitter': 0}}"
        self.step("Bad", f"queue('t', config={config})", "ctx.logger.info(str(ctx.attempt)); raise ValueError('no ' + input)", "def handler(input, ctx):")
        async with create_test_engine(self.root, now=0) as app:
            sent = await app.enqueue("t", "x")

            async def attempts(ms: float) -> int:
                await app.clock.advance(ms)
                return len(app.logs(level="info"))

            self.assertEqual([await attempts(ms) for ms in (0, 999, 1, 9_999, 1, 1_000_000)], [1, 1, 2, 2, 3, 3])
            (letter,) = app.dead_letters(step="Bad")
            self.assertEqual((letter.message_id, letter.reason, letter.attempts, letter.dead_at), (sent["messageId"], "max_attempts", 3, 11_000))
            self.assertEqual([error["message"] for error in letter.errors], ["no x"] * 3)
            self.assertEqual(app.dead_letters(topic="other"), [])

    async def test_wait_for_their_time_and_their_rate(self) -> None:
        self.step("Slow", "queue('t', config={'rate_limit': {'max': 2, 'per_ms': 100}})", "ctx.logger.info(str(input))")
        async with create_test_engine(self.root, now=0) as app:
            for n in range(5):
                await app.enqueue("t", n, delay_ms=50)
            await app.until_idle()
            self.assertEqual(app.logs(), [])
            await app.clock.advance(300)
            self.assertEqual([(log.message, log.time) for log in app.logs()], [("0", 50), ("1", 50), ("2", 150), ("3", 150), ("4", 250)])

    async def test_over_their_time_fail_and_their_calls_are_refused(self) -> None:
        self.step("Stuck", "queue('t', config={'timeout_ms': 500, 'max_attempts': 1})", """
            await ctx.signal.wait()
            try: await ctx.state.set('g', 'k', 1)
            except OperationError as error: ctx.logger.error(error.code)
        """)
        async with create_test_engine(self.root) as app:
            await app.enqueue("t", 1)
            with self.assertRaisesRegex(TimeoutError, 'not idle after 50 ms: Step "Stuck" runs'):
                await app.until_idle(timeout_ms=50)
            await app.clock.advance(500)
            (letter,) = app.dead_letters()
            self.assertEqual(letter.errors[0]["code"], "handler_timeout")
            self.assertIsNone(await app.state.get("g", "k"))

    async def test_a_loop_of_state_triggers_is_cut(self) -> None:
        self.step("Loop", "state(group='g')", "await ctx.state.update('g', 'k', [{'type': 'increment'}])")
        async with create_test_engine(self.root) as app:
            await app.state.set("g", "k", 0)
            await app.until_idle()
            self.assertEqual((await app.state.get("g", "k"), [letter.reason for letter in app.dead_letters()]), (100, ["loop_limit"]))


class Time(KitTest):
    async def test_brings_cron_ticks_in_their_zone(self) -> None:
        self.step("Digest", "cron('0 9 * * *', timezone='Europe/Berlin')", "ctx.logger.info('run', dict(input))")
        async with create_test_engine(self.root, now=NINE) as app:
            await app.clock.advance(2 * 86_400_000)
            self.assertEqual([log.fields for log in app.logs()], [
                {"scheduled_at": f"2026-05-0{day}T07:00:00.000Z", "fired_at": f"2026-05-0{day}T07:00:00.000Z", "missed": False, "timezone": "Europe/Berlin",
                 "previous_scheduled_at": f"2026-05-0{day - 1}T07:00:00.000Z"} for day in (5, 6)])

    async def test_of_a_run_by_hand_is_any(self) -> None:
        self.step("Nightly", "cron('@daily'), cron('@hourly')", "if ctx.trigger.index: raise ValueError('hourly')")
        async with create_test_engine(self.root, now=NINE) as app:
            with self.assertRaisesRegex(ValueError, "has several cron triggers"):
                await app.cron("Nightly")
            with self.assertRaisesRegex(ValueError, 'no cron trigger of a Step "Other"; there are "Nightly" \\(@DAILY UTC\\)'):
                await app.cron("Other")
            self.assertEqual((await app.cron("Nightly", at=NINE, expression="@daily")).status, "succeeded")
            with self.assertRaisesRegex(ValueError, "has run for 2026-05-04T07:00:00.000Z already"):
                await app.cron("Nightly", at=NINE, expression="@daily")
            failed = await app.cron("Nightly", expression="@hourly")
            self.assertEqual((failed.status, failed.error, len(failed.trace_id)), ("failed", "ValueError: hourly", 32))

    async def test_lets_values_expire_and_requests_end(self) -> None:
        self.step("Wait", "http('GET', '/wait', timeout_ms=1000)", "await ctx.signal.wait()")
        async with create_test_engine(self.root, now=NINE) as app:
            await app.state.set("g", "k", 1, ttl_ms=100)
            request = asyncio.ensure_future(app.http("GET", "/wait"))
            await asyncio.sleep(0)
            await app.clock.advance(99)
            self.assertEqual(await app.state.get("g", "k"), 1)
            await app.clock.advance(901)
            self.assertEqual((await app.state.get("g", "k"), (await request).status), (None, 504))
            self.assertEqual(app.clock.now(), NINE.timestamp() * 1000 + 1000)
