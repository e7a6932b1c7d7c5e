"""POST /tasks {"description": "Buy milk"} stores a task and answers it."""

from datetime import datetime, timezone
from typing import Any
from uuid import uuid4

from treadle import Context, HttpInput, http, step

from .task import ALL, NEW_TASK, PROBLEM, TASK, NewTask, Task


@step({
    "name": "CreateTask",
    "description": "Stores a new task.",
    # A body that does not fit is answered with 400 before the handler runs.
    "triggers": [http("POST", "/tasks", body_schema=NEW_TASK, response_schema={201: TASK, 400: PROBLEM})],
    "flows": ["tasks"],
})
async def create_task(request: HttpInput, ctx: Context) -> dict[str, Any]:
    now = datetime.now(timezone.utc)
    body: NewTask = request.body
    created: Task = {**body, "id": str(uuid4()), "completed": False, "createdAt": now.isoformat()}
    await ctx.streams.tasks.set(ALL, created["id"], created)
    ctx.logger.info("task created", {"id": created["id"]})
    return {"status": 201, "body": created}
