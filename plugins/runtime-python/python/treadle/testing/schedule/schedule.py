"""The ticks of a cron expression in a time zone."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .expression import CronSyntaxError, Expression, parse_expression

_YEARS = 50
_EPOCH = datetime.datetime(1970, 1, 1)


class Schedule:
    """Times are milliseconds since the epoch."""

    def __init__(self, expression: str, timezone: str) -> None:
        """:raises CronSyntaxError: also for a time zone that is not known"""
        self._expression = parse_expression(expression)
        try:
            self._zone = ZoneInfo(timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise CronSyntaxError(f'"{timezone}" is not a time zone that is known here; write an IANA name such as Europe/Berlin, or UTC') from None

    def next(self, after: float) -> float | None:
        """The first tick after a moment; None when there is none in 50 years."""
        start = int(after // 1000) + 1
        day = self._date(start) - datetime.timedelta(days=1)
        for count in range(_YEARS * 366):
            tick = self._first(day + datetime.timedelta(days=count), start)
            if tick is not None:
                # A time that the clocks leave out may move a tick past those of the day after.
                following = self._first(day + datetime.timedelta(days=count + 1), start)
                return (tick if following is None else min(tick, following)) * 1000.0
        return None

    def previous(self, before: float, since: float) -> float | None:
        """The last tick before a moment and not before another one."""
        found = self.next(since - 1)
        if found is None or found >= before:
            return None
        low, high = found, before
        while high - low > 1:
            middle = (low + high) // 2
            tick = self.next(middle)
            low, high = (tick, high) if tick is not None and tick < before else (low, middle)
        return low

    def _first(self, day: datetime.date, start: int) -> int | None:
        """The first tick of the times that clocks show on a day, not before a moment; in seconds."""
        if not _holds(self._expression, day):
            return None
        midnight = datetime.datetime(day.year, day.month, day.day)
        offset = self._offset(midnight)
        if offset == self._offset(midnight + datetime.timedelta(days=1)):
            begin = _seconds(midnight) - offset
            time = self._time_of_day(max(0, start - begin))
            return None if time is None else begin + time
        ticks = (tick for wall in self._walls(midnight) for tick in self._moments(wall))
        return min((tick for tick in ticks if tick >= start), default=None)

    def _time_of_day(self, since: int) -> int | None:
        """Seconds after midnight of the first time that matches, not before another."""
        expression = self._expression
        for hour in sorted(hour for hour in expression.hours if hour >= since // 3600):
            for minute in sorted(expression.minutes):
                for second in sorted(expression.seconds):
                    time = hour * 3600 + minute * 60 + second
                    if time >= since:
                        return time
        return None

    def _walls(self, midnight: datetime.datetime) -> Iterator[datetime.datetime]:
        expression = self._expression
        for hour in expression.hours:
            for minute in expression.minutes:
                for second in expression.seconds:
                    yield midnight + datetime.timedelta(hours=hour, minutes=minute, seconds=second)

    def _moments(self, wall: datetime.datetime) -> list[int]:
        first, second = (_seconds(wall) - self._offset(wall.replace(fold=fold)) for fold in (0, 1))
        if first < second:
            return [first] if self._expression.fixed else [first, second]
        if first == second:
            return [first]
        # Left out by the clocks: it happens at the first moment after them, unless another hour has ticks anyway.
        return [] if self._expression.every_hour else [self._change(second, first)]

    def _change(self, low: int, high: int) -> int:
        """The moment between two at which the offset changes."""
        before = self._offset_at(low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._offset_at(middle) == before else (low, middle)
        return high

    def _offset(self, wall: datetime.datetime) -> int:
        return _whole(wall.replace(tzinfo=self._zone).utcoffset())

    def _offset_at(self, time: int) -> int:
        return _whole(datetime.datetime.fromtimestamp(time, self._zone).utcoffset())

    def _date(self, time: int) -> datetime.date:
        return datetime.datetime.fromtimestamp(time, self._zone).date()


def _holds(expression: Expression, day: datetime.date) -> bool:
    if day.month not in expression.months or day.year not in expression.years:
        return False
    in_days, in_weekdays = day.day in expression.days, day.isoweekday() % 7 in expression.weekdays
    return in_days and in_weekdays if expression.both_days else in_days or in_weekdays


def _seconds(wall: datetime.datetime) -> int:
    return int((wall.replace(fold=0) - _EPOCH).total_seconds())


def _whole(offset: datetime.timedelta | None) -> int:
    return int(offset.total_seconds()) if offset is not None else 0
