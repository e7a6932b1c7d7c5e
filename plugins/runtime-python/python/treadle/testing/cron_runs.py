"""Cron triggers of a test engine."""

from __future__ import annotations

import asyncio
import datetime
from typing import Any

from .application import CronTrigger
from .clients import CronRun
from .clock import FakeTime, Timer
from .invocations import Failure, Invocations, Origin, new_origin


class CronRuns:
    """Starts triggers at their ticks as the clock is moved, and when a test asks for it."""

    def __init__(self, triggers: list[CronTrigger], time: FakeTime, invocations: Invocations) -> None:
        self._triggers = triggers
        self._time = time
        self._invocations = invocations
        self._began = time.now()
        self._timers: dict[int, Timer] = {}
        self._ran: set[tuple[int, float]] = set()
        for trigger in triggers:
            self._plan(trigger)

    def stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()

    async def run_now(self, step: str, at: float | None, expression: str | None) -> CronRun:
        """:raises ValueError: when there is no such trigger, several, or a run of that moment already"""
        trigger = self._chosen(step, expression)
        scheduled = self._time.now() if at is None else at
        if at is not None and (id(trigger), scheduled) in self._ran:
            raise ValueError(f'Step "{step}" has run for {_iso(scheduled)} already; give another time')
        ended: asyncio.Future[dict[str, Any] | Failure] = asyncio.get_running_loop().create_future()
        origin = self._start(trigger, scheduled, ended)
        outcome = await ended
        if not isinstance(outcome, Failure):
            return CronRun("succeeded", origin.trace_id)
        if outcome.code == "condition_not_met":
            return CronRun("skipped", origin.trace_id)
        return CronRun("failed", origin.trace_id, outcome.message)

    def _chosen(self, step: str, expression: str | None) -> CronTrigger:
        found = [trigger for trigger in self._triggers if trigger.step == step and expression in (None, trigger.expression)]
        if len(found) == 1:
            return found[0]
        known = ", ".join(f'"{trigger.step}" ({trigger.expression})' for trigger in self._triggers) or "none"
        if not found:
            raise ValueError(f'no cron trigger of a Step "{step}"; there are {known}')
        raise ValueError(f'Step "{step}" has several cron triggers; name one by "expression": {known}')

    def _plan(self, trigger: CronTrigger) -> None:
        tick = trigger.schedule.next(self._time.now())
        if tick is not None:
            self._timers[id(trigger)] = self._time.at(tick, lambda: self._tick(trigger, tick))

    def _tick(self, trigger: CronTrigger, tick: float) -> None:
        self._plan(trigger)
        if trigger.running == 0 or trigger.overlap == "allow":
            self._start(trigger, tick, None)
        elif trigger.overlap == "queue":
            trigger.queued = tick

    def _start(self, trigger: CronTrigger, scheduled: float, ended: asyncio.Future[Any] | None) -> Origin:
        self._ran.add((id(trigger), scheduled))
        trigger.running += 1
        origin = new_origin()

        def settled(outcome: dict[str, Any] | Failure) -> None:
            trigger.running -= 1
            if ended is not None and not ended.done():
                ended.set_result(outcome)
            queued, trigger.queued = trigger.queued, None
            if queued is not None:
                self._start(trigger, queued, None)

        previous = trigger.schedule.previous(scheduled, self._began)
        input = {
            "scheduledAt": _iso(scheduled), "firedAt": _iso(self._time.now()), "previousScheduledAt": None if previous is None else _iso(previous),
            "missed": False, "timezone": trigger.timezone,
        }
        self._invocations.start(trigger.step, ("cron", trigger.index), input, origin, timeout_ms=trigger.timeout_ms, ended=settled)
        return origin


def _iso(ms: float) -> str:
    moment = datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
