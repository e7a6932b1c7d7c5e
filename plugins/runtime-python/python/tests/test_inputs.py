"""What handlers are given."""

import base64
import os

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
