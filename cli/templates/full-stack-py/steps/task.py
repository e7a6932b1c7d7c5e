"""What a task is, as a type and as JSON Schema."""

from typing import Any, TypedDict

#: Group of the stream "tasks" that holds all of them, by id.
ALL = "all"


class _Optional(TypedDict, total=False):
    dueDate: str


class NewTask(_Optional):
    description: str


class Task(_Optional):
    id: str
    description: str
    completed: bool
    createdAt: str


Schema = dict[str, Any]

_DESCRIPTION: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
_DUE_DATE: Schema = {"type": "string", "format": "date"}

TASK: Schema = {
    "type": "object",
    "required": ["id", "description", "completed", "createdAt"],
    "properties": {
        "id": {"type": "string"},
        "description": _DESCRIPTION,
        "completed": {"type": "boolean"},
        "createdAt": {"type": "string", "format": "date-time"},
        "dueDate": _DUE_DATE,
    },
}

#: What a client sends to make a task.
NEW_TASK: Schema = {
    "type": "object",
    "required": ["description"],
    "additionalProperties": False,
    "properties": {"description": _DESCRIPTION, "dueDate": _DUE_DATE},
}

#: What a client sends to change one: any of these.
TASK_CHANGES: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"description": _DESCRIPTION, "dueDate": _DUE_DATE, "completed": {"type": "boolean"}},
}

#: Body of an answer that refuses a request.
PROBLEM: Schema = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "string"}},
}
