"""``ctx.streams`` of a test engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from treadle.errors import OperationError
from treadle.worker.running.failure import RunError
from treadle.worker.running.validation import Validate

from ..schema.schema_check import SchemaCheck
from .json_values import check_name, page_of, stored
from .keyed_store import KEEP, KeyedStore, Write
from .updates import MISSING, apply_update, check_operations

_INVALID = "StreamInvalidArgument"
#: Told of each change of an item: stream, group, id, ``create``, ``update`` or ``delete``, and the item.
OnChange = Callable[[str, str, str, str, Any], None]
Args = dict[str, Any]


class TestStreams:
    """The operations by name, as ``stream.<verb>`` calls them. ``schemas``: the declared streams; ``judge_of``: what judges items of one."""

    def __init__(
        self, now: Callable[[], float], schemas: Mapping[str, Any], judge_of: Callable[[str], Validate | None] = lambda _: None
    ) -> None:
        self._now = now
        self._judge_of = judge_of
        self._checks = {name: SchemaCheck(schema, name) if schema is not None else None for name, schema in schemas.items()}
        self._stores: dict[str, KeyedStore] = {}
        #: Events that were sent and are not stored, oldest first.
        self.sent: list[dict[str, Any]] = []

    def call(self, verb: str, args: Args, on_change: OnChange) -> Any:
        """:raises OperationError:"""
        verbs: dict[str, Callable[[str, Args, OnChange], Any]] = {
            "get": self._get, "set": self._set, "delete": self._delete, "update": self._update, "list": self._list,
            "listGroups": self._list_groups, "send": self._send,
        }
        stream = check_name(_INVALID, "stream", args.get("stream"))
        if stream not in self._checks:
            raise OperationError("StreamNotDeclared", f'there is no stream "{stream}" (declared: {", ".join(self._checks) or "none"}); declare it in a *.stream file')
        return verbs[verb](stream, args, on_change)

    def _get(self, stream: str, args: Args, _: OnChange) -> Any:
        value, _revision = self._store(stream).read(*_names(args))
        return None if value is MISSING else stored(value)

    def _set(self, stream: str, args: Args, on_change: OnChange) -> Any:
        item = stored(args.get("item"))
        self._check(stream, item)
        group, id = _names(args)
        self._told(stream, group, id, self._store(stream).write(group, id, lambda *_: item), on_change)
        return stored(item)

    def _delete(self, stream: str, args: Args, on_change: OnChange) -> None:
        group, id = _names(args)
        self._told(stream, group, id, self._store(stream).write(group, id, lambda *_: MISSING), on_change)

    def _update(self, stream: str, args: Args, on_change: OnChange) -> Any:
        operations = check_operations(args.get("ops"))
        group, id = _names(args)

        def decide(before: Any, _: int) -> Any:
            if not operations:
                return KEEP
            after = apply_update(before, operations)
            if after is not MISSING:
                self._check(stream, after)
            return after

        _, before = self._store(stream).read(group, id)
        write = self._store(stream).write(group, id, decide)
        if operations:
            self._told(stream, group, id, write, on_change)
        return {"value": None, "revision": before} if write.after is MISSING else {"value": stored(write.after), "revision": write.revision}

    def _list(self, stream: str, args: Args, _: OnChange) -> Any:
        group, store = check_name(_INVALID, "groupId", args.get("groupId")), self._store(stream)
        return [stored(store.read(group, id)[0]) for id in store.keys(group)]

    def _list_groups(self, stream: str, args: Args, _: OnChange) -> Any:
        groups, cursor = page_of(_INVALID, self._store(stream).groups(), args)
        return {"items": groups, **({} if cursor is None else {"cursor": cursor})}

    def _send(self, stream: str, args: Args, _: OnChange) -> None:
        group = check_name(_INVALID, "groupId", args.get("groupId"))
        event = args.get("event") or {}
        if event.get("type") is None:
            raise OperationError(_INVALID, "the type of the event must be text, got undefined")
        kind = check_name(_INVALID, "the type of the event", event["type"])
        to = {} if args.get("id") is None else {"id": check_name(_INVALID, "id", args["id"])}
        self.sent.append({"stream": stream, "group_id": group, **to, "type": kind, "data": stored(event.get("data"))})

    def _check(self, stream: str, item: Any) -> None:
        check = self._checks[stream]
        issues = check.refusals(item) if check is not None else []
        judge = self._judge_of(stream)
        if judge is not None:
            try:
                judge(stored(item), "item")
            except RunError as error:
                issues = error.issues or []
        if issues:
            said = "; ".join(f"{issue['path']}: {issue['message']}" if issue["path"] else issue["message"] for issue in issues)
            raise OperationError("InvalidItem", f'the item does not fit the schema of stream "{stream}": {said}')

    def _store(self, stream: str) -> KeyedStore:
        return self._stores.setdefault(stream, KeyedStore(self._now))

    def _told(self, stream: str, group: str, id: str, write: Write, on_change: OnChange) -> None:
        if write.before is MISSING and write.after is MISSING:
            return
        kind = "create" if write.before is MISSING else "delete" if write.after is MISSING else "update"
        on_change(stream, group, id, kind, write.before if write.after is MISSING else write.after)


def _names(args: Args) -> tuple[str, str]:
    return check_name(_INVALID, "groupId", args.get("groupId")), check_name(_INVALID, "id", args.get("id"))
