from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.providers.outbound.addresses import objection_to, parse_address

NEVER = {
    "169.254.169.254": "a cloud's metadata service",
    "100.100.100.200": "a cloud's metadata service",
    "168.63.129.16": "a cloud's metadata service",
    "192.0.0.192": "a cloud's metadata service",
    "fd00:ec2::254": "a cloud's metadata service",
    "fd20:ce::254": "a cloud's metadata service",
    "169.254.0.1": "link-local",
    "fe80::1": "link-local",
    "febf::1": "link-local",
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "::": "unspecified",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "ff02::1": "multicast",
    "255.255.255.255": "broadcast",
    "240.0.0.1": "reserved",
    "192.0.2.7": "reserved",
    "198.51.100.7": "reserved",
    "203.0.113.7": "reserved",
    "2001:db8::1": "reserved",
    "100::1": "reserved",
    "4000::1": "reserved",
    "64:ff9b:1::1": "reserved",
}
PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "198.18.0.1",
    "::1",
    "fc00::1",
    "fdff::1",
    "fec0::1",
]
PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
]


def _v6(prefix: int, inner: str, shift: int = 0) -> str:
    return str(ip_address(prefix | (int(IPv4Address(inner)) << shift)))


# The ways in which an IPv6 address carries an IPv4 address.
CARRIERS = {
    "mapped": lambda inner: f"::ffff:{inner}",
    "compatible": lambda inner: f"::{inner}",
    "translated": lambda inner: f"::ffff:0:{inner}",
    "NAT64": lambda inner: f"64:ff9b::{inner}",
    "6to4": lambda inner: _v6(0x2002 << 112, inner, 80),
    "Teredo": lambda inner: _v6(
        0x20010000 << 96, str(IPv4Address(~int(IPv4Address(inner)) & 0xFFFFFFFF))
    ),
    "ISATAP": lambda inner: _v6(0x20014860 << 96 | 0x5EFE << 32, inner),
}


@pytest.mark.parametrize(("address", "word"), NEVER.items())
def test_some_addresses_are_never_reached(address: str, word: str) -> None:
    objection = objection_to(ip_address(address))

    assert objection is not None
    assert (objection.word, objection.always) == (word, True)


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_known(address: str) -> None:
    objection = objection_to(ip_address(address))

    assert objection is not None
    assert (objection.word, objection.always) == ("private", False)


@pytest.mark.parametrize("address", PUBLIC)
def test_nothing_is_said_against_public_addresses(address: str) -> None:
    assert objection_to(ip_address(address)) is None


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize(
    ("inner", "always"), [("127.0.0.1", False), ("10.0.0.1", False), ("169.254.169.254", True)]
)
def test_an_address_inside_another_is_the_one_that_counts(
    carrier: str, inner: str, always: bool
) -> None:
    objection = objection_to(ip_address(CARRIERS[carrier](inner)))

    assert objection is not None
    # Teredo's server, here 0.0.0.0, may be worse than what it carries.
    assert objection.always is (always or carrier == "Teredo")


@pytest.mark.parametrize(
    "carrier", ["mapped", "compatible", "translated", "NAT64", "6to4", "ISATAP"]
)
def test_a_public_address_inside_another_stays_public(carrier: str) -> None:
    assert objection_to(ip_address(CARRIERS[carrier]("8.8.8.8"))) is None


@given(st.ip_addresses())
def test_whatever_python_calls_local_is_not_public_to_us(address: IPv4Address) -> None:
    local = address.is_loopback or address.is_link_local or address.is_multicast
    local = local or address.is_unspecified

    assert not local or objection_to(address) is not None


def test_a_zone_is_left_out() -> None:
    assert parse_address("fe80::1%eth0") == ip_address("fe80::1")
