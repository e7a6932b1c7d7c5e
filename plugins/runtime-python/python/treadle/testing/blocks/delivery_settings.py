"""``config`` of a queue trigger, with aliases resolved and defaults filled in."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_BACKOFF = {"type": "exponential", "delayMs": 1_000, "factor": 3, "maxMs": 900_000, "jitter": 0.5}
_MAX_RETRY_AFTER_MS = 86_400_000
_KEYS = frozenset((
    "type", "maxAttempts", "maxRetries", "backoff", "backoffType", "backoffDelayMs", "concurrency", "timeoutMs", "visibilityTimeout",
    "delaySeconds", "rateLimit",
))


@dataclass(frozen=True)
class DeliverySettings:
    """How messages of one trigger are delivered. Milliseconds."""

    fifo: bool
    max_attempts: int
    backoff: Mapping[str, Any]
    concurrency: int
    timeout_ms: float
    delay_ms: float
    #: How many may begin, and in how many milliseconds.
    rate: tuple[int, float] | None


def delivery_settings(written: Mapping[str, Any], place: str) -> DeliverySettings:
    """``written`` has keys in camelCase. :raises ValueError: for one that there is not"""
    for key in written:
        if key not in _KEYS:
            raise ValueError(f'{place}.config has no "{key}"; it has {", ".join(sorted(_KEYS))}')
    backoff = {**_BACKOFF, **{name: written[key] for name, key in (("type", "backoffType"), ("delayMs", "backoffDelayMs")) if key in written}}
    rate = written.get("rateLimit")
    return DeliverySettings(
        fifo=written.get("type") == "fifo",
        max_attempts=written.get("maxAttempts", written.get("maxRetries", 9) + 1),
        backoff={**backoff, **written.get("backoff", {})},
        concurrency=written.get("concurrency", 10),
        timeout_ms=written.get("timeoutMs", round(written.get("visibilityTimeout", 300) * 1_000)),
        delay_ms=round(written.get("delaySeconds", 0) * 1_000),
        rate=None if rate is None else (rate["max"], rate["perMs"]),
    )


def retry_delay(settings: DeliverySettings, failed: int) -> int:
    """Milliseconds until the next attempt after so many failed ones."""
    backoff = settings.backoff
    grown = backoff["delayMs"] if backoff["type"] == "fixed" else backoff["delayMs"] * backoff["factor"] ** (failed - 1)
    delay_ms: float = min(grown, backoff["maxMs"]) * (1 - backoff["jitter"] * random.random())
    return round(delay_ms)


def retry_after(asked_ms: float) -> int:
    """What a handler asked for by ``RetryAfter``, within bounds."""
    return min(max(0, round(asked_ms)), _MAX_RETRY_AFTER_MS)
