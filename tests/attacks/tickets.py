"""A cache of Kerberos tickets, as a sign-in leaves it, without a server of Kerberos."""

from __future__ import annotations

import struct
import time
from pathlib import Path

REALM = b"EXAMPLE.ORG"
CONFIGURATION = """\
[libdefaults]
default_realm = EXAMPLE.ORG
dns_canonicalize_hostname = false
rdns = false
[domain_realm]
127.0.0.1 = EXAMPLE.ORG
"""


def make_cache(folder: Path) -> dict[str, str]:
    """Tickets of a user for every service of this machine, in version 4 of MIT's format. Returns
    the environment in which programs find them."""
    cache, settings = folder / "tickets", folder / "krb5.conf"
    settings.write_text(CONFIGURATION)
    services = ((b"HTTP", b"127.0.0.1"), (b"host", b"127.0.0.1"), (b"krbtgt", REALM))
    cache.write_bytes(b"\5\4\0\0" + _name(b"operator") + b"".join(map(_ticket, services)))
    return {"KRB5CCNAME": f"FILE:{cache}", "KRB5_CONFIG": str(settings)}


def _ticket(service: tuple[bytes, ...]) -> bytes:
    now = int(time.time())
    forwardable, aes256 = 0x40000000, 18
    words = _der(0x30, *(_der(0x1B, word) for word in service))
    name = _der(0x30, _der(0xA0, _der(2, b"\1")), _der(0xA1, words))
    secret = _der(0x30, _der(0xA0, _der(2, bytes([aes256]))), _der(0xA2, _der(4, bytes(32))))
    parts = (_der(2, b"\5"), _der(0x1B, REALM), name, secret)
    ticket = _der(0x61, _der(0x30, *(_der(0xA0 + n, part) for n, part in enumerate(parts))))
    key = struct.pack(">H", aes256) + _counted(bytes(32))
    times = struct.pack(">IIIIBIII", now, now, now + 36_000, 0, 0, forwardable, 0, 0)
    return _name(b"operator") + _name(*service) + key + times + _counted(ticket) + _counted(b"")


def _name(*words: bytes) -> bytes:
    return struct.pack(">II", 1, len(words)) + b"".join(map(_counted, (REALM, *words)))


def _counted(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _der(tag: int, *parts: bytes) -> bytes:
    """A value of ASN.1 with less than 256 bytes."""
    body = b"".join(parts)
    return bytes([tag, *([0x81] if len(body) > 127 else []), len(body)]) + body
