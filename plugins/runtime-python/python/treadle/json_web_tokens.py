"""Checks JSON Web Tokens: those of a secret by the standard library, others by PyJWT where it is installed."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from .errors import HttpError
from .public_keys import public_key

_HASHES = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}


def jwt_verifier(way: str, key: str, rules: Mapping[str, Any]) -> Callable[[str], Any]:
    """
    A function that gives the claims of a valid token, else None. ``way`` is ``secret``, ``public_key`` or ``jwks``; ``rules`` are
    ``issuer``, ``audience``, ``algorithms`` and ``leeway``, which is seconds.

    :raises ValueError: when a public key cannot be read, or no algorithm fits it; without the packages that read it, only the first token tells
    """
    if way == "secret":
        return lambda token: _by_secret(token, key.encode(), rules)
    by_package = _ByPyJwt(way, key, rules)
    if way == "public_key":
        try:
            by_package.read_key()
        except ImportError:
            pass  # Said to the first request: an application may be imported where they are not installed.
    return by_package.verify


def _by_secret(token: str, key: bytes, rules: Mapping[str, Any]) -> dict[str, Any] | None:
    signed, _, signature = token.rpartition(".")
    head_part, _, payload_part = signed.partition(".")
    try:
        head_json, payload_json, given = _decoded(head_part), _decoded(payload_part), _decoded(signature)
    except (ValueError, binascii.Error):
        return None
    head = _json_object(head_json)
    if head is None or "crit" in head:
        return None
    algorithm = head.get("alg")
    if not isinstance(algorithm, str) or algorithm not in _HASHES or algorithm not in (rules["algorithms"] or ("HS256",)):
        return None
    if not hmac.compare_digest(hmac.new(key, signed.encode(), _HASHES[algorithm]).digest(), given):
        return None
    # What nobody has signed is not read any further.
    payload = _json_object(payload_json)
    return payload if payload is not None and _holds(payload, rules) else None


def _json_object(text: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _decoded(part: str) -> bytes:
    return base64.b64decode(part.encode() + b"=" * (-len(part) % 4), altchars=b"-_", validate=True)


def _holds(claims: Mapping[str, Any], rules: Mapping[str, Any]) -> bool:
    now, leeway = time.time(), rules["leeway"]
    expires, begins = claims.get("exp"), claims.get("nbf", 0)
    if not _is_number(expires) or not _is_number(begins) or expires + leeway <= now or begins - leeway > now:
        return False
    if rules["issuer"] is not None and claims.get("iss") not in _listed(rules["issuer"]):
        return False
    return rules["audience"] is None or not set(map(str, _listed(claims.get("aud")))).isdisjoint(_listed(rules["audience"]))


def _is_number(value: Any) -> bool:
    """Python's JSON knows NaN and infinity, and integers that are no doubles; no time is one."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]


class _ByPyJwt:
    def __init__(self, way: str, key: str, rules: Mapping[str, Any]) -> None:
        self._way, self._key, self._rules = way, key, rules
        self._keys: Any = None
        self._read: tuple[Any, list[str]] | None = None

    def read_key(self) -> tuple[Any, list[str]]:
        """The public key and the algorithms that fit it."""
        if self._read is None:
            self._read = public_key(self._key, self._rules["algorithms"] or ["RS256"])
        return self._read

    async def verify(self, token: str) -> dict[str, Any] | None:
        jwt = self._package()
        # The keys of an issuer are fetched by calls that block.
        return await asyncio.to_thread(self._verify, jwt, token)

    def _package(self) -> Any:
        try:
            import cryptography  # noqa: F401
            import jwt
        except ImportError as error:
            raise RuntimeError(f'bearer() with "{self._way}" needs the packages PyJWT and cryptography, which are not installed: pip install "pyjwt[crypto]"') from error
        return jwt

    def _verify(self, jwt: Any, token: str) -> dict[str, Any] | None:
        rules = self._rules
        try:
            key, algorithms = self.read_key() if self._way == "public_key" else self._key_of(jwt, token)
            claims: dict[str, Any] = jwt.decode(
                token, key, algorithms=algorithms, audience=rules["audience"], issuer=rules["issuer"], leeway=rules["leeway"],
                options={"require": ["exp"], "verify_aud": rules["audience"] is not None},
            )
        except (getattr(jwt.exceptions, "PyJWKClientConnectionError", OSError), jwt.exceptions.PyJWKSetError, json.JSONDecodeError) as error:  # OSError before 2.7
            raise HttpError(503, "the keys of tokens cannot be had now", {"retry-after": 5}) from error
        except (jwt.exceptions.InvalidTokenError, jwt.exceptions.PyJWKClientError, RecursionError, OverflowError):  # the last two of its JSON
            return None
        return claims

    def _key_of(self, jwt: Any, token: str) -> tuple[Any, list[str]]:
        if self._keys is None:
            self._keys = jwt.PyJWKClient(self._key)
        key = self._keys.get_signing_key_from_jwt(token)
        if not hasattr(key, "algorithm_name"):
            raise RuntimeError(f'bearer() with "jwks" needs a newer PyJWT than {jwt.__version__}: pip install -U "pyjwt[crypto]"')
        return key, list(self._rules["algorithms"] or [key.algorithm_name])
