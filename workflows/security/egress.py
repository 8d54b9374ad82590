"""Which machines a pack or a connection may make this server talk to.

Private, loopback and link-local addresses are refused unless the operator listed the host: behind
them stand services that trust whoever comes from inside.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class PrivateAddress(Exception):
    """The host is not one that this server may talk to. The sentence says which and why."""


def host_of(url: str) -> str:
    """The host of an http(s) URL. Raises ValueError with a sentence for anything else."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"{url!r} is no web address.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"{url!r} is no web address: it has to begin with https:// or http://.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("A base URL is just an address: no user, no password, no query.")
    return host


def resolve_host(host: str, allowed: Iterable[str]) -> tuple[str, ...]:
    """The addresses of this host, all of them fit to talk to. Blocks while it looks the name up.

    Raises PrivateAddress; OSError where there is no such host.
    """
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    if host.lower() not in {name.lower() for name in allowed}:
        for address in addresses:
            if not is_public(address):
                raise PrivateAddress(
                    f"{host} is a private address ({address}), which this server does not talk to "
                    "unless SIGNALBOX_PRIVATE_HOSTS names it."
                )
    return addresses


def is_public(address: str) -> bool:
    """Whether anybody on the internet could reach this address."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
        if inner is not None and not is_public(str(inner)):
            return False
    return ip.is_global and not ip.is_multicast
