"""DELETE /tasks/:id forgets a task, whether or not it is there."""

from typing import Any

from treadle import Context, HttpInput, http, step

from .task import ALL


@step({
    "name": "DeleteTask",
    "description": "Deletes one task.",
    "triggers": [http("DELETE", "/tasks/:id")],
    "flows": ["tasks"],
})
async def delete_task(request: HttpInput, ctx: Context) -> dict[str, Any]:
    await ctx.streams.tasks.delete(ALL, request.path_params["id"])
    return {"status": 204}
