"""What Step files import: ``step()``, the trigger helpers, ``topic()``, types, errors and ``get_context()``."""

from .abort import AbortSignal
from .config import CronOptions, HttpOptions, QueueConfig, QueueOptions, StateOptions, StepConfig, StreamOptions
from .context import Context, Logger, State, StreamClient, Streams, get_context, getContext
from .errors import AbortError, ClientGone, HandlerExit, HttpError, NonRetryableError, OperationError, RetryAfter, TopicNotDeclared
from .inputs import HttpInput, Record, UploadedFile
from .responses import Send, StreamedResponse, redirect, sse, streamed
from .steps import Step, step
from .topics import Topic, topic
from .triggers import cron, http, queue, state, stream, trigger
from .version import VERSION as __version__

__all__ = [
    "AbortError", "AbortSignal", "ClientGone", "Context", "CronOptions", "HandlerExit", "HttpError", "HttpInput", "HttpOptions", "Logger",
    "NonRetryableError", "OperationError", "QueueConfig", "QueueOptions", "Record", "RetryAfter", "Send", "State", "StateOptions", "Step",
    "StepConfig", "StreamClient", "StreamOptions", "StreamedResponse", "Streams", "Topic", "TopicNotDeclared", "UploadedFile",
    "__version__", "cron", "getContext", "get_context", "http", "queue", "redirect", "sse", "state", "step", "stream", "streamed",
    "topic", "trigger",
]
