"""Shapes of requests and answers without a schema."""

from treadle import HttpError, http, sse, streamed

config = {
    "name": "Echo",
    "triggers": [http(method, path) for method in ("GET", "POST") for path in ("/echo", "/echo/:name", "/echo/fixed", "/files/*rest")],
}


async def handler(input, ctx):
    kind = input.query.get("kind")
    if kind == "raise":
        raise ValueError("hidden")
    if kind == "missing":
        raise HttpError(404, "no such word")
    if kind == "taken":
        raise HttpError(409, {"taken": True})
    if kind in ("teapot", "large"):
        error = ValueError("hidden")
        setattr(error, "status", 418 if kind == "teapot" else 413)
        raise error
    if kind == "generator":
        return {"status": 200, "headers": {"content-type": "text/csv"}, "body": (piece for piece in ("a", b"b"))}
    if kind == "shape":
        return 5
    if kind == "header":
        return {"status": 200, "headers": {"content-length": "1"}}
    if kind == "nothing":
        return None
    if kind == "text":
        return {"status": 200, "headers": {"Content-Type": "text/plain", "X-List": ["a", "b"]}, "body": "text"}
    if kind == "sse":
        async def events(send):
            await send({"n": 1}, event="one", id="1")
            await send("two\nlines")
        return sse(events)
    if kind == "pieces":
        return streamed(["a", b"b"], status=202, headers={"content-type": "text/csv"})
    body = input.body.decode() if isinstance(input.body, bytes) else input.body
    return {"status": 200, "body": {"method": input.method, "path": input.path, "params": input.path_params, "query": input.query, "all": input.query_all, "body": body}}
