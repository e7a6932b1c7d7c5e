"""Values by group and key, in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .updates import MISSING


@dataclass
class _Kept:
    value: Any
    revision: int
    #: Milliseconds since the epoch.
    expires_at: float | None


@dataclass(frozen=True)
class Write:
    """What a write did; ``MISSING`` stands for no value."""

    before: Any
    after: Any
    revision: int


#: Gives what a key is to hold, from what it holds and its revision (0: nothing); ``KEEP`` leaves it as it is.
Next = Callable[[Any, int], Any]
KEEP = object()


class KeyedStore:
    """Revisions count from 1 and go on when a key is deleted or has expired."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._groups: dict[str, dict[str, _Kept]] = {}

    def read(self, group: str, key: str) -> tuple[Any, int]:
        """Value and revision; ``MISSING`` and 0 for none."""
        kept = self._kept(group, key)
        return (kept.value, kept.revision) if kept is not None and kept.value is not MISSING else (MISSING, 0)

    def write(self, group: str, key: str, decide: Next, ttl_ms: float | None = None, keep_expiry: bool = False) -> Write:
        """``decide`` may raise; then nothing is changed."""
        before, revision = self.read(group, key)
        after = decide(before, revision)
        if after is KEEP or (after is MISSING and before is MISSING):
            return Write(before, before, revision)
        kept = self._kept(group, key)
        latest = (kept.revision if kept is not None else 0) + 1
        expires_at = kept.expires_at if keep_expiry and kept is not None and before is not MISSING else None
        if ttl_ms is not None:
            expires_at = self._now() + ttl_ms
        keys = self._groups.setdefault(group, {})
        if before is MISSING:
            keys.pop(key, None)
        keys[key] = _Kept(after, latest, None if after is MISSING else expires_at)
        return Write(before, after, latest)

    def keys(self, group: str) -> list[str]:
        """In the order in which they were created."""
        return [key for key in self._groups.get(group, {}) if self.read(group, key)[0] is not MISSING]

    def groups(self) -> list[str]:
        return [group for group in self._groups if self.keys(group)]

    def _kept(self, group: str, key: str) -> _Kept | None:
        kept = self._groups.get(group, {}).get(key)
        if kept is not None and kept.expires_at is not None and kept.expires_at <= self._now():
            kept.value, kept.expires_at = MISSING, None
        return kept
