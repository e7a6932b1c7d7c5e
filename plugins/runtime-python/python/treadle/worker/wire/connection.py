"""A WebSocket to the engine on the event loop."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from .limits import CLOSE_NORMAL, FRAME_TARGET_BYTES
from .websocket import CLOSE, PING, PONG, TEXT, FrameReader, Handshake, WebSocketError, client_frame, close_payload, close_reason

#: Time to be answered in when a connection is closed, in seconds.
_FAREWELL_S = 2.0


@dataclass(frozen=True)
class Address:
    """Where an engine listens."""

    host: str
    port: int
    path: str
    #: Path of a unix socket; then host and port say nothing.
    socket: str | None
    secure: bool

    @property
    def authority(self) -> str:
        """For the ``Host`` header."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(url: str) -> Address:
    """Reads a ``ws:``, ``wss:`` or ``ws+unix:`` URL. :raises ValueError:"""
    if url.startswith("ws+unix:"):
        socket, _, path = url[len("ws+unix:") :].partition(":")
        return Address("localhost", 80, path or "/", socket, False)
    parts = urlsplit(url)
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise ValueError(f'"{url}" is no ws or wss URL')
    secure = parts.scheme == "wss"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(parts.hostname, parts.port or (443 if secure else 80), path, None, secure)


class Connection(asyncio.Protocol):
    """Upgrades, then gives each text message to ``on_text``. ``on_close`` is called once, with code and reason."""

    def __init__(
        self, address: Address, on_open: Callable[[], None], on_text: Callable[[bytes], None], on_close: Callable[[int, str], None]
    ) -> None:
        self.open = False
        self._address = address
        self._on_open = on_open
        self._on_text = on_text
        self._on_close = on_close
        self._handshake: Handshake | None = Handshake(address.authority, address.path)
        self._head = bytearray()
        self._reader = FrameReader()
        self._transport: asyncio.Transport | None = None
        self._over: tuple[int, str] | None = None
        self._told = False
        #: Hears whether the socket takes what is written, or what was written before waits for it.
        self.on_writable: Callable[[bool], None] = lambda writable: None

    @property
    def waiting(self) -> int:
        """Bytes that the system has not taken yet."""
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def pause_writing(self) -> None:
        self.on_writable(False)

    def resume_writing(self) -> None:
        self.on_writable(True)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=FRAME_TARGET_BYTES)
        assert self._handshake is not None
        transport.write(self._handshake.request)

    def data_received(self, data: bytes) -> None:
        try:
            if self._handshake is not None:
                self._head += data
                if not self._handshake.take(self._head):
                    return
                self._handshake, data = None, bytes(self._head)
                self.open = True
                self._on_open()
            for opcode, payload in self._reader.feed(data):
                self._take(opcode, payload)
        except WebSocketError as error:
            self.terminate(str(error))

    def connection_lost(self, error: Exception | None) -> None:
        self.open = False
        if not self._told:
            self._told = True
            code, reason = self._over or (1006, str(error) if error else "the connection was closed")
            self._on_close(code, reason)

    def send_text(self, text: str) -> None:
        """Sends one message; nothing when the connection is not open."""
        if self.open and self._transport is not None:
            self._transport.write(client_frame(TEXT, text.encode("utf-8"), self._address.socket is not None))

    def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        """Says goodbye and waits for the other side's, for a moment."""
        if not self.open:
            return
        self._write(CLOSE, close_payload(code, reason))
        self.open = False
        self._over = self._over or (code, reason)
        asyncio.get_running_loop().call_later(_FAREWELL_S, self.terminate, reason or "the connection was closed")

    def terminate(self, reason: str) -> None:
        """Ends at once."""
        self._over = self._over or (1006, reason)
        if self._transport is not None:
            self._transport.abort()

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == TEXT:
            self._on_text(payload)
        elif opcode == PING:
            self._write(PONG, payload)
        elif opcode == CLOSE:
            code, reason = close_reason(payload)
            if self.open:
                self._write(CLOSE, payload[:2])
            self.open = False
            self._over = self._over or (code, reason)
            if self._transport is not None:
                self._transport.close()
        elif opcode != PONG:
            raise WebSocketError("a message is no text")

    def _write(self, opcode: int, payload: bytes) -> None:
        if self._transport is not None:
            self._transport.write(client_frame(opcode, payload, self._address.socket is not None))


async def connect(address: Address, connection: Connection) -> None:
    """Opens the transport; the upgrade follows. :raises OSError:"""
    loop = asyncio.get_running_loop()
    if address.socket is not None:
        await loop.create_unix_connection(lambda: connection, address.socket)
    else:
        context = ssl.create_default_context() if address.secure else None
        await loop.create_connection(lambda: connection, address.host, address.port, ssl=context)
