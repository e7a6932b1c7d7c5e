"""Guards: middleware that answers 401 unless a request has valid credentials, and gives handlers ``ctx.auth``."""

from __future__ import annotations

import base64
import binascii
import hmac
import inspect
import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from secrets import token_hex
from typing import Any

from .cookies import clear_cookie, parse_cookies, set_cookie, sign, unsign
from .errors import HttpError
from .json_web_tokens import jwt_verifier

__all__ = ["Guard", "SessionCookie", "api_key", "basic", "bearer", "session_cookie"]

Find = Callable[..., Any]
#: How credentials are sent, in the words of an OpenAPI security scheme, e.g. ``{"type": "apiKey", "in": "header", "name": "x-api-key"}``.
Scheme = Mapping[str, str]
#: What HTTP takes as the name of a header or a scheme.
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
#: Fewest characters of a secret that something is signed with.
_MIN_SECRET = 16
_WEEK = 604_800


class Guard:
    """
    Middleware made of a function that looks for credentials in a request and gives back who sent it, or None. For streams:
    ``authenticate = guard.authenticate`` in the ``*_stream_auth.py``. ``challenge``: value of the ``www-authenticate`` header of a 401.
    ``schemes``: how they are sent, for the OpenAPI document; any one of them is enough. Without them the document says nothing of them.

    :raises ValueError: when OpenAPI has no form for a scheme
    """

    def __init__(self, find: Find, challenge: str | None = None, schemes: Sequence[Scheme] = ()) -> None:
        self._find = find
        self.schemes = tuple(map(_checked_scheme, schemes))
        self._headers = None if challenge is None else {"www-authenticate": challenge}

    async def __call__(self, request: Any, ctx: Any, next: Any) -> Any:
        auth = await self.authenticate(request)
        if auth is None:
            raise HttpError(401, "valid credentials are needed", self._headers)
        return await next(auth=auth)

    async def optional(self, request: Any, ctx: Any, next: Any) -> Any:
        """Lets requests without valid credentials through, too: their ``ctx.auth`` is None."""
        return await next(auth=await self.authenticate(request))

    async def authenticate(self, request: Any) -> Any:
        """Who sent a request, or None."""
        found = self._find(request)
        return await found if inspect.isawaitable(found) else found


def api_key(*, keys: Mapping[str, str | None] | None = None, find: Find | None = None, header: str = "x-api-key", query: str | None = None) -> Guard:
    """
    Guards by a key in a header: ``api_key(keys={"billing": os.environ.get("BILLING_KEY")})`` gives ``ctx.auth["name"]`` ``billing``.
    ``find(key)`` looks keys up instead. ``query``: parameter that may carry it as well; it is then in the logs of proxies.

    :raises ValueError: when a key is not set
    """
    look = find or _known_keys(keys or {})
    name = header.lower()

    def found(request: Any) -> Any:
        key = request["headers"].get(name) or _of_query(request, query)
        return look(key) if key else None

    return Guard(found, f'ApiKey header="{name}"', [{"type": "apiKey", "in": "header", "name": name}, *_in_query(query)])


def basic(*, users: Mapping[str, str | None] | None = None, find: Find | None = None, realm: str = "restricted") -> Guard:
    """
    Guards by user and password (RFC 7617), for which browsers ask by themselves. Gives ``ctx.auth["user"]``. ``find(user, password)``
    looks users up instead.

    :raises ValueError: when a password is not set
    """
    look = find or _known_users(users or {})

    def found(request: Any) -> Any:
        try:
            text = base64.b64decode(_authorization(request, "basic") or "").decode("utf-8")
        except (binascii.Error, ValueError):
            return None
        user, colon, password = text.partition(":")
        return look(user, password) if colon else None

    shown = re.sub(r"[^\x20\x21\x23-\x5b\x5d-\x7e]", "", realm)
    return Guard(found, f'Basic realm="{shown}", charset="UTF-8"', [{"type": "http", "scheme": "basic"}])


def bearer(
    *, secret: str | None = "", public_key: str | None = "", jwks: str | None = "", find: Find | None = None, query: str | None = None,
    issuer: str | Sequence[str] | None = None, audience: str | Sequence[str] | None = None, algorithms: Sequence[str] | None = None, clock_tolerance_s: float = 5,
) -> Guard:
    """
    Guards by ``authorization: Bearer …``. JSON Web Tokens are checked by exactly one of ``secret`` (HMAC, 16 characters or more),
    ``public_key`` (PEM) and ``jwks`` (address of the issuer's keys); ``ctx.auth`` is then the dict of claims, and a token without
    ``exp`` is refused. Keys other than a secret need the packages ``PyJWT`` and ``cryptography``. ``find(token)`` looks up tokens of another kind.

    :raises ValueError: when a secret or key is not set, or not exactly one of them is given; when a public key cannot be read, or none of the
        ``algorithms`` (``RS256`` by default) fits it
    """
    look = find
    if look is None:
        given = {name: value for name, value in {"secret": secret, "public_key": public_key, "jwks": jwks}.items() if value != ""}
        if len(given) != 1:
            raise ValueError(f'bearer(): give exactly one of "jwks", "public_key", "secret" and "find", not {" and ".join(given) or "none"}')
        ((way, value),) = given.items()
        text = _secret("bearer()", way, value, _MIN_SECRET if way == "secret" else 1)
        rules = {"issuer": issuer, "audience": audience, "algorithms": algorithms, "leeway": clock_tolerance_s}
        # What stands in for a key that is not set is none, and a build has no use for one: nobody gets in.
        is_key = way == "secret" or (text == value and os.environ.get("TREADLE_BUILD") != "1")
        look = jwt_verifier(way, text, rules) if is_key else lambda token: None
    looked = look

    def found(request: Any) -> Any:
        token = _authorization(request, "bearer") or _of_query(request, query)
        return looked(token) if token else None

    scheme = {"type": "http", "scheme": "bearer", **({} if find else {"bearerFormat": "JWT"})}
    return Guard(found, "Bearer", [scheme, *_in_query(query)])


class SessionCookie(Guard):
    """A guard by a session that is kept in a signed cookie; nothing is stored."""

    def __init__(self, secrets: Sequence[str], name: str, max_age_s: int, attributes: Mapping[str, Any]) -> None:
        super().__init__(self._read, None, [{"type": "apiKey", "in": "cookie", "name": name}])
        self._secrets, self._name, self._max_age_s, self._attributes = secrets, name, max_age_s, attributes

    def begin(self, data: Any) -> str:
        """The ``set-cookie`` header that begins a session. Clients can read the data and cannot change it; some 3,000 characters fit."""
        text = json.dumps({"data": data, "until": (time.time() + self._max_age_s) * 1000}, separators=(",", ":"), ensure_ascii=False)
        value = base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()
        return set_cookie(self._name, sign(value, self._secrets[0], self._name), max_age_s=self._max_age_s, **self._attributes)

    def end(self) -> str:
        """The ``set-cookie`` header that ends it in this browser. A copy of the cookie goes on until its time is up."""
        kept = {name: value for name, value in self._attributes.items() if name != "http_only"}
        return clear_cookie(self._name, **kept)

    def _read(self, request: Any) -> Any:
        value = unsign(parse_cookies(request["headers"].get("cookie")).get(self._name), self._secrets, self._name)
        if value is None:
            return None
        kept = json.loads(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)))
        return kept["data"] if kept["until"] > time.time() * 1000 else None


def session_cookie(*, secret: str | None | Sequence[str | None], name: str = "session", max_age_s: int = _WEEK, **attributes: Any) -> SessionCookie:
    """
    Guards by a session in a signed cookie; ``ctx.auth`` is what ``begin`` was given. Of several secrets the first signs and all are
    accepted, so that a secret can be exchanged. ``attributes`` are those of ``set_cookie``. It reads the cookies of the same guard in TypeScript.

    :raises ValueError: when a secret is not set or too short
    """
    given = [secret] if secret is None or isinstance(secret, str) else secret
    secrets = [_secret("session_cookie()", "secret", each, _MIN_SECRET) for each in given]
    if not secrets:
        raise ValueError('session_cookie(): "secret" is an empty list')
    return SessionCookie(secrets, name, max_age_s, attributes)


class _MissingSecret(ValueError):
    """An engine in production does not start with it."""

    treadle_missing_secret = True


def _secret(owner: str, key: str, value: str | None, at_least: int = 1) -> str:
    """
    A secret that has to be there when the file is loaded, so that nothing is served with a guard that lets everybody in.
    ``treadle build`` alone imports files where secrets are not. A development engine takes note of what is not set, and serves
    nothing behind the guard; the secret is then one that nobody knows.
    """
    if isinstance(value, str) and len(value) >= at_least:
        return value
    if os.environ.get("TREADLE_BUILD") == "1":
        return "-" * _MIN_SECRET
    if not value:
        message = f'{owner}: "{key}" is not set; set the environment variable that it is read from'
    else:
        message = f'{owner}: "{key}" has {len(value)} characters; use {at_least} or more, for example of "openssl rand -base64 32"'
    if takes_note is None or not takes_note(message):
        raise _MissingSecret(message)
    return token_hex()


#: Of a development process: told of secrets that are not set; True when that does not keep the file from being loaded.
takes_note: Callable[[str], bool] | None = None


def _known_keys(keys: Mapping[str, str | None]) -> Find:
    known = {name: _secret("api_key()", f"keys.{name}", key) for name, key in keys.items()}
    if not known:
        raise ValueError('api_key(): "keys" has no key, so nobody could get in')

    def look(given: str) -> Any:
        # Each is compared, so that the time does not tell which one was nearly right.
        right = [name for name, key in known.items() if _is_same(given, key)]
        return {"name": right[0]} if right else None

    return look


def _known_users(users: Mapping[str, str | None]) -> Find:
    known = {user: _secret("basic()", f"users.{user}", password) for user, password in users.items()}
    if not known:
        raise ValueError('basic(): "users" has no user, so nobody could get in')

    def look(user: str, password: str) -> Any:
        right = [name for name, secret in known.items() if _is_same(password, secret) & _is_same(user, name)]
        return {"user": right[0]} if right else None

    return look


def _is_same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), right.encode("utf-8", "surrogatepass"))


def _authorization(request: Any, scheme: str) -> str | None:
    given, _, rest = str(request["headers"].get("authorization", "")).strip().partition(" ")
    return rest.strip() or None if given.lower() == scheme else None


def _in_query(name: str | None) -> list[Scheme]:
    """The further place of a credential that a query may carry as well."""
    return [] if name is None else [{"type": "apiKey", "in": "query", "name": name}]


def _checked_scheme(scheme: Scheme) -> dict[str, str]:
    kind, place, name = scheme.get("type"), scheme.get("in"), str(scheme.get("name", ""))
    is_key = kind == "apiKey" and place in ("header", "query", "cookie") and (name != "" if place == "query" else _TOKEN.fullmatch(name))
    if is_key or (kind == "http" and _TOKEN.fullmatch(str(scheme.get("scheme", "")))):
        return {str(key): str(value) for key, value in scheme.items()}
    forms = '{"type": "apiKey", "in": "header" | "query" | "cookie", "name": …} or {"type": "http", "scheme": …}'
    raise ValueError(f"Guard(): {scheme!r} is no scheme; write {forms}")


def _of_query(request: Any, name: str | None) -> str | None:
    value = None if name is None else request["query"].get(name)
    return value if isinstance(value, str) else None
