"""Public keys that tokens are signed for: their kinds, and the algorithms that fit each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
#: Each elliptic curve has its own.
_BY_CURVE = {"secp256r1": ("ES256",), "secp384r1": ("ES384",), "secp521r1": ("ES512", "ES521"), "secp256k1": ("ES256K",)}


def public_key(pem: str, algorithms: Sequence[str]) -> tuple[Any, list[str]]:
    """
    The key of a PEM and those of the algorithms that fit it: PyJWT fails, in a way that differs between its versions, on a token whose
    algorithm is of another kind than the key.

    :raises ImportError: without the package ``cryptography``
    :raises ValueError: when it is no public key, or no algorithm fits it
    """
    key = _read(pem.strip().encode())
    usable = _usable(key)
    fitting = [algorithm for algorithm in algorithms if algorithm in usable]
    if not fitting:
        remedy = f'write algorithms=["{usable[0]}"], or give the key that the tokens are signed for' if usable else "use a key of RSA, of a NIST curve or Ed25519"
        raise ValueError(f'bearer(): "public_key" is {_named(key)}, which fits none of the algorithms {", ".join(algorithms)}; {remedy}')
    return key, fitting


def _read(pem: bytes) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    try:
        if pem.startswith(b"ssh-"):
            return serialization.load_ssh_public_key(pem)
        return serialization.load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        if b"PRIVATE KEY-----" in pem:
            advice = "it is a private key; give the public one, for example of: openssl pkey -in private.pem -pubout"
        else:
            advice = "give a PEM with its line breaks, as -----BEGIN PUBLIC KEY----- and what follows"
        raise ValueError(f'bearer(): "public_key" cannot be read: {advice}') from error


def _usable(key: Any) -> tuple[str, ...]:
    """The algorithms that a key can be used with."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

    if isinstance(key, rsa.RSAPublicKey):
        return _RSA
    if isinstance(key, ec.EllipticCurvePublicKey):
        return _BY_CURVE.get(key.curve.name, ())
    if isinstance(key, ed25519.Ed25519PublicKey):
        return ("EdDSA", "Ed25519")
    return ("EdDSA", "Ed448") if isinstance(key, ed448.Ed448PublicKey) else ()


def _named(key: Any) -> str:
    curve = getattr(key, "curve", None)
    name: str = type(key).__name__.lstrip("_").removesuffix("PublicKey")
    return f"a key of the curve {curve.name}" if curve is not None else f"an {name} key"
