"""Streams of chunks under credits, in both directions."""

from __future__ import annotations

import asyncio
import base64
from collections import deque
from collections.abc import Callable
from typing import Any

from treadle.errors import ClientGone

from .json_text import encode
from .limits import CHUNK_BYTES, INITIAL_CREDITS
from .write_gate import WriteGate

Push = Callable[[str], None]
#: Credits are given back in halves of the window: few messages, and the sender never runs dry.
_GRANT_AT = INITIAL_CREDITS // 2


class StreamFailed(Exception):
    """The other side of a stream failed, or the connection is gone."""


class StreamSender:
    """Sends bytes as ``chunk`` messages, never more than the receiver has granted and the socket takes. On the loop's thread only."""

    def __init__(
        self, stream: int, push: Push, on_close: Callable[[bool], None], *, gate: WriteGate | None = None, credits: int = INITIAL_CREDITS
    ) -> None:
        self.stream = stream
        self.closed = False
        self._push = push
        self._on_close = on_close
        self._gate = gate or WriteGate()
        self._credits = credits
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._turn = asyncio.Lock()

    async def write(self, data: bytes) -> None:
        """Returns when the receiver has room for more. Writers take turns. :raises ClientGone:"""
        async with self._turn:
            for start in range(0, len(data), CHUNK_BYTES):
                while self._credits == 0 and not self.closed:
                    await self._room()
                await self._gate.passed()
                try:
                    if self.closed:
                        raise ClientGone
                    self._credits -= 1
                    self._chunk(base64.b64encode(data[start : start + CHUNK_BYTES]).decode("ascii"))
                finally:
                    self._gate.written()
            if self.closed:
                raise ClientGone

    async def drained(self) -> None:
        """Returns when what tasks write that were begun before is written."""
        await asyncio.sleep(0)
        async with self._turn:
            pass

    def grant(self, chunks: int) -> None:
        """Takes a ``credit`` message: more chunks, or 0 when the receiver has gone."""
        if chunks == 0:
            return self.stop()
        self._credits += chunks
        self._wake()

    def end(self) -> None:
        """All is said."""
        self._finish(',"end":true')

    def fail(self, message: str) -> None:
        """The source failed."""
        self._finish(f',"error":{encode(message)}')

    def stop(self) -> None:
        """Ends without a word to the other side, which has gone."""
        self._close(whole=False)

    async def _room(self) -> None:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        await waiting

    def _chunk(self, data: str, how: str = "") -> None:
        self._push(f'{{"type":"chunk","stream":{self.stream},"data":"{data}"{how}}}')

    def _finish(self, how: str) -> None:
        if not self.closed:
            self._chunk("", how)
            self._close(whole=True)

    def _close(self, whole: bool) -> None:
        if self.closed:
            return
        self.closed = True
        self._wake()
        self._on_close(whole)

    def _wake(self) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(None)


class StreamReceiver:
    """Takes the chunks of a stream and grants more as they are read. On the loop's thread only."""

    def __init__(self, stream: int, push: Push, on_close: Callable[[], None]) -> None:
        self.stream = stream
        self._push = push
        self._on_close = on_close
        self._chunks: deque[bytes] = deque()
        self._taken = 0
        self._ended = False
        self._error: str | None = None
        self._closed = False
        self._waiting: asyncio.Future[None] | None = None

    def receive(self, message: dict[str, Any]) -> None:
        """Takes a ``chunk`` message. A sender that exceeds its credits or the size of a chunk fails the stream."""
        if self._ended or self._closed:
            return
        if "error" in message:
            self.fail(str(message["error"]))
            return
        if message["data"]:
            data = base64.b64decode(message["data"])
            if len(self._chunks) >= INITIAL_CREDITS or len(data) > CHUNK_BYTES:
                self.destroy("the sender of a stream exceeded its credits")
                return
            self._chunks.append(data)
        if message.get("end"):
            self._ended = True
            self._close()
        self._wake()

    async def read(self) -> bytes:
        """The next piece; empty at the end. :raises StreamFailed:"""
        while not self._chunks:
            if self._error is not None:
                raise StreamFailed(self._error)
            if self._ended:
                return b""
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        piece = self._chunks.popleft()
        self._taken += 1
        if self._taken >= _GRANT_AT and not self._closed:
            self._credit(self._taken)
            self._taken = 0
        return piece

    async def collect(self) -> bytes:
        """Everything that is left."""
        parts = []
        while piece := await self.read():
            parts.append(piece)
        return b"".join(parts)

    def destroy(self, reason: str = "the stream was not read to its end") -> None:
        """Tells the sender to stop, unless all has come."""
        if self._closed:
            return
        self._credit(0)
        self.fail(reason)

    def fail(self, reason: str) -> None:
        """Whoever reads it hears of it."""
        if self._ended or self._error is not None:
            return
        self._error = reason
        self._chunks.clear()
        self._close()
        self._wake()

    def _credit(self, chunks: int) -> None:
        self._push(f'{{"type":"credit","stream":{self.stream},"chunks":{chunks}}}')

    def _close(self) -> None:
        if not self._closed:
            self._closed = True
            self._on_close()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class StreamTable:
    """All streams of one connection. The worker opens odd ones, the engine even ones."""

    def __init__(self, push: Push) -> None:
        self._push = push
        #: Of the connection, which opens and closes it.
        self.gate = WriteGate()
        self._credits = INITIAL_CREDITS
        self._senders: dict[int, StreamSender] = {}
        self._receivers: dict[int, StreamReceiver] = {}
        self._next = 1

    def begin_with(self, chunks: int) -> None:
        """Streams that are opened from now on begin with so many chunks."""
        self._credits = chunks

    def send(self, on_close: Callable[[bool], None] = lambda whole: None) -> StreamSender:
        """Opens a stream to the engine; ``on_close`` hears whether it was sent to its end."""
        stream = self._next
        self._next += 2

        def closed(whole: bool) -> None:
            self._senders.pop(stream, None)
            on_close(whole)

        sender = self._senders[stream] = StreamSender(stream, self._push, closed, gate=self.gate, credits=self._credits)
        return sender

    def receive(self, stream: int) -> StreamReceiver:
        """A stream that the engine opened. To be called before its first chunk is handled."""

        def closed() -> None:
            self._receivers.pop(stream, None)

        receiver = self._receivers[stream] = StreamReceiver(stream, self._push, closed)
        return receiver

    def handle(self, message: dict[str, Any]) -> None:
        """Takes a ``chunk`` or ``credit`` message. Those of streams that are over crossed its end."""
        if message["type"] == "chunk":
            receiver = self._receivers.get(message["stream"])
            if receiver:
                receiver.receive(message)
        else:
            sender = self._senders.get(message["stream"])
            if sender:
                sender.grant(message["chunks"])

    def close(self, reason: str) -> None:
        """The connection is gone."""
        for sender in list(self._senders.values()):
            sender.stop()
        self.gate.close()
        for receiver in list(self._receivers.values()):
            receiver.fail(reason)
