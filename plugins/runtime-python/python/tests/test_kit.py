"""``treadle.testing``, as those who test their Steps use it: requests, models and handlers."""

import asyncio
import contextvars
import os
import sys
import unittest
import unittest.mock

from treadle import OperationError, topic
from treadle.testing import ApplicationError, create_test_engine
from treadle.worker.schemas import has_pydantic

from .kit_application import KitTest


@unittest.skipUnless(has_pydantic(), "pydantic is not installed")
class Models(KitTest):
    async def test_have_the_last_word_about_requests_and_items_of_streams(self) -> None:
        self.write("src/board_stream.py", """
            from pydantic import BaseModel, field_validator
            class Item(BaseModel):
                n: int
                @field_validator("n")
                @classmethod
                def even(cls, n):
                    if n % 2: raise ValueError("odd")
                    return n
            config = {"name": "board", "schema": Item}
        """)
        self.write("steps/a_step.py", """
            from pydantic import BaseModel, Field
            from treadle import OperationError, http
            class Aged(BaseModel):
                age: int = Field(alias="years")
            class Query(BaseModel):
                page: int = Field(1, ge=1)
            config = {"name": "A", "triggers": [http("POST", "/a", body_schema=Aged, query_schema=Query)]}
            async def handler(input, ctx):
                try: await ctx.streams["board"].set("g", "i", {"n": input.body.age})
                except OperationError as error: return {"status": 409, "body": str(error)}
                return {"status": 200, "body": input.query.page}
        """)
        async with create_test_engine(self.root) as app:
            self.assertEqual((await app.http("POST", "/a", body={"years": "20"})).body, 1)
            refused = await app.http("POST", "/a", body={"years": "x"}, query={"page": "0"})
            told = [(issue["in"], issue["path"], issue["code"]) for issue in refused.body["issues"]]
            self.assertEqual((refused.status, told), (400, [("body", "years", "int_parsing"), ("query", "page", "greater_than_equal")]))
            odd = await app.http("POST", "/a", body={"years": 21})
            self.assertEqual((odd.status, odd.body), (409, 'the item does not fit the schema of stream "board": n: Value error, odd'))


class Requests(KitTest):
    async def test_carry_files_and_give_streams_whole(self) -> None:
        self.step("Upload", "http('POST', '/upload')", "return {'status': 200, 'body': [input.body, [(f.field, f.filename, f.text()) for f in input.files]]}")
        self.step("Endless", "http('GET', '/numbers')", """
            async def numbers(send):
                for n in range(100): await send({'n': n})
            return sse(numbers)
        """)
        self.step("Board", "http('POST', '/board')", "await ctx.streams.board.send({'group_id': 'g'}, {'type': 'ping', 'data': 1})")
        self.write("steps/board_stream.py", "config = {'name': 'board', 'schema': {'type': 'object'}}\n")
        async with create_test_engine(self.root) as app:
            files = {"f": ("a.txt", "text", "text/plain"), "g": b"bytes"}
            self.assertEqual((await app.http("POST", "/upload", body={"n": "1"}, files=files)).body, [{"n": "1"}, [["f", "a.txt", "text"], ["g", "g", "bytes"]]])
            self.assertEqual((await app.http("GET", "/numbers")).body.count("data:"), 100)
            await app.http("POST", "/board")
            self.assertEqual(app.stream_events("board"), [{"stream": "board", "group_id": "g", "type": "ping", "data": 1}])
            await app.streams.board.set("g", "1", {})
            self.assertEqual(await app.streams["board"].list("g"), [{}])


FAULTS = {
    "def handler(): pass": "steps/a_step.py:1  STEP_NO_CONFIG  the file declares no config",
    "raise ValueError('mine')": "steps/a_step.py:1  STEP_IMPORT_FAILED  ValueError: mine",
    "config = {'name': 'A', 'trigers': []}\ndef handler(): pass": 'steps/a_step.py:1  STEP_UNKNOWN_KEY  config: a Step config has no key "trigers"\n  did you mean "triggers"',
    "config = {'name': 'A', 'triggers': [{'type': 'htp'}]}\ndef handler(): pass": 'triggers\\[0\\]: no loaded module serves trigger kind "htp"',
    "config = {'name': 'A', 'triggers': [{'type': 'http', 'method': 'GET', 'path': 'a'}]}\ndef handler(): pass": 'path: "a" does not begin with "/"',
    "config = {'name': 'A', 'triggers': [{'type': 'cron', 'expression': '61 * * * *'}]}\ndef handler(): pass": '"61" is not a valid minute',
    "config = {'name': 'A', 'triggers': [{'type': 'cron', 'expression': '@daily', 'timezone': 'Mars'}]}\ndef handler(): pass": '"Mars" is not a time zone',
    "config = {'name': 'A', 'triggers': [{'type': 'queue', 'topic': 't', 'config': {'attempts': 1}}]}\ndef handler(): pass": 'has no key "attempts"',
    "config = {'name': 'A', 'triggers': [{'type': 'queue', 'topic': 't', 'input': {'$ref': 'http://x'}}]}\ndef handler(): pass": "can't resolve reference http://x",
    "config = {'name': 'B', 'triggers': []}\ndef handler(): pass": 'Step "B" exists already in steps/b_step.py:1',
}
VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE", default="unset")


class Handlers(KitTest):
    """Run in the process of the test, on its loop."""

    async def test_see_what_the_test_has_changed(self) -> None:
        self.write("lib/clock.py", "def now(): return 'real'\n")
        self.step("See", "http('GET', '/see')", """
            from lib import clock
            from tests.test_kit import VARIABLE
            import asyncio
            return {'status': 200, 'body': [clock.now(), VARIABLE.get(), str(id(asyncio.get_running_loop()))]}
        """)
        VARIABLE.set("of the test")
        async with create_test_engine(self.root) as app:
            with unittest.mock.patch("lib.clock.now", lambda: "patched"):
                answer = await app.http("GET", "/see")
            self.assertEqual(answer.body, ["patched", "of the test", str(id(asyncio.get_running_loop()))])

    async def test_that_are_held_in_a_debugger_do_not_run_out_of_time(self) -> None:
        self.step("Held", "queue('t', config={'timeout_ms': 500, 'max_attempts': 1})", "import time; time.sleep(1.8); await ctx.state.set('g', 'k', 1)")
        async with create_test_engine(self.root) as app:
            await app.enqueue("t", 1)
            await app.clock.advance(10_000)
            self.assertEqual((await app.state.get("g", "k"), app.dead_letters()), (1, []))

    async def test_that_do_not_end_are_left_to_themselves_by_a_reset(self) -> None:
        self.step("Deaf", "queue('t')", "import asyncio; await asyncio.sleep(1.2); await ctx.state.set('g', 'k', 1)")
        async with create_test_engine(self.root) as app:
            await app.enqueue("t", 1)
            await app.reset()
            await app.state.set("g", "other", 2)
            await asyncio.sleep(1)
            self.assertEqual([item["key"] for item in (await app.state.list("g"))["items"]], ["other"])
            self.assertEqual((app.logs(), app.messages()), ([], []))

    async def test_trace_and_log_what_goes_wrong(self) -> None:
        self.step("Bad", "http('GET', '/bad')", "raise ValueError('mine')")
        async with create_test_engine(self.root) as app:
            answer = await app.http("GET", "/bad")
            self.assertEqual((answer.status, answer.body["message"]), (500, "mine"))
            (log,) = app.logs(step="Bad", level="error")
            self.assertIn("bad_step.py", str(log.fields))
            self.assertIn("GET /bad", [span["name"] for span in app.spans(answer.trace_id)])


class Faults(KitTest):
    async def test_of_the_application_are_told_at_once(self) -> None:
        self.write("steps/b_step.py", "config = {'name': 'B', 'triggers': []}\ndef handler(): pass\n")
        for source, message in FAULTS.items():
            with self.subTest(source):
                file = "steps/c_step.py" if "'B'" in source else "steps/a_step.py"
                self.write(file, source)
                with self.assertRaisesRegex(ApplicationError, message):
                    await create_test_engine(self.root)
                os.remove(os.path.join(self.root, file))

    async def test_of_the_selection_name_what_there_is(self) -> None:
        self.step("One", "http('GET', '/one')", "return {'status': 200, 'body': 1}")
        self.step("Two", "http('GET', '/two')", "return {'status': 200, 'body': 2}")
        with self.assertRaisesRegex(ApplicationError, '"steps/nine" is no Step file or folder of .*; there are steps/one_step.py, steps/two_step.py'):
            await create_test_engine(self.root, steps=["steps/nine"])
        async with create_test_engine(self.root, steps=["./steps/two_step.py"]) as app:
            self.assertEqual([(await app.http("GET", path)).status for path in ("/one", "/two")], [404, 200])

    async def test_leave_nothing_behind(self) -> None:
        self.write("lib/words.py", "word = 1\n")
        self.write("steps/a_step.py", "from lib.words import word\nconfig = {'name': 'A', 'triggers': [{'type': 'http', 'method': 'GET', 'path': '/'}]}\ndef handler(): return {'status': 200, 'body': word}\n")
        before, path = set(sys.modules), list(sys.path)
        app = await create_test_engine(self.root)
        self.assertEqual((await app.http("GET", "/")).body, 1)
        await app.stop()
        await app.stop()
        self.assertEqual((sys.path, {name for name in set(sys.modules) - before if name.startswith(("steps", "lib"))}), (path, set()))
        with self.assertRaisesRegex(RuntimeError, "was stopped"):
            await app.http("GET", "/")


class Setups(KitTest):
    async def test_are_opened_for_the_engine_or_given_by_the_test(self) -> None:
        self.write("told.py", "words = []\n")
        self.write("steps/db_setup.py", """
            from told import words

            async def setup(context):
                words.append("open")
                yield context.env["URL"]
                words.append("close")
        """)
        self.write("steps/app_env.py", 'env = {"properties": {"URL": {}}, "required": ["URL"]}\n')
        self.step("Read", "http('GET', '/')", "return {'status': 200, 'body': [ctx.setup.db, ctx.env.URL]}")
        async with create_test_engine(root=self.root, env={"URL": "one"}) as app:
            from told import words

            self.assertEqual((await app.http("GET", "/")).body, ["one", "one"])
            await app.reset()
            self.assertEqual(words, ["open", "close", "open"])
        self.assertEqual(words, ["open", "close", "open", "close"])
        async with create_test_engine(root=self.root, env={"URL": "one"}, setups={"db": "fake"}) as app:
            self.assertEqual((await app.http("GET", "/")).body, ["fake", "one"])
        with self.assertRaisesRegex(ApplicationError, "URL is not set"):
            await create_test_engine(root=self.root, env={})
