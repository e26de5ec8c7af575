"""The allow-list for outgoing connections: rules for URLs, hosts and their addresses."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import TypeAlias

import httpx2

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.text import shorten
from sourcebook.providers.outbound.addresses import (
    Address,
    Network,
    carried_addresses,
    objection_to,
    parse_address,
)

MAX_HOST_CHARS = 120
_SETTING = "SOURCEBOOK_ALLOWED_PRIVATE_HOSTS"
_PORTS = {"http": 80, "https": 443}
# `name:80`, `[::1]:80`, and an IPv6 address without a port, which has colons of its own.
_WITH_PORT = re.compile(r"(?P<host>\[[^\]]+\]|[^:\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
_NAME = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?")

Origin: TypeAlias = tuple[str, str, int]


class DestinationRefused(httpx2.ConnectError):
    """The policy does not allow the destination. Nothing was sent."""


class UrlRefused(DestinationRefused):
    """The URL is not a plain http(s) URL, or not of an allowed origin."""


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """A private host or network that may be reached, perhaps at one port only."""

    name: str | None = None
    network: Network | None = None
    port: int | None = None

    def fits(self, host: str, port: int, address: Address) -> bool:
        """Return whether this entry allows the address of the host."""
        if self.port not in {None, port}:
            return False
        if self.network is not None:
            return address in self.network
        return self.name == host


@dataclass(frozen=True, slots=True)
class Policy:
    """Which addresses may be reached, and which origins if not all.

    Link-local addresses, metadata services and what is reserved are never reached.
    """

    private: bool
    allowed: tuple[AllowedHost, ...] = ()
    origins: frozenset[Origin] | None = field(default=None)

    def check_url(self, url: httpx2.URL) -> None:
        """Refuse anything but a plain http(s) URL of an allowed origin."""
        origin = origin_of(url)
        if self.origins is not None and origin not in self.origins:
            raise UrlRefused(
                f"A key of the service is only sent to the server that it belongs to, not to"
                f" {_shown(url.host)}; give the key itself, or leave the URL as it is configured"
            )

    def check_addresses(self, host: str, port: int, found: Sequence[str]) -> tuple[Address, ...]:
        """Parse the addresses of a host; DestinationRefused if one is not allowed."""
        addresses = tuple(parse_address(text) for text in found)
        for address in addresses:
            self._check_address(normal_host(host), port, address)
        return addresses

    def _check_address(self, host: str, port: int, address: Address) -> None:
        objection = objection_to(address)
        if objection is None or (self.private and not objection.always):
            return
        refusal = f"Address {_shown(host)} is not allowed: it is {objection.word}"
        if objection.always:
            raise DestinationRefused(refusal)
        for meant in carried_addresses(address):
            if not any(allowed.fits(host, port, meant) for allowed in self.allowed):
                raise DestinationRefused(f"{refusal}. Add the host to {_SETTING} if it is yours")


# For what the operator has configured: servers on this machine and beside it are the rule.
OPERATOR = Policy(private=True)
# For what comes in over HTTP.
STRANGER = Policy(private=False)


def stranger_policy(allowed_private_hosts: Iterable[str]) -> Policy:
    """Return the policy for requests that come in over HTTP, with the private hosts it allows."""
    return Policy(private=False, allowed=tuple(map(parse_allowed, allowed_private_hosts)))


def parse_url(text: str) -> httpx2.URL:
    """Parse a URL that every client reads alike; UrlRefused says what is odd."""
    if "\\" in text or any(character.isspace() for character in text):
        raise UrlRefused("The URL holds a backslash or a space")
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL:
        raise UrlRefused("The URL cannot be understood: use the form https://host") from None
    origin_of(url)
    return url


def origin_of(url: httpx2.URL) -> Origin:
    """Return scheme, host and port; UrlRefused unless it is a plain http(s) URL."""
    if url.scheme not in _PORTS:
        raise UrlRefused(f"Only http and https are spoken, not {_shown(url.scheme)}")
    if url.userinfo:
        raise UrlRefused("The URL holds credentials; give them as settings of their own")
    if not url.host:
        raise UrlRefused("The URL has no host: use the form https://host")
    port = _PORTS[url.scheme] if url.port is None else url.port
    if not 0 < port < 2**16:
        raise UrlRefused(f"Port {port} cannot be reached: use one from 1 to 65535")
    return url.scheme, normal_host(url.raw_host.decode("ascii")), port


def normal_host(host: str) -> str:
    """Normalize a host: lower case, without a final dot."""
    return host.lower().removesuffix(".")


def parse_allowed(word: str) -> AllowedHost:
    """Parse one entry of the list of private hosts; ConfigurationError names it."""
    try:
        return AllowedHost(network=ip_network(word, strict=False))
    except ValueError:
        pass
    found = _WITH_PORT.fullmatch(word.strip().lower())
    port = int(found["port"]) if found and found["port"] else None
    host = normal_host(found["host"].strip("[]")) if found else ""
    try:
        return AllowedHost(network=ip_network(host), port=port)
    except ValueError:
        if not _NAME.fullmatch(host) or not 0 < (port or 1) < 2**16:
            raise ConfigurationError(
                f"{_SETTING} has the entry {shorten(word, MAX_HOST_CHARS)!r}, which is no host: use"
                " a name, name:port, an address or a network such as 10.0.0.0/8"
            ) from None
    return AllowedHost(name=host, port=port)


def _shown(host: str) -> str:
    return repr(shorten(host, MAX_HOST_CHARS))
