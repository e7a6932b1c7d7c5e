"""Operations that were asked of the engine and not answered yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from treadle.errors import OperationError

from .wire.json_text import Unwritable, encode
from .wire.limits import MAX_FRAME_BYTES

#: Largest arguments of an operation: more would exceed the largest frame, and that ends the session.
_MAX_ARGS_BYTES = MAX_FRAME_BYTES - 4_096


class OperationCalls:
    """On the loop's thread only."""

    def __init__(self, push: Callable[[str], None]) -> None:
        self._push = push
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._last = 0

    def begin(self, invocation: int, op: str, args: dict[str, Any]) -> asyncio.Future[Any]:
        """Sends a ``call``; the future has its reply. :raises OperationError:"""
        try:
            text = encode(args)
        except Unwritable as error:
            raise OperationError("InvalidValue", f"the arguments of {op} are not JSON: {error}") from None
        if len(text) > _MAX_ARGS_BYTES:
            problem = f"the arguments of {op} have {len(text)} bytes; at most {_MAX_ARGS_BYTES} can be sent"
            raise OperationError("ValueTooLarge", problem)
        self._last += 1
        call = self._last
        future = self._waiting[call] = asyncio.get_running_loop().create_future()
        self._push(f'{{"type":"call","call":{call},"id":{invocation},"op":{encode(op)},"args":{text}}}')
        return future

    def take(self, message: dict[str, Any]) -> None:
        """A ``reply``."""
        future = self._waiting.pop(message["call"], None)
        if future is None or future.done():
            return
        error = message.get("error")
        if error is None:
            future.set_result(message.get("value"))
        else:
            future.set_exception(OperationError(error["code"], error["message"]))

    def lose(self) -> None:
        """No reply will come. Whether the operations were carried out is unknown."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(OperationError("EngineLost", "the connection to the engine was lost before the operation was answered"))
                future.exception()
        self._waiting.clear()
