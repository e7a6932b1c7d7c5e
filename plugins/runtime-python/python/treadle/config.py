"""The types of configs and of what triggers may say, so that a type checker sees a misspelt key. Each name in both spellings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, Union

from .topics import Topic

if sys.version_info >= (3, 11):
    from typing import Unpack as Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    _Options = TypeVar("_Options")

    class Unpack(Generic[_Options]):
        """In the place of the one of Python 3.11, for whoever asks for hints at run time."""

Trigger = dict[str, Any]
Condition = Callable[..., Any]


class _Named(TypedDict):
    #: Unique in the application.
    name: str


class StepConfig(_Named, total=False):
    """Declarative half of a Step."""

    description: str
    #: What starts the handler. Without any a Step is only drawn.
    triggers: Sequence[Mapping[str, Any]]
    #: Topics that the handler may enqueue to.
    enqueues: Sequence[str | Topic]
    #: What the handler enqueues and writes is stored together with the acknowledgement of its delivery, or not at all.
    atomic: bool
    #: Flows that the Step belongs to in diagrams.
    flows: Sequence[str]
    #: Only drawn.
    virtual_enqueues: Sequence[str | Topic]
    virtualEnqueues: Sequence[str | Topic]
    #: Only drawn.
    virtual_subscribes: Sequence[str | Topic]
    virtualSubscribes: Sequence[str | Topic]


class CorsOptions(TypedDict, total=False):
    """Cross-origin rules of one route."""

    allowed_origins: Sequence[str]
    allowedOrigins: Sequence[str]
    allowed_methods: Sequence[str]
    allowedMethods: Sequence[str]
    allowed_headers: Sequence[str]
    allowedHeaders: Sequence[str]
    exposed_headers: Sequence[str]
    exposedHeaders: Sequence[str]
    credentials: bool
    max_age_seconds: int
    maxAgeSeconds: int


class HttpOptions(TypedDict, total=False):
    """What an http trigger may say beside method and path."""

    condition: Condition
    middleware: Any
    cors: CorsOptions
    #: JSON Schema, a pydantic model or a type.
    body_schema: Any
    bodySchema: Any
    #: Status code to schema of the response body.
    response_schema: Mapping[Any, Any]
    responseSchema: Mapping[Any, Any]
    query_schema: Any
    querySchema: Any
    headers_schema: Any
    headersSchema: Any
    #: Largest body in bytes.
    body_limit: int
    bodyLimit: int
    #: Time limit of the handler in milliseconds.
    timeout_ms: int
    timeoutMs: int
    #: Hand the bytes of the body to the handler.
    raw_body: bool
    rawBody: bool
    response_validation: Literal["enforce", "warn", "off"]
    responseValidation: Literal["enforce", "warn", "off"]
    validate_middleware: bool
    validateMiddleware: bool


class QueueBackoff(TypedDict, total=False):
    """How long a message waits between attempts, in milliseconds."""

    type: Literal["exponential", "fixed"]
    delay_ms: int
    delayMs: int
    factor: float
    max_ms: int
    maxMs: int
    jitter: float


class _RateLimit(TypedDict, total=False):
    max: int
    per_ms: int
    perMs: int


class _Concurrency(TypedDict, total=False):
    #: Running deliveries in one engine.
    limit: int
    #: Running deliveries in all engines of the store together.
    total: int


class QueueConfig(TypedDict, total=False):
    """How messages are delivered."""

    type: Literal["standard", "fifo"]
    max_attempts: int
    maxAttempts: int
    max_retries: int
    maxRetries: int
    backoff: QueueBackoff
    backoff_type: Literal["exponential", "fixed"]
    backoffType: Literal["exponential", "fixed"]
    backoff_delay_ms: int
    backoffDelayMs: int
    concurrency: Union[int, _Concurrency]
    timeout_ms: int
    timeoutMs: int
    #: Seconds.
    visibility_timeout: float
    visibilityTimeout: float
    delay_seconds: float
    delaySeconds: float
    rate_limit: _RateLimit
    rateLimit: _RateLimit


class QueueOptions(TypedDict, total=False):
    """What a queue trigger may say beside its topic."""

    condition: Condition
    #: JSON Schema, a pydantic model or a type.
    input: Any
    config: QueueConfig


class CronOptions(TypedDict, total=False):
    """What a cron trigger may say beside its expression."""

    condition: Condition
    #: IANA name.
    timezone: str
    missed: Literal["skip", "latest", "all"]
    overlap: Literal["skip", "queue", "allow"]
    #: Milliseconds.
    catch_up_window_ms: int
    catchUpWindowMs: int
    #: Milliseconds.
    timeout_ms: int
    timeoutMs: int


class StateOptions(TypedDict, total=False):
    """Which changes of the state are meant; what is absent may be anything."""

    condition: Condition
    group: str
    key: str
    prefix: str


class StreamOptions(TypedDict, total=False):
    """Which changes of a stream are meant; what is absent may be anything."""

    condition: Condition
    id: str
    group_id: str
    groupId: str
    events: Sequence[Literal["create", "update", "delete"]]
