"""Checks the ledger and the index, without opening them to write."""

from collections.abc import Iterator
from pathlib import Path

from sourcebook.core.errors import RetrievalUnavailable
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.storage.ledger.inspection import LedgerFacts, inspect_sqlite_ledger
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.settings import Settings
from sourcebook.service.doctor.results import CheckResult, ok, problem, warning
from sourcebook.service.wiring.provider_choices import EMBEDDED_STORE, chosen_card, store_choice

NOT_ASKED = "on a server, which is asked only with --online"


def check_ledger(settings: Settings) -> Iterator[CheckResult]:
    """Read the ledger's version and what it holds, and let SQLite look for damage."""
    if settings.ledger_url is not None:
        yield ok("Ledger", f"Postgres {NOT_ASKED}")
        return
    path = DataFolder(settings.data_dir).ledger
    if not path.exists():
        yield ok("Ledger", "not there yet")
        return
    try:
        yield ledger_result(inspect_sqlite_ledger(path))
    except RetrievalUnavailable as error:
        yield problem("Ledger", error.message, _restore(path))


def ledger_result(facts: LedgerFacts) -> CheckResult:
    """Judge what was found in a ledger."""
    if facts.damage is not None:
        return problem(
            "Ledger",
            f"damaged: {facts.damage}",
            "Restore a backup: `sourcebook restore FILE --force`",
        )
    if facts.version is None:
        return ok("Ledger", "empty")
    if facts.too_new:
        return problem(
            "Ledger",
            f"written by a newer release (schema {facts.version}, and this one knows"
            f" {facts.newest})",
            "Install that release again: pip install --upgrade sourcebook",
        )
    held = f"{facts.documents:,} documents in {len(facts.indexes)} collection(s)"
    version = f"schema {facts.version}"
    if facts.version != facts.newest:
        version += f", brought up to {facts.newest} by the next start"
    checked = "" if facts.checked else "; too large to look through for damage"
    return ok("Ledger", f"{held} ({version}){checked}")


def check_store(settings: Settings) -> Iterator[CheckResult]:
    """Look whether every collection of the ledger has its index."""
    choice = store_choice(settings)
    card = chosen_card(Registry(), choice)
    if card.lack is not None:
        yield problem("Index", card.lack)
        return
    if card.id != EMBEDDED_STORE:
        where = "in the data folder" if card.id == "chromadb" else NOT_ASKED
        yield ok("Index", f"{card.display_name} {where}")
        return
    yield ok("Index", "in memory, read from the ledger")
    former = DataFolder(settings.data_dir).index
    if former.exists():
        yield warning(
            "Former index",
            f"{former} is no longer read",
            f"Delete it when you like: rm -r '{former}'. The ledger has everything",
        )


def _restore(path: Path) -> str:
    return f"Check that {path} is a ledger and can be read, or restore it from a backup"
