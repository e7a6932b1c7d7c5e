"""Plays the acts of ``scenario/``: what Python handlers are given, and what becomes of what they give, as the engine does it."""

from __future__ import annotations

import json
import os
import unittest
from typing import Any

from treadle.testing import Answer, TestEngine, create_test_engine

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scenario")
#: Of an error of the engine: what developers are told besides, and what is another one each time.
_LEFT_OUT = ("traceId", "hint", "routes", "message")
_HEADERS = ("content-type", "allow", "x-list", "cache-control", "retry-after")


class Scenario(unittest.IsolatedAsyncioTestCase):
    async def test_of_requests_operations_and_deliveries(self) -> None:
        with open(os.path.join(FOLDER, "acts.json"), encoding="utf-8") as source:
            acts = json.load(source)
        self.assertGreater(len(acts), 100)
        async with create_test_engine(FOLDER) as app:
            for act in acts:
                with self.subTest(json.dumps({key: value for key, value in act.items() if key != "expect"})):
                    self.assertEqual(await play(app, act), act.get("expect"))


async def play(app: TestEngine, act: dict[str, Any]) -> Any:
    """What an act comes to, in the form in which the scenario writes it; None for one that only waits."""
    if "http" in act:
        given = {key: act[key] for key in ("body", "query", "headers") if key in act}
        return _told(await app.http(*act["http"], **given))
    if "letters" in act:
        letters = app.dead_letters(step=act["letters"])
        return sorted(([letter.reason, letter.attempts, letter.data] for letter in letters), key=json.dumps)
    await app.until_idle()
    await app.clock.advance(1_000)
    return None


def _told(answer: Answer) -> dict[str, Any]:
    body = answer.body
    if isinstance(body, dict) and "issues" in body:
        body = {**body, "issues": sorted((issue["in"], issue["path"], issue["code"], issue["message"]) for issue in body["issues"])}
    if isinstance(body, dict) and "error" in body:
        body = {key: value for key, value in body.items() if key not in _LEFT_OUT}
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    headers = {name: answer.headers[name] for name in _HEADERS if name in answer.headers}
    return {"status": answer.status, "headers": headers, "body": json.loads(json.dumps(body))}
