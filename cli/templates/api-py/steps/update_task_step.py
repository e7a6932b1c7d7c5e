"""PUT /tasks/:id {"completed": true} changes what the body names and answers the task."""

from typing import Any

from treadle import Context, HttpInput, OperationError, http, step

from .task import PROBLEM, TASK, TASK_CHANGES, TASKS


@step({
    "name": "UpdateTask",
    "description": "Changes one task.",
    "triggers": [http("PUT", "/tasks/:id", body_schema=TASK_CHANGES, response_schema={200: TASK, 400: PROBLEM, 409: PROBLEM})],
    "flows": ["tasks"],
})
async def update_task(request: HttpInput, ctx: Context) -> dict[str, Any]:
    task_id = request.path_params["id"]
    entry = await ctx.state.get_entry(TASKS, task_id)
    if not entry:
        return {"status": 404}
    try:
        # Refused when the task was changed or deleted since it was read.
        changed = {**entry["value"], **request.body}
        updated = await ctx.state.compare_and_set(TASKS, task_id, entry["revision"], changed)
        return {"status": 200, "body": updated["value"]}
    except OperationError as error:
        if error.code != "StateConflict":
            raise
        return {"status": 409, "body": {"error": "the task was changed meanwhile; try again"}}
