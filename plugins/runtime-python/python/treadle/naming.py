"""The two ways of writing a name: ``path_params`` in Python, ``pathParams`` on the wire."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"(?<=[A-Za-z0-9])_([a-z0-9])")
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


@lru_cache(maxsize=4096)
def camel(name: str) -> str:
    """``max_attempts`` as ``maxAttempts``; names that are camel-cased already stay."""
    return _WORD.sub(lambda match: match.group(1).upper(), name)


@lru_cache(maxsize=4096)
def snake(name: str) -> str:
    """``maxAttempts`` as ``max_attempts``; names that are snake-cased already stay."""
    return _HUMP.sub(lambda match: "_" + match.group(1).lower(), name)
