"""What the engine gets of a run."""

from __future__ import annotations

import contextvars
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..wire.streams import StreamSender
from .declared_value import value_text
from .failure import failure_members, log_fields, to_failure
from .http_result import StreamedAnswer, http_answer, is_by_middleware
from .raw_body import has_pending_body
from .response_stream import open_content, produce_body, send_bytes
from .thrown_answer import thrown_answer

if TYPE_CHECKING:
    from .run import Run

#: Lowest status of a raised answer that is logged: below, the client is at fault.
_LOGGED_FROM = 500


class Answer:
    """The one message of a run's result or error, with the body that streams behind it. Its parts run on the loop's thread."""

    __slots__ = ("given", "_run", "_sender", "_content")

    def __init__(self, run: Run) -> None:
        #: The engine has forgotten the invocation from then on.
        self.given = False
        self._run = run
        self._sender: StreamSender | None = None
        #: A body that is too large for a message, and its stream.
        self._content: tuple[StreamSender, bytes] | None = None

    @property
    def streams(self) -> bool:
        """Its body has begun to be produced."""
        return self._sender is not None

    async def wait_for(self, value: Awaitable[Any], finish: Callable[[Any], None]) -> None:
        """``finish`` gets what ``value`` gives; what it raises is the answer."""
        try:
            result = await value
        except BaseException as error:  # a handler must not end the process by sys.exit() or a cancellation of its own
            self.fail(error)
        else:
            finish(result)

    def succeed(self, value: Any, thrown: str | None = None, unchecked: bool | None = None) -> None:
        """Answers with what the handler has returned. ``thrown``: it was raised, with this sentence; ``unchecked``: no schema of the handler's judges it."""
        run = self._run
        try:
            if run.plan.answers:
                self._give("result", value_text(value))
            elif run.plan.type != "http":
                run.heed_drain()
                self._give("result", "")
            else:
                mark = thrown is None and is_by_middleware(value, run) if unchecked is None else unchecked
                if has_pending_body(value):
                    run.runner.spawn(self.wait_for(value["body"], lambda body: self.succeed({**value, "body": body}, thrown, mark)))
                else:
                    self.send(http_answer(value, self.open_stream, thrown, mark))
        except Exception as error:
            self._give("error", failure_members(to_failure(error)))

    def fail(self, error: BaseException) -> None:
        """Answers with what the handler has raised."""
        if self.given:
            return
        run = self._run
        thrown = thrown_answer(error) if run.plan.type == "http" else None
        if thrown is None:
            self._give("error", failure_members(to_failure(error)))
            return
        if thrown.status >= _LOGGED_FROM:
            run.log("error", "a handler failed", log_fields(error))
        self.succeed(thrown.result, thrown.sentence)

    def send(self, answer: str | StreamedAnswer) -> None:
        """Answers with a result in the form of HTTP."""
        if isinstance(answer, str):
            self._give("result", answer)
        else:
            self._stream(answer)

    def open_stream(self, content: bytes) -> int:
        """The stream that the answer names. The content waits for it: the engine drops chunks of a stream that it does not know."""
        run = self._run
        sender = open_content(run.runner, run.host, content)
        self._content = (sender, content)
        return sender.stream

    def end_stream(self) -> None:
        """Breaks off the body."""
        if self._sender is not None:
            self._sender.fail("the answer was cancelled")

    def _give(self, kind: str, members: str) -> None:
        if self.given:
            return
        text = self._message(kind, members)
        self._run.finish()
        self._push(text)
        if self._content is not None:
            self._run.runner.spawn(send_bytes(*self._content))

    def _push(self, text: str) -> None:
        host = self._run.host
        if host is not None:
            host.push(text)

    def _message(self, kind: str, members: str) -> str:
        self.given = True
        return f'{{"type":"{kind}","id":{self._run.id}{self._run.settle()}{members}}}'

    def _stream(self, answer: StreamedAnswer) -> None:
        """The head goes out, the body follows; the run goes on until it ends."""
        run = self._run
        sender = self._sender = run.runner.open_stream(run.host, self._stream_closed)
        self._push(self._message("result", f',"http":{{{answer.head},"body":{{"kind":"stream","stream":{sender.stream}}}}}'))
        if run.cancelled is not None:
            self.end_stream()
        context = run.answers_in or contextvars.copy_context()
        context.run(run.runner.spawn, produce_body(run, answer.response, sender))

    def _stream_closed(self, whole: bool) -> None:
        if not whole:
            self._run.cancel("client_gone")
