"""``ctx.state`` of a test engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from treadle.errors import OperationError

from .json_values import check_name, page_of, stored
from .keyed_store import KEEP, KeyedStore, Write
from .updates import MISSING, apply_update, check_operations

_INVALID = "StateInvalidArgument"
_MAX_TTL_MS = 100 * 365 * 86_400_000

#: Told of each change: group, key, old value and new value, ``MISSING`` for none.
OnChange = Callable[[str, str, Any, Any], None]
Args = dict[str, Any]


class TestState:
    """The operations by name, as ``state.<verb>`` calls them."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._store = KeyedStore(now)

    def call(self, verb: str, args: Args, on_change: OnChange) -> Any:
        """:raises OperationError:"""
        verbs: dict[str, Callable[[Args, OnChange], Any]] = {
            "get": self._get, "set": self._set, "delete": self._delete, "update": self._update, "list": self._list,
            "listGroups": self._list_groups, "clear": self._clear, "getEntry": self._get_entry, "compareAndSet": self._compare_and_set,
        }
        return verbs[verb](args, on_change)

    def _get(self, args: Args, _: OnChange) -> Any:
        value, _revision = self._store.read(*_names(args))
        return None if value is MISSING else stored(value)

    def _get_entry(self, args: Args, _: OnChange) -> Any:
        group, key = _names(args)
        value, revision = self._store.read(group, key)
        return None if value is MISSING else {"key": key, "value": stored(value), "revision": revision}

    def _set(self, args: Args, on_change: OnChange) -> Any:
        value = stored(args.get("value"))
        ttl_ms = args.get("ttlMs")
        if ttl_ms is not None and not (_is_whole(ttl_ms) and 1 <= ttl_ms <= _MAX_TTL_MS):
            raise OperationError(_INVALID, f"ttlMs must be a whole number of milliseconds from 1 to {_MAX_TTL_MS}, got {ttl_ms}")
        group, key = _names(args)
        self._told(group, key, self._store.write(group, key, lambda *_: value, ttl_ms), on_change)
        return stored(value)

    def _delete(self, args: Args, on_change: OnChange) -> None:
        group, key = _names(args)
        self._told(group, key, self._store.write(group, key, lambda *_: MISSING), on_change)

    def _update(self, args: Args, on_change: OnChange) -> Any:
        operations = check_operations(args.get("ops"))
        group, key = _names(args)

        def decide(before: Any, _: int) -> Any:
            return apply_update(before, operations) if operations else KEEP

        before = self._store.read(group, key)
        write = self._store.write(group, key, decide, keep_expiry=True)
        if operations:
            self._told(group, key, write, on_change)
        if write.after is MISSING:
            return {"value": None, "revision": before[1]}
        return {"value": stored(write.after), "revision": write.revision}

    def _compare_and_set(self, args: Args, on_change: OnChange) -> Any:
        value, expected = stored(args.get("value")), args.get("revision")
        if not _is_whole(expected) or expected < 0:
            raise OperationError(_INVALID, f"revision must be a whole number from 0, got {expected}")
        group, key = _names(args)

        def decide(_: Any, revision: int) -> Any:
            if revision != expected:
                has = "does not exist" if revision == 0 else f"has revision {revision}"
                raise OperationError("StateConflict", f'key "{key}" of group "{group}" {has}, not revision {expected}')
            return value

        write = self._store.write(group, key, decide, keep_expiry=True)
        self._told(group, key, write, on_change)
        return {"value": stored(value), "revision": write.revision}

    def _list(self, args: Args, _: OnChange) -> Any:
        group = check_name(_INVALID, "group", args.get("group"))
        keys, cursor = page_of(_INVALID, self._store.keys(group), args)
        items = [{"key": key, "value": stored(value), "revision": revision} for key in keys for value, revision in [self._store.read(group, key)]]
        return {"items": items, **({} if cursor is None else {"cursor": cursor})}

    def _list_groups(self, args: Args, _: OnChange) -> Any:
        groups, cursor = page_of(_INVALID, self._store.groups(), args)
        return {"items": groups, **({} if cursor is None else {"cursor": cursor})}

    def _clear(self, args: Args, on_change: OnChange) -> int:
        group = check_name(_INVALID, "group", args.get("group"))
        keys = sorted(self._store.keys(group), key=str.encode)
        for key in keys:
            self._told(group, key, self._store.write(group, key, lambda *_: MISSING), on_change)
        return len(keys)

    def _told(self, group: str, key: str, write: Write, on_change: OnChange) -> None:
        if not (write.before is MISSING and write.after is MISSING):
            on_change(group, key, write.before, write.after)


def _names(args: Args) -> tuple[str, str]:
    return check_name(_INVALID, "group", args.get("group")), check_name(_INVALID, "key", args.get("key"))


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
