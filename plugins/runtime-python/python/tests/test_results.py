"""What handlers may return."""

import asyncio
import base64
from typing import Any

from .applications import ApplicationTest, step, received

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
    '{"status": 200, "headers": {"a b": "c"}}': "'a b' is not a valid header name",
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
        sent = application.host.sent
        while len([message for message in sent if message["type"] == "chunk"]) < 16:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        self.assertEqual(len([message for message in sent if message["type"] == "chunk"]), 16)
        application.host.streams.handle({"type": "credit", "stream": stream, "chunks": 0})
        await application.runner.idle()
        self.assertEqual(application.logged(), [("info", "gone", {"aborted": True})])
