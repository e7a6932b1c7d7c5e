"""Schemas as Step files give them: JSON Schema as a dict, or types that pydantic understands."""

from __future__ import annotations

import importlib.util
import types
import typing
from functools import lru_cache
from typing import Any

#: Keyword at the root of a JSON Schema: name of the library that has the last word about a value.
LIBRARY_MARK = "x-treadle-library"


def adapter_of(schema: Any) -> Any:
    """
    pydantic's TypeAdapter for a model or type; None for JSON Schema, for anything that is no schema, and without pydantic.
    """
    if not _is_type(schema) or not has_pydantic():
        return None
    from pydantic import TypeAdapter

    return TypeAdapter(schema)


def json_schema(schema: Any) -> Any:
    """
    The JSON Schema of what a schema accepts. That of pydantic is marked: the engine checks by it what it can say, and pydantic has the
    last word in the Step's process.

    :raises ValueError: when it is none
    """
    if isinstance(schema, bool):
        return schema
    if isinstance(schema, dict):
        # No library stands behind JSON Schema, wherever it was copied from: the engine decides.
        return {key: value for key, value in schema.items() if key != LIBRARY_MARK}
    if not _is_type(schema):
        raise ValueError(f"a schema must be a JSON Schema dict or a pydantic model, not {_named(schema)}")
    if not has_pydantic():
        raise ValueError(f"{_named(schema)} can be a schema only where pydantic 2 is installed; use a JSON Schema dict")
    try:
        return {**adapter_of(schema).json_schema(mode="validation"), LIBRARY_MARK: "pydantic"}
    except Exception as error:
        first = str(error).split("\n", 1)[0]
        raise ValueError(f"pydantic makes no JSON Schema of {_named(schema)}: {first}") from error


@lru_cache(maxsize=1)
def has_pydantic() -> bool:
    """True when pydantic 2 can be imported; found out once."""
    if importlib.util.find_spec("pydantic") is None:
        return False
    import pydantic

    return hasattr(pydantic, "TypeAdapter")


def _is_type(schema: Any) -> bool:
    """A class, ``list[Model]``, ``A | B`` and their like."""
    return isinstance(schema, (type, types.GenericAlias, types.UnionType)) or typing.get_origin(schema) is not None


def _named(schema: Any) -> str:
    if isinstance(schema, type):
        return f"the class {schema.__name__}"
    return f"{schema!r}"[:100] if _is_type(schema) else f"a {type(schema).__name__}"
