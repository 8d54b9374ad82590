"""Public addresses, and IPv6 addresses that lead to private IPv4 ones."""

from __future__ import annotations

import ipaddress

import pytest

from workflows.security.egress import is_public

CARRIERS = {
    "IPv4-mapped": "::ffff:{}",
    "NAT64": "64:ff9b::{}",
    "6to4": "2002:{:x}:{:x}::1",
    "IPv4-compatible": "::{}",
    "Teredo": "2001:0:4136:e378:8000:63bf:{:x}:{:x}",
}


def carrying(carrier: str, inner: str) -> str:
    """An IPv6 address that leads to this IPv4 one. Teredo has its bits inverted (RFC 4380)."""
    number = int(ipaddress.IPv4Address(inner))
    if carrier == "Teredo":
        number ^= 0xFFFF_FFFF
    if carrier in ("6to4", "Teredo"):
        return CARRIERS[carrier].format(number >> 16, number & 0xFFFF)
    return CARRIERS[carrier].format(inner)


@pytest.mark.parametrize("inner", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.1"])
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("is_global_knows", [True, False])
def test_an_address_that_embeds_a_private_one_is_private(
    carrier: str, inner: str, is_global_knows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`is_global` differs between releases of Python; the result must not."""
    if not is_global_knows:
        monkeypatch.setattr(ipaddress.IPv6Address, "is_global", True)
    assert not is_public(carrying(carrier, inner))


@pytest.mark.parametrize("carrier", ["IPv4-mapped", "NAT64"])
def test_an_address_that_embeds_a_public_one_is_judged_itself(
    carrier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ipaddress.IPv6Address, "is_global", True)
    assert is_public(carrying(carrier, "8.8.8.8"))


@pytest.mark.parametrize("carrier", ["6to4", "Teredo"])
def test_addresses_of_tunnels_are_private(carrier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their relays are hosts of any network."""
    monkeypatch.setattr(ipaddress.IPv6Address, "is_global", True)
    assert not is_public(carrying(carrier, "8.8.8.8"))


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.1.1", "172.16.0.1"),
        *("224.0.0.1", "::", "::1", "fe80::1%eth0", "fc00::1", "ff02::1"),
        *("168.63.129.16", "::ffff:168.63.129.16", "192.88.99.1", "3fff::1", "5f00::1"),
        *("::127.0.0.1", "::ffff:0:7f00:1", "fec0::1", "feff::1", "64:ff9b:1::a00:1"),
    ],
)
def test_private_local_and_multicast_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111"])
def test_internet_addresses_are_public(address: str) -> None:
    assert is_public(address)
