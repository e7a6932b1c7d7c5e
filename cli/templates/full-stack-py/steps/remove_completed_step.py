"""Runs every night at three, UTC."""

from typing import Any

from treadle import Context, cron, step

from .task import ALL


@step({
    "name": "RemoveCompleted",
    "description": "Deletes the tasks that are done.",
    "triggers": [cron("0 3 * * *")],
    "flows": ["tasks"],
})
async def remove_completed(tick: Any, ctx: Context) -> None:
    completed = [task for task in await ctx.streams.tasks.list(ALL) if task["completed"]]
    for task in completed:
        await ctx.streams.tasks.delete(ALL, task["id"])
    ctx.logger.info("completed tasks removed", {"count": len(completed)})
