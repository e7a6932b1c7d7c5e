"""Regular expressions as ECMAScript, which JSON Schema asks for, writes them."""

from __future__ import annotations

import re
from functools import lru_cache

_PART = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\(\?<(?=[A-Za-z_])|\$|.", re.DOTALL)


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    r"""
    ``$`` is the end and not also before a last line break, ``\d`` and ``\w`` are ASCII, groups may be named ``(?<name>…)``.

    :raises ValueError: when Python cannot read it
    """
    translated = "".join(_translated(part) for part in _PART.findall(pattern))
    try:
        return re.compile(translated, re.ASCII)
    except re.error as error:
        raise ValueError(f'the pattern "{pattern}" cannot be used: {error}') from None


def _translated(part: str) -> str:
    if part == "$":
        return r"\Z"
    if part == "(?<":
        return "(?P<"
    return "/" if part == r"\/" else part
