"""OpenTelemetry's meter and its provider."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..wire.json_text import encode
from .measurements import Instrument, Measurements

if TYPE_CHECKING:
    from ..step_runner import StepRunner

#: How often measurements are sent, in seconds.
_INTERVAL_S = 1.0
Callback = Callable[[Any], Iterable[Any]]


class _Recorder:
    """A counter, histogram or gauge."""

    def __init__(self, take: Callable[[Any, Any], None]) -> None:
        self.add = self.record = self.set = lambda amount, attributes=None, context=None: take(amount, attributes)


class _Observed:
    """An instrument whose callbacks are asked whenever measurements are sent. Observable counters tell sums, what is sent are differences."""

    def __init__(self, instrument: Instrument, callbacks: Iterable[Callback]) -> None:
        self.instrument = instrument
        self.callbacks = list(callbacks)
        self.before: dict[str, float] = {}

    def change(self, value: float, attributes: Any) -> float:
        if self.instrument.kind != "counter":
            return value
        key = json.dumps(dict(attributes or {}), sort_keys=True, default=str)
        last, self.before[key] = self.before.get(key, 0), value
        return value if value < last else value - last


class RunMeter:
    """From any thread; what is measured is sent once a second, and when a session ends."""

    def __init__(self, runner: StepRunner) -> None:
        self._runner = runner
        self._measurements = Measurements()
        self._observed: list[_Observed] = []
        self._lock = threading.Lock()
        self._planned = False

    def get_meter(self, *_: Any, **__: Any) -> RunMeter:
        return self

    def create_counter(self, name: str, unit: str = "", description: str = "") -> _Recorder:
        return self._recorder(Instrument(name, "counter", unit, description))

    def create_up_down_counter(self, name: str, unit: str = "", description: str = "") -> _Recorder:
        return self._recorder(Instrument(name, "updown", unit, description))

    def create_histogram(self, name: str, unit: str = "", description: str = "", **_: Any) -> _Recorder:
        return self._recorder(Instrument(name, "histogram", unit, description))

    def create_gauge(self, name: str, unit: str = "", description: str = "") -> _Recorder:
        return self._recorder(Instrument(name, "gauge", unit, description))

    def create_observable_counter(self, name: str, callbacks: Any = None, unit: str = "", description: str = "") -> _Observed:
        return self._observable(Instrument(name, "counter", unit, description), callbacks)

    def create_observable_gauge(self, name: str, callbacks: Any = None, unit: str = "", description: str = "") -> _Observed:
        return self._observable(Instrument(name, "gauge", unit, description), callbacks)

    def create_observable_up_down_counter(self, name: str, callbacks: Any = None, unit: str = "", description: str = "") -> _Observed:
        # Its callbacks tell the sum itself.
        return self._observable(Instrument(name, "gauge", unit, description), callbacks)

    def flush(self) -> None:
        """Sends what has gathered. On the loop's thread."""
        self._planned = False
        for observed in self._observed:
            self._ask(observed)
        with self._lock:
            points = self._measurements.drain()
        if points:
            self._runner.push(encode({"type": "measurements", "points": points}))
        if self._observed:
            self._plan()

    def _recorder(self, instrument: Instrument) -> _Recorder:
        return _Recorder(lambda value, attributes: self._take(instrument, value, attributes))

    def _observable(self, instrument: Instrument, callbacks: Any) -> _Observed:
        observed = _Observed(instrument, callbacks or ())
        self._observed.append(observed)
        self._runner.soon(self._plan)
        return observed

    def _take(self, instrument: Instrument, value: Any, attributes: Any) -> None:
        with self._lock:
            self._measurements.take(instrument, value, attributes)
        if not self._planned:
            self._runner.soon(self._plan)

    def _ask(self, observed: _Observed) -> None:
        for callback in observed.callbacks:
            try:
                for said in callback(None):
                    change = observed.change(said.value, said.attributes)
                    with self._lock:
                        self._measurements.take(observed.instrument, change, said.attributes)
            except Exception:
                # A callback of the application that fails has nothing to tell.
                continue

    def _plan(self) -> None:
        if not self._planned:
            self._planned = True
            self._runner.later(_INTERVAL_S, self.flush)
