"""Parses Postgres URLs, as libpq and Neon write them, for asyncpg."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from sourcebook.core.errors import ConfigurationError

CONNECT_TIMEOUT_S = 5.0
COMMAND_TIMEOUT_S = 15.0
# What a URL may set. Options that name files or programs of this machine are not among them.
OPTIONS = ("host", "port", "sslmode", "channel_binding", "application_name", "connect_timeout")
SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_POSTGRES = ("postgres", "postgresql", "postgresql+asyncpg")


@dataclass(frozen=True, slots=True)
class Target:
    """A URL and connection arguments for asyncpg."""

    url: URL
    connect_args: Mapping[str, object] = field(default_factory=dict)


def postgres_target(text: str) -> Target:
    """Parse a Postgres URL; ConfigurationError if it cannot be used."""
    url = _parsed(text)
    if url.drivername not in _POSTGRES:
        raise ConfigurationError(
            f"SOURCEBOOK_LEDGER_URL must begin with postgresql://, not {url.drivername}://."
            " Leave it unset for SQLite in the data folder"
        )
    options = {name: _single(name, value) for name, value in url.query.items()}
    unknown = sorted(options.keys() - set(OPTIONS))
    if unknown:
        raise ConfigurationError(
            f"SOURCEBOOK_LEDGER_URL has options that are not supported: {', '.join(unknown)}."
            f" Supported: {', '.join(OPTIONS)}"
        )
    place: dict[str, str] = {n: v for n, v in options.items() if n in ("host", "port")}
    return Target(
        url.set(drivername="postgresql+asyncpg", query=place), _connect_args(url, options)
    )


def without_password(text: str) -> str:
    """Return the URL as libpq's own programs take it, without its password."""
    postgres_target(text)  # refuses what is no Postgres URL
    url = _parsed(text)
    shown = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, url.query
    )
    return shown.render_as_string()


def _connect_args(url: URL, options: Mapping[str, str]) -> dict[str, object]:
    args: dict[str, object] = {
        "timeout": _seconds(options.get("connect_timeout")),
        "command_timeout": COMMAND_TIMEOUT_S,
        "server_settings": {
            "application_name": options.get("application_name", "sourcebook"),
            "TimeZone": "UTC",
        },
    }
    if "sslmode" in options:
        args["ssl"] = _ssl_mode(options["sslmode"])
    if "-pooler." in (url.host or ""):
        # A pooler hands each transaction another connection, where no prepared statement is known.
        args["statement_cache_size"] = 0
        args["prepared_statement_cache_size"] = 0
        args["prepared_statement_name_func"] = lambda: f"sourcebook_{uuid.uuid4().hex}"
    return args


def _parsed(text: str) -> URL:
    try:
        return make_url(text)
    except (ArgumentError, ValueError):
        # The text holds a password, so it is not shown.
        raise ConfigurationError(
            "SOURCEBOOK_LEDGER_URL is not a database URL; it looks like"
            " postgresql://user:password@host/database"
        ) from None


def _single(name: str, value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return value
    raise ConfigurationError(f"SOURCEBOOK_LEDGER_URL gives the option {name!r} more than once")


def _ssl_mode(mode: str) -> str:
    if mode not in SSL_MODES:
        raise ConfigurationError(
            f"SOURCEBOOK_LEDGER_URL has sslmode={mode!r}; use one of {', '.join(SSL_MODES)}"
        )
    return mode


def _seconds(text: str | None) -> float:
    try:
        return float(text) if text is not None else CONNECT_TIMEOUT_S
    except ValueError:
        raise ConfigurationError(
            f"SOURCEBOOK_LEDGER_URL has connect_timeout={text!r}, which is no number"
        ) from None
