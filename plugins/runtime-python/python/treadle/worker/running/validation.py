"""The worker's half of validation: what pydantic knows beyond JSON Schema. The engine has checked the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..schemas import adapter_of
from .failure import RunError

#: Gives what the schema makes of a value. Takes the value and where it stands.
Validate = Callable[[Any, str], Any]
#: Characters of one issue's text.
_MAX_TEXT = 1_000


def validator_of(schema: Any) -> Validate | None:
    """The validation that a schema brings; None for JSON Schema."""
    adapter = adapter_of(schema)
    if adapter is None:
        return None

    def validate(value: Any, where: str) -> Any:
        try:
            return adapter.validate_python(value)
        except ValueError as error:
            raise RunError("validation_failed", f"{where} failed its schema", _issues(error, where)) from None

    return validate


def _issues(error: ValueError, where: str) -> list[dict[str, str]]:
    found = getattr(error, "errors", None)
    if not callable(found):
        return [{"in": where, "path": "", "message": str(error)[:_MAX_TEXT], "code": "invalid"}]
    return [
        {
            "in": where, "path": ".".join(str(part) for part in issue["loc"])[:_MAX_TEXT], "message": str(issue["msg"])[:_MAX_TEXT],
            "code": str(issue["type"]),
        }
        for issue in found(include_url=False, include_context=False, include_input=False)
    ]
