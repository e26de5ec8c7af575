"""Checks the URLs of servers that operators configure, and reads OLLAMA_HOST."""

import re
from collections.abc import Collection, Mapping
from enum import Enum, auto
from urllib.parse import urlsplit

OLLAMA_PORT = 11434
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f]")


class UrlFlaw(Enum):
    """What keeps a text from being the URL of a server."""

    UNPRINTABLE = auto()
    MALFORMED = auto()
    SCHEME = auto()
    CREDENTIALS = auto()
    HOST = auto()
    PORT = auto()
    QUERY = auto()


# What clients of vector stores cope with themselves.
LENIENT = frozenset({UrlFlaw.UNPRINTABLE, UrlFlaw.PORT})


def find_flaw(url: str, ignored: Collection[UrlFlaw] = ()) -> UrlFlaw | None:
    """Return the first flaw of a server's URL; None if it has none but those that are ignored."""
    flaws: dict[UrlFlaw, bool] = {UrlFlaw.UNPRINTABLE: _UNPRINTABLE.search(url) is not None}
    try:
        parts = urlsplit(url)
        flaws |= {
            UrlFlaw.SCHEME: parts.scheme not in {"http", "https"},
            UrlFlaw.CREDENTIALS: "@" in parts.netloc,
            UrlFlaw.HOST: not parts.hostname,
            UrlFlaw.PORT: parts.port == 0,
            UrlFlaw.QUERY: bool(parts.query or parts.fragment),
        }
    except ValueError:
        flaws[UrlFlaw.MALFORMED] = True
    return next((flaw for flaw, found in flaws.items() if found and flaw not in ignored), None)


def check_server_url(
    value: str,
    *,
    form: str,
    credentials: str = "a key goes into api_key",
    query: str = "must hold no ? or #, and a port that can be reached",
    ignored: Collection[UrlFlaw] = (),
) -> str:
    """Return a server's URL without space around it and without a slash at its end.

    For the validator of a setting: ValueError says what is wrong, and never quotes the URL.
    """
    url = value.strip()
    flaw = find_flaw(url, ignored)
    if flaw is None:
        return url.rstrip("/")
    messages: Mapping[UrlFlaw, str] = {
        UrlFlaw.MALFORMED: f"is not a URL; use the form {form}",
        UrlFlaw.CREDENTIALS: f"must hold no user or password; {credentials}",
        UrlFlaw.PORT: query,
        UrlFlaw.QUERY: query,
    }
    raise ValueError(messages.get(flaw, "must begin with http:// or https:// and name a host"))


def ollama_url(host: str) -> str:
    """Return the URL that OLLAMA_HOST means, without the /v1 of its OpenAI routes.

    The variable may hold a name alone, or the address to listen at.
    """
    if "://" not in host:
        name, _, port = host.rpartition(":")
        has_port = bool(name) and port.isdigit()
        host = f"http://{host}" if has_port else f"http://{host}:{OLLAMA_PORT}"
    return host.replace("://0.0.0.0", "://127.0.0.1").rstrip("/").removesuffix("/v1")
