"""Which caller a request counts for, also behind proxies that are known."""

import ipaddress
from collections.abc import Sequence
from typing import TypeAlias

from fastapi import Request

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

FORWARDED = "x-forwarded-for"


class Clients:
    """Tells callers apart. What a proxy says of them is believed only of `trusted` ones."""

    def __init__(self, trusted: Sequence[str] = ()) -> None:
        self._trusted = [ipaddress.ip_network(name, strict=False) for name in trusted]

    def of(self, request: Request) -> str:
        """The peer; behind trusted proxies, the nearest address that is not one of them."""
        peer = request.client.host if request.client else ""
        if not self._trusts(peer):
            return network_of(peer)
        listed = ",".join(request.headers.getlist(FORWARDED)).split(",")
        for hop in reversed([hop.strip() for hop in listed]):
            address = _address(_without_port(hop))
            if address is None:
                break
            if not self._trusts(str(address)):
                return network_of(str(address))
        return network_of(peer)

    def _trusts(self, host: str) -> bool:
        address = _address(host)
        return address is not None and any(address in network for network in self._trusted)


def network_of(host: str) -> str:
    """One caller: an IPv4 address, or the /64 network that an IPv6 caller can choose from."""
    address = _address(host)
    if address is None:
        return host
    if address.version == 4:
        return str(address)
    return str(ipaddress.IPv6Network((int(address), 64), strict=False))


def _address(host: str) -> Address | None:
    """The address; an IPv4 one if it only came in the clothes of IPv6."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
