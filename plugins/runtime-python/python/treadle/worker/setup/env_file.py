"""The variables that a ``*_env.py`` declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ..running.failure import RunError
from ..running.validation import validator_of
from .variables import Checked, check_variables, unusable_variables

_FORM = 'write "env = {"type": "object", "properties": {…}}", or a pydantic model'


@dataclass(frozen=True)
class DeclaredEnv:
    """Variables of a file."""

    file: str
    schema: Any
    names: tuple[str, ...] | None


def find_env(module: ModuleType) -> dict[str, Any]:
    """
    The config of a file of the environment: its schema.

    :raises ValueError: when it has none that can be checked
    """
    schema = vars(module).get("env")
    if schema is None:
        raise ValueError(f"the file declares no variables; {_FORM}")
    if isinstance(schema, Mapping):
        unusable = unusable_variables(schema)
        if unusable is not None:
            raise ValueError(unusable)
    return {"schema": schema}


def check_env(declared: DeclaredEnv, variables: Mapping[str, str]) -> Checked:
    """What the variables are; what others there are is not looked at."""
    validate = validator_of(declared.schema)
    if validate is None:
        return check_variables(declared.schema, variables)
    known = {name: variables[name] for name in declared.names or variables if name in variables}
    try:
        made = validate(known, "env")
    except RunError as refusal:
        return Checked({}, list(dict.fromkeys(_fault(issue, known) for issue in refusal.issues or ())))
    except Exception as error:
        return Checked({}, [f"the schema raised {type(error).__name__}: {error}"])
    return Checked(_members(made), [])


def _members(made: Any) -> dict[str, Any]:
    if isinstance(made, Mapping):
        return dict(made)
    fields = getattr(type(made), "model_fields", None)
    return {name: getattr(made, name) for name in fields} if fields is not None else dict(vars(made))


def _fault(issue: Mapping[str, str], known: Mapping[str, str]) -> str:
    name = issue["path"].split(".")[0]
    if name == "":
        return issue["message"]
    return f"{name}: {issue['message']}" if name in known else f"{name} is not set"
