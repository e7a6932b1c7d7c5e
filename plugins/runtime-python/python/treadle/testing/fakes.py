"""Functions of a test in the place of operations that handlers call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from treadle.errors import OperationError
from treadle.worker.wire.json_text import encode


async def faked(op: str, fake: Callable[..., Any], args: dict[str, Any]) -> str:
    """Members of a line of JSON: the function's value, or its error with a code."""
    try:
        value = fake(**args)
        return f'"value":{encode(await value if inspect.isawaitable(value) else value)}'
    except OperationError as error:
        return _error(error.code, str(error))
    except Exception as error:
        return _error("OPERATION_FAILED", f'"{op}" failed: {error}')


def _error(code: str, message: str) -> str:
    return f'"error":{encode({"code": code, "message": message})}'
