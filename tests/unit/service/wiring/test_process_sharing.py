"""Several processes need an index that they can share, and on servers nothing of their own."""

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
        ({}, True),
        ({"ledger_url": POSTGRES}, True),
        ({"qdrant_url": "http://localhost:6333"}, True),
        ({"vector_store": "qdrant-edge"}, True),
        ({"ledger_url": POSTGRES, "qdrant_url": "http://localhost:6333"}, True),
        ({"ledger_url": POSTGRES, "vector_store": "chromadb-server"}, True),
        ({"ledger_url": POSTGRES, "vector_store": "chromadb"}, False),
        ({"vector_store": "chromadb"}, False),
    ],
)
def test_every_index_is_shared_but_one_in_a_folder_of_its_own(
    given: dict[str, object], shared: bool
) -> None:
    assert can_share(settings(**given), Registry()) is shared


def test_a_worker_on_an_index_of_one_process_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Chroma in a folder belongs to one"):
        check_worker(shared=False)
    check_worker(shared=True)


@pytest.mark.parametrize(
    ("given", "named"), [({"work": False}, "--no-work"), ({"workers": 2}, "several workers")]
)
def test_serving_with_others_is_refused_where_nobody_else_can_be(
    given: dict[str, object], named: str
) -> None:
    with pytest.raises(ConfigurationError, match=named):
        check_server(settings(**given), shared=False)
    check_server(settings(**given), shared=True)
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
        check_server(settings(ledger_url=POSTGRES, work=False, **given), shared=True)


def test_replicas_with_all_in_common_start() -> None:
    common = {"ledger_url": POSTGRES, "admin_api_key": KEY, "database_url": POSTGRES}
    check_server(settings(work=False, **common), shared=True)


def test_what_is_not_shared_is_told(caplog: pytest.LogCaptureFixture) -> None:
    check_server(settings(ledger_url=POSTGRES, admin_api_key=KEY), shared=True)
    (told,) = caplog.records

    assert "DATABASE_URL" in str(vars(told)["own"])
    assert "SOURCEBOOK_REDIS_URL" in str(vars(told)["own"])
    assert KEY not in str(vars(told))


def test_processes_on_one_folder_have_nothing_to_be_told(caplog: pytest.LogCaptureFixture) -> None:
    check_server(settings(workers=2), shared=True)

    assert not caplog.records
