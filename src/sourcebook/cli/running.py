"""What the serving commands do. Imports the service, so the commands load it only when they run."""

import asyncio
import shlex
from collections.abc import Coroutine
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import orjson
import uvloop
from rich.console import Console

from sourcebook.cli.sample_book import COLLECTION, QUESTION, read_sample_book
from sourcebook.core.errors import AlreadyExists
from sourcebook.service.data_folder import DataFolder
from sourcebook.service.resources import (
    bundled_entries,
    model_entries,
    open_model,
    open_reranker_of,
)
from sourcebook.service.server import run_server
from sourcebook.service.settings import Settings
from sourcebook.surfaces.use_cases import UseCases

# Logs go to standard error as well, so standard output stays free for what was asked for.
console = Console(stderr=True, highlight=False, soft_wrap=True)


def serve(settings: Settings) -> None:
    """Serve until a signal comes."""
    entries = model_entries(settings)
    with console.status("Loading models …") as status:

        async def announce(_: UseCases, url: str) -> None:
            status.stop()
            console.print(f"[bold]Sourcebook is ready at {url}[/] (API documentation: {url}/docs)")

        _run(run_server(settings, entries, announce))


def download_models(settings: Settings) -> None:
    """Fetch and load every configured model once."""
    entries = model_entries(settings)
    folder = DataFolder(settings.data_dir)

    async def load_all() -> None:
        for entry in entries:
            with console.status(f"Fetching {entry.id} ({entry.path}) …"):
                async with open_model(entry, folder, download=True) as embedder:
                    dimensions = embedder.dimensions
            console.print(f"Embedding model {entry.id!r} is ready: {dimensions} dimensions")
        async with AsyncExitStack() as stack:
            reranker = await open_reranker_of(settings, folder, stack, download=True)
            if reranker is not None:
                console.print(f"Cross-encoder {reranker.name!r} is ready")

    asyncio.run(load_all())


def quickstart(settings: Settings) -> None:
    """Serve the sample book with the bundled model."""
    entries = model_entries(settings) if settings.embeddings_config else bundled_entries()
    with console.status("Loading the model …") as status:

        async def fill_and_announce(use_cases: UseCases, url: str) -> None:
            status.update("Indexing the sample book …")
            count = await _fill(use_cases, entries[0].id)
            status.stop()
            _explain(url, count, settings.data_dir)

        _run(run_server(settings, entries, fill_and_announce))


def _run(serving: Coroutine[None, None, None]) -> None:
    """Run on the fast event loop."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serving)


async def _fill(use_cases: UseCases, model_id: str) -> int:
    """Put the sample book into its collection; posting the same again changes nothing."""
    description = {"description": "The sample book of Sourcebook: lessons about robotics"}
    with suppress(AlreadyExists):
        await use_cases.catalog.create(COLLECTION, description, model_id)
    documents = read_sample_book()
    await use_cases.ingestor.add(COLLECTION, documents)
    return len(documents)


def _explain(url: str, count: int, data_dir: Path) -> None:
    body = orjson.dumps({"collection": COLLECTION, "query": QUESTION, "top_k": 1}).decode()
    request = f"curl -s {url}/query -H 'Content-Type: application/json' -d {shlex.quote(body)}"
    console.print(f"\n[bold]Sourcebook is ready at {url}[/]")
    console.print(f"  The sample book is in the collection {COLLECTION!r}: {count} sections.")
    console.print(f"  API documentation   {url}/docs")
    console.print(f"  Health              {url}/health")
    console.print(f"  Your data           {data_dir}")
    console.print("\nAsk it something:\n")
    console.print(f"  {request}\n", style="cyan", markup=False)
    console.print("Press Ctrl+C to stop.\n", style="dim")
