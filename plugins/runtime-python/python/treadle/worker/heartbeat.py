"""Says that this process lives, from a thread and over a connection of its own."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from .call_gate import CallGate
from .wire.connection import Address
from .wire.websocket import CLOSE, PING, PONG, TEXT, FrameReader, Handshake, WebSocketError, client_frame

#: How often the loop shows that it turns, in seconds.
_TICK_S = 0.1
_RECONNECT_S = 1.0
_HELD = ',"held":true'
_CONNECT_S = 10.0


#: Looks in a row that find no tick, after which a loop stands still. Counted rather than timed: on a machine that is busy both
#: threads are late, and the loop is not to blame.
_HELD_LOOKS = 5


class LoopWatch:
    """Tells from a loop's ticks how long it was late, and whether it stands still. ``now`` in seconds."""

    def __init__(self, ticks: Callable[[], int], now: Callable[[], float], tick_s: float) -> None:
        self._ticks = ticks
        self._now = now
        self._tick_s = tick_s
        self._seen = ticks()
        self._seen_at = now()
        self._worst = 0.0
        self._looks = 0

    def sample(self) -> None:
        """To be called about once per tick."""
        now, ticks = self._now(), self._ticks()
        self._worst = max(self._worst, self._late(now))
        self._looks += 1
        if ticks != self._seen:
            self._looks = 0
            self._seen, self._seen_at = ticks, now

    @property
    def is_held(self) -> bool:
        """True once each time that the loop stands still: about 0.5 s after its last tick. To be asked after each ``sample``."""
        return self._looks == _HELD_LOOKS

    def take_ms(self) -> int:
        """Longest delay since the last call, in whole milliseconds."""
        worst, self._worst = max(self._worst, self._late(self._now())), 0.0
        return max(0, round(worst * 1000))

    def _late(self, now: float) -> float:
        return now - self._seen_at - 2 * self._tick_s


class Heartbeat:
    """
    A handler that computes for long does not make the worker look dead, and a loop that is stuck is seen by its missing
    ticks; what that has not begun, the engine can have back. Code that keeps the interpreter's lock without ever letting
    go of it stops this thread as well.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, address: Address, hello: str, interval_s: float, gate: CallGate) -> None:
        self._loop = loop
        self._address = address
        self._hello = hello
        self._interval_s = interval_s
        self._gate = gate
        self._ticks = 0
        self._stopped = threading.Event()
        self._timer = loop.call_later(_TICK_S, self._tick)
        self._watch = LoopWatch(lambda: self._ticks, time.monotonic, _TICK_S)
        threading.Thread(target=self._run, name="treadle-heartbeat", daemon=True).start()

    def stop(self) -> None:
        """On the loop's thread."""
        self._stopped.set()
        self._timer.cancel()

    def _tick(self) -> None:
        self._ticks += 1
        self._timer = self._loop.call_later(_TICK_S, self._tick)

    def _run(self) -> None:
        # The main connection decides about the session; as long as it stands the heartbeat comes back.
        while not self._stopped.is_set():
            try:
                with _Line(self._address) as line:
                    line.say(self._hello)
                    self._beat(line)
            except (OSError, WebSocketError):
                pass
            self._stopped.wait(_RECONNECT_S)

    def _beat(self, line: _Line) -> None:
        next_look = time.monotonic()
        next_beat = next_look + self._interval_s
        while not self._stopped.is_set():
            for text in line.listen(min(_TICK_S, self._interval_s)):
                self._answer(line, text)
            now = time.monotonic()
            # What is asked in between is no look, or the loop would seem to stand still too soon.
            if now < next_look:
                continue
            next_look = now + _TICK_S
            self._watch.sample()
            is_due = now >= next_beat
            if is_due:
                next_beat += self._interval_s
            # A loop that stands still is told at once: what it has not begun can go elsewhere.
            is_held = self._watch.is_held and not is_debugged()
            if is_due or is_held:
                late_ms = 0 if is_debugged() else self._watch.take_ms()
                line.say(f'[{{"type":"alive","loopDelayMs":{late_ms}{_HELD if is_held else ""}}}]')

    def _answer(self, line: _Line, text: bytes) -> None:
        """What is no ``withdraw`` concerns the main connection."""
        asked = [message["id"] for message in json.loads(text) if message["type"] == "withdraw"]
        if asked:
            line.say(json.dumps([self._withdraw(each) for each in asked], separators=(",", ":")))

    def _withdraw(self, invocation: int) -> dict[str, Any]:
        what = self._gate.withdraw(invocation)
        answer = {"type": "withdrawal", "id": invocation, "done": what == "withdrawn"}
        return {**answer, "ended": True} if what == "ended" else answer


def is_debugged() -> bool:
    """Whether a debugger can reach this process: a loop that stands at a breakpoint is not stuck."""
    return "debugpy" in sys.modules or "pydevd" in sys.modules


class _Line:
    """A blocking WebSocket."""

    def __init__(self, address: Address) -> None:
        self._local = address.socket is not None
        self._socket = _open(address)
        self._reader = FrameReader()
        try:
            self._upgrade(address)
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def say(self, text: str) -> None:
        self._socket.settimeout(_CONNECT_S)
        self._socket.sendall(client_frame(TEXT, text.encode(), self._local))

    def listen(self, seconds: float) -> list[bytes]:
        """What comes within so long, as soon as something does. :raises OSError, WebSocketError:"""
        self._socket.settimeout(seconds)
        try:
            data = self._socket.recv(65536)
        except (TimeoutError, ssl.SSLWantReadError):
            return []
        if not data:
            raise WebSocketError("the connection was closed")
        return [payload for opcode, payload in self._reader.feed(data) if self._is_text(opcode, payload)]

    def _is_text(self, opcode: int, payload: bytes) -> bool:
        if opcode == CLOSE:
            raise WebSocketError("the connection was closed")
        if opcode == PING:
            self._socket.settimeout(_CONNECT_S)
            self._socket.sendall(client_frame(PONG, payload, self._local))
        return opcode == TEXT

    def _upgrade(self, address: Address) -> None:
        handshake = Handshake(address.authority, address.path)
        self._socket.sendall(handshake.request)
        received = bytearray()
        while not handshake.take(received):
            data = self._socket.recv(4096)
            if not data:
                raise WebSocketError("the connection was closed")
            received += data
        for _ in self._reader.feed(received):
            pass  # the greeting, if it came along


def _open(address: Address) -> socket.socket:
    if address.socket is not None:
        local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        local.settimeout(_CONNECT_S)
        try:
            local.connect(address.socket)
        except BaseException:
            local.close()
            raise
        return local
    plain = socket.create_connection((address.host, address.port), timeout=_CONNECT_S)
    if not address.secure:
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=address.host)
