"""Egress rules: the hosts that a pack or a connection may make this server contact.

Private, loopback and link-local addresses are refused unless the operator listed the host: services
there often trust every client of their network.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_COMPATIBLE = ipaddress.ip_network("::/96")
"""IPv4-compatible addresses such as `::127.0.0.1`, which RFC 4291 retired."""
_NEVER_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            # NAT64 of a local network, 6to4 and its relays, Teredo, site-local and IPv4-translated
            # addresses: each leads to a relay or a host of this network.
            *("64:ff9b:1::/48", "2002::/16", "192.88.99.0/24", "2001::/32", "fec0::/10"),
            "::ffff:0:0:0/96",
            # Documentation and segment routing, which some releases of Python take as global.
            *("3fff::/20", "5f00::/16"),
            # The service of Azure that answers its virtual machines.
            "168.63.129.16/32",
        ),
    )
)


class PrivateAddress(Exception):
    """This server may not contact the host. The message has the host and the reason."""


def host_of(url: str) -> str:
    """The host of an http(s) URL. Raises ValueError with a message for the user."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"{url!r} is not a web address.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"{url!r} is not a web address: it must begin with https:// or http://.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("A base URL must not contain a user, password, query or fragment.")
    return host


def resolve_host(host: str, allowed: Iterable[str]) -> tuple[str, ...]:
    """The addresses of this host, all of them permitted. Blocks during the name lookup.

    Raises PrivateAddress; OSError if there is no such host.
    """
    entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
    if host.lower() not in {name.lower() for name in allowed}:
        for address in addresses:
            if not is_public(address):
                raise PrivateAddress(
                    f"{host} is a private address ({address}). This server contacts it only if "
                    "SIGNALBOX_PRIVATE_HOSTS lists it."
                )
    return addresses


def is_public(address: str) -> bool:
    """Return True if the address is reachable from the internet."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if any(ip in network for network in _NEVER_PUBLIC):
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped
        if ip in _NAT64 or ip in _COMPATIBLE:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
        if inner is not None and not is_public(str(inner)):
            return False
    return ip.is_global and not ip.is_multicast
