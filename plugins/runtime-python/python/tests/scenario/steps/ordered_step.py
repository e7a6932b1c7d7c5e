"""One after the other within a group, also when one fails at first."""

from treadle import queue

config = {
    "name": "Ordered",
    "triggers": [queue("ordered", config={"type": "fifo", "max_attempts": 3, "backoff": {"type": "fixed", "delay_ms": 2, "jitter": 0}})],
}


async def handler(data, ctx):
    if data["n"] == 1 and ctx.attempt == 1:
        raise RuntimeError("at first")
    await ctx.state.update("ordered", data["group"], [{"type": "append", "value": data["n"]}])
