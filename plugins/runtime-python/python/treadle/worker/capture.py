"""Takes what handlers print into the log, with the Step that printed it."""

from __future__ import annotations

import io
import logging
import sys
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO
from weakref import WeakKeyDictionary

from treadle.context import CURRENT

from .running.failure import stack_of
from .running.step_context import HandlerContext
from .whole_calls import in_whole_call, watch_calls

if TYPE_CHECKING:
    from .running.run import Run

#: A line that has no end by then is cut here, in characters.
_MAX_LINE = 64 * 1024
_LEVELS = {"stdout": "info", "stderr": "error"}


def running() -> Run | None:
    """The run that the caller belongs to."""
    context = CURRENT.get(None)
    return context._run if isinstance(context, HandlerContext) else None


class CapturedStream(io.TextIOBase):
    """In a handler what is written becomes log records: one for each call that prints, else one for each line; elsewhere it goes where it always went."""

    def __init__(self, name: str, original: TextIO, pass_on: bool) -> None:
        self._name = name
        self._original = original
        self._pass_on = pass_on
        self._rests: WeakKeyDictionary[Run, str] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        """``reconfigure`` and whatever else its original has beyond a stream of text."""
        if name == "_original":  # of a copy that is being made
            raise AttributeError(name)
        return getattr(self._original, name)

    def write(self, text: str) -> int:
        run = running()
        if run is None:
            return self._original.write(text)
        self._print(run, text)
        return self._original.write(text) if self._pass_on else len(text)

    def writelines(self, lines: Iterable[str]) -> None:  # type: ignore[override]
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self._original.flush()

    def isatty(self) -> bool:
        return self._original.isatty()

    def fileno(self) -> int:
        return self._original.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._original.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._original.errors

    @property
    def buffer(self) -> Any:
        """Bytes are not captured."""
        return self._original.buffer

    def _print(self, run: Run, text: str) -> None:
        with self._lock:
            if run not in self._rests and not run.over:
                run.on_finish(lambda: self._rest(run))
            text = self._rests.get(run, "") + text
            # What a call prints is told when it has ended.
            is_whole = in_whole_call()
            *lines, rest = [text] if is_whole else text.split("\n")
            if len(rest) > _MAX_LINE and not is_whole:
                lines.append(rest)
                rest = ""
            self._rests[run] = rest
        for line in lines:
            self._line(run, line)

    def call_ended(self, run: Run) -> None:
        """A call that prints is over: what it printed is one record, unless its last line goes on."""
        with self._lock:
            text = self._rests.get(run, "")
            if not text.endswith("\n") and len(text) <= _MAX_LINE:
                return
            self._rests[run] = ""
        self._line(run, text.removesuffix("\n"))

    def _rest(self, run: Run) -> None:
        """What a handler printed without a line end is told when it has finished."""
        with self._lock:
            rest = self._rests.pop(run, "")
        if rest:
            self._line(run, rest)

    def _line(self, run: Run, line: str) -> None:
        run.log(_LEVELS[self._name], line.removesuffix("\r"), {"stream": self._name})


class _LogHandler(logging.Handler):
    """What applications without a logging setup of their own say through ``logging``."""

    def emit(self, record: logging.LogRecord) -> None:
        run = running()
        try:
            if run is None:
                sys.stderr.write(self.format(record) + "\n")
            else:
                self._log(run, record)
        except Exception:  # a message that does not fit its arguments is no fault of whoever calls the handler
            self.handleError(record)

    @staticmethod
    def _log(run: Run, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warn" if record.levelno >= logging.WARNING else "info"
        fields: dict[str, Any] = {"logger": record.name}
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            fields["error"] = {"name": type(error).__name__, "message": str(error), "stack": stack_of(error)}
        run.log(level, record.getMessage(), fields)


def capture_output(pass_on: bool = False) -> None:
    """From now on, for the life of the process. ``pass_on``: what handlers print also goes where it always went."""
    streams = [CapturedStream("stdout", sys.stdout, pass_on), CapturedStream("stderr", sys.stderr, pass_on)]
    sys.stdout, sys.stderr = streams

    def ended() -> None:
        run = running()
        if run is not None:
            for stream in streams:
                stream.call_ended(run)

    watch_calls(lambda: running() is not None, ended)
    # Used only where an application has configured nothing.
    logging.lastResort = _LogHandler(logging.WARNING)
