"""What handlers are given, what they may return, and how they fail."""

import asyncio
import base64
import os
import sys
import unittest
from typing import Any

from treadle.errors import OperationError
from treadle.worker.running.event_budget import EventBudget
from treadle.worker.schemas import has_pydantic

from .applications import ApplicationTest, step

REQUEST = {
    "method": "POST", "path": "/a/1", "pathParams": {"id": "1"}, "query": {"a": ["1", "2"], "b": "3"}, "headers": {"x": "a, b"},
    "headersAll": {"x": ["a", "b"]}, "body": {"kind": "json", "value": {"t": "é"}},
}


class Inputs(ApplicationTest):
    async def test_of_http_are_read_by_attribute_and_by_key_in_both_forms(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            import json
            assert input.request is input and input["request"].body == {"t": "é"} and "request" not in input
            assert input.path_params == input["pathParams"] == {"id": "1"} and input.get("nothing") is None
            assert input.query_params is input.query and input.query == {"a": "2", "b": "3"}
            assert input.query_all == {"a": ["1", "2"], "b": ["3"]} and input.headersAll == {"x": ["a", "b"]}
            try: input.nonsense
            except AttributeError as error: assert "nonsense" in str(error)
            return {"status": 200, "body": json.loads(json.dumps(input)), "headers": {"x-n": 1, "set-cookie": ["a", "b"], "none": None}}
        """)})
        outcome = await application.run("A", REQUEST)
        self.assertEqual(outcome["http"]["headers"], {"x-n": "1", "set-cookie": ["a", "b"]})
        self.assertEqual(sorted(outcome["http"]["body"]["value"]), ["body", "headers", "method", "path", "path_params", "query", "query_params"])

    async def test_of_other_kinds_have_keys_in_snake_case_and_data_as_it_is(self) -> None:
        triggers = '[{"type": kind} for kind in ("queue", "cron", "state", "stream")]'
        application = await self.application({"steps/a_step.py": f"""
            config = {{"name": "A", "triggers": {triggers}}}
            seen = []
            def handler(input, ctx): ctx.logger.info(repr(dict(input)), {{"scheduled": getattr(input, "scheduled_at", None)}})
        """})
        for index, (kind, input) in enumerate([
            ("queue", {"someKey": 1}), ("cron", {"scheduledAt": "t", "missed": False}), ("state", {"type": "update", "oldValue": {"aB": 1}}),
            ("stream", {"streamName": "s", "event": {"type": "create", "data": None}}),
        ]):
            self.assertEqual((await application.run("A", input, kind=kind, index=index))["type"], "result")
        self.assertEqual([message for _, message, _ in application.logged()], [
            "{'someKey': 1}", "{'scheduled_at': 't', 'missed': False}", "{'type': 'update', 'old_value': {'aB': 1}}",
            "{'stream_name': 's', 'event': {'type': 'create', 'data': None}}",
        ])

    async def test_of_requests_may_be_asked_for_what_was_not_sent(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            return {"status": 200, "body": [input.files, input.rawBody, input.get("files", []), "files" in input, hasattr(input, "fils")]}
        """)})
        outcome = await application.run("A", {})
        self.assertEqual(outcome["http"]["body"]["value"], [None, None, [], False, False])

    async def test_of_large_bodies_and_files_come_in_chunks(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            if input.get("files"):
                big, small = input.files
                return {"status": 200, "body": [big.size, big.read()[:3].decode(), big.path, small.text(), small.field, small.content_type]}
            return {"status": 200, "body": [input.body, len(input.raw_body)]}
        """)})
        wire = {"body": {"kind": "stream", "stream": 0, "as": "json"}, "rawBody": base64.b64encode(b"1234").decode()}
        first = application.start("A", wire, streams=[2])
        application.host.streams.handle({"type": "chunk", "stream": 2, "data": base64.b64encode(b'{"a":').decode()})
        application.host.streams.handle({"type": "chunk", "stream": 2, "data": base64.b64encode(b"1}").decode(), "end": True})
        self.assertEqual((await application.outcome(first))["http"]["body"]["value"], [{"a": 1}, 4])
        files = [
            {"field": "f", "filename": "x", "body": {"kind": "stream", "stream": 0, "as": "bytes"}},
            {"field": "g", "filename": "y", "contentType": "text/plain", "body": {"kind": "base64", "value": base64.b64encode(b"hi").decode()}},
        ]
        second = application.start("A", {"files": files}, streams=[4])
        for _ in range(2):
            application.host.streams.handle({"type": "chunk", "stream": 4, "data": base64.b64encode(b"abc" * 1000).decode()})
        application.host.streams.handle({"type": "chunk", "stream": 4, "data": "", "end": True})
        size, start, path, *rest = (await application.outcome(second))["http"]["body"]["value"]
        self.assertEqual((size, start, rest), (6000, "abc", ["hi", "g", "text/plain"]))
        self.assertFalse(os.path.exists(path))
        broken = application.start("A", {"body": wire["body"]}, streams=[6])
        application.host.streams.handle({"type": "chunk", "stream": 6, "data": base64.b64encode(b"{").decode(), "end": True})
        self.assertEqual((await application.outcome(broken))["code"], "invalid_json")


RESULTS: dict[str, Any] = {
    "None": {"status": 204},
    '{"status": 204}': {"status": 204},
    '{"status": 200, "body": None}': {"status": 200, "body": {"kind": "json", "value": None}},
    '{"status": 200, "body": "text"}': {"status": 200, "body": {"kind": "json", "value": "text"}},
    '{"status": 200, "body": "t", "headers": {"Content-Type": "text/plain"}}': {
        "status": 200, "headers": {"Content-Type": "text/plain"}, "body": {"kind": "text", "value": "t"}},
    '{"status": 200, "body": b"hi"}': {"status": 200, "body": {"kind": "base64", "value": "aGk="}},
    '{"status": 200, "body": __import__("datetime").date(2026, 1, 2)}': {"status": 200, "body": {"kind": "json", "value": "2026-01-02"}},
    '{"status": 200, "body": "\\ud800"}': {"status": 200, "body": {"kind": "json", "value": "\ud800"}},
}
UNUSABLE = {
    "5": 'a handler returns {"status": …, "body"?: …, "headers"?: …}; this one returned a int',
    '{"stauts": 200}': 'a handler returns {"status": …, "body"?: …, "headers"?: …}; this one returned {stauts}',
    '{"status": 99}': "status must be an integer from 200 to 599; it is 99",
    '{"status": "200"}': "status must be an integer from 200 to 599; it is a str",
    '{"status": 200, "body": float("nan")}': "the body cannot be written as JSON: Out of range float values are not JSON compliant",
    '{"status": 200, "body": object()}': "the body cannot be written as JSON: an object of type object has no JSON form",
    '{"status": 200, "body": [2**60]}': "the body cannot be written as JSON: the integer 1152921504606846976 is too large for a JSON number to keep; send it as a string",
    '{"status": 200, "headers": []}': "headers must be a dict",
    '{"status": 200, "headers": {"a b": "c"}}': "'a b' is no name of a header",
    '{"status": 200, "headers": {"a": "c\\n"}}': 'header "a" has a character that headers cannot carry',
    '{"status": 200, "headers": {"a": {}}}': 'header "a" must be a string, a number or a list of them',
}


SOURCES = {
    'handler': "def handler():\n    yield 'a'\n    yield b'b'",
    'async handler': "async def handler():\n    yield 'a'\n    yield b'b'",
    'generator': "def handler(): return {'status': 200, 'body': (piece for piece in 'ab')}",
    'iterator': "def handler(): return {'status': 200, 'body': iter(['a', 'b'])}",
    'async generator': "async def pieces():\n    yield b'ab'\nasync def handler(): return {'status': 200, 'body': pieces()}",
    'file': "import io\ndef handler(): return {'status': 200, 'body': io.BytesIO(b'ab')}",
    'bare file': "import io\nasync def handler(): return io.BytesIO(b'ab')",
    'awaited file': "import io\nasync def soon(): return io.BytesIO(b'ab')\ndef handler(): return {'status': 200, 'body': soon()}",
}


class Bodies(ApplicationTest):
    async def test_may_be_whatever_gives_bytes(self) -> None:
        for name, source in SOURCES.items():
            with self.subTest(name):
                application = await self.application({"steps/a_step.py": f'config = {{"name": "A", "triggers": [{{"type": "http"}}]}}\n{source}\n'})
                http = (await application.run("A"))["http"]
                self.assertEqual((http["status"], http["body"]["kind"]), (200, "stream"))
                self.assertEqual(await received(application, http["body"]["stream"]), b"ab")

    async def test_may_be_bytes_of_any_kind_and_may_be_awaited(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            async def data(): return {"n": 1}
            async def broken(): raise ValueError("no data")
            return {"bytearray": lambda: {"status": 200, "body": bytearray(b"hi")}, "view": lambda: {"status": 200, "body": memoryview(b"hi")}, "bare": lambda: b"hi",
                    "data": lambda: {"status": 201, "body": data()}, "broken": lambda: {"status": 200, "body": broken()}}[input.path]()
        """), "steps/b_step.py": """
            config = {"name": "B", "triggers": [{"type": "http"}]}
            async def data(): return {"n": 1}
            def handler(): return {"status": 201, "body": data()}
        """})
        for path in ("bytearray", "view", "bare"):
            self.assertEqual((await application.run("A", {"path": path}))["http"], {"status": 200, "body": {"kind": "base64", "value": "aGk="}})
        for name in ("A", "B"):
            self.assertEqual((await application.run(name, {"path": "data"}))["http"], {"status": 201, "body": {"kind": "json", "value": {"n": 1}}})
        outcome = await application.run("A", {"path": "broken"})
        self.assertEqual((outcome["code"], outcome["message"]), ("unhandled_exception", "no data"))

    async def test_let_go_of_their_file_when_the_result_is_refused(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            import io
            file = io.BytesIO(b"ab")
            if input.path == "again": return {"status": 200, "body": closed[0].closed}
            closed.append(file)
            return {"status": 99, "body": file}
        """) + "\nclosed = []\n"})
        self.assertEqual((await application.run("A", {"path": "first"}))["code"], "invalid_handler_result")
        self.assertIs((await application.run("A", {"path": "again"}))["http"]["body"]["value"], True)

    async def test_come_with_the_names_of_keys_that_mean_nothing(self) -> None:
        application = await self.application({"steps/a_step.py": step('return {"status": 200, "boddy": 1, 5: 6}')})
        self.assertEqual((await application.run("A"))["http"], {"status": 200, "unknownKeys": ["boddy", "5"]})


ERRORS: dict[str, Any] = {
    "HttpError(404)": {"status": 404, "thrown": "Not Found"},
    "HttpError(404, 'no such ticket')": {"status": 404, "thrown": "no such ticket"},
    "HttpError(429, 'later', {'retry-after': 7})": {"status": 429, "headers": {"retry-after": "7"}, "thrown": "later"},
    "HttpError(409, {'taken': 'a'})": {"status": 409, "body": {"kind": "json", "value": {"taken": "a"}}, "thrown": "Conflict"},
    "HttpError(410, '<p>', {'Content-Type': 'text/html'})": {
        "status": 410, "headers": {"Content-Type": "text/html"}, "body": {"kind": "text", "value": "<p>"}, "thrown": "<p>"},
    "foreign(status=404)": {"status": 404, "thrown": ""},
    "foreign(status_code=403)": {"status": 403, "thrown": ""},
    "foreign(status=401, headers={'set-cookie': 'a'})": {"status": 401, "thrown": ""},
    "foreign(status=401, expose=True, headers={'www-authenticate': 'Basic'})": {
        "status": 401, "headers": {"www-authenticate": "Basic"}, "thrown": "secret"},
    "foreign(status=503, expose=True)": {"status": 503, "thrown": "secret"},
}
NO_ANSWERS = ("foreign()", "foreign(status=500)", "foreign(status='404')", "foreign(status=True)", "foreign(status=302)", "foreign(code=404)")
RAISING = """
    from treadle import HttpError
    def foreign(**members):
        error = Exception("secret")
        for name, value in members.items(): setattr(error, name, value)
        return error
"""


class RaisedAnswers(ApplicationTest):
    async def test_are_honoured_as_the_table_says(self) -> None:
        application = await self.application({
            "steps/a_step.py": f'{RAISING}    config = {{"name": "A", "triggers": [{{"type": "http"}}]}}\n    async def handler(input): raise eval(input.path)\n',
            "steps/b_step.py": f'{RAISING}    config = {{"name": "B", "triggers": [{{"type": "http"}}]}}\n    def handler(input): raise eval(input.path)\n',
        })
        for name in ("A", "B"):
            for source, expected in ERRORS.items():
                with self.subTest(source):
                    self.assertEqual((await application.run(name, {"path": source}))["http"], expected)
            for source in NO_ANSWERS:
                with self.subTest(source):
                    self.assertEqual((await application.run(name, {"path": source}))["code"], "unhandled_exception")

    async def test_are_logged_from_500_on_only(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            from treadle import HttpError
            raise HttpError(int(input.path), "not now")
        """)})
        for path in ("422", "503"):
            await application.run("A", {"path": path})
        self.assertEqual([(level, message, fields["error"]) for level, message, fields in application.logged()], [("error", "a handler failed", "not now")])

    async def test_may_come_from_middleware_and_conditions_and_are_errors_elsewhere(self) -> None:
        application = await self.application({"steps/a_step.py": """
            from treadle import HttpError
            def refuse(*_): raise HttpError(401, "who are you?")
            config = {"name": "A", "triggers": [{"type": "http", "middleware": refuse}, {"type": "http", "condition": refuse}, {"type": "queue", "topic": "t"}]}
            handler = refuse
        """})
        for index in (0, 1):
            self.assertEqual((await application.run("A", index=index))["http"], {"status": 401, "thrown": "who are you?"})
        outcome = await application.run("A", {}, kind="queue", index=2)
        self.assertEqual((outcome["code"], outcome["name"]), ("unhandled_exception", "HttpError"))


class Results(ApplicationTest):
    async def test_are_what_the_table_says(self) -> None:
        application = await self.application({"steps/a_step.py": step("return eval(input.path)"), "steps/b_step.py": """
            config = {"name": "B", "triggers": [{"type": "http"}]}
            def handler(input): return eval(input.path)
        """})
        for name in ("A", "B"):
            for source, expected in RESULTS.items():
                with self.subTest(source):
                    self.assertEqual((await application.run(name, {"path": source}))["http"], expected)
            for source, message in UNUSABLE.items():
                with self.subTest(source):
                    outcome = await application.run(name, {"path": source})
                    # Newer versions of the standard library name the value as well.
                    self.assertEqual((outcome["code"], outcome["message"].split(": nan")[0]), ("invalid_handler_result", message))

    async def test_that_are_too_large_for_a_message_follow_as_a_stream(self) -> None:
        application = await self.application({
            "steps/a_step.py": step('return {"status": 200, "body": "x" * 300_000}'),
            "steps/b_step.py": 'config = {"name": "B", "triggers": [{"type": "http"}]}\ndef handler(): return {"status": 200, "body": b"y" * 300_000}\n',
            "steps/c_step.py": 'config = {"name": "C", "triggers": [{"type": "http"}]}\ndef handler(): return {"status": 200, "headers": {"content-type": "text/plain"}, "body": "z" * 300_000}\n',
        })
        for name, kind, size in (("A", "json", 300_002), ("B", "bytes", 300_000), ("C", "text", 300_000)):
            application.host.sent.clear()
            body = (await application.run(name))["http"]["body"]
            self.assertEqual(body, {"kind": "stream", "stream": body["stream"], "as": kind, "bytes": size})
            self.assertEqual(len(await received(application, body["stream"])), size)
            # The engine knows no stream that no message has named: what comes before is lost.
            self.assertEqual(application.host.sent[0]["type"], "result")

    async def test_of_streams_come_piece_by_piece(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            from treadle import sse, streamed
            import io
            async def events(send):
                await send({"n": 1}, event="tick", id="7", retry_ms=5)
                await send("two\\nlines")
                await send.comment("still here")
            def blocking(send): send(1); send(2)
            async def pieces():
                yield "a"; yield b"b"
            return {"sse": lambda: sse(events), "sync": lambda: sse(blocking), "pieces": lambda: streamed(pieces()), "file": lambda: streamed(io.BytesIO(b"file")),
                    "list": lambda: streamed(["x", b"y"]), "bytes": lambda: streamed(b"all", status=202)}[input.path]()
        """)})
        expected = {
            "sse": b'event: tick\nid: 7\nretry: 5\ndata: {"n":1}\n\ndata: two\ndata: lines\n\n: still here\n\n', "sync": b"data: 1\n\ndata: 2\n\n",
            "pieces": b"ab", "file": b"file", "list": b"xy", "bytes": b"all",
        }
        for path, content in expected.items():
            with self.subTest(path):
                body = (await application.run("A", {"path": path}))["http"]["body"]
                self.assertEqual(await received(application, body["stream"]), content)

    async def test_of_streams_end_when_the_client_has_gone(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            from treadle import ClientGone, sse
            async def events(send):
                try:
                    while True: await send("x" * 70_000)
                except ClientGone:
                    ctx.logger.info("gone", {"aborted": send.signal.aborted})
                    raise
            return sse(events)
        """)})
        stream = (await application.run("A"))["http"]["body"]["stream"]
        await asyncio.sleep(0.05)
        chunks = [message for message in application.host.sent if message["type"] == "chunk"]
        self.assertEqual(len(chunks), 16)
        application.host.streams.handle({"type": "credit", "stream": stream, "chunks": 0})
        await application.runner.idle()
        self.assertEqual(application.logged(), [("info", "gone", {"aborted": True})])


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


async def received(application: Any, stream: int) -> bytes:
    """Everything of a stream, granting credits."""
    content, seen = b"", 0
    for _ in range(500):
        chunks = [message for message in application.host.sent if message["type"] == "chunk" and message["stream"] == stream]
        for chunk in chunks[seen:]:
            assert "error" not in chunk, chunk
            content += base64.b64decode(chunk["data"])
            if chunk.get("end"):
                return content
            application.host.streams.handle({"type": "credit", "stream": stream, "chunks": 1})
        seen = len(chunks)
        await asyncio.sleep(0.005)
    raise AssertionError("the stream did not end")


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


class Contexts(ApplicationTest):
    async def test_operations_are_awaited_in_coroutines_and_block_elsewhere(self) -> None:
        enqueues = ', "enqueues": ["t"]'
        application = await self.application({
            "lib.py": "from treadle import get_context\ndef deep(): return get_context().step_name\n",
            "steps/a_step.py": step("""
                import lib
                value = await ctx.state.get("g", "k")
                await ctx.streams.board.set("g", "1", {"a": (1, 2)})
                await ctx.state.compareAndSet("g", "k", 3, None)
                sent = await ctx.enqueue({"topic": "t", "data": 1, "delay_ms": 5})
                several = await ctx.enqueue([{"topic": "t", "data": 2}])
                return {"status": 200, "body": [value, sent, several, lib.deep()]}
            """, more=enqueues),
            "steps/b_step.py": f"""
                import asyncio, lib
                config = {{"name": "B", "triggers": [{{"type": "http"}}]{enqueues}}}
                async def inside(ctx): return await ctx.state.get("g", "k")
                def handler(input, ctx):
                    value = ctx.state.get("g", "k")
                    ctx.streams["board"].set("g", "1", {{"a": (1, 2)}})
                    ctx.state.compare_and_set("g", "k", 3, None)
                    sent = ctx.enqueue(topic="t", data=1, delayMs=5)
                    several = ctx.enqueue([{{"topic": "t", "data": 2}}])
                    assert asyncio.run(inside(ctx)) == value
                    return {{"status": 200, "body": [value, sent, several, lib.deep()]}}
            """,
        })
        application.host.answers = lambda op, args: [{"messageId": "m"}] if op == "queue.enqueue" else "v"
        expected = [
            ("state.get", {"group": "g", "key": "k"}), ("stream.set", {"stream": "board", "groupId": "g", "id": "1", "item": {"a": (1, 2)}}),
            ("state.compareAndSet", {"group": "g", "key": "k", "revision": 3, "value": None}),
            ("queue.enqueue", {"messages": [{"topic": "t", "data": 1, "delayMs": 5}]}), ("queue.enqueue", {"messages": [{"topic": "t", "data": 2}]}),
        ]
        for name in ("A", "B"):
            application.host.calls.clear()
            self.assertEqual(await application.body(name), ["v", {"messageId": "m"}, [{"messageId": "m"}], name])
            self.assertEqual(application.host.calls[:5], expected)

    async def test_operations_refuse_what_json_would_change_and_what_the_engine_refuses(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            from treadle import OperationError
            try: await eval(input.path)
            except OperationError as error: return {"status": 200, "body": f"{error.code}: {error}"}
        """, more=', "enqueues": ["t"]')})

        def refuse(op: str, args: Any) -> Any:
            raise OperationError("Stale", "too late")

        application.host.answers = refuse
        for source, message in {
            'ctx.state.set("g", "k", {"a": [float("nan")]})': "InvalidValue: the value is not JSON: nan is no JSON number at a.0",
            'ctx.state.set("g", "k", {1: 2})': "InvalidValue: the value is not JSON: the key 1 is no string",
            'ctx.state.set("g", "k", ' + "[" * 101 + "]" * 101 + ")":
                "InvalidValue: the value is not JSON: nested deeper than 100, or a cycle, below here at 0.0.0.0.0.0",
            'ctx.state.set("g", "k", ' + "[" * 100 + "]" * 100 + ")": "Stale: too late",
            'ctx.state.update("g", "k", [{"type": "set", "value": ' + "[" * 100 + "]" * 100 + "}])": "Stale: too late",
            'ctx.state.set("g", "k", {2})': "InvalidValue: the value is not JSON: a set",
            'ctx.state.set("g", "k", 2**53)': "InvalidValue: the value is not JSON: the integer 9007199254740992 is too large; write it as a string",
            'ctx.state.set("g", "k", 1, ttl_ms=float("inf"))': "InvalidValue: an option is not JSON: inf is no JSON number at ttlMs",
            'ctx.state.update("g", "k", {"type": "set"})': "InvalidValue: update takes a list of ops, e.g. [{'type': 'increment', 'path': 'count'}]",
            'ctx.enqueue({"topic": "u", "data": 1})': 'TopicNotDeclared: Step "A" enqueues to "u", which its "enqueues" does not list',
            'ctx.enqueue({"topic": "t"})': 'InvalidValue: the message for topic "t" has no "data"',
            'ctx.state.get("g", "k")': "Stale: too late",
        }.items():
            with self.subTest(source):
                self.assertEqual(await application.body("A", {"path": source}), message)

    async def test_matches_with_as_many_arguments_as_a_function_takes(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            def nothing(): return "none"
            async def one(request): return request.path
            def both(request, context): return context is ctx
            return {"status": 200, "body": await ctx.match(http={"nothing": nothing, "one": one, "both": both}[input.path])}
        """)})
        self.assertEqual([await application.body("A", {"path": path}) for path in ("nothing", "one", "both")], ["none", "one", True])

    async def test_tells_what_started_the_handler(self) -> None:
        application = await self.application({"steps/a_step.py": """
            config = {"name": "A", "triggers": [{"type": "http"}, {"type": "queue"}]}
            async def slow(input): return "http"
            async def handler(input, ctx):
                kind = await ctx.match({"http": slow, "default": lambda input: "other"})
                ctx.logger.info(kind, {"trigger": ctx.trigger.type, "is": ctx.is_.http(), "data": ctx.getData(), "deadline": ctx.deadline > 0}, traced=ctx.traceId)
        """})
        await application.run("A", {"body": {"kind": "json", "value": 5}})
        await application.run("A", {"q": 1}, kind="queue", index=1)
        traced = {"deadline": True, "traced": "4bf92f3577b34da6a3ce929d0e0e4736"}
        self.assertEqual(application.logged(), [
            ("info", "http", {"trigger": "http", "is": True, "data": 5, **traced}), ("info", "other", {"trigger": "queue", "is": False, "data": {"q": 1}, **traced}),
        ])

    async def test_logs_exceptions_with_name_and_stack_and_dicts_as_fields(self) -> None:
        application = await self.application({"steps/a_step.py": """
            config = {"name": "A", "triggers": [{"type": "queue"}]}
            def handler(input, ctx):
                try: raise KeyError("gone")
                except KeyError as error:
                    ctx.logger.error(error, {"id": 1})
                    ctx.logger.error(error, "the order failed")
                ctx.logger.info({"message": "paid", "id": 2})
                ctx.logger.info({"id": 3}, "shipped")
        """})
        await application.run("A", {}, kind="queue")
        first, second, third, fourth = application.logged()
        self.assertEqual((first[1], first[2]["errorName"], first[2]["id"]), ("'gone'", "KeyError", 1))
        self.assertIn("a_step.py", first[2]["stack"])
        self.assertEqual((second[1], second[2]["error"]), ("the order failed", "'gone'"))
        self.assertEqual((third, fourth), (("info", "paid", {"message": "paid", "id": 2}), ("info", "shipped", {"id": 3})))

    async def test_outside_a_handler_is_refused(self) -> None:
        from treadle import getContext

        with self.assertRaisesRegex(RuntimeError, "outside a handler"):
            getContext()

    async def test_spans_are_noted_in_sampled_traces(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            ctx.trace.set_attribute("k", 1)
            ctx.trace.add_event("happened", {"why": "so"}, 5_000_000)
            assert ctx.trace.is_recording() is (input.path == "1")
        """)})
        for flag in ("1", "0"):
            outcome = await application.run("A", {"path": flag}, traceparent=f"00-{'a' * 32}-{'b' * 16}-0{flag}")
            self.assertEqual("ms" in outcome, flag == "1")
            said = {"attributes": {"k": 1}, "events": [{"name": "happened", "time": 5, "attributes": {"why": "so"}}]}
            self.assertEqual(outcome.get("span"), said if flag == "1" else None)


class Pipelines(ApplicationTest):
    async def test_run_middleware_condition_and_handler_in_order(self) -> None:
        application = await self.application({"steps/a_step.py": """
            async def outer(req, ctx, next):
                result = await next()
                return {**result, "headers": {"x": "outer"}}
            def inner(req, ctx, next): ctx.logger.info("inner"); next()
            def only_get(input, ctx): ctx.logger.info("condition"); return input.method == "GET"
            config = {"name": "A", "triggers": [{"type": "http", "middleware": [outer, inner], "condition": only_get}]}
            def handler(input, ctx): ctx.logger.info("handler"); return {"status": 200, "body": 1}
        """})
        outcome = await application.run("A")
        self.assertEqual(outcome["http"], {"status": 200, "headers": {"x": "outer"}, "body": {"kind": "json", "value": 1}})
        self.assertEqual([message for _, message, _ in application.logged()], ["inner", "condition", "handler"])
        blocked = await application.run("A", {"method": "PUT"})
        self.assertEqual((blocked["code"], blocked["message"]), ("condition_not_met", 'the condition of Step "A" is not met'))

    async def test_give_the_context_what_middleware_hands_to_next(self) -> None:
        application = await self.application({"steps/a_step.py": """
            async def signed(req, ctx, next): return await next(auth={"user": "ada"})
            def named(req, ctx, next): return next(full_name=ctx.auth["user"].upper())
            def wrong(req, ctx, next): return next(stepName=1)
            config = {"name": "A", "triggers": [
                {"type": "http", "middleware": [signed, {"run": named, "after": "validation"}], "condition": lambda input, ctx: ctx.full_name == "ADA"},
                {"type": "http", "middleware": wrong},
            ]}
            def handler(input, ctx): return {"status": 200, "body": [ctx.auth, ctx.fullName, hasattr(ctx, "other")]}
        """})
        self.assertEqual(await application.body("A"), [{"user": "ada"}, "ADA", False])
        outcome = await application.run("A", index=1)
        self.assertEqual(outcome["message"], 'next() was given "stepName", which every context has; choose another name')

    async def test_of_blocking_middleware_do_not_wait_for_each_other(self) -> None:
        application = await self.application({"steps/a_step.py": """
            config = {"name": "A", "triggers": [{"type": "http", "middleware": lambda req, ctx, next: next()}]}
            def handler(): return {"status": 200, "body": 1}
        """})
        outcomes = await asyncio.gather(*(application.body("A") for _ in range(50)))
        self.assertEqual(outcomes, [1] * 50)

    @unittest.skipUnless(has_pydantic(), "pydantic is not installed")
    async def test_pydantic_models_check_and_make_the_input(self) -> None:
        application = await self.application({"steps/a_step.py": """
            from pydantic import BaseModel, Field, field_validator
            class Ticket(BaseModel):
                title: str = Field(min_length=1)
                tags: list[str] = []
                @field_validator("title")
                @classmethod
                def shout(cls, value):
                    if value == "no": raise ValueError("not this one")
                    return value.upper()
            config = {"name": "A", "triggers": [{"type": "http", "body_schema": Ticket}, {"type": "queue", "topic": "t", "input": list[int]}]}
            def handler(input, ctx): return {"status": 200, "body": input.body} if ctx.is_.http() else ctx.logger.info(repr(input))
        """})
        config = (await application.load())[0]["steps"][0]["config"]
        self.assertEqual(config["triggers"][0]["bodySchema"]["required"], ["title"])
        self.assertEqual(config["triggers"][1]["input"], {"type": "array", "items": {"type": "integer"}, "x-treadle-library": "pydantic"})
        self.assertEqual(await application.body("A", {"body": {"kind": "json", "value": {"title": "a"}}}), {"title": "A", "tags": []})
        refused = await application.run("A", {"body": {"kind": "json", "value": {"title": "no"}}})
        self.assertEqual(refused["issues"], [{"in": "body", "path": "title", "message": "Value error, not this one", "code": "value_error"}])
        await application.run("A", ["1"], kind="queue", index=1)
        self.assertEqual([message for _, message, _ in application.logged()], ["[1]"])
