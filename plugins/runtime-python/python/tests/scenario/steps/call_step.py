"""Calls any operation, and tells its result or how it was refused."""

from treadle import OperationError, http

config = {"name": "Call", "enqueues": ["work", "ordered", "typed"], "triggers": [http("POST", "/call")]}


async def handler(input, ctx):
    area, verb, *args = input.body
    target = {"state": ctx.state, "board": ctx.streams.board, "nothing": ctx.streams.nothing}.get(area)
    try:
        result = await (getattr(target, verb)(*args) if target is not None else ctx.enqueue(*args))
    except OperationError as error:
        return {"status": 409, "body": {"code": error.code, "message": str(error)}}
    return {"status": 200, "body": ["stored"] * len(result) if isinstance(result, list) and area == "queue" else "stored" if area == "queue" else result}
