"""Guards and cookies."""

import asyncio
import base64
import hashlib
import hmac
import http.server
import importlib.util
import json
import os
import threading
import time
import unittest
import unittest.mock
from typing import Any

from treadle.auth import Guard, api_key, basic, bearer, session_cookie
from treadle.cookies import clear_cookie, parse_cookies, set_cookie, sign, unsign
from treadle.errors import HttpError

SECRET = "a secret of more than sixteen characters"


def request(headers: dict[str, str] | None = None, query: dict[str, str] | None = None) -> dict[str, Any]:
    return {"headers": headers or {}, "query": query or {}}


def found(guard: Any, headers: dict[str, str] | None = None, query: dict[str, str] | None = None) -> Any:
    return asyncio.run(guard.authenticate(request(headers, query)))


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def token(claims: dict[str, Any], key: str = SECRET, head: dict[str, Any] | None = None, digest: str = "sha256") -> str:
    return signed(f"{part(head or {'alg': 'HS256'})}.{part({'exp': time.time() + 60, 'iss': 'id', 'aud': ['shop'], **claims})}", key, digest)


def signed(text: str, key: str = SECRET, digest: str = "sha256") -> str:
    mac = hmac.new(key.encode(), text.encode(), digest).digest()
    return f"{text}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


class Cookies(unittest.TestCase):
    def test_are_read_and_written_as_in_typescript(self) -> None:
        self.assertEqual(parse_cookies('a=1; b=x%20y;c="q"; a=2; d=100%; bad; =no; e=a=b'), {"a": "1", "b": "x y", "c": "q", "d": "100%", "e": "a=b"})
        self.assertEqual(set_cookie("sid", "a b;c"), "sid=a%20b%3Bc; Path=/; Secure; HttpOnly; SameSite=Lax")
        self.assertEqual(clear_cookie("sid", path="/a"), "sid=; Path=/a; Max-Age=0; Secure; HttpOnly; SameSite=Lax")
        for arguments, options in ((("a b", "x"), {}), (("a\r\nb", "x"), {}), (("a", "x"), {"path": "/; Domain=evil"}), (("a", "x" * 4100), {}), (("a", "x"), {"same_site": "x"})):
            with self.assertRaises(ValueError):
                set_cookie(*arguments, **options)

    def test_that_are_signed_cannot_be_changed_and_pass_in_both_languages(self) -> None:
        self.assertEqual(sign("user=7", "secret-1", "sid"), "user=7." + base64.urlsafe_b64encode(hmac.new(b"secret-1", b"3:siduser=7", hashlib.sha256).digest()).rstrip(b"=").decode())
        signed = sign("user=7", "secret-1", "sid")
        self.assertEqual(unsign(signed, ["secret-2", "secret-1"], "sid"), "user=7")
        for forged, secret, purpose in ((signed.replace("7", "8"), "secret-1", "sid"), (signed, "secret-2", "sid"), (signed, "secret-1", "other"), ("x", "secret-1", "sid"), (None, "s", "")):
            self.assertIsNone(unsign(forged, secret, purpose))


class Guards(unittest.TestCase):
    def test_answer_401_with_the_challenge_or_hand_on_who_it_is(self) -> None:
        guard = api_key(keys={"billing": "k1", "shop": "k2"}, query="key")

        async def through(call: Any, headers: dict[str, str]) -> Any:
            async def next(**added: Any) -> Any:
                return added

            return await call(request(headers), None, next)

        self.assertEqual(asyncio.run(through(guard, {"x-api-key": "k2"})), {"auth": {"name": "shop"}})
        self.assertEqual(asyncio.run(through(guard.optional, {})), {"auth": None})
        with self.assertRaises(HttpError) as caught:
            asyncio.run(through(guard, {"x-api-key": "k3"}))
        self.assertEqual((caught.exception.status, caught.exception.headers), (401, {"www-authenticate": 'ApiKey header="x-api-key"'}))
        self.assertEqual(found(guard, query={"key": "k1"}), {"name": "billing"})
        self.assertIsNone(found(api_key(keys={"a": "k"}), query={"key": "k"}))

    def test_know_users_by_name_and_password(self) -> None:
        guard = basic(users={"ada": "a:b", "bob": "c"})
        for text, auth in (("ada:a:b", {"user": "ada"}), ("ada:c", None), ("bob:a:b", None), ("ada", None), ("", None)):
            header = base64.b64encode(text.encode()).decode()
            self.assertEqual(found(guard, {"authorization": f"Basic {header}"}), auth)
        self.assertIsNone(found(guard, {"authorization": "Basic %%%"}))

    def test_refuse_to_be_made_without_their_secrets_except_in_a_build(self) -> None:
        makers = (
            (lambda: api_key(keys={"billing": None}), 'api_key(): "keys.billing" is not set; set the environment variable that it is read from'),
            (lambda: api_key(), 'api_key(): "keys" has no key, so nobody could get in'),
            (lambda: basic(users={"ada": ""}), 'basic(): "users.ada" is not set; set the environment variable that it is read from'),
            (lambda: bearer(secret=None), 'bearer(): "secret" is not set; set the environment variable that it is read from'),
            (lambda: bearer(secret="short"), 'bearer(): "secret" has 5 characters; use 16 or more, for example of "openssl rand -base64 32"'),
            (lambda: bearer(), 'bearer(): give exactly one of "jwks", "public_key", "secret" and "find", not none'),
            (lambda: session_cookie(secret=[]), 'session_cookie(): "secret" is an empty list'),
        )
        for make, message in makers:
            with self.subTest(message), self.assertRaises(ValueError) as caught:
                make()
            self.assertEqual(str(caught.exception), message)
        os.environ["TREADLE_BUILD"] = "1"
        try:
            session_cookie(secret=None)
        finally:
            del os.environ["TREADLE_BUILD"]

    def test_check_tokens_of_a_secret(self) -> None:
        guard = bearer(secret=SECRET, issuer="id", audience="shop")
        self.assertEqual(found(guard, {"authorization": f"Bearer {token({'sub': 'ada'})}"})["sub"], "ada")
        brackets = base64.urlsafe_b64encode(b"[" * 100_000).decode().rstrip("=")
        deep = f"{token({}).split('.')[0]}.{brackets}.x", f"{brackets}.{brackets}.x", signed(f"{part({'alg': 'HS256'})}.{brackets}")
        none = f"{part({'alg': 'none'})}.{token({}).split('.')[1]}."
        wrong = (
            token({"exp": time.time() - 60}), token({"exp": None}), token({"exp": True}), token({"nbf": time.time() + 60}), token({"iss": "other"}), token({"aud": "other"}),
            token({}, key="another secret, as long as it is"), token({}, head={"alg": "HS384"}, digest="sha384"), token({}, head={"alg": "HS256", "crit": ["x"]}), none, "x", "a.b.c", "..", "é.é.é",
            token({}, head={"alg": []}), token({}, head={"alg": {}}), token({}, head={"alg": 5}), "x.\ud800.x", *deep,
            token({"exp": float("nan")}), token({"exp": float("inf")}), token({"exp": 10**400}), token({"nbf": float("nan")}),
        )
        for each in wrong:
            with self.subTest(each):
                self.assertIsNone(found(guard, {"authorization": f"Bearer {each}"}))
        self.assertEqual(found(bearer(find=lambda text: {"id": text}, query="t"), query={"t": "opaque"}), {"id": "opaque"})

    def test_keep_sessions_until_their_time_is_up(self) -> None:
        session = session_cookie(secret=SECRET, max_age_s=60)
        header = session.begin({"user": "Ädä"})
        self.assertRegex(header, r"^session=[\w.-]+; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax$")
        cookie = header.split(";")[0]
        self.assertEqual(found(session, {"cookie": cookie}), {"user": "Ädä"})
        self.assertIsNone(found(session_cookie(secret="another secret, long enough"), {"cookie": cookie}))
        self.assertIsNone(found(session, {"cookie": cookie.replace("session=", "session=x")}))
        over = session_cookie(secret=SECRET, max_age_s=0)
        self.assertIsNone(found(over, {"cookie": over.begin({}).split(";")[0]}))
        self.assertIn("Max-Age=0", session.end())

    def test_say_how_credentials_are_sent(self) -> None:
        for guard, schemes in (
            (api_key(keys={"a": "x"}, header="X-Key", query="key"), ({"type": "apiKey", "in": "header", "name": "x-key"}, {"type": "apiKey", "in": "query", "name": "key"})),
            (basic(users={"a": "x"}), ({"type": "http", "scheme": "basic"},)),
            (bearer(secret=SECRET), ({"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},)),
            (bearer(find=lambda text: None), ({"type": "http", "scheme": "bearer"},)),
            (session_cookie(secret=SECRET, name="sid"), ({"type": "apiKey", "in": "cookie", "name": "sid"},)),
            (Guard(lambda request: None), ()),
        ):
            with self.subTest(schemes):
                self.assertEqual(guard.schemes, schemes)
        for scheme in ({"type": "http", "scheme": "no token"}, {"type": "apiKey", "in": "body", "name": "k"}, {"type": "oauth2"}, {}):
            with self.subTest(scheme), self.assertRaisesRegex(ValueError, 'is no scheme; write {"type": "apiKey"'):
                Guard(lambda request: None, None, [scheme])

    @unittest.skipIf(importlib.util.find_spec("jwt"), "PyJWT is installed")
    def test_say_what_public_keys_need(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "pip install"):
            found(bearer(jwks="http://127.0.0.1:1/"), {"authorization": "Bearer x"})


def pem_of(private: Any) -> str:
    """The public key of a private one."""
    from cryptography.hazmat.primitives import serialization

    made: bytes = private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return made.decode()


@unittest.skipUnless(importlib.util.find_spec("jwt") and importlib.util.find_spec("cryptography"), "PyJWT and cryptography are not installed")
class PublicKeys(unittest.TestCase):
    def test_take_algorithms_of_two_kinds_and_refuse_tokens_of_the_other(self) -> None:
        import jwt
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

        keys = {"RS256": rsa.generate_private_key(65537, 2048), "ES256": ec.generate_private_key(ec.SECP256R1()), "EdDSA": ed25519.Ed25519PrivateKey.generate()}
        for own, key in keys.items():
            guard = bearer(public_key=pem_of(key), algorithms=["ES256", "RS256", "EdDSA", "HS256"])
            for algorithm, signer in keys.items():
                with self.subTest(key=own, token=algorithm):
                    bearer_token = jwt.encode({"sub": "ada", "exp": time.time() + 60}, signer, algorithm)
                    self.assertEqual(found(guard, {"authorization": f"Bearer {bearer_token}"}) is not None, algorithm == own)
            # Signed with what everybody knows.
            self.assertIsNone(found(guard, {"authorization": f"Bearer {token({}, key=pem_of(key))}"}))

    def test_that_let_nobody_in_are_said_when_the_guard_is_made(self) -> None:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import dsa, ec, rsa

        curve = ec.generate_private_key(ec.SECP384R1())
        private = curve.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
        for pem, algorithms, message in (
            (pem_of(curve), None, 'is a key of the curve secp384r1, which fits none of the algorithms RS256; write algorithms=["ES384"], or give'),
            (pem_of(curve), ["ES256", "RS256"], 'is a key of the curve secp384r1, which fits none of the algorithms ES256, RS256; write algorithms=["ES384"]'),
            (pem_of(rsa.generate_private_key(65537, 2048)), ["HS256"], 'is an RSA key, which fits none of the algorithms HS256; write algorithms=["RS256"]'),
            (pem_of(dsa.generate_private_key(2048)), None, "is an DSA key, which fits none of the algorithms RS256; use a key of RSA"),
            (private, None, "cannot be read: it is a private key; give the public one"),
            (pem_of(curve).replace("\n", "\\n"), None, "cannot be read: give a PEM with its line breaks"),
            ("x", None, "cannot be read: give a PEM with its line breaks"),
        ):
            with self.subTest(message), self.assertRaises(ValueError) as caught:
                bearer(public_key=pem, algorithms=algorithms)
            self.assertIn(f'bearer(): "public_key" {message}', str(caught.exception))
        with unittest.mock.patch.dict(os.environ, {"TREADLE_BUILD": "1"}):
            self.assertIsNone(found(bearer(public_key="x"), {"authorization": "Bearer x"}))

    def test_are_taken_from_a_text_and_from_an_address(self) -> None:
        import jwt
        from cryptography.hazmat.primitives.asymmetric import rsa

        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem = pem_of(private)
        right = {"authorization": "Bearer " + jwt.encode({"sub": "ada", "exp": time.time() + 60}, private, "RS256", {"kid": "1"})}
        self.assertEqual(found(bearer(public_key=pem), right)["sub"], "ada")
        late = {"authorization": "Bearer " + jwt.encode({"exp": time.time() - 60}, private, "RS256", {"kid": "1"})}
        self.assertIsNone(found(bearer(public_key=pem), late))
        keys = json.dumps({"keys": [{**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private.public_key())), "kid": "1", "alg": "RS256", "use": "sig"}]}).encode()

        class Issuer(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(keys)

            def log_message(self, *_: Any) -> None:
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Issuer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        self.assertEqual(found(bearer(jwks=address), right)["sub"], "ada")
        hostile = {"authorization": "Bearer " + jwt.encode({"exp": time.time() + 60}, "x" * 32, "HS256", {"kid": "1"})}
        self.assertIsNone(found(bearer(jwks=address), hostile))
        server.shutdown()
        server.server_close()
        with self.assertRaises(HttpError) as caught:
            found(bearer(jwks=address), right)
        self.assertEqual(caught.exception.status, 503)
