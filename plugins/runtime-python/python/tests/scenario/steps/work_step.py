"""Retries, dead letters and what a handler may raise."""

from treadle import NonRetryableError, RetryAfter, queue

FAST = {"max_attempts": 3, "backoff": {"type": "fixed", "delay_ms": 1, "jitter": 0}}

config = {
    "name": "Work",
    "triggers": [
        queue("work", config=FAST, condition=lambda data, ctx: data["how"] != "blocked"),
        queue("typed", input={"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}),
    ],
}


def handler(data, ctx):
    if ctx.trigger.index == 1:
        return ctx.state.update("typed", "sum", [{"type": "increment", "by": data["n"]}])
    ctx.state.update("runs", data["how"], [{"type": "append", "value": ctx.attempt}])
    if data["how"] == "never":
        raise NonRetryableError("not this one")
    if data["how"] == "later" and ctx.attempt < 2:
        raise RetryAfter(2)
    if data["how"] == "bad":
        raise LookupError("not found")
