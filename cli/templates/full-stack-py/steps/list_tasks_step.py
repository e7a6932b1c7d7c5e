"""GET /tasks?page=2&limit=10 answers the tasks of one page, oldest first."""

from typing import Any

from treadle import Context, HttpInput, http, step

from .task import ALL, PROBLEM, TASK

PAGE = {"type": "integer", "minimum": 1}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 100}

QUERY = {"type": "object", "properties": {"page": PAGE, "limit": LIMIT}}
TASK_PAGE = {
    "type": "object",
    "required": ["items", "page", "limit"],
    "properties": {"items": {"type": "array", "items": TASK}, "page": PAGE, "limit": LIMIT},
}


@step({
    "name": "ListTasks",
    "description": "Lists tasks page by page.",
    "triggers": [http("GET", "/tasks", query_schema=QUERY, response_schema={200: TASK_PAGE, 400: PROBLEM})],
    "flows": ["tasks"],
})
async def list_tasks(request: HttpInput, ctx: Context) -> dict[str, Any]:
    page, limit = request.query.get("page", 1), request.query.get("limit", 10)
    tasks = await ctx.streams.tasks.list(ALL)
    items = tasks[(page - 1) * limit:page * limit]
    return {"status": 200, "body": {"items": items, "page": page, "limit": limit}}
