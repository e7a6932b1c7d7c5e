"""PUT /tasks/:id {"completed": true} changes what the body names and answers the task."""

from typing import Any

from treadle import Context, HttpInput, OperationError, http, step

from .task import ALL, PROBLEM, TASK, TASK_CHANGES


@step({
    "name": "UpdateTask",
    "description": "Changes one task.",
    "triggers": [http("PUT", "/tasks/:id", body_schema=TASK_CHANGES, response_schema={200: TASK, 400: PROBLEM})],
    "flows": ["tasks"],
})
async def update_task(request: HttpInput, ctx: Context) -> dict[str, Any]:
    try:
        # Atomic: two requests that change different members at once both succeed.
        changes = [{"type": "merge", "value": request.body}]
        updated = await ctx.streams.tasks.update(ALL, request.path_params["id"], changes)
        return {"status": 200, "body": updated["value"]}
    except OperationError as error:
        # Where there is no task, the changes alone are none: they do not fit the schema of the stream.
        if error.code != "InvalidItem":
            raise
        return {"status": 404}
