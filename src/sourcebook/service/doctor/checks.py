"""Runs the checks one by one; one that fails by itself is a result, and the others go on.

A check is named here and imported when it runs: `sourcebook doctor` is for installations in which
an import may fail.
"""

import pkgutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from sourcebook.core.errors import SourcebookError
from sourcebook.service.doctor.results import CheckResult, ok, problem

if TYPE_CHECKING:
    from sourcebook.service.config.settings import Settings

BROKEN = "Sourcebook may not be installed whole: pip install --force-reinstall sourcebook"

# What the report calls each, and where it is, in this folder.
MACHINE_CHECKS = {
    "Python": "machine:check_python",
    "Packages": "machine:check_packages",
    "CPU": "machine:check_cpu",
    "Memory": "machine:check_memory",
}
SETTINGS_CHECKS = {
    "Data folder": "folder:check_folder",
    "Disk": "folder:check_disk",
    "In use by": "folder:check_owner",
    "Port": "folder:check_port",
    "Keys": "keys:check_keys",
    "Admin key": "keys:check_admin_key",
    "Models": "models:check_models",
    "Reranker": "models:check_reranker",
    "Reader": "models:check_reader",
    "Judge": "models:check_judge",
    "OCR": "models:check_ocr",
    "Answers": "models:check_writer",
    "Downloads": "models:check_downloads",
    "Ledger": "storage:check_ledger",
    "Index": "storage:check_store",
}
ONLINE_CHECKS = {"Connections": "connections:check_connections"}


def examine(load: "Callable[[], Settings]", *, online: bool = False) -> Iterator[CheckResult]:
    """Yield what every check finds, as soon as it is known. `load` reads the settings."""
    for name, place in MACHINE_CHECKS.items():
        yield from isolated(name, partial(_run, place))
    loaded: list[Settings] = []

    def read_settings() -> Iterator[CheckResult]:
        loaded.append(load())
        yield ok("Settings", "valid")

    yield from isolated("Settings", read_settings)
    checks = SETTINGS_CHECKS | (ONLINE_CHECKS if online else {})
    for settings in loaded:
        for name, place in checks.items():
            yield from isolated(name, partial(_run, place, settings))


def isolated(name: str, check: Callable[[], Iterable[CheckResult]]) -> Iterator[CheckResult]:
    """Yield what a check finds; if it fails, that is what was found."""
    try:
        yield from check()
    except SourcebookError as error:
        yield problem(name, error.message)
    # An installation may be broken in any way. The message of a foreign error may hold a secret.
    except Exception as error:  # noqa: BLE001
        missing = f": {error}" if isinstance(error, ImportError) else ""
        yield problem(name, f"not checked, {type(error).__name__}{missing}", BROKEN)


def _run(place: str, *given: "Settings") -> Iterable[CheckResult]:
    check: Callable[..., Iterable[CheckResult]] = pkgutil.resolve_name(f"{__package__}.{place}")
    return check(*given)
