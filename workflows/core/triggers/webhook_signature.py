"""Webhook authentication: proof that the sender of a request knows the secret.

Either the secret itself as a bearer token, or an HMAC-SHA256 of the body: in hex as GitHub sends
it, or with an id and a timestamp as in Standard Webhooks.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping

TOLERANCE = 300.0
"""Maximum difference between the time of a signed request and the server's, in seconds."""
IN_HEX = ("x-signalbox-signature", "x-hub-signature-256")


def is_authentic(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """True if these headers (names in lower case) prove the secret. Runs in constant time, so that
    the duration does not reveal the secret. `now` is in seconds since 1970."""
    checks = [
        _bearer(secret, headers),
        *(has_hex_signature(secret, headers.get(name), body) for name in IN_HEX),
    ]
    return any([*checks, has_standard_signature(secret, headers, body, now)])


def _bearer(secret: str, headers: Mapping[str, str]) -> bool:
    scheme, _, sent_token = headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(sent_token.strip().encode(), secret.encode())
    return same and scheme.lower() == "bearer"


def has_hex_signature(secret: str, signature: str | None, body: bytes) -> bool:
    """True if the value of a header is the HMAC-SHA256 of the body in hex, with or without
    `sha256=` before it."""
    if signature is None:
        return False
    right = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signature.strip().removeprefix("sha256=").encode(), right.encode())


def has_standard_signature(
    secret: str, headers: Mapping[str, str], body: bytes, now: float
) -> bool:
    """`webhook-signature: v1,<base64>`, of which there may be several, over `id.time.body`. The
    secret begins with `whsec_`."""
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    id, time, signatures = (headers.get(name, "") for name in names)
    if not (id and signatures and time.isascii() and time.isdigit() and len(time) < 16):
        return False
    if abs(now - int(time)) > TOLERANCE:
        return False
    right = _signature(secret, id, time, body)
    return True in [hmac.compare_digest(one.encode(), right) for one in signatures.split()]


def standard_headers(secret: str, id: str, body: bytes, now: int) -> dict[str, str]:
    """The headers of Standard Webhooks that prove the secret to the receiver of this body."""
    return {
        "webhook-id": id,
        "webhook-timestamp": str(now),
        "webhook-signature": _signature(secret, id, str(now), body).decode(),
    }


def _signature(secret: str, id: str, time: str, body: bytes) -> bytes:
    key = b64decode(secret.partition("_")[2])
    signed = f"{id}.{time}.".encode() + body
    return b"v1," + b64encode(hmac.new(key, signed, hashlib.sha256).digest())
