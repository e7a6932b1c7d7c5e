"""The event loop of a process that serves Steps: what they raise does not end it."""

from __future__ import annotations

import asyncio
import inspect
import signal
import traceback
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_serving(work: Coroutine[Any, Any, Result]) -> Result:
    """
    As ``asyncio.run``, but ``SystemExit`` and ``KeyboardInterrupt`` of tasks and callbacks of the application do not end the loop: asyncio
    raises them out of it. The process is ended by ``end_process``, and by what ``work`` itself raises.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    main = loop.create_task(work)
    try:
        while True:
            try:
                return loop.run_until_complete(main)
            except (SystemExit, KeyboardInterrupt) as error:
                if main.done() or _is_ctrl_c(error):
                    raise
                _tell(loop, error)
    finally:
        try:
            _end_tasks(loop)
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def _is_ctrl_c(error: BaseException) -> bool:
    """It may come from the terminal: nobody has taken the signal over yet."""
    return isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _tell(loop: asyncio.AbstractEventLoop, error: BaseException) -> None:
    """Of a callback. A task keeps what it raised for whoever awaits it, and the loop tells what nobody has awaited."""
    frames = traceback.walk_tb(error.__traceback__)
    if not any(frame.f_code.co_flags & inspect.CO_COROUTINE for frame, _ in frames):
        loop.call_exception_handler({"message": f"a callback raised {type(error).__name__}", "exception": error})


def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.run_until_complete(loop.shutdown_default_executor())
