"""GET /hello?name=Ada answers {"message": "Hello, Ada!"}."""

from typing import Any

from treadle import Context, HttpInput, http, step

from .greeted import greeted

QUERY = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 100}},
}
GREETING = {
    "type": "object",
    "required": ["message"],
    "properties": {"message": {"type": "string"}},
}


@step({
    "name": "Hello",
    "description": "Greets whoever asks.",
    "triggers": [http("GET", "/hello", query_schema=QUERY, response_schema={200: GREETING})],
    "enqueues": [greeted],
    "flows": ["greetings"],
})
async def hello(request: HttpInput, ctx: Context) -> dict[str, Any]:
    name = request.query.get("name", "world")
    ctx.logger.info("greeting", {"name": name})
    # Returns when the message is safely stored. The answer does not wait for the Steps that consume it.
    await ctx.enqueue({"topic": greeted, "data": {"name": name}})
    return {"status": 200, "body": {"message": f"Hello, {name}!"}}
