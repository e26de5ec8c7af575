"""The doctor's checks do not stop one another, and connect to nothing unless asked."""

import pkgutil
import socket
from collections.abc import Iterator
from typing import NoReturn

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.doctor import checks
from sourcebook.service.doctor.checks import examine, isolated
from sourcebook.service.doctor.connections import check_connections
from sourcebook.service.doctor.results import CheckResult, ok

ALL_CHECKS = {**checks.MACHINE_CHECKS, **checks.SETTINGS_CHECKS, **checks.ONLINE_CHECKS}


@pytest.mark.parametrize("place", ALL_CHECKS.values())
def test_every_check_is_where_it_is_said_to_be(place: str) -> None:
    assert callable(pkgutil.resolve_name(f"sourcebook.service.doctor.{place}"))


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (ConfigurationError("Say what to do"), "Say what to do"),
        (ImportError("No module named 'numpy'"), "not checked, ImportError: No module named"),
        (RuntimeError("password"), "not checked, RuntimeError"),
    ],
)
def test_a_check_that_fails_is_a_problem_of_its_own(error: Exception, found: str) -> None:
    def fails() -> Iterator[CheckResult]:
        yield ok("Disk", "half of it")
        raise error

    first, second = isolated("Disk", fails)

    assert (first.status, second.status) == ("ok", "problem")
    assert second.found.startswith(found)
    assert "password" not in second.found


def test_bad_settings_leave_the_checks_that_need_none() -> None:
    def load() -> Settings:
        raise ConfigurationError("Bad settings: port")

    results = list(examine(load))

    assert [result.name for result in results] == [
        *("Python", "Packages", "Extras", "CPU", "Memory", "Settings")
    ]
    assert results[-1].status == "problem"


def test_a_new_installation_is_examined_without_a_connection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("The doctor connected")

    monkeypatch.setenv("QDRANT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("GEMINI_API_KEY", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY")
    monkeypatch.setattr(socket.socket, "connect", refuse)

    results = {
        result.name: result
        for result in examine(lambda: load_settings(data_dir=f"{tmp_path}/data", port=0))
    }

    assert [name for name, result in results.items() if result.status == "problem"] == []
    assert "384 dimensions" in results["Model minilm"].found
    assert results["Answers"].found.startswith("written by gemini")
    assert "asked only with --online" in results["Index"].found


def test_online_every_remote_service_is_asked(tmp_path: object) -> None:
    settings = load_settings(
        data_dir=f"{tmp_path}/data", port=0, qdrant_url="http://127.0.0.1:9", qdrant_api_key="k"
    )

    (result,) = check_connections(settings)

    assert (result.name, result.status) == ("Index online", "problem")
    assert "network" in result.found
