"""The levels of a logger."""

from __future__ import annotations

from typing import Any


class LevelLogger:
    """A method for each level; where a record goes is said by ``_write``."""

    __slots__ = ()

    def _write(self, level: str, message: Any, fields: Any, more: dict[str, Any]) -> None:
        raise NotImplementedError

    def debug(self, message: Any, fields: Any = None, **more: Any) -> None:
        self._write("debug", message, fields, more)

    def info(self, message: Any, fields: Any = None, **more: Any) -> None:
        self._write("info", message, fields, more)

    def warn(self, message: Any, fields: Any = None, **more: Any) -> None:
        self._write("warn", message, fields, more)

    warning = warn

    def error(self, message: Any, fields: Any = None, **more: Any) -> None:
        self._write("error", message, fields, more)
