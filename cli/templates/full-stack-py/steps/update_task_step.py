"""PUT /tasks/:id {"completed": true} changes what the body names and answers the task."""

from typing import Any

from treadle import Context, HttpInput, http, step

from .task import ALL, PROBLEM, TASK, TASK_CHANGES


@step({
    "name": "UpdateTask",
    "description": "Changes one task.",
    "triggers": [http("PUT", "/tasks/:id", body_schema=TASK_CHANGES, response_schema={200: TASK, 400: PROBLEM})],
    "flows": ["tasks"],
})
async def update_task(request: HttpInput, ctx: Context) -> dict[str, Any]:
    task_id = request.path_params["id"]
    if not await ctx.streams.tasks.get(ALL, task_id):
        return {"status": 404}
    # Atomic: two requests that change different members at once both succeed.
    updated = await ctx.streams.tasks.update(ALL, task_id, [{"type": "merge", "value": request.body}])
    return {"status": 200, "body": updated["value"]}
