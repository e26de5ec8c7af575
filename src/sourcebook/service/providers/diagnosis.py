"""Explains why a connection test failed, without repeating what the other server wrote."""

import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx2

from sourcebook.core.errors import (
    ConfigurationError,
    InvalidInput,
    RateLimited,
    SourcebookError,
)
from sourcebook.core.providers import ErrorType
from sourcebook.providers.declaration import ProbeFailed
from sourcebook.providers.outbound.client import ReplyUnusable
from sourcebook.providers.outbound.destinations import DestinationRefused, UrlRefused
from sourcebook.providers.registry.registry import ProviderBroken


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The kind of failure, and what to do about it."""

    error_type: ErrorType
    message: str


TOO_SLOW = Diagnosis("timeout", "The server did not answer in time")
UNKNOWN = Diagnosis("unknown", "The test failed in a way that nobody foresaw; the log names it")

STRANGE = Diagnosis(
    "unknown", "The server's reply makes no sense here: is it the right kind of server?"
)
_UNREACHABLE = Diagnosis(
    "network", "The server cannot be reached: check the host, the port and that it is running"
)
_UNTRUSTED = Diagnosis(
    "network", "No secure connection could be made: the server's certificate or TLS is not in order"
)
_UNSENDABLE = Diagnosis(
    "invalid_config", "A setting holds characters that cannot be sent: copy the key once more"
)
_RATE_LIMITED = Diagnosis("rate_limit", "The server takes no more requests now (429): wait a while")
_STATUSES: Mapping[int, Diagnosis] = {
    401: Diagnosis("authentication", "The server refused the key, or wants one (401)"),
    403: Diagnosis("authorization", "The server knows the key, and does not allow this (403)"),
    404: Diagnosis("not_found", "The server has nothing at that address (404): check the URL"),
    408: TOO_SLOW,
    429: _RATE_LIMITED,
    504: TOO_SLOW,
}
# The first that fits decides. A kind alone stands for the error's own message; None for its cause.
_BY_TYPE: tuple[tuple[tuple[type[BaseException], ...], Diagnosis | ErrorType | None], ...] = (
    ((RateLimited,), _RATE_LIMITED),
    ((InvalidInput, ConfigurationError, ProviderBroken), "invalid_config"),
    # The message of any other error may quote the server.
    ((SourcebookError,), None),
    ((UrlRefused,), "invalid_config"),
    ((DestinationRefused,), "network"),
    ((ReplyUnusable,), "unknown"),
    (
        (httpx2.InvalidURL, httpx2.UnsupportedProtocol),
        Diagnosis("invalid_config", "The URL cannot be used: use the form https://host"),
    ),
    ((httpx2.TimeoutException, TimeoutError), TOO_SLOW),
    ((httpx2.LocalProtocolError, UnicodeEncodeError), _UNSENDABLE),
    ((ssl.SSLError,), _UNTRUSTED),
    ((httpx2.TransportError, ConnectionError, socket.gaierror), _UNREACHABLE),
    (
        (ImportError,),
        Diagnosis("invalid_config", "A package that the provider needs is not installed"),
    ),
    # The last four are what reading a reply of another shape raises.
    ((httpx2.HTTPError, ValueError, LookupError, TypeError, AttributeError), STRANGE),
)


def diagnose(error: BaseException) -> Diagnosis:
    """Explain an error by itself or, if it is unknown, by what caused it."""
    known = (found for one in _with_causes(error) if (found := _recognised(one)))
    return next(known, UNKNOWN)


def _recognised(error: BaseException) -> Diagnosis | None:
    if isinstance(error, ProbeFailed):
        return Diagnosis(error.error_type, error.message)
    # Other people's SDKs name the status as the responses of httpx2 do.
    replied = error.response if isinstance(error, httpx2.HTTPStatusError) else error
    status = getattr(replied, "status_code", None)
    if isinstance(status, int) and not isinstance(error, SourcebookError):
        return _of_status(status)
    for kinds, diagnosis in _BY_TYPE:
        if isinstance(error, kinds):
            if diagnosis is _UNREACHABLE and _is_about_tls(error):
                return _UNTRUSTED
            return Diagnosis(diagnosis, str(error)) if isinstance(diagnosis, str) else diagnosis
    return None


def _of_status(status: int) -> Diagnosis:
    if status in _STATUSES:
        return _STATUSES[status]
    if 300 <= status < 400:
        return Diagnosis(
            "unknown", f"The server sends us elsewhere ({status}): give the URL where it really is"
        )
    return Diagnosis("unknown", f"The server answered with the status {status}")


def _is_about_tls(error: BaseException) -> bool:
    return any(isinstance(one, ssl.SSLError) for one in _with_causes(error))


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    seen: set[int] = set()
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__
