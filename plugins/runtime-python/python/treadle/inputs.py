"""First arguments of handlers: dicts with snake_case keys, whose members can be read as attributes as well."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, BinaryIO, cast

from .cookies import parse_cookies
from .naming import snake


class Record(dict[str, Any]):
    """A dict whose members can be read as attributes. A key in camelCase finds its snake_case form."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f'the input has no "{name}"; it has {", ".join(self)}') from None

    def __missing__(self, key: str) -> Any:
        written = snake(key)
        if written == key:
            raise KeyError(key)
        return self[written]

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key in either form, else ``default``."""
        try:
            return self[key]
        except KeyError:
            return default


def record(value: Any) -> Any:
    """An object of the wire with its own keys in snake_case; what is inside its members is left as it is."""
    if not isinstance(value, dict):
        return value
    return Record({snake(key): member for key, member in value.items()})


class HttpInput(Record):
    """First argument of a handler that an http trigger started."""

    __slots__ = ("_wire",)

    _wire: Mapping[str, Any]
    #: Parsed and validated.
    body: Any
    #: Percent-decoded.
    path_params: dict[str, str]
    #: Last value of each name, or what ``query_schema`` made of them.
    query: Any
    #: The same map as ``query``.
    query_params: Any
    #: Lower-case name to value; repeated ones are joined.
    headers: Any
    method: str
    #: Path of the request, without query.
    path: str
    #: Bytes of the body; None without ``raw_body: True``.
    raw_body: bytes | None
    #: Files of a multipart body; None when there are none.
    files: list[UploadedFile] | None

    def __init__(self, wire: Mapping[str, Any], body: Any, coerced: bool) -> None:
        given = wire.get("query")
        query = (given if coerced else _last_values(given)) if given else {}
        super().__init__(
            body=body, path_params=wire.get("pathParams") or {}, query_params=query, query=query, headers=wire["headers"],
            method=wire["method"], path=wire["path"],
        )
        self._wire = wire

    def __getattr__(self, name: str) -> Any:
        # No member, so that the input has only what was sent; asking is no mistake all the same.
        return self.get(name) if snake(name) in _OPTIONAL else super().__getattr__(name)

    def __missing__(self, key: str) -> Any:
        written = snake(key)
        if written in _VIEWS:
            return getattr(self, written)
        return super().__missing__(key)

    @property
    def ip(self) -> str:
        """
        Address of the client: the other end of the connection, or whom the engine's ``trust_proxy`` allows proxies to name. Empty when it
        is not known.
        """
        address: str = self._wire.get("ip", "")
        return address

    @property
    def cookies(self) -> dict[str, str]:
        """Cookies by name, decoded. Sign those that clients must not change, with ``treadle.cookies``."""
        return parse_cookies(self._wire["headers"].get("cookie"))

    @property
    def request(self) -> HttpInput:
        """The input itself, for handlers that read ``input.request.body``. Not a member, so no copy contains itself."""
        return self

    @property
    def query_all(self) -> dict[str, list[str]]:
        """All values of each query parameter."""
        return _lists(self._wire.get("query"))

    @property
    def headers_all(self) -> dict[str, list[str]]:
        """All values of each header."""
        return {**_lists(self._wire["headers"]), **(self._wire.get("headersAll") or {})}


_VIEWS = frozenset(("ip", "cookies", "request", "query_all", "headers_all"))
_OPTIONAL = frozenset(("raw_body", "files"))


def _last_values(query: Any) -> Any:
    """A name that was repeated keeps its last value."""
    for value in query.values():
        if isinstance(value, list):
            return {name: (each[-1] if each else "") if isinstance(each, list) else each for name, each in query.items()}
    return query


def _lists(values: Any) -> dict[str, list[str]]:
    return {
        name: [str(item) for item in value] if isinstance(value, list) else [str(value)] for name, value in (values or {}).items()
    }


class UploadedFile:
    """A file of a multipart body. Large ones lie in a temporary file until the handler has finished."""

    __slots__ = ("field", "filename", "content_type", "size", "path", "_bytes")

    def __init__(self, wire: Mapping[str, Any], *, content: bytes | None = None, path: str | None = None) -> None:
        #: Name of the form field.
        self.field = cast(str, wire["field"])
        #: As the client named it; never a path to trust.
        self.filename = cast(str, wire["filename"])
        self.content_type = cast("str | None", wire.get("contentType"))
        #: Where it lies, when it is a temporary file.
        self.path = path
        self._bytes = content
        #: Bytes.
        self.size = len(content) if content is not None else os.path.getsize(path or "")

    def read(self) -> bytes:
        """The whole content."""
        if self._bytes is not None:
            return self._bytes
        with self.open() as source:
            return source.read()

    def text(self) -> str:
        """The whole content as UTF-8."""
        return self.read().decode("utf-8", "replace")

    def open(self) -> BinaryIO:
        """A binary file to read from; the caller closes it."""
        import io

        return io.BytesIO(self._bytes) if self._bytes is not None else open(self.path or "", "rb")

    def __repr__(self) -> str:
        return f"<UploadedFile {self.field} {self.filename!r} {self.size} bytes>"
