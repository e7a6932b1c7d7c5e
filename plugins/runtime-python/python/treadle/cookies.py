"""Cookies: read, written and signed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_ATTRIBUTE = re.compile(r"[\x20-\x3a\x3c-\x7e]*")
_SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}
#: What browsers keep of one cookie, in characters.
_MAX_LENGTH = 4096


def parse_cookies(header: str | None) -> dict[str, str]:
    """Reads a ``cookie`` header: name to value. Of a name that comes twice the first counts, as browsers send the closest one first."""
    cookies: dict[str, str] = {}
    for part in (header or "").split(";"):
        name, equals, value = part.partition("=")
        name, value = name.strip(), value.strip()
        if equals and name and name not in cookies:
            bare = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
            cookies[name] = unquote(bare)
    return cookies


def set_cookie(
    name: str, value: str, *, max_age_s: int | None = None, path: str = "/", domain: str | None = None,
    secure: bool = True, http_only: bool = True, same_site: str = "lax",
) -> str:
    """
    Writes the value of a ``set-cookie`` header. ``max_age_s``: seconds that the browser keeps it, else until it is closed.

    :raises ValueError: for a name or attribute that no cookie can have, or when it is longer than the 4,096 characters that browsers keep
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f'a cookie cannot be named "{name}"')
    for text in (path, domain or ""):
        if not _ATTRIBUTE.fullmatch(text):
            raise ValueError(f'the cookie "{name}" cannot have "{text}" as path or domain')
    if max_age_s is not None and not isinstance(max_age_s, int):
        raise ValueError(f'max_age_s of the cookie "{name}" must be whole seconds, got {max_age_s!r}')
    if same_site not in _SAME_SITE:
        raise ValueError(f'same_site of the cookie "{name}" must be strict, lax or none, got {same_site!r}')
    parts = [f'{name}={quote(value, safe="!()*")}', f"Path={path}"]
    parts += [f"Domain={domain}"] if domain is not None else []
    parts += [f"Max-Age={max_age_s}"] if max_age_s is not None else []
    parts += ["Secure"] if secure else []
    parts += ["HttpOnly"] if http_only else []
    text = "; ".join([*parts, f"SameSite={_SAME_SITE[same_site]}"])
    if len(text) > _MAX_LENGTH:
        raise ValueError(f'the cookie "{name}" would have {len(text)} characters; browsers keep {_MAX_LENGTH}')
    return text


def clear_cookie(name: str, *, path: str = "/", domain: str | None = None, secure: bool = True, same_site: str = "lax") -> str:
    """Writes a ``set-cookie`` header that removes a cookie. Path and domain must be those that it was set with."""
    return set_cookie(name, "", max_age_s=0, path=path, domain=domain, secure=secure, same_site=same_site)


def sign(value: str, secret: str, purpose: str = "") -> str:
    """
    A value with its HMAC-SHA256, which ``unsign`` checks; the same as in TypeScript. Whoever gets it can read it. Give the cookie's
    name in ``purpose``, so that the value passes for no other.
    """
    return f"{value}.{_mac(value, secret, purpose)}"


def unsign(signed: str | None, secret: str | Sequence[str], purpose: str = "") -> str | None:
    """The value that was signed; None when it was not signed with one of the secrets, for the same purpose."""
    value, dot, given = (signed or "").rpartition(".")
    if not dot:
        return None
    secrets = [secret] if isinstance(secret, str) else secret
    right = [hmac.compare_digest(_mac(value, each, purpose).encode(), given.encode()) for each in secrets]
    return value if any(right) else None


def _mac(value: str, secret: str, purpose: str) -> str:
    if secret == "":
        raise ValueError("the secret that values are signed with is empty")
    # Lengths as JavaScript counts them, so that both languages sign alike.
    length = len(purpose.encode("utf-16-le")) // 2
    mac = hmac.new(secret.encode(), f"{length}:{purpose}{value}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(mac).rstrip(b"=").decode()
