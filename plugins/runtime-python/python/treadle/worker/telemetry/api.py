"""What is used of OpenTelemetry's API: the application brings it, and none is needed."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def open_telemetry() -> Any:
    """The module ``opentelemetry.trace``; None when it is not installed. Found out once."""
    return _module("opentelemetry.trace")


@lru_cache(maxsize=1)
def open_telemetry_metrics() -> Any:
    """The module ``opentelemetry.metrics``; None when it is not installed. Found out once."""
    return _module("opentelemetry.metrics")


@lru_cache(maxsize=16)
def span_class(own: type) -> type:
    """OpenTelemetry takes nothing for a span that is not of its own class."""
    trace = open_telemetry()
    return own if trace is None else type(own.__name__, (own, trace.Span), {})


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name) if importlib.util.find_spec(name) is not None else None
    except (ImportError, ValueError):
        return None
