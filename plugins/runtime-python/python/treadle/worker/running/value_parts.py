"""How many parts a stored value may have, and the messages of a batch together."""

from __future__ import annotations

from typing import Any

from treadle.errors import OperationError

#: Most members of objects and elements of arrays, at all levels together: of a value, and of all messages of a batch.
_MAX_PARTS, _MAX_BATCH_PARTS = 100_000, 200_000
#: Most different keys of all objects together.
_MAX_KEYS = 20_000


class ValueParts:
    """
    Counts what a value consists of, while it is walked. The engine refuses a value of too many parts as well, but only
    after its event loop has read it: it had better not be sent. ``what``: subject of the error. ``batch``: counts along.
    """

    __slots__ = ("_batch", "_count", "_keys", "_most", "_remedy", "_what")

    def __init__(self, what: str, batch: ValueParts | None = None) -> None:
        self._count = 0
        self._keys: set[str] = set()
        self._what = what
        self._batch = batch
        self._most, self._remedy = _MAX_PARTS, "store it in several parts, or as text"

    @staticmethod
    def of_batch() -> ValueParts:
        """Counts the messages of a batch together."""
        made = ValueParts("the batch")
        made._most, made._remedy = _MAX_BATCH_PARTS, "enqueue them in several batches"
        return made

    def add_elements(self, count: int) -> None:
        """:raises OperationError: ``InvalidValue`` beyond the limit"""
        self._count += count
        if self._count > self._most:
            raise self._too_many(f"{self._most} members and elements")
        if self._batch is not None:
            self._batch.add_elements(count)

    def add_members(self, members: dict[Any, Any]) -> None:
        """:raises OperationError: ``InvalidValue`` beyond the limit, or 20,000 different keys"""
        self.add_elements(len(members))
        self._add_keys(members)

    def _add_keys(self, members: dict[Any, Any]) -> None:
        self._keys.update(members)
        if len(self._keys) > _MAX_KEYS:
            raise self._too_many(f"{_MAX_KEYS} different keys")
        if self._batch is not None:
            self._batch._add_keys(members)

    def _too_many(self, limit: str) -> OperationError:
        return OperationError("InvalidValue", f"{self._what} has more than {limit}; {self._remedy}")
