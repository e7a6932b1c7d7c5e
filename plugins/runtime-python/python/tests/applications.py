"""A runner over Step files in a temporary folder, whose engine is a list."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import sys
import tempfile
import textwrap
import unittest
from collections.abc import Callable
from typing import Any

from treadle.errors import OperationError
from treadle.worker.call_gate import CallGate
from treadle.worker.loading.catalog import StepCatalog
from treadle.worker.step_runner import StepRunner
from treadle.worker.wire.streams import StreamSender, StreamTable

TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"


class RecordingHost:
    """Keeps what the worker sends; answers operations with ``answers``."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.answers: Callable[[str, dict[str, Any]], Any] = lambda op, args: None
        self.streams = StreamTable(self.push)
        #: Bytes that the engine has not taken yet.
        self.waiting = 0

    def push(self, text: str) -> None:
        self.sent.append(json.loads(text))

    def open_stream(self, on_close: Callable[[bool], None]) -> StreamSender:
        return self.streams.send(on_close)

    def begin_operation(self, invocation: int, op: str, args: dict[str, Any]) -> asyncio.Future[Any]:
        future = asyncio.get_running_loop().create_future()
        self.calls.append((op, args))
        try:
            future.set_result(self.answers(op, args))
        except OperationError as error:
            future.set_exception(error)
        return future


class Application:
    """Step files, loaded and ready to be started."""

    def __init__(self, root: str, mode: str) -> None:
        self.root = root
        self.catalog = StepCatalog(root, mode, import_timeout_s=0.5)
        self.runner = StepRunner(self.catalog, threads=4)
        self.host = RecordingHost()
        self.runner.host = self.host
        self._last = 0

    def use_next_session(self, host: RecordingHost | None = None) -> None:
        """The connection was lost, and there is another one; ids begin again."""
        self.runner.gate.close()
        self.runner.cancel_all("engine_lost")
        self.host = self.runner.host = host or RecordingHost()
        self.runner.gate = CallGate()
        self._last = 0

    def write(self, file: str, text: str) -> None:
        path = os.path.join(self.root, *file.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as target:
            target.write(textwrap.dedent(text))

    def files(self) -> list[dict[str, str]]:
        found = []
        for folder, _, names in os.walk(self.root):
            for name in names:
                if name.endswith(("_step.py", "_stream.py", "_stream_auth.py", "_middleware.py", "_setup.py", "_env.py")):
                    path = os.path.join(folder, name)
                    with open(path, "rb") as source:
                        version = hashlib.sha256(source.read()).hexdigest()
                    found.append({"file": os.path.relpath(path, self.root), "version": version})
        return sorted(found, key=lambda file: file["file"])

    async def load(self) -> list[dict[str, Any]]:
        return await self.runner.load(self.files())

    def start(self, step: str, input: Any = None, kind: str = "http", index: int = 0, **more: Any) -> int:
        self._last += 1
        if kind == "http":
            input = {"method": "GET", "path": "/", "headers": {}, **(input or {})}
        message = {
            "type": "invoke", "id": self._last, "step": step, "trigger": {"type": kind, "index": index}, "input": input,
            "traceparent": TRACEPARENT, "timeoutMs": 1000, "attempt": 1, **more,
        }
        self.runner.start(message, [self.host.streams.receive(stream) for stream in more.get("streams", [])])
        return self._last

    async def outcome(self, invocation: int) -> dict[str, Any]:
        for _ in range(500):
            for message in self.host.sent:
                if message.get("id") == invocation and message["type"] in ("result", "error"):
                    return message
            await asyncio.sleep(0.01)
        raise AssertionError(f"invocation {invocation} was not answered: {self.host.sent}")

    async def run(self, step: str, input: Any = None, kind: str = "http", **more: Any) -> dict[str, Any]:
        return await self.outcome(self.start(step, input, kind, **more))

    async def body(self, step: str, input: Any = None, **more: Any) -> Any:
        outcome = await self.run(step, input, **more)
        try:
            return outcome["http"]["body"]["value"]
        except KeyError:
            raise AssertionError(f"no body: {outcome}") from None

    def logged(self) -> list[tuple[str, str, Any]]:
        return [(message["level"], message["message"], message.get("fields")) for message in self.host.sent if message["type"] == "log"]

    def report(self, reports: list[dict[str, Any]], file: str) -> dict[str, Any]:
        return next(report for report in reports if report["file"] == file)


class ApplicationTest(unittest.IsolatedAsyncioTestCase):
    """Makes applications and forgets their modules."""

    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.root = os.path.realpath(self._folder.name)
        self._modules = set(sys.modules)
        sys.path.insert(0, self.root)
        self._bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True

    def tearDown(self) -> None:
        sys.dont_write_bytecode = self._bytecode
        sys.path.remove(self.root)
        for name in set(sys.modules) - self._modules:
            if str(getattr(sys.modules[name], "__file__", None) or self.root).startswith(self.root):
                del sys.modules[name]
        self._folder.cleanup()

    async def application(self, files: dict[str, str], mode: str = "production") -> Application:
        """Its files are loaded; none may have a problem."""
        application = Application(self.root, mode)
        for file, text in files.items():
            application.write(file, text)
        for report in await application.load():
            self.assertNotIn("problem", report)
        return application


def step(body: str, name: str = "A", more: str = "") -> str:
    """A Step file whose ``async def handler`` has this body."""
    lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    config = f'config = {{"name": "{name}", "triggers": [{{"type": "http", "method": "GET", "path": "/{name}"}}]{more}}}'
    return f"{config}\n\nasync def handler(input, ctx):\n{lines}\n"


__all__ = ["Application", "ApplicationTest", "RecordingHost", "step"]


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
