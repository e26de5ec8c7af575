"""Classifies network addresses: public, private, or never to be reached."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Objection:
    """Why an address is not simply public. Whether private ones are allowed is up to a policy."""

    word: str
    always: bool


def _networks(*names: str) -> tuple[Network, ...]:
    return tuple(ip_network(name) for name in names)


# The tables are our own: what Python calls private or reserved differs between its versions.
# The first that fits decides, so the narrower ones come first.
_OBJECTIONS: tuple[tuple[Objection, tuple[Network, ...]], ...] = (
    (
        Objection("a cloud's metadata service", always=True),
        _networks(
            "169.254.169.254/32",  # most clouds
            "169.254.170.2/32",  # the credentials of AWS's containers
            "168.63.129.16/32",  # Azure's agent
            "100.100.100.200/32",  # Alibaba
            "192.0.0.192/32",  # Oracle
            "fd00:ec2::/64",  # AWS
            "fd20:ce::254/128",  # Google
            "fd00:42::42/128",  # Scaleway
        ),
    ),
    (Objection("link-local", always=True), _networks("169.254.0.0/16", "fe80::/10")),
    (Objection("unspecified", always=True), _networks("0.0.0.0/8", "::/128")),
    (Objection("multicast", always=True), _networks("224.0.0.0/4", "ff00::/8")),
    (Objection("broadcast", always=True), _networks("255.255.255.255/32")),
    (
        Objection("reserved", always=True),
        _networks(
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "240.0.0.0/4",
            "2001::/23",
            "2001:db8::/32",
            "3fff::/20",
        ),
    ),
    (
        Objection("private", always=False),
        _networks(
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "::1/128",
            "fc00::/7",
            "fec0::/10",
        ),
    ),
)
_UNALLOCATED = Objection("reserved", always=True)
_GLOBAL_UNICAST = ip_network("2000::/3")

# IPv6 addresses that end in the IPv4 address they stand for: compatible, translated, NAT64.
_ENDING_IN_IPV4 = _networks("::/96", "::ffff:0:0:0/96", "64:ff9b::/96")
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})


def objection_to(address: Address) -> Objection | None:
    """Return the strongest objection to an address; None if it is public."""
    found = [objection for meant in carried_addresses(address) if (objection := _judge(meant))]
    return min(found, key=lambda objection: not objection.always, default=None)


def carried_addresses(address: Address) -> tuple[Address, ...]:
    """Return the addresses that packets end up at: tunnels and translators carry others inside."""
    if isinstance(address, IPv4Address):
        return (address,)
    carried = address.ipv4_mapped or address.sixtofour
    if carried is not None:
        return (carried,)
    return address.teredo or _by_its_last_part(address)


def _by_its_last_part(address: IPv6Address) -> tuple[Address, ...]:
    last = IPv4Address(int(address) & 0xFFFF_FFFF)
    # These two are themselves, though they lie among the compatible ones.
    if address.is_unspecified or address.is_loopback:
        return (address,)
    if any(address in network for network in _ENDING_IN_IPV4):
        return (last,)
    if (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return (address, last)
    return (address,)


def parse_address(text: str) -> Address:
    """Parse an address of a resolver, without its zone; ValueError."""
    return ip_address(text.partition("%")[0])


def _judge(address: Address) -> Objection | None:
    for objection, networks in _OBJECTIONS:
        if any(address in network for network in networks):
            return objection
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return _UNALLOCATED
    return None
