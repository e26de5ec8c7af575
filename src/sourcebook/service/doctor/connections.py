"""Checks what is reached over the network: asked for with --online only."""

import asyncio
import os
from collections.abc import Iterator

from sourcebook.core.providers import ConnectionTest
from sourcebook.providers.registry.registry import Registry
from sourcebook.providers.storage.ledger.inspection import inspect_postgres_ledger
from sourcebook.service.config.settings import Settings
from sourcebook.service.doctor.results import CheckResult, ok, problem
from sourcebook.service.doctor.storage import ledger_result
from sourcebook.service.providers.directory import operator_directory
from sourcebook.service.wiring.models import entries_or_bundled
from sourcebook.service.wiring.provider_choices import (
    LOCAL_PROVIDERS,
    Choice,
    chosen_card,
    judge_choice,
    language_model_choice,
    model_choice,
    reranker_choice,
    store_choice,
)

# They keep their files in the data folder.
LOCAL_STORES = frozenset({"mirror", "chromadb"})
# Settings of ours that a connection has none of.
ROLES = {
    "vector_stores": "Index",
    "embedders": "Embeddings",
    "rerankers": "Reranker",
    "readers": "Reader",
    "judges": "Judge",
    "language_models": "Answers",
}


def check_connections(settings: Settings) -> Iterator[CheckResult]:
    """Connect to every remote provider that is configured, within 10 s each."""
    remote = [choice for choice in _choices(settings) if _is_remote(choice)]
    for choice in remote:
        name = f"{ROLES[choice.kind]} online"
        yield _result(name, asyncio.run(_test(choice)))
    if settings.ledger_url is not None:
        url = settings.ledger_url.get_secret_value()
        yield ledger_result(asyncio.run(inspect_postgres_ledger(url)))
    elif not remote:
        yield ok("Connections", "nothing is configured that is reached over the network")


def _choices(settings: Settings) -> Iterator[Choice]:
    yield store_choice(settings)
    for entry in entries_or_bundled(settings):
        yield model_choice(settings, entry)
    chosen = reranker_choice(settings), language_model_choice(settings), judge_choice(settings)
    for choice in chosen:
        if choice is not None:
            yield choice


def _is_remote(choice: Choice) -> bool:
    here = LOCAL_STORES if choice.kind == "vector_stores" else LOCAL_PROVIDERS
    return choice.provider.lower() not in here


async def _test(choice: Choice) -> ConnectionTest:
    card = chosen_card(Registry(), choice)
    return await operator_directory(os.environ).test(card.id, choice.config, choice.kind)


def _result(name: str, report: ConnectionTest) -> CheckResult:
    if report.success:
        return ok(name, f"{report.provider}: connected in {report.duration_ms / 1000:.1f} s")
    return problem(
        name,
        f"{report.provider}: {report.error_type}. {report.error}",
        f"Check its address and key; `sourcebook providers test {report.provider}` tries others",
    )
