"""How a worker that was started by hand comes back."""

import asyncio
import base64
import hashlib
import re
import unittest
import unittest.mock
from typing import Any

from treadle.worker.remote import Backoff, _lost
from treadle.worker.session import ClosedReason, SessionOptions, WorkerSession


class Backing(unittest.TestCase):
    def test_pauses_two_seconds_at_most_while_there_is_no_engine(self) -> None:
        pauses = Backoff(lambda: 1.0)
        self.assertEqual([pauses.next(False) for _ in range(7)], [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0])
        pauses.reset()
        self.assertEqual(pauses.next(False), 0.1)

    def test_pauses_thirty_seconds_at_most_when_the_engine_refuses(self) -> None:
        pauses = Backoff(lambda: 1.0)
        self.assertEqual([pauses.next(True) for _ in range(10)][-2:], [25.6, 30.0])

    def test_takes_a_broken_connection_and_a_stopping_engine_for_an_absent_one(self) -> None:
        self.assertFalse(_lost(ClosedReason(1006, "refused", None)).refused)
        self.assertFalse(_lost(ClosedReason(1001, "stopping", "draining")).refused)
        self.assertTrue(_lost(ClosedReason(4001, "no", "bad_token")).refused)
        self.assertTrue(_lost(ClosedReason(4002, "no", "protocol_version")).final)


class AtTheWrongAddress(unittest.IsolatedAsyncioTestCase):
    CHECK = "check ENGINE_URL: the engine's port for Step processes is 3110 unless its configuration says another"

    async def ending(self, answer: bytes, url: str = "ws://user:secret@{}/") -> tuple[str, str]:
        """What a session says that is answered so, and the address."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.read(4096)
            key = re.search(rb"Sec-WebSocket-Key: (\S+)", head, re.I)
            accept = base64.b64encode(hashlib.sha1((key.group(1) if key else b"") + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            writer.write(answer.replace(b"{accept}", accept))
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        host = "127.0.0.1:%d" % server.sockets[0].getsockname()[1]
        lost: asyncio.Future[ClosedReason] = asyncio.get_running_loop().create_future()
        runner: Any = unittest.mock.MagicMock()
        options = SessionOptions(url=url.format(host), token="t", hello={}, loads=False, on_drained=lambda: None, on_lost=lost.set_result)
        session = WorkerSession(runner, options)
        await session.open()
        reason = await asyncio.wait_for(lost, 10)
        server.close()
        return reason.message, host

    async def test_says_what_answers_there(self) -> None:
        message, host = await self.ending(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        self.assertEqual(message, f"{host} answers with HTTP 404 and is no channel of Step processes; {self.CHECK}")
        message, host = await self.ending(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        self.assertEqual(message, f"{host} answers with HTTP 502; the engine behind it may be away")
        message, host = await self.ending(b"HTTP/1.1 400 Bad Request\r\n\r\n", "wss://{}/")
        self.assertEqual(message, f"{host} speaks no TLS; write ws:// into ENGINE_URL, or the address of a proxy that has TLS")

    async def test_says_that_a_websocket_server_is_no_engine(self) -> None:
        frame = b'{"type":"error"}'
        upgraded = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
        message, host = await self.ending(upgraded + bytes((0x81, len(frame))) + frame)
        self.assertEqual(message, f"{host} does not answer as an engine does; {self.CHECK}")

    async def test_tells_its_end_though_something_that_hears_of_it_first_raises(self) -> None:
        lost: asyncio.Future[ClosedReason] = asyncio.get_running_loop().create_future()
        runner: Any = unittest.mock.MagicMock()
        runner.cancel_all.side_effect = ValueError("unforeseen")
        options = SessionOptions(url="ws+unix:/nowhere:/", token="t", hello={}, loads=False, on_drained=lambda: None, on_lost=lost.set_result)
        with self.assertRaisesRegex(ValueError, "unforeseen"):
            await WorkerSession(runner, options).open()
        self.assertEqual((await asyncio.wait_for(lost, 1)).code, 1006)

    async def test_lets_nothing_begin_after_its_end(self) -> None:
        lost: asyncio.Future[ClosedReason] = asyncio.get_running_loop().create_future()
        runner: Any = unittest.mock.MagicMock()
        received: list[bool] = []
        runner.cancel_all.side_effect = lambda reason: received.append(runner.gate.receive(1))
        options = SessionOptions(url="ws+unix:/nowhere:/", token="t", hello={}, loads=False, on_drained=lambda: None, on_lost=lost.set_result)
        await WorkerSession(runner, options).open()
        await asyncio.wait_for(lost, 60)
        self.assertEqual(received, [False])


if __name__ == "__main__":
    unittest.main()
