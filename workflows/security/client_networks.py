"""The network that one client can use as a whole."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

UNKNOWN_ADDRESS = "::"


@lru_cache(10_000)
def network_of(host: str) -> str:
    """The address itself, or of IPv6 its /64 network."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return UNKNOWN_ADDRESS
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ip_network((address, 64), strict=False).network_address)
    return str(address)
