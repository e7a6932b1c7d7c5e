"""Sums up what code measures until it is sent."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from .limits import MAX_LABELS, put_attributes, short_name

#: Most series that are kept between two messages, and most values of a histogram. What is over is dropped.
_MAX_SERIES, _MAX_VALUES = 2000, 1000


@dataclass(frozen=True)
class Instrument:
    """An instrument of OpenTelemetry's API. ``kind``: ``counter``, ``updown``, ``histogram`` or ``gauge``."""

    name: str
    kind: str
    unit: str = ""
    description: str = ""


@dataclass
class _Series:
    instrument: Instrument
    attributes: dict[str, Any]
    value: float = 0
    values: list[float] = field(default_factory=list)


class Measurements:
    """Not for several threads at a time."""

    def __init__(self) -> None:
        self._series: dict[str, _Series] = {}

    def take(self, instrument: Instrument, value: Any, attributes: Any) -> None:
        """Takes a value; anything but a finite number is ignored, and for a counter anything below 0."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return
        if instrument.kind == "counter" and value < 0:
            return
        series = self._of(instrument, attributes)
        if series is None:
            return
        if instrument.kind == "gauge":
            series.value = value
        elif instrument.kind != "histogram":
            series.value += value
        elif len(series.values) < _MAX_VALUES:
            series.values.append(value)

    def drain(self) -> list[dict[str, Any]]:
        """What has gathered, which is forgotten with it."""
        series, self._series = self._series, {}
        return [_point(each) for each in series.values()]

    def _of(self, instrument: Instrument, attributes: Any) -> _Series | None:
        labels: dict[str, Any] = {}
        put_attributes(labels, attributes, MAX_LABELS)
        key = f"{instrument.kind} {instrument.name} {json.dumps(labels, sort_keys=True)}"
        found = self._series.get(key)
        if found is None and len(self._series) < _MAX_SERIES:
            found = self._series[key] = _Series(instrument, labels)
        return found


def _point(series: _Series) -> dict[str, Any]:
    instrument = series.instrument
    told = {"unit": short_name(instrument.unit or ""), "description": short_name(instrument.description or ""), "attributes": series.attributes}
    measured = {"values": series.values} if instrument.kind == "histogram" else {"value": series.value}
    return {"name": short_name(instrument.name), "kind": instrument.kind, **{key: value for key, value in told.items() if value}, **measured}
