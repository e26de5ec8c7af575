"""Database URLs as providers give them become what the driver takes; nothing secret is shown."""

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.storage.postgres_url import postgres_target

NEON = (
    "postgresql://owner:canary-password@ep-cool-name-pooler.eu-central-1.aws.neon.example/neondb"
    "?sslmode=require&channel_binding=require"
)


def test_a_url_of_neon_is_understood() -> None:
    target = postgres_target(NEON)

    assert target.url.drivername == "postgresql+asyncpg"
    assert dict(target.url.query) == {}
    assert target.connect_args["ssl"] == "require"
    assert target.connect_args["statement_cache_size"] == 0


def test_without_a_pooler_statements_are_prepared() -> None:
    target = postgres_target(NEON.replace("-pooler", ""))

    assert "statement_cache_size" not in target.connect_args


def test_every_session_is_in_utc_and_has_limits() -> None:
    args = postgres_target("postgres://u:p@localhost/db").connect_args

    assert args["server_settings"] == {"application_name": "sourcebook", "TimeZone": "UTC"}
    assert args["timeout"] == 5.0
    assert args["command_timeout"] == 15.0


def test_a_unix_socket_stays_where_it_is() -> None:
    target = postgres_target("postgresql://u@/db?host=/run/postgresql&port=5433")

    assert dict(target.url.query) == {"host": "/run/postgresql", "port": "5433"}


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://u:canary-password@h/db", "must begin with postgresql://"),
        ("sqlite:///canary-password.db", "must begin with postgresql://"),
        ("canary-password", "not a database URL"),
        ("postgresql://u:canary-password@h:port/db", "not a database URL"),
        ("postgresql://u:canary-password@h/db?passfile=/etc/passwd", "not supported: passfile"),
        ("postgresql://u:canary-password@h/db?sslkey=/k&sslcert=/c", "sslcert, sslkey"),
        ("postgresql://u:canary-password@h/db?sslmode=maybe", "sslmode='maybe'"),
        ("postgresql://u:canary-password@h/db?connect_timeout=x", "connect_timeout='x'"),
        ("postgresql://u:canary-password@h/db?sslmode=a&sslmode=b", "more than once"),
    ],
)
def test_a_bad_url_is_refused_without_showing_it(url: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        postgres_target(url)

    assert says in caught.value.message
    assert "canary-password" not in caught.value.message
