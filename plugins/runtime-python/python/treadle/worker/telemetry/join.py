"""Lets spans and metrics that handlers make through OpenTelemetry's API join those of their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .api import open_telemetry, open_telemetry_metrics
from .meter import RunMeter
from .tracer import RunTracer

if TYPE_CHECKING:
    from ..step_runner import StepRunner


def join_open_telemetry(runner: StepRunner) -> RunMeter | None:
    """
    To be called once the Steps are loaded: where they have set up an OpenTelemetry SDK, that stays. Tracers, meters and
    instruments that they made before are those of OpenTelemetry's proxies, which turn to what is set now.
    """
    trace, metrics = open_telemetry(), open_telemetry_metrics()
    if trace is not None and _is_proxy(trace.get_tracer_provider()):
        trace.set_tracer_provider(RunTracer())
    if metrics is None or not _is_proxy(metrics.get_meter_provider()):
        return None
    meter = RunMeter(runner)
    metrics.set_meter_provider(meter)
    return meter


def _is_proxy(provider: object) -> bool:
    """Nobody has set one."""
    return type(provider).__name__ in ("ProxyTracerProvider", "_ProxyMeterProvider")
