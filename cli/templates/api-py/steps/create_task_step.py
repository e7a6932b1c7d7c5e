"""POST /tasks {"description": "Buy milk"} stores a task and answers it."""

from datetime import datetime, timezone
from typing import Any
from uuid import uuid4

from treadle import Context, HttpInput, http, step

from .task import NEW_TASK, PROBLEM, TASK, TASKS, NewTask, Task


@step({
    "name": "CreateTask",
    "description": "Stores a new task.",
    # A body that does not fit is answered with 400 before the handler runs.
    "triggers": [http("POST", "/tasks", body_schema=NEW_TASK, response_schema={201: TASK, 400: PROBLEM})],
    "flows": ["tasks"],
})
async def create_task(request: HttpInput, ctx: Context) -> dict[str, Any]:
    now = datetime.now(timezone.utc)
    # Begins with the time: the keys of a group are listed in ascending order, so the oldest task comes first.
    task_id = f"{int(now.timestamp() * 1000)}-{uuid4().hex[:8]}"
    body: NewTask = request.body
    created: Task = {**body, "id": task_id, "completed": False, "createdAt": now.isoformat()}
    await ctx.state.set(TASKS, task_id, created)
    ctx.logger.info("task created", {"id": task_id})
    return {"status": 201, "body": created}
