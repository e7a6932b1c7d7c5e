"""The client's side of RFC 6455, without any input or output of its own."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterator

from .limits import MAX_FRAME_BYTES

TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA
_CONTINUATION = 0x0
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MAX_HEAD = 16 * 1024
#: On a local socket there is no intermediary that a mask would protect, and masking with zeros costs nothing.
NO_MASK = bytes(4)


class WebSocketError(Exception):
    """The other side does not speak WebSocket, or refused the upgrade."""


class Handshake:
    """The upgrade request and the check of its answer."""

    def __init__(self, host: str, path: str) -> None:
        self._key = base64.b64encode(os.urandom(16))
        self.request = (
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {self._key.decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode("latin-1")

    def take(self, received: bytearray) -> bool:
        """Removes the answer from what was received; False while it is not complete. :raises WebSocketError:"""
        end = received.find(b"\r\n\r\n")
        if end < 0:
            if len(received) > _MAX_HEAD:
                raise WebSocketError("the answer to the upgrade is too long")
            return False
        head = bytes(received[:end])
        del received[: end + 4]
        self._check(head)
        return True

    def _check(self, head: bytes) -> None:
        status, _, rest = head.partition(b"\r\n")
        if not re.match(rb"HTTP/1\.1 101\b", status):
            raise WebSocketError(f"the upgrade was answered with {status.decode('latin-1')!r}")
        fields = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in rest.split(b"\r\n"))
        }
        expected = base64.b64encode(hashlib.sha1(self._key + _GUID).digest())
        if fields.get(b"sec-websocket-accept") != expected:
            raise WebSocketError("the answer to the upgrade has a wrong Sec-WebSocket-Accept")


class FrameReader:
    """Takes bytes as they come and gives whole messages: ``(opcode, payload)``."""

    __slots__ = ("_buffer", "_parts", "_opcode", "_size")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._parts: list[bytes] = []
        self._opcode = 0
        self._size = 0

    def feed(self, data: bytes | bytearray) -> Iterator[tuple[int, bytes]]:
        """:raises WebSocketError: for what a server must not send"""
        buffer = self._buffer
        buffer += data
        position = 0
        try:
            while True:
                frame = _frame_at(buffer, position)
                if frame is None:
                    return
                first, start, position = frame
                message = self._take(first, bytes(memoryview(buffer)[start:position]))
                if message is not None:
                    yield message
        finally:
            del buffer[:position]

    def _take(self, first: int, payload: bytes) -> tuple[int, bytes] | None:
        opcode = first & 0x0F
        if opcode >= 0x8:
            return opcode, payload
        if opcode != _CONTINUATION:
            self._opcode, self._parts, self._size = opcode, [], 0
        self._parts.append(payload)
        self._size += len(payload)
        if self._size > MAX_FRAME_BYTES:
            raise WebSocketError("a message is larger than 16 MiB")
        if not first & 0x80:
            return None
        parts, self._parts = self._parts, []
        return self._opcode, parts[0] if len(parts) == 1 else b"".join(parts)


def _frame_at(buffer: bytearray, position: int) -> tuple[int, int, int] | None:
    """First byte, start and end of the payload of the frame at a position; None while it is not complete."""
    have = len(buffer) - position
    if have < 2:
        return None
    first, second = buffer[position], buffer[position + 1]
    if second & 0x80 or first & 0x70:
        raise WebSocketError("a frame of the server is masked or compressed")
    size, start = second, position + 2
    if size == 126:
        if have < 4:
            return None
        size, start = int.from_bytes(buffer[start : start + 2], "big"), start + 2
    elif size == 127:
        if have < 10:
            return None
        size, start = int.from_bytes(buffer[start : start + 8], "big"), start + 8
    if size > MAX_FRAME_BYTES:
        raise WebSocketError("a frame is larger than 16 MiB")
    return (first, start, start + size) if len(buffer) - start >= size else None


def client_frame(opcode: int, payload: bytes, local: bool) -> bytes:
    """One whole message as a client sends it. ``local``: over a unix socket."""
    size = len(payload)
    if size < 126:
        head = bytes((0x80 | opcode, 0x80 | size))
    elif size < 65536:
        head = bytes((0x80 | opcode, 0x80 | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((0x80 | opcode, 0x80 | 127)) + size.to_bytes(8, "big")
    if local:
        return head + NO_MASK + payload
    mask = os.urandom(4)
    return head + mask + _masked(payload, mask)


def _masked(payload: bytes, mask: bytes) -> bytes:
    """XOR of whole integers: the fastest way that the standard library has."""
    size = len(payload)
    key = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "little") ^ int.from_bytes(key, "little")).to_bytes(size, "little")


def close_payload(code: int, reason: str = "") -> bytes:
    """Body of a close frame."""
    return code.to_bytes(2, "big") + reason.encode("utf-8")[:123]


def close_reason(payload: bytes) -> tuple[int, str]:
    """Code and text of a close frame; 1005 when it has none."""
    if len(payload) < 2:
        return 1005, ""
    return int.from_bytes(payload[:2], "big"), payload[2:].decode("utf-8", "replace")
