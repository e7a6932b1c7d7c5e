"""Plays the scenario of ``agreement/`` in the test engine: the engine's own end-to-end tests play the same one."""

from __future__ import annotations

import json
import os
from typing import Any

from treadle.testing import Answer, TestEngine

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agreement")
SCENARIO = os.path.join(FOLDER, "scenario.json")
_HEADERS = ("content-type", "allow", "x-list", "cache-control", "retry-after")


def scenario() -> list[dict[str, Any]]:
    with open(SCENARIO, encoding="utf-8") as source:
        acts: list[dict[str, Any]] = json.load(source)
    return acts


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
    if isinstance(body, dict):
        body = {key: value for key, value in body.items() if key != "traceId"}
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    if isinstance(body, dict) and body.get("code") == "invalid_handler_result":
        # Why it was unusable is told to developers only.
        body = {**body, "error": body["error"].partition(":")[0]}
    headers = {name: answer.headers[name] for name in _HEADERS if name in answer.headers}
    return {"status": answer.status, "headers": headers, "body": json.loads(json.dumps(body))}
