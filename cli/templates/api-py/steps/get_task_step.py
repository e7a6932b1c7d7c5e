"""GET /tasks/:id answers one task."""

from typing import Any

from treadle import Context, HttpInput, http, step

from .task import TASK, TASKS


@step({
    "name": "GetTask",
    "description": "Reads one task.",
    "triggers": [http("GET", "/tasks/:id", response_schema={200: TASK})],
    "flows": ["tasks"],
})
async def get_task(request: HttpInput, ctx: Context) -> dict[str, Any]:
    found = await ctx.state.get(TASKS, request.path_params["id"])
    return {"status": 200, "body": found} if found else {"status": 404}
