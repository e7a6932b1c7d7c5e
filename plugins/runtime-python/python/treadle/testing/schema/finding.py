"""What is found in a value that does not fit its schema."""

from __future__ import annotations

from dataclasses import dataclass

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Finding:
    """Something that does not fit."""

    keyword: str
    path: Path
    message: str
