"""Keeps the tasks, and tells every client that follows them what happens to them."""

from typing import Any

from .task import TASK


def can_access(subscription: Any, auth: Any) -> bool:
    """Everybody may follow, as everybody may ask GET /tasks. Decide here when there are users."""
    return True


config = {
    "name": "tasks",
    "description": "All tasks, live.",
    "schema": TASK,
    "can_access": can_access,
}
