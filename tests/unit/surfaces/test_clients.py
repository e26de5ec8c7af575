"""A caller is who is connected to us; what headers say counts only behind known proxies."""

import pytest
from fastapi import Request

from sourcebook.surfaces.clients import Clients, network_of

PROXY = "10.0.0.1"
TRUSTED = ("10.0.0.0/8", "2001:db8:ffff::/48", "192.0.2.9")


def caller(peer: str | None, *forwarded: str, trusted: tuple[str, ...] = TRUSTED) -> str:
    scope = {
        "type": "http",
        "client": None if peer is None else (peer, 50_000),
        "headers": [(b"x-forwarded-for", value.encode("latin-1")) for value in forwarded],
    }
    return Clients(trusted).of(Request(scope))


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_a_caller_is_an_address_or_a_network(host: str, network: str) -> None:
    assert network_of(host) == network


def test_headers_of_strangers_are_not_believed() -> None:
    assert caller("198.51.100.7", "203.0.113.5") == "198.51.100.7"
    assert caller(PROXY, "203.0.113.5", trusted=()) == PROXY


@pytest.mark.parametrize(
    ("forwarded", "expected"),
    [
        ([], PROXY),
        ([""], PROXY),
        (["203.0.113.5"], "203.0.113.5"),
        (["1.1.1.1, 203.0.113.5"], "203.0.113.5"),
        (["1.1.1.1", "203.0.113.5"], "203.0.113.5"),
        (["203.0.113.5, 10.9.9.9 ,192.0.2.9"], "203.0.113.5"),
        (["203.0.113.5:4711"], "203.0.113.5"),
        (["[2001:db8:1:2::5]:4711"], "2001:db8:1:2::/64"),
        (["2001:db8:1:2::5"], "2001:db8:1:2::/64"),
        (["::ffff:203.0.113.5"], "203.0.113.5"),
        (["10.1.1.1, 10.2.2.2"], PROXY),
        (["203.0.113.5, unknown"], PROXY),
        (["203.0.113.5, "], PROXY),
        (["\xff\x00, ;;"], PROXY),
    ],
)
def test_behind_known_proxies_the_nearest_stranger_counts(
    forwarded: list[str], expected: str
) -> None:
    assert caller(PROXY, *forwarded) == expected


def test_a_proxy_is_known_in_either_notation() -> None:
    assert caller("::ffff:10.0.0.1", "203.0.113.5") == "203.0.113.5"
    assert caller("2001:db8:ffff::1", "203.0.113.5") == "203.0.113.5"


def test_a_connection_without_an_address_is_nobody() -> None:
    assert caller(None, "203.0.113.5") == ""
