"""Several processes need servers behind them, and nothing that each has for itself."""

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.wiring.process_sharing import can_share, check_server, check_worker

POSTGRES = "postgresql://u:p@localhost/db"
KEY = "a-key-of-sixteen-characters"


def settings(**flags: object) -> Settings:
    return load_settings(None, **flags)


@pytest.mark.parametrize(
    ("given", "shared"),
    [
        ({}, False),
        ({"ledger_url": POSTGRES}, False),
        ({"qdrant_url": "http://localhost:6333"}, False),
        ({"ledger_url": POSTGRES, "qdrant_url": "http://localhost:6333"}, True),
        ({"ledger_url": POSTGRES, "vector_store": "chromadb-server"}, True),
        ({"ledger_url": POSTGRES, "vector_store": "chromadb"}, False),
        ({"ledger_url": POSTGRES, "vector_store": "memory"}, False),
    ],
)
def test_ledger_and_index_are_shared_if_both_are_servers(
    given: dict[str, object], shared: bool
) -> None:
    assert can_share(settings(**given), Registry()) is shared


def test_a_worker_on_an_embedded_store_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="SOURCEBOOK_LEDGER_URL"):
        check_worker(shared=False)
    check_worker(shared=True)


def test_serving_without_working_is_refused_where_nobody_else_can_work() -> None:
    with pytest.raises(ConfigurationError, match="--no-work"):
        check_server(settings(work=False), shared=False)
    check_server(settings(), shared=False)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"database_url": POSTGRES}, "ADMIN_API_KEY"),
        ({"admin_api_key": KEY}, "DATABASE_URL"),
        ({}, "ADMIN_API_KEY.* and .*DATABASE_URL"),
    ],
)
def test_replicas_that_would_each_have_their_own_are_refused(
    given: dict[str, object], named: str
) -> None:
    with pytest.raises(ConfigurationError, match=named):
        check_server(settings(work=False, **given), shared=True)


def test_replicas_with_all_in_common_start() -> None:
    check_server(settings(work=False, admin_api_key=KEY, database_url=POSTGRES), shared=True)


def test_what_is_not_shared_is_told(caplog: pytest.LogCaptureFixture) -> None:
    check_server(settings(admin_api_key=KEY), shared=True)
    (told,) = caplog.records

    assert "DATABASE_URL" in str(vars(told)["own"])
    assert "SOURCEBOOK_REDIS_URL" in str(vars(told)["own"])
    assert KEY not in str(vars(told))


def test_a_process_that_is_alone_has_nothing_to_be_told(caplog: pytest.LogCaptureFixture) -> None:
    check_server(settings(), shared=False)

    assert not caplog.records
