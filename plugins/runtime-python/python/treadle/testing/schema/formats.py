"""Formats of texts."""

from __future__ import annotations

import datetime
import ipaddress
import re
from collections.abc import Callable

_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):?([0-5]\d))", re.IGNORECASE)
_EMAIL = re.compile(
    r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?",
    re.IGNORECASE,
)
_HOSTNAME = re.compile(r"(?=.{1,253}\.?\Z)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.?", re.IGNORECASE)
_URI = re.compile(r"[a-z][a-z0-9+.-]*:(?://[^\s/?#<>\"{}|\\^`]+)?[^\s<>\"{}|\\^`]+", re.IGNORECASE)
_UUID = re.compile(r"(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_DURATION = re.compile(r"P(?!$)((\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?|(\d+W)?)")


def _is_date(text: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return False
    return _takes(datetime.date.fromisoformat, text)


def _is_date_time(text: str) -> bool:
    parts = re.split(r"[Tt\s]", text)
    return len(parts) == 2 and _is_date(parts[0]) and _TIME.fullmatch(parts[1]) is not None


def _takes(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _is_date, "date-time": _is_date_time, "time": lambda text: _TIME.fullmatch(text) is not None,
    "email": lambda text: _EMAIL.fullmatch(text) is not None, "hostname": lambda text: _HOSTNAME.fullmatch(text) is not None,
    "uri": lambda text: _URI.fullmatch(text) is not None, "uuid": lambda text: _UUID.fullmatch(text) is not None,
    "ipv4": lambda text: _takes(ipaddress.IPv4Address, text), "ipv6": lambda text: _takes(ipaddress.IPv6Address, text),
    "duration": lambda text: _DURATION.fullmatch(text) is not None, "regex": lambda text: _takes(re.compile, text),
    "json-pointer": lambda text: re.fullmatch(r"(?:/(?:[^~/]|~0|~1)*)*", text) is not None,
    "byte": lambda text: re.fullmatch(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", text) is not None,
    "binary": lambda text: True, "password": lambda text: True,
}
#: What the engine checks beyond these; any other format is a note that nobody checks.
FOREIGN_FORMATS = frozenset((
    "iso-time", "iso-date-time", "uri-reference", "uri-template", "url", "json-pointer-uri-fragment", "relative-json-pointer", "int32",
    "int64", "float", "double",
))

