"""The queue of a test engine: who gets which message, when, and what becomes of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..clock import FakeTime, Timer
from ..invocations import Failure, Origin
from ..schema.schema_check import SchemaCheck
from .delivery_settings import DeliverySettings, retry_after, retry_delay

_DEDUPE_MS = 24 * 3_600_000
_MAX_HOPS = 100
_MAX_ERRORS = 10


@dataclass(frozen=True)
class DeadLetter:
    """A message that was given up."""

    message_id: str
    step: str
    topic: str
    data: Any
    #: ``max_attempts``, ``non_retryable``, ``invalid_input`` or ``loop_limit``.
    reason: str
    #: Attempts that failed.
    attempts: int
    #: The last ones of them: ``message``, ``code`` and, of the handler's own, ``name``.
    errors: list[dict[str, Any]]
    #: Milliseconds since the epoch.
    dead_at: float
    trace_id: str


@dataclass
class Subscription:
    """What a Step wants to get. ``topic`` is empty for its state and stream triggers."""

    step: str
    topic: str
    settings: DeliverySettings
    #: Trigger of a delivery: its kind and index.
    trigger_of: Callable[[Any], tuple[str, int] | None]
    check: SchemaCheck | None = None
    waiting: list[Delivery] = field(default_factory=list)
    running: int = 0
    #: When deliveries began, for the rate limit.
    begun: list[float] = field(default_factory=list)
    timer: Timer | None = None


@dataclass
class Delivery:
    """A message on its way to one Step."""

    message_id: str
    kind: str
    data: Any
    origin: Origin
    group: str | None
    due_at: float
    order: int
    attempts: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)
    running: bool = False
    #: Of a message: what its handler finds as ``ctx.message``.
    facts: dict[str, Any] | None = None


class Handlers(Protocol):
    """Runs handlers; ``ended`` is called once."""

    def deliver(self, subscription: Subscription, delivery: Delivery, trigger: tuple[str, int], ended: Callable[[Failure | None], None]) -> None: ...


class TestQueue:
    """Delivers what is due whenever ``pump`` is called, in the order in which it came."""

    def __init__(self, time: FakeTime, handlers: Handlers) -> None:
        self.subscriptions: list[Subscription] = []
        self.dead: list[DeadLetter] = []
        self._time = time
        self._handlers = handlers
        self._order = itertools.count()
        self._seen: dict[tuple[str, str], tuple[str, float]] = {}

    def known(self, topic: str, dedupe_key: str | None) -> str | None:
        """The id of a message of the last 24 h with this key."""
        found = self._seen.get((topic, dedupe_key)) if dedupe_key is not None else None
        return found[0] if found is not None and found[1] > self._time.now() else None

    def add(self, message_id: str, topic: str, data: Any, origin: Origin, *, group: str | None, due_at: float | None, dedupe_key: str | None, headers: Any = None) -> None:
        """Fans a message out to whoever consumes its topic."""
        if dedupe_key is not None:
            self._seen[topic, dedupe_key] = (message_id, self._time.now() + _DEDUPE_MS)
        facts = {"id": message_id, "enqueuedAt": self._time.now(), **({"headers": dict(headers)} if headers else {})}
        for subscription in self.subscriptions:
            if subscription.topic == topic:
                due = max(due_at or 0, self._time.now() + subscription.settings.delay_ms)
                subscription.waiting.append(Delivery(message_id, "queue", data, origin, group, due, next(self._order), facts=facts))

    def add_change(self, message_id: str, kind: str, input: Any, origin: Origin) -> None:
        """A change of state or of a stream, for the triggers that want it."""
        for subscription in self.subscriptions:
            if subscription.topic == "" and subscription.trigger_of((kind, input)) is not None:
                subscription.waiting.append(Delivery(message_id, kind, input, origin, None, self._time.now(), next(self._order)))

    def pump(self) -> None:
        """Starts whatever may start now."""
        for subscription in self.subscriptions:
            while subscription.running < subscription.settings.concurrency and (delivery := self._next(subscription)) is not None:
                self._start(subscription, delivery)
            self._plan(subscription)

    def _next(self, subscription: Subscription) -> Delivery | None:
        if self._rate_wait(subscription) > 0:
            return None
        blocked: set[str | None] = set()
        for delivery in subscription.waiting:
            if subscription.settings.fifo and delivery.group in blocked:
                continue
            if not delivery.running and delivery.due_at <= self._time.now():
                return delivery
            blocked.add(delivery.group)
        return None

    def _start(self, subscription: Subscription, delivery: Delivery) -> None:
        delivery.running = True
        issues = subscription.check.refusals(delivery.data) if subscription.check is not None else []
        trigger = subscription.trigger_of((delivery.kind, delivery.data))
        if issues or trigger is None:
            told = "; ".join(f"{issue['path'] or 'input'}: {issue['message']}" for issue in issues)
            self._give_up(subscription, delivery, "invalid_input", Failure("validation_failed", f"the message fails its schema: {told}"))
        elif delivery.kind != "queue" and delivery.origin.hops > _MAX_HOPS:
            cut = f"{_MAX_HOPS} triggers have set off each other before this one; a loop was cut"
            self._give_up(subscription, delivery, "loop_limit", Failure("cancelled", cut))
        else:
            subscription.running += 1
            if subscription.settings.rate is not None:
                subscription.begun.append(self._time.now())
            self._handlers.deliver(subscription, delivery, trigger, lambda failure: self._ended(subscription, delivery, failure))

    def _ended(self, subscription: Subscription, delivery: Delivery, failure: Failure | None) -> None:
        subscription.running -= 1
        delivery.running = False
        # A condition that is not met counts as processed.
        if failure is None or failure.code == "condition_not_met":
            subscription.waiting.remove(delivery)
            return
        delivery.attempts += 1
        if failure.code == "validation_failed":
            self._give_up(subscription, delivery, "invalid_input", failure)
        elif failure.non_retryable:
            self._give_up(subscription, delivery, "non_retryable", failure)
        elif delivery.attempts >= subscription.settings.max_attempts:
            self._give_up(subscription, delivery, "max_attempts", failure)
        else:
            self._note(delivery, failure)
            asked = failure.retry_after_ms
            ms = retry_delay(subscription.settings, delivery.attempts) if asked is None else retry_after(asked)
            delivery.due_at = self._time.now() + ms

    def _note(self, delivery: Delivery, failure: Failure) -> None:
        name = {} if failure.name is None else {"name": failure.name}
        delivery.errors = [*delivery.errors, {"message": failure.message, "code": failure.code, **name}][-_MAX_ERRORS:]

    def _give_up(self, subscription: Subscription, delivery: Delivery, reason: str, failure: Failure) -> None:
        self._note(delivery, failure)
        subscription.waiting.remove(delivery)
        self.dead.append(DeadLetter(
            delivery.message_id, subscription.step, subscription.topic, delivery.data, reason, delivery.attempts, delivery.errors, self._time.now(),
            delivery.origin.trace_id,
        ))

    def _rate_wait(self, subscription: Subscription) -> float:
        """Milliseconds until the rate limit lets another one begin."""
        if subscription.settings.rate is None:
            return 0
        most, per_ms = subscription.settings.rate
        subscription.begun = [at for at in subscription.begun if at > self._time.now() - per_ms]
        return 0 if len(subscription.begun) < most else subscription.begun[0] + per_ms - self._time.now()

    def _plan(self, subscription: Subscription) -> None:
        """Looks again when the next one is due."""
        if subscription.timer is not None:
            subscription.timer.cancel()
            subscription.timer = None
        now = self._time.now()
        later = [delivery.due_at for delivery in subscription.waiting if delivery.due_at > now]
        if any(not delivery.running and delivery.due_at <= now for delivery in subscription.waiting):
            later += [now + wait for wait in [self._rate_wait(subscription)] if wait > 0]
        if later:
            subscription.timer = self._time.at(min(later), self.pump)
