"""Parts of a schema that refer to others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote


def resolved(reference: str, root: Any) -> Any:
    """:raises ValueError: when it leads nowhere"""
    at = root
    for part in reference[1:].split("/")[1:]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        at = at[int(name)] if isinstance(at, list) and name.isdecimal() else at.get(name) if isinstance(at, Mapping) else None
        if at is None:
            raise ValueError(f'the reference "{reference}" leads nowhere')
    return at
