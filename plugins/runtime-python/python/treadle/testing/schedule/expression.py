"""Cron expressions of 5 fields, of 6 with seconds, of 7 with seconds and year, and nicknames."""

from __future__ import annotations

from dataclasses import dataclass

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_NICKNAMES = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}


class CronSyntaxError(ValueError):
    """An expression that is none; the message names the field."""


@dataclass(frozen=True)
class _Range:
    name: str
    least: int
    most: int
    names: tuple[str, ...] = ()
    question: bool = False


_FIELDS = (
    _Range("second", 0, 59), _Range("minute", 0, 59), _Range("hour", 0, 23), _Range("day of month", 1, 31, question=True),
    _Range("month", 1, 12, _MONTHS), _Range("day of week", 0, 7, _WEEKDAYS, True), _Range("year", 1970, 2099),
)


@dataclass(frozen=True)
class Expression:
    """The values of each field."""

    seconds: frozenset[int]
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    #: Sunday is 0.
    weekdays: frozenset[int]
    years: frozenset[int]
    #: A day has to be in both sets rather than in either: one of them begins with ``*``.
    both_days: bool
    #: Every hour has ticks, so one that the clocks leave out is not missed.
    every_hour: bool
    #: Times of day rather than intervals: they happen once when the clocks repeat an hour.
    fixed: bool


def parse_expression(text: str) -> Expression:
    """:raises CronSyntaxError:"""
    trimmed = text.strip()
    spelled = _NICKNAMES.get(trimmed.lower()) if trimmed.startswith("@") else trimmed
    if spelled is None:
        raise CronSyntaxError(f'"{trimmed}" is not known; write one of {", ".join(_NICKNAMES)}')
    fields = spelled.split()
    if len(fields) not in (5, 6, 7):
        raise CronSyntaxError(f'the expression "{trimmed}" has {len(fields)} fields; 5, 6 or 7 are needed')
    texts = ["0", *fields] if len(fields) == 5 else fields
    texts = texts if len(texts) == 7 else [*texts, "*"]
    seconds, minutes, hours, days, months, weekdays, years = (_field(text, of) for text, of in zip(texts, _FIELDS))
    stars = [text.startswith("*") or text == "?" for text in texts]
    every_hour = stars[2] or len(hours) == 24
    return Expression(
        seconds, minutes, hours, days, months, frozenset(day % 7 for day in weekdays), years, stars[3] or stars[5], every_hour,
        not every_hour and not stars[1] and not stars[0],
    )


def _field(text: str, of: _Range) -> frozenset[int]:
    return frozenset(value for item in text.split(",") for value in _item(item, text, of))


def _item(item: str, text: str, of: _Range) -> range:
    base, *steps = item.split("/")
    size = of.most - of.least + 1
    if len(steps) > 1 or (steps and not (steps[0].isdecimal() and 1 <= int(steps[0]) <= size)):
        raise CronSyntaxError(f'{of.name} field "{text}": a step is a whole number from 1 to {size}')
    step = int(steps[0]) if steps else 1
    if base == "*" or (base == "?" and of.question):
        return range(of.least, of.most + 1, step)
    first, *last = base.split("-")
    begin = _value(first, text, of)
    if not last:
        return range(begin, (of.most if steps else begin) + 1, step)
    end = _value(last[0], text, of)
    # FRI-SUN is 5-7.
    end = of.most if of.most == 7 and end == 0 and begin > 0 else end
    if len(last) > 1 or end < begin:
        raise CronSyntaxError(f'{of.name} field "{text}": "{base}" is no range')
    return range(begin, end + 1, step)


def _value(word: str, text: str, of: _Range) -> int:
    if word.upper() in of.names:
        return of.names.index(word.upper()) + of.least
    if word.isascii() and word.isdecimal() and of.least <= int(word) <= of.most:
        return int(word)
    raise CronSyntaxError(f'{of.name} field "{text}": "{word}" is not a valid {of.name}')
