"""Frames, batches, streams and the watch over the loop."""

import asyncio
import base64
import json
import os
import sys
import unittest
from unittest.mock import patch

from treadle.errors import ClientGone
from treadle.worker.call_gate import CallGate
from treadle.worker.heartbeat import LoopWatch, is_debugged
from treadle.worker.wire.connection import parse_address
from treadle.worker.wire.json_text import Unwritable, encode, utf8
from treadle.worker.wire.limits import CHUNK_BYTES
from treadle.worker.wire.log_valve import LogValve
from treadle.worker.wire.streams import StreamFailed, StreamTable
from treadle.worker.wire.turn_batch import TurnBatch
from treadle.worker.wire.websocket import PING, TEXT, FrameReader, Handshake, WebSocketError, client_frame, close_payload, close_reason


def server_frame(payload: bytes, opcode: int = TEXT, final: bool = True) -> bytes:
    first = (0x80 if final else 0) | opcode
    size = len(payload)
    head = bytes((first, size)) if size < 126 else bytes((first, 126)) + size.to_bytes(2, "big") if size < 65536 else bytes((first, 127)) + size.to_bytes(8, "big")
    return head + payload


class Frames(unittest.TestCase):
    def test_arrive_in_any_pieces(self) -> None:
        payloads = [b"", b"a" * 125, b"b" * 126, b"c" * 65535, b"d" * 65536]
        wire = b"".join(map(server_frame, payloads))
        for size in (1, 7, 4096, len(wire)):
            reader = FrameReader()
            got = [message for start in range(0, len(wire), size) for message in reader.feed(wire[start : start + size])]
            self.assertEqual(got, [(TEXT, payload) for payload in payloads])

    def test_are_put_together_around_control_frames(self) -> None:
        wire = server_frame(b"on", final=False) + server_frame(b"?", PING) + server_frame(b"e", opcode=0)
        self.assertEqual(list(FrameReader().feed(wire)), [(PING, b"?"), (TEXT, b"one")])

    def test_that_no_server_sends_are_refused(self) -> None:
        for wire in (bytes((0x81, 0x80)), bytes((0xC1, 0)), bytes((0x81, 127)) + (2**25).to_bytes(8, "big")):
            with self.assertRaises(WebSocketError):
                list(FrameReader().feed(wire))

    def test_of_clients_are_masked_but_on_local_sockets_with_zeros(self) -> None:
        for size in (0, 5, 126, 70_000):
            payload = os.urandom(size)
            for local in (True, False):
                frame = client_frame(TEXT, payload, local)
                head = len(frame) - size - 4
                mask, body = frame[head : head + 4], frame[head + 4 :]
                self.assertEqual(frame[1] & 0x80, 0x80)
                self.assertEqual(mask == bytes(4), local)
                self.assertEqual(bytes(byte ^ mask[index % 4] for index, byte in enumerate(body)), payload)

    def test_of_the_end_carry_code_and_reason(self) -> None:
        self.assertEqual(close_reason(close_payload(4001, "no")), (4001, "no"))
        self.assertEqual(close_reason(b""), (1005, ""))

    def test_the_upgrade_is_checked(self) -> None:
        with self.assertRaisesRegex(WebSocketError, "401"):
            Handshake("h", "/").take(bytearray(b"HTTP/1.1 401 Unauthorized\r\n\r\n"))
        with self.assertRaisesRegex(WebSocketError, "Accept"):
            Handshake("h", "/").take(bytearray(b"HTTP/1.1 101 X\r\nSec-WebSocket-Accept: no\r\n\r\n"))
        self.assertFalse(Handshake("h", "/").take(bytearray(b"HTTP/1.1 101 X\r\n")))


class Addresses(unittest.TestCase):
    def test_are_read_from_urls(self) -> None:
        self.assertEqual(parse_address("ws+unix:/a b/s:/").socket, "/a b/s")
        far = parse_address("wss://[::1]/x?y=1")
        self.assertEqual((far.host, far.port, far.path, far.secure, far.authority), ("::1", 443, "/x?y=1", True, "[::1]:443"))
        with self.assertRaises(ValueError):
            parse_address("ftp://x")


class JsonText(unittest.TestCase):
    def test_is_ascii_and_refuses_what_cannot_be_kept(self) -> None:
        self.assertEqual(encode({"ä": "\ud800"}), '{"\\u00e4":"\\ud800"}')
        self.assertEqual(encode({"digits": "12345678901234567890", "n": 2**53 - 1}), '{"digits":"12345678901234567890","n":9007199254740991}')
        self.assertEqual(utf8("a\ud800"), "a\ufffd".encode())
        cycle: list[object] = []
        cycle.append(cycle)
        deep: list[object] = []
        for _ in range(100_000):
            deep = [deep]
        for value in (cycle, deep, 2**53, float("inf"), b"bytes"):
            with self.assertRaises(Unwritable):
                encode(value)


class Batches(unittest.IsolatedAsyncioTestCase):
    async def test_hold_all_of_a_turn_and_at_most_a_mebibyte(self) -> None:
        frames: list[str] = []
        batch = TurnBatch(asyncio.get_running_loop(), frames.append)
        for number in range(3):
            batch.push(str(number))
        self.assertEqual(frames, [])
        await asyncio.sleep(0)
        self.assertEqual(frames, ["[0,1,2]"])
        frames.clear()
        for _ in range(5):
            batch.push('"' + "x" * 400_000 + '"')
        await asyncio.sleep(0)
        self.assertEqual([len(json.loads(frame)) for frame in frames], [2, 2, 1])
        self.assertTrue(all(len(frame) <= 1024 * 1024 for frame in frames))


class Streams(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.said: list[dict[str, object]] = []
        self.table = StreamTable(lambda text: self.said.append(json.loads(text)))

    async def test_send_no_more_than_was_granted(self) -> None:
        sender = self.table.send()
        writing = asyncio.create_task(sender.write(b"x" * 64 * 1024 * 20))
        await asyncio.sleep(0)
        self.assertEqual(len(self.said), 16)
        self.table.handle({"type": "credit", "stream": 1, "chunks": 4})
        await writing
        sender.end()
        self.assertEqual((len(self.said), self.said[-1]), (21, {"type": "chunk", "stream": 1, "data": "", "end": True}))

    async def test_wait_for_the_socket_each_in_its_turn(self) -> None:
        self.table.gate.set(False)
        senders = [self.table.send() for _ in range(3)]
        writing = [asyncio.ensure_future(sender.write(bytes(2 * CHUNK_BYTES))) for sender in senders]
        await asyncio.sleep(0.01)
        self.assertEqual(self.said, [])
        self.table.gate.set(True)
        await asyncio.gather(*writing)
        self.assertEqual([message["stream"] for message in self.said], [1, 3, 5, 1, 3, 5])

    async def test_do_not_wait_for_the_socket_of_a_connection_that_is_gone(self) -> None:
        self.table.gate.set(False)
        writing = [asyncio.ensure_future(self.table.send().write(b"x")) for _ in range(3)]
        writing[0].cancel()
        await asyncio.sleep(0)
        self.table.close("gone")
        ends = await asyncio.wait_for(asyncio.gather(*writing, return_exceptions=True), 5)
        self.assertEqual([type(end) for end in ends], [asyncio.CancelledError, ClientGone, ClientGone])

    async def test_begin_with_as_many_chunks_as_the_engine_says(self) -> None:
        self.table.begin_with(2)
        sender = self.table.send()
        writing = asyncio.ensure_future(sender.write(bytes(3 * CHUNK_BYTES)))
        await asyncio.sleep(0.01)
        self.assertEqual(len(self.said), 2)
        sender.grant(1)
        await writing
        self.assertEqual(len(self.said), 3)

    async def test_tell_writers_that_nobody_reads(self) -> None:
        sender = self.table.send()
        writing = asyncio.create_task(sender.write(b"x" * 64 * 1024 * 20))
        await asyncio.sleep(0)
        self.table.handle({"type": "credit", "stream": 1, "chunks": 0})
        with self.assertRaises(ClientGone):
            await writing

    async def test_grant_more_as_they_are_read(self) -> None:
        receiver = self.table.receive(2)
        for _ in range(8):
            self.table.handle({"type": "chunk", "stream": 2, "data": base64.b64encode(b"ab").decode()})
        self.assertEqual(self.said, [])
        for _ in range(8):
            await receiver.read()
        self.assertEqual(self.said, [{"type": "credit", "stream": 2, "chunks": 8}])

    async def test_fail_with_their_sender_and_against_one_that_exceeds_its_credits(self) -> None:
        failing, greedy = self.table.receive(2), self.table.receive(4)
        self.table.handle({"type": "chunk", "stream": 2, "data": "", "error": "disk gone"})
        for _ in range(17):
            self.table.handle({"type": "chunk", "stream": 4, "data": "YQ=="})
        for receiver, message in ((failing, "disk gone"), (greedy, "exceeded its credits")):
            with self.assertRaisesRegex(StreamFailed, message):
                await receiver.collect()


class LogValves(unittest.TestCase):
    def test_drop_what_nobody_reads_warnings_last_and_tell_it_once(self) -> None:
        waiting = 0
        valve = LogValve(100, lambda: waiting)
        admitted = []
        for waiting, level in [(100, "info"), (101, "info"), (51, "info"), (200, "error"), (201, "error")]:
            admitted.append(valve.admits(level))
        self.assertEqual((admitted, valve.dropped, valve.untold()), ([True, False, False, True, False], 3, 0))
        waiting = 50
        self.assertEqual((valve.untold(), valve.untold(), valve.admits("info")), (3, 0, True))


class Gate(unittest.TestCase):
    def setUp(self) -> None:
        self.gate = CallGate()

    def test_lets_in_what_nobody_withdrew_and_withdraws_nothing_that_was_let_in(self) -> None:
        self.assertEqual((self.gate.receive(7), self.gate.enter(7), self.gate.withdraw(7)), (True, True, "begun"))
        self.gate.leave(7)
        self.assertEqual(self.gate.withdraw(7), "ended")

    def test_refuses_what_was_withdrawn_before_it_came(self) -> None:
        self.assertEqual((self.gate.withdraw(7), self.gate.withdraw(7), self.gate.receive(7)), ("withdrawn", "withdrawn", False))
        self.assertEqual((self.gate.withdraw(7), self.gate.receive(8)), ("withdrawn", True))

    def test_refuses_what_was_withdrawn_while_it_waited(self) -> None:
        self.gate.receive(7)
        self.assertEqual((self.gate.withdraw(7), self.gate.enter(7), self.gate.withdraw(7)), ("withdrawn", False, "withdrawn"))

    def test_lets_invocations_wait_however_many_others_come_meanwhile(self) -> None:
        self.gate.receive(1)
        self.gate.receive(2)
        for each in range(3, 10_000):
            self.gate.receive(each)
            self.gate.enter(each)
            self.gate.leave(each)
        self.assertEqual((self.gate.withdraw(1), self.gate.enter(1), self.gate.enter(2)), ("withdrawn", False, True))

    def test_has_nothing_to_withdraw_of_what_will_not_begin(self) -> None:
        self.gate.receive(1)
        self.gate.leave(1)
        self.assertEqual(self.gate.withdraw(1), "ended")

    def test_lets_nothing_in_once_it_is_closed(self) -> None:
        for each in (1, 2):
            self.gate.receive(each)
        self.gate.enter(1)
        self.gate.close()
        self.assertEqual((self.gate.enter(2), self.gate.receive(3), self.gate.enter(3), self.gate.withdraw(1)), (False, False, False, "begun"))

    def test_remembers_no_more_than_it_needs(self) -> None:
        for each in range(1, 5_000):
            self.gate.withdraw(each)
        self.assertEqual((self.gate.receive(1), self.gate.receive(4_999)), (True, False))


class Watch(unittest.TestCase):
    def test_a_process_that_a_debugger_can_reach_is_never_called_stuck(self) -> None:
        self.assertFalse(is_debugged())
        for name in ("debugpy", "pydevd"):
            with patch.dict(sys.modules, {name: sys}):
                self.assertTrue(is_debugged())

    def test_tells_how_late_the_loop_was(self) -> None:
        now, ticks = [0.0], [0]
        watch = LoopWatch(lambda: ticks[0], lambda: now[0], 0.25)
        for _ in range(4):
            now[0] += 0.25
            ticks[0] += 1
            watch.sample()
        self.assertEqual(watch.take_ms(), 0)
        now[0] += 3
        self.assertEqual(watch.take_ms(), 2500)
        ticks[0] += 1
        watch.sample()
        self.assertEqual((watch.take_ms(), watch.take_ms()), (2500, 0))

    def test_says_once_that_the_loop_stands_still(self) -> None:
        now, ticks = [0.0], [0]
        watch = LoopWatch(lambda: ticks[0], lambda: now[0], 0.1)

        def look(step: int) -> bool:
            now[0] += 0.1
            ticks[0] += step
            watch.sample()
            return watch.is_held

        self.assertEqual([look(1) for _ in range(3)], [False] * 3)
        self.assertEqual([look(0) for _ in range(7)], [False] * 4 + [True] + [False] * 2)
        look(1)
        self.assertEqual([look(0) for _ in range(5)], [False] * 4 + [True])
